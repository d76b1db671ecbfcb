// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <rcl/types.h>

#include <string>

#include "rclcpp/exceptions.hpp"

namespace rclcpp::detail
{

/// Throws unless `ret` is success; `doing` says what was being done.
inline void check(rcl_ret_t ret, const std::string & doing)
{
  if (ret != RCL_RET_OK) exceptions::throw_from_rcl_error(ret, doing);
}

}  // namespace rclcpp::detail
