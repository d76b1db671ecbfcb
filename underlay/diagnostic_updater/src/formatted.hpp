// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <string>

namespace diagnostic_updater
{

/// What printf would print.
[[gnu::format(printf, 1, 0)]] inline std::string formatted(const char * format, va_list arguments)
{
  va_list again;
  va_copy(again, arguments);
  const int length = std::vsnprintf(nullptr, 0, format, arguments);
  std::string text;
  if (length > 0) {
    text.resize(static_cast<std::size_t>(length));
    std::vsnprintf(text.data(), text.size() + 1, format, again);
  }
  va_end(again);
  return text;
}

}  // namespace diagnostic_updater
