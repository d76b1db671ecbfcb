// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rcl/publisher.h>

#include <chrono>
#include <memory>
#include <rosidl_typesupport_cpp/message_type_support.hpp>
#include <string>

#include "rclcpp/macros.hpp"
#include "rclcpp/node_interfaces/node_base_interface.hpp"
#include "rclcpp/publisher_options.hpp"
#include "rclcpp/qos.hpp"

namespace rclcpp
{

class PublisherBase
{
public:
  RCLCPP_SMART_PTR_ALIASES_ONLY(PublisherBase)
  RCLCPP_DISABLE_COPY(PublisherBase)

  PublisherBase(
    node_interfaces::NodeBaseInterface & node, const rosidl_message_type_support_t & type,
    const std::string & topic, const QoS & qos);
  virtual ~PublisherBase() = default;

  const char * get_topic_name() const { return rcl_publisher_get_topic_name(handle_.get()); }
  size_t get_subscription_count() const;
  QoS get_actual_qos() const;
  bool assert_liveliness() const;

  /// True if every reliable reader has acknowledged everything within the time (negative: for ever).
  bool wait_for_all_acked(std::chrono::nanoseconds timeout = std::chrono::nanoseconds(-1)) const;

protected:
  /// Throws RCLError; says nothing if the context has been shut down.
  void publish_message(const void * message);

private:
  Context::SharedPtr context_;
  std::shared_ptr<rcl_publisher_t> handle_;
};

template <typename MessageT>
class Publisher : public PublisherBase
{
public:
  RCLCPP_SMART_PTR_DEFINITIONS(Publisher<MessageT>)

  Publisher(node_interfaces::NodeBaseInterface & node, const std::string & topic, const QoS & qos)
  : PublisherBase(
      node, *rosidl_typesupport_cpp::get_message_type_support_handle<MessageT>(), topic, qos)
  {
  }

  void publish(const MessageT & message) { publish_message(&message); }
  void publish(std::unique_ptr<MessageT> message) { publish_message(message.get()); }
};

}  // namespace rclcpp
