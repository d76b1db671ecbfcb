// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rmw/qos_profiles.h>
#include <rmw/time.h>
#include <rmw/types.h>

#include <chrono>
#include <cstddef>

namespace rclcpp
{

enum class LivelinessPolicy
{
  Automatic = RMW_QOS_POLICY_LIVELINESS_AUTOMATIC,
};

/// The quality of service of a topic. Every setter returns the object itself.
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
  /// The longest time between two messages.
  QoS & deadline(std::chrono::nanoseconds time)
  {
    profile_.deadline = rmw_time_from_nsec(time.count());
    return *this;
  }
  QoS & liveliness(LivelinessPolicy policy)
  {
    profile_.liveliness = static_cast<rmw_qos_liveliness_policy_t>(policy);
    return *this;
  }
  /// The longest time between two signs of life of a publisher.
  QoS & liveliness_lease_duration(std::chrono::nanoseconds time)
  {
    profile_.liveliness_lease_duration = rmw_time_from_nsec(time.count());
    return *this;
  }
  const rmw_qos_profile_t & get_rmw_qos_profile() const { return profile_; }

protected:
  explicit QoS(const rmw_qos_profile_t & profile) : profile_(profile) {}

private:
  rmw_qos_profile_t profile_ = rmw_qos_profile_default;
};

/// Keeps the last five messages; best effort.
class SensorDataQoS : public QoS
{
public:
  SensorDataQoS() : QoS(rmw_qos_profile_sensor_data) {}
};

}  // namespace rclcpp
