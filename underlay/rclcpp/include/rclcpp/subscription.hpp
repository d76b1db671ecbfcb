// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rcl/subscription.h>

#include <functional>
#include <memory>
#include <rosidl_typesupport_cpp/message_type_support.hpp>
#include <string>
#include <type_traits>
#include <utility>

#include "rclcpp/detail/entity.hpp"
#include "rclcpp/macros.hpp"
#include "rclcpp/message_info.hpp"
#include "rclcpp/node_interfaces/node_base_interface.hpp"
#include "rclcpp/qos.hpp"
#include "rclcpp/subscription_options.hpp"

namespace rclcpp
{

class SubscriptionBase : public detail::Entity
{
public:
  RCLCPP_SMART_PTR_ALIASES_ONLY(SubscriptionBase)

  SubscriptionBase(
    node_interfaces::NodeBaseInterface & node, const rosidl_message_type_support_t & type,
    const std::string & topic, const QoS & qos, const SubscriptionOptions & options);

  const char * get_topic_name() const { return rcl_subscription_get_topic_name(handle()); }
  size_t get_publisher_count() const;
  QoS get_actual_qos() const;

  void execute() override;

protected:
  virtual std::shared_ptr<void> create_message() = 0;
  virtual void handle_message(std::shared_ptr<void> message, const MessageInfo & info) = 0;

private:
  rcl_subscription_t * handle() const
  {
    return static_cast<rcl_subscription_t *>(rcl_handle.get());
  }
};

template <typename MessageT>
class Subscription : public SubscriptionBase
{
public:
  RCLCPP_SMART_PTR_DEFINITIONS(Subscription<MessageT>)

  template <typename CallbackT>
  Subscription(
    node_interfaces::NodeBaseInterface & node, const std::string & topic, const QoS & qos,
    CallbackT && callback, const SubscriptionOptions & options)
  : SubscriptionBase(
      node, *rosidl_typesupport_cpp::get_message_type_support_handle<MessageT>(), topic, qos,
      options),
    callback_(adapted(std::forward<CallbackT>(callback)))
  {
  }

private:
  using Callback = std::function<void(std::shared_ptr<MessageT>, const MessageInfo &)>;

  /// Takes the message as a shared pointer, a constant reference or a unique pointer, each with or
  /// without a MessageInfo.
  template <typename CallbackT>
  static Callback adapted(CallbackT && callback)
  {
    using Shared = std::shared_ptr<MessageT>;
    using Unique = std::unique_ptr<MessageT>;
    using Info = const MessageInfo &;
    auto call = std::forward<CallbackT>(callback);
    using Call = decltype(call);
    if constexpr (std::is_invocable_v<const Call &, Shared, Info>) {
      return call;
    } else if constexpr (std::is_invocable_v<const Call &, Shared>) {
      return [call](Shared message, Info) { call(std::move(message)); };
    } else if constexpr (std::is_invocable_v<const Call &, const MessageT &, Info>) {
      return [call](Shared message, Info info) { call(std::as_const(*message), info); };
    } else if constexpr (std::is_invocable_v<const Call &, const MessageT &>) {
      return [call](Shared message, Info) { call(std::as_const(*message)); };
    } else if constexpr (std::is_invocable_v<const Call &, Unique, Info>) {
      return [call](Shared message, Info info) {
        call(std::make_unique<MessageT>(std::move(*message)), info);
      };
    } else {
      static_assert(std::is_invocable_v<const Call &, Unique>, "not a subscription callback");
      return
        [call](Shared message, Info) { call(std::make_unique<MessageT>(std::move(*message))); };
    }
  }

  std::shared_ptr<void> create_message() override { return std::make_shared<MessageT>(); }
  void handle_message(std::shared_ptr<void> message, const MessageInfo & info) override
  {
    callback_(std::static_pointer_cast<MessageT>(std::move(message)), info);
  }

  Callback callback_;
};

}  // namespace rclcpp
