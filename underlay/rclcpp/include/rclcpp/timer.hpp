// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rcl/timer.h>

#include <chrono>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

#include "rclcpp/clock.hpp"
#include "rclcpp/detail/entity.hpp"
#include "rclcpp/macros.hpp"
#include "rclcpp/node_interfaces/node_base_interface.hpp"

namespace rclcpp
{

/// Calls back once a period, counted by its clock, until it is cancelled or nobody holds it.
class TimerBase : public detail::Entity
{
public:
  RCLCPP_SMART_PTR_DEFINITIONS(TimerBase)
  using Callback = std::function<void(TimerBase &)>;

  TimerBase(
    node_interfaces::NodeBaseInterface::SharedPtr node, const Clock & clock,
    std::chrono::nanoseconds period, Callback callback, CallbackGroup::SharedPtr group,
    bool autostart);

  void cancel();
  bool is_canceled();
  /// Starts the period anew, also after cancel().
  void reset();
  bool is_ready();
  bool is_steady() const { return steady_; }
  /// Negative once overdue; the greatest value if the timer is cancelled.
  std::chrono::nanoseconds time_until_trigger();

  void execute() override;

private:
  rcl_timer_t * handle() const { return static_cast<rcl_timer_t *>(rcl_handle.get()); }

  std::weak_ptr<node_interfaces::NodeBaseInterface> node_;
  Callback callback_;
  bool steady_;
};

namespace detail
{

template <typename CallbackT>
TimerBase::Callback timer_callback(CallbackT && callback)
{
  // As in the real API, a callback can't be mutable.
  using Call = const std::remove_cvref_t<CallbackT>;
  if constexpr (std::is_invocable_v<Call &, TimerBase &>) {
    return std::forward<CallbackT>(callback);
  } else {
    static_assert(std::is_invocable_v<Call &>, "not a timer callback");
    return [call = Call(std::forward<CallbackT>(callback))](TimerBase &) { call(); };
  }
}

}  // namespace detail

}  // namespace rclcpp
