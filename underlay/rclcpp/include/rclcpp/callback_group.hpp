// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

#include "rclcpp/macros.hpp"

namespace rclcpp
{

enum class CallbackGroupType
{
  MutuallyExclusive,
  Reentrant,
};

/// Says which callbacks of a node may run at the same time in a MultiThreadedExecutor.
class CallbackGroup
{
public:
  RCLCPP_SMART_PTR_DEFINITIONS(CallbackGroup)
  RCLCPP_DISABLE_COPY(CallbackGroup)

  explicit CallbackGroup(CallbackGroupType type) : type_(type) {}

  const CallbackGroupType & type() const { return type_; }
  std::atomic_bool & can_be_taken_from() { return free_; }

private:
  const CallbackGroupType type_;
  std::atomic_bool free_{true};
};

}  // namespace rclcpp
