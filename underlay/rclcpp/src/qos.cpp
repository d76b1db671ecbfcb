// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "rclcpp/qos.hpp"

namespace rclcpp
{

QoS & QoS::history(HistoryPolicy history)
{
  profile_.history = static_cast<rmw_qos_history_policy_t>(history);
  return *this;
}

QoS & QoS::keep_last(size_t depth)
{
  profile_.depth = depth;
  return history(HistoryPolicy::KeepLast);
}

QoS & QoS::keep_all()
{
  profile_.depth = 0;
  return history(HistoryPolicy::KeepAll);
}

QoS & QoS::reliability(ReliabilityPolicy reliability)
{
  profile_.reliability = static_cast<rmw_qos_reliability_policy_t>(reliability);
  return *this;
}

QoS & QoS::durability(DurabilityPolicy durability)
{
  profile_.durability = static_cast<rmw_qos_durability_policy_t>(durability);
  return *this;
}

QoS & QoS::deadline(const Duration & deadline)
{
  profile_.deadline = deadline.to_rmw_time();
  return *this;
}

QoS & QoS::lifespan(const Duration & lifespan)
{
  profile_.lifespan = lifespan.to_rmw_time();
  return *this;
}

QoS & QoS::liveliness(LivelinessPolicy liveliness)
{
  profile_.liveliness = static_cast<rmw_qos_liveliness_policy_t>(liveliness);
  return *this;
}

QoS & QoS::liveliness_lease_duration(const Duration & duration)
{
  profile_.liveliness_lease_duration = duration.to_rmw_time();
  return *this;
}

QoS & QoS::avoid_ros_namespace_conventions(bool avoid)
{
  profile_.avoid_ros_namespace_conventions = avoid;
  return *this;
}

bool QoS::operator==(const QoS & other) const
{
  const auto & a = profile_;
  const auto & b = other.profile_;
  return a.history == b.history && a.depth == b.depth && a.reliability == b.reliability &&
         a.durability == b.durability && rmw_time_equal(a.deadline, b.deadline) &&
         rmw_time_equal(a.lifespan, b.lifespan) && a.liveliness == b.liveliness &&
         rmw_time_equal(a.liveliness_lease_duration, b.liveliness_lease_duration) &&
         a.avoid_ros_namespace_conventions == b.avoid_ros_namespace_conventions;
}

}  // namespace rclcpp
