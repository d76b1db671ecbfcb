// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rclcpp/callback_group.hpp"

namespace rclcpp
{

struct SubscriptionOptions
{
  CallbackGroup::SharedPtr callback_group;
  bool ignore_local_publications = false;
  bool use_default_callbacks = true;
};

}  // namespace rclcpp
