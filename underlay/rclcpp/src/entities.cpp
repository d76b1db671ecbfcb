// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <rcl/graph.h>
#include <rcutils/logging_macros.h>

#include <stdexcept>

#include "core.hpp"
#include "rclcpp/rclcpp.hpp"

namespace rclcpp
{

namespace
{

/// Makes an rcl publisher, subscription or service that keeps its node alive.
template <typename Handle, typename Init>
std::shared_ptr<Handle> make_handle(
  const detail::NodeCore & core, const std::string & name, Handle zero, Init init,
  rcl_ret_t (*fini)(Handle *, rcl_node_t *))
{
  auto node = core.node;
  auto handle = std::make_unique<Handle>(zero);
  detail::check(init(handle.get(), node.get()), "could not create '" + name + "'");
  return std::shared_ptr<Handle>(handle.release(), [node, fini](Handle * ended) {
    if (fini(ended, node.get()) != RCL_RET_OK) rcl_reset_error();
    std::default_delete<Handle>()(ended);
  });
}

/// Returns whether something was taken; throws on failure.
bool taken(rcl_ret_t ret, rcl_ret_t nothing, const char * doing)
{
  if (ret == nothing) {
    rcl_reset_error();
    return false;
  }
  detail::check(ret, doing);
  return true;
}

template <typename Handle>
Handle * handle_of(const detail::Entity & entity)
{
  return static_cast<Handle *>(entity.rcl_handle.get());
}

}  // namespace

namespace detail
{

PublisherBase::PublisherBase(
  NodeCore & core, const rosidl_message_type_support_t & type, const std::string & topic,
  const QoS & qos)
{
  auto options = rcl_publisher_get_default_options();
  options.qos = qos.get_rmw_qos_profile();
  const auto init = [&](rcl_publisher_t * publisher, rcl_node_t * node) {
    return rcl_publisher_init(publisher, node, &type, topic.c_str(), &options);
  };
  handle_ =
    make_handle(core, topic, rcl_get_zero_initialized_publisher(), init, &rcl_publisher_fini);
}

void PublisherBase::publish_message(const void * message)
{
  const auto ret = rcl_publish(handle_.get(), message, nullptr);
  if (ret == RCL_RET_PUBLISHER_INVALID && !ok()) {
    rcl_reset_error();
    return;
  }
  check(ret, "failed to publish message");
}

SubscriptionBase::SubscriptionBase(
  NodeCore & core, const rosidl_message_type_support_t & type, const std::string & topic,
  const QoS & qos)
: Entity(Kind::subscription)
{
  auto options = rcl_subscription_get_default_options();
  options.qos = qos.get_rmw_qos_profile();
  const auto init = [&](rcl_subscription_t * subscription, rcl_node_t * node) {
    return rcl_subscription_init(subscription, node, &type, topic.c_str(), &options);
  };
  rcl_handle =
    make_handle(core, topic, rcl_get_zero_initialized_subscription(), init, &rcl_subscription_fini);
}

bool SubscriptionBase::take(void * message)
{
  const auto ret = rcl_take(handle_of<rcl_subscription_t>(*this), message, nullptr, nullptr);
  return taken(ret, RCL_RET_SUBSCRIPTION_TAKE_FAILED, "failed to take message");
}

ServiceBase::ServiceBase(
  NodeCore & core, const rosidl_service_type_support_t & type, const std::string & name)
: Entity(Kind::service)
{
  const auto options = rcl_service_get_default_options();
  const auto init = [&](rcl_service_t * service, rcl_node_t * node) {
    return rcl_service_init(service, node, &type, name.c_str(), &options);
  };
  rcl_handle = make_handle(core, name, rcl_get_zero_initialized_service(), init, &rcl_service_fini);
}

bool ServiceBase::take(rmw_request_id_t & header, void * request)
{
  const auto ret = rcl_take_request(handle_of<rcl_service_t>(*this), &header, request);
  return taken(ret, RCL_RET_SERVICE_TAKE_FAILED, "failed to take request");
}

void ServiceBase::send(rmw_request_id_t & header, void * response)
{
  auto * handle = handle_of<rcl_service_t>(*this);
  const auto ret = rcl_send_response(handle, &header, response);
  if (ret == RCL_RET_TIMEOUT) {
    RCUTILS_LOG_WARN_NAMED(
      "rclcpp", "failed to send response to %s (timeout): %s", rcl_service_get_service_name(handle),
      rcl_get_error_string().str);
    rcl_reset_error();
    return;
  }
  check(ret, "failed to send response");
}

}  // namespace detail

TimerBase::TimerBase(
  std::shared_ptr<detail::NodeCore> core, std::shared_ptr<rcl_clock_t> clock,
  std::chrono::nanoseconds period, std::function<void()> callback)
: Entity(Kind::timer), core_(core), callback_(std::move(callback))
{
  if (period < std::chrono::nanoseconds(0)) {
    throw std::invalid_argument("timer period cannot be negative");
  }
  const auto context = detail::context();
  auto timer = std::make_unique<rcl_timer_t>(rcl_get_zero_initialized_timer());
  constexpr bool autostart = true;
  detail::check(
    rcl_timer_init2(
      timer.get(), clock.get(), context.get(), period.count(), nullptr, rcl_get_default_allocator(),
      autostart),
    "failed to create timer");
  rcl_handle = std::shared_ptr<rcl_timer_t>(timer.release(), [clock, context](rcl_timer_t * ended) {
    if (rcl_timer_fini(ended) != RCL_RET_OK) rcl_reset_error();
    std::default_delete<rcl_timer_t>()(ended);
  });
}

void TimerBase::cancel()
{
  detail::check(rcl_timer_cancel(handle_of<rcl_timer_t>(*this)), "couldn't cancel timer");
}

void TimerBase::reset()
{
  detail::check(rcl_timer_reset(handle_of<rcl_timer_t>(*this)), "couldn't reset timer");
  // A wait that has begun must take the new time into account.
  if (const auto core = core_.lock()) core->changed.trigger();
}

void TimerBase::execute()
{
  auto * timer = handle_of<rcl_timer_t>(*this);
  bool ready = false;
  detail::check(rcl_timer_is_ready(timer, &ready), "failed to check timer");
  // Another thread may cancel it after the check.
  if (ready && taken(rcl_timer_call(timer), RCL_RET_TIMER_CANCELED, "failed to call timer")) {
    callback_();
  }
}

}  // namespace rclcpp
