// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "rclcpp/subscription.hpp"

#include "communication.hpp"

namespace rclcpp
{

SubscriptionBase::SubscriptionBase(
  node_interfaces::NodeBaseInterface & node, const rosidl_message_type_support_t & type,
  const std::string & topic, const QoS & qos, const SubscriptionOptions & subscription_options)
: Entity(Kind::subscription, detail::group_or_default(subscription_options.callback_group, node))
{
  auto options = rcl_subscription_get_default_options();
  options.qos = qos.get_rmw_qos_profile();
  options.rmw_subscription_options.ignore_local_publications =
    subscription_options.ignore_local_publications;
  const auto init = [&](rcl_subscription_t * subscription, rcl_node_t * owner) {
    return rcl_subscription_init(subscription, owner, &type, topic.c_str(), &options);
  };
  rcl_handle = detail::make_handle<exceptions::InvalidTopicNameError>(
    node, topic, rcl_get_zero_initialized_subscription(), init, &rcl_subscription_fini);
}

size_t SubscriptionBase::get_publisher_count() const
{
  size_t count = 0;
  detail::check(
    rcl_subscription_get_publisher_count(handle(), &count), "failed to get publisher count");
  return count;
}

QoS SubscriptionBase::get_actual_qos() const
{
  const auto * profile = rcl_subscription_get_actual_qos(handle());
  if (profile == nullptr) detail::check(RCL_RET_ERROR, "failed to get qos settings");
  return QoS(QoSInitialization::from_rmw(*profile), *profile);
}

void SubscriptionBase::execute()
{
  auto message = create_message();
  auto info = rmw_get_zero_initialized_message_info();
  const auto ret = rcl_take(handle(), message.get(), &info, nullptr);
  if (ret == RCL_RET_SUBSCRIPTION_TAKE_FAILED) {
    rcl_reset_error();
    return;
  }
  detail::check(ret, "failed to take message");
  handle_message(std::move(message), MessageInfo(info));
}

}  // namespace rclcpp
