// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rmw/qos_profiles.h>
#include <rmw/types.h>

#include <cstddef>

namespace rclcpp
{

/// How messages are kept and delivered; every setter returns the object itself.
class QoS
{
public:
  /// Keeps the last `depth` messages; reliable and volatile.
  QoS(std::size_t depth) { profile_.depth = depth; }  // NOLINT: implicit, as in the real API

  QoS & reliable()
  {
    profile_.reliability = RMW_QOS_POLICY_RELIABILITY_RELIABLE;
    return *this;
  }
  QoS & transient_local()
  {
    profile_.durability = RMW_QOS_POLICY_DURABILITY_TRANSIENT_LOCAL;
    return *this;
  }
  const rmw_qos_profile_t & get_rmw_qos_profile() const { return profile_; }

protected:
  explicit QoS(const rmw_qos_profile_t & profile) : profile_(profile) {}

private:
  rmw_qos_profile_t profile_ = rmw_qos_profile_default;
};

/// Best effort, the last five messages.
class SensorDataQoS : public QoS
{
public:
  SensorDataQoS() : QoS(rmw_qos_profile_sensor_data) {}
};

}  // namespace rclcpp
