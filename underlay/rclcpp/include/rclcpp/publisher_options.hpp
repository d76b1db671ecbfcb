// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rclcpp/callback_group.hpp"

namespace rclcpp
{

struct PublisherOptions
{
  CallbackGroup::SharedPtr callback_group;
  bool use_default_callbacks = true;
};

}  // namespace rclcpp
