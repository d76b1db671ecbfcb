// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "shown_log.hpp"

#include <rcutils/logging.h>

#include <cstdarg>
#include <cstdio>
#include <exception>
#include <string>

#include "base/shown_text.hpp"

namespace pqc_tunnel
{

namespace
{

rcutils_logging_output_handler_t next = nullptr;

// NOLINTNEXTLINE(cert-dcl50-cpp,modernize-avoid-variadic-functions): rcutils wants a va_list.
void pass_on(
  const rcutils_log_location_t * location, int severity, const char * name,
  rcutils_time_point_value_t time, const char * format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  next(location, severity, name, time, format, &arguments);
  va_end(arguments);
}

void show(
  const rcutils_log_location_t * location, int severity, const char * name,
  rcutils_time_point_value_t time, const char * format, va_list * arguments)
{
  va_list copy;
  va_copy(copy, *arguments);
  const int size = std::vsnprintf(nullptr, 0, format, copy);
  va_end(copy);
  try {
    std::string text(static_cast<std::size_t>(size < 0 ? 0 : size), '\0');
    std::vsnprintf(text.data(), text.size() + 1, format, *arguments);
    pass_on(location, severity, name, time, "%s", shown(std::move(text)).c_str());
  } catch (const std::exception &) {  // no memory is left
    pass_on(location, severity, name, time, "%s", "A line of the log is lost.");
  }
}

}  // namespace

void show_log()
{
  if (next == nullptr) {
    next = rcutils_logging_get_output_handler();
    rcutils_logging_set_output_handler(show);
  }
}

}  // namespace pqc_tunnel
