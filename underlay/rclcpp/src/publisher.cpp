// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "rclcpp/publisher.hpp"

#include "communication.hpp"

namespace rclcpp
{

PublisherBase::PublisherBase(
  node_interfaces::NodeBaseInterface & node, const rosidl_message_type_support_t & type,
  const std::string & topic, const QoS & qos)
: context_(node.get_context())
{
  auto options = rcl_publisher_get_default_options();
  options.qos = qos.get_rmw_qos_profile();
  const auto init = [&](rcl_publisher_t * publisher, rcl_node_t * owner) {
    return rcl_publisher_init(publisher, owner, &type, topic.c_str(), &options);
  };
  handle_ = detail::make_handle<exceptions::InvalidTopicNameError>(
    node, topic, rcl_get_zero_initialized_publisher(), init, &rcl_publisher_fini);
}

size_t PublisherBase::get_subscription_count() const
{
  size_t count = 0;
  const auto ret = rcl_publisher_get_subscription_count(handle_.get(), &count);
  if (ret == RCL_RET_PUBLISHER_INVALID && !context_->is_valid()) {
    rcl_reset_error();
    return 0;
  }
  detail::check(ret, "failed to get subscription count");
  return count;
}

QoS PublisherBase::get_actual_qos() const
{
  const auto * profile = rcl_publisher_get_actual_qos(handle_.get());
  if (profile == nullptr) detail::check(RCL_RET_ERROR, "failed to get qos settings");
  return QoS(QoSInitialization::from_rmw(*profile), *profile);
}

bool PublisherBase::assert_liveliness() const
{
  return rcl_publisher_assert_liveliness(handle_.get()) == RCL_RET_OK;
}

bool PublisherBase::wait_for_all_acked(std::chrono::nanoseconds timeout) const
{
  const auto ret = rcl_publisher_wait_for_all_acked(handle_.get(), timeout.count());
  if (ret == RCL_RET_TIMEOUT) {
    rcl_reset_error();
    return false;
  }
  detail::check(ret, "failed to wait for acknowledgements");
  return true;
}

void PublisherBase::publish_message(const void * message)
{
  const auto ret = rcl_publish(handle_.get(), message, nullptr);
  if (ret == RCL_RET_PUBLISHER_INVALID && !context_->is_valid()) {
    rcl_reset_error();
    return;
  }
  detail::check(ret, "failed to publish message");
}

}  // namespace rclcpp
