// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>
#include <string>

namespace rclcpp
{

enum class FutureReturnCode
{
  SUCCESS,
  INTERRUPTED,
  TIMEOUT,
};

std::string to_string(const FutureReturnCode & code);
std::ostream & operator<<(std::ostream & stream, const FutureReturnCode & code);

}  // namespace rclcpp
