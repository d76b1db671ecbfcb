// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rmw/types.h>

namespace rclcpp
{

/// Where and when a received message was sent.
class MessageInfo
{
public:
  MessageInfo() = default;
  MessageInfo(const rmw_message_info_t & info) : info_(info) {}  // NOLINT: as in the real API

  const rmw_message_info_t & get_rmw_message_info() const { return info_; }
  rmw_message_info_t & get_rmw_message_info() { return info_; }

private:
  rmw_message_info_t info_{};
};

}  // namespace rclcpp
