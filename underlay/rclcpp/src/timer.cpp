// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "rclcpp/timer.hpp"

#include <stdexcept>

#include "communication.hpp"

namespace rclcpp
{

TimerBase::TimerBase(
  node_interfaces::NodeBaseInterface::SharedPtr node, const Clock & clock,
  std::chrono::nanoseconds period, Callback callback, CallbackGroup::SharedPtr callback_group,
  bool autostart)
: Entity(Kind::timer, detail::group_or_default(std::move(callback_group), *node)),
  node_(node),
  callback_(std::move(callback)),
  steady_(clock.get_clock_type() == RCL_STEADY_TIME)
{
  if (period < std::chrono::nanoseconds(0)) {
    throw std::invalid_argument("timer period cannot be negative");
  }
  auto clock_handle = clock.get_shared_handle();
  const auto context = node->get_context()->get_rcl_context();
  auto timer = std::make_unique<rcl_timer_t>(rcl_get_zero_initialized_timer());
  detail::check(
    rcl_timer_init2(
      timer.get(), clock_handle.get(), context.get(), period.count(), nullptr,
      rcl_get_default_allocator(), autostart),
    "failed to create timer");
  rcl_handle =
    std::shared_ptr<rcl_timer_t>(timer.release(), [clock_handle, context](rcl_timer_t * ended) {
      if (rcl_timer_fini(ended) != RCL_RET_OK) rcl_reset_error();
      std::default_delete<rcl_timer_t>()(ended);
    });
}

void TimerBase::cancel() { detail::check(rcl_timer_cancel(handle()), "couldn't cancel timer"); }

bool TimerBase::is_canceled()
{
  bool canceled = false;
  detail::check(rcl_timer_is_canceled(handle(), &canceled), "couldn't look at timer");
  return canceled;
}

void TimerBase::reset()
{
  detail::check(rcl_timer_reset(handle()), "couldn't reset timer");
  // An executor that waits already must take the new time into account.
  if (const auto node = node_.lock()) node->get_notify_guard_condition().trigger();
}

bool TimerBase::is_ready()
{
  bool ready = false;
  detail::check(rcl_timer_is_ready(handle(), &ready), "failed to check timer");
  return ready;
}

std::chrono::nanoseconds TimerBase::time_until_trigger()
{
  int64_t nanoseconds = 0;
  const auto ret = rcl_timer_get_time_until_next_call(handle(), &nanoseconds);
  if (ret == RCL_RET_TIMER_CANCELED) {
    rcl_reset_error();
    return std::chrono::nanoseconds::max();
  }
  detail::check(ret, "timer could not get time until next call");
  return std::chrono::nanoseconds(nanoseconds);
}

void TimerBase::execute()
{
  if (!is_ready()) return;
  const auto ret = rcl_timer_call(handle());
  if (ret == RCL_RET_TIMER_CANCELED) {
    rcl_reset_error();
    return;
  }
  detail::check(ret, "failed to call timer");
  callback_(*this);
}

}  // namespace rclcpp
