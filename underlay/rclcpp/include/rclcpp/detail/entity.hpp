// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>

#include "rclcpp/callback_group.hpp"

namespace rclcpp::detail
{

/// Something an executor waits for and then runs a callback of.
class Entity : public std::enable_shared_from_this<Entity>
{
public:
  enum class Kind
  {
    subscription,
    timer,
    service,
    client,
  };

  Entity(Kind entity_kind, CallbackGroup::SharedPtr callback_group)
  : kind(entity_kind), group_(std::move(callback_group))
  {
  }
  virtual ~Entity() = default;
  Entity(const Entity &) = delete;
  Entity & operator=(const Entity &) = delete;

  /// Takes what is there and calls the user; does nothing if there is nothing any more.
  virtual void execute() = 0;

  CallbackGroup & get_group() const { return *group_; }

  const Kind kind;

  /// The rcl object of that kind. Shared, so that it outlives this while a wait is under way.
  std::shared_ptr<void> rcl_handle;

private:
  CallbackGroup::SharedPtr group_;
};

}  // namespace rclcpp::detail
