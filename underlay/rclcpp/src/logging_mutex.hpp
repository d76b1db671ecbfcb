// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <mutex>

namespace rclcpp::detail
{

/// Guards rcl's logging, which is global and not thread-safe.
std::recursive_mutex & logging_mutex();

}  // namespace rclcpp::detail
