// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "diagnostic_updater/diagnostic_status_wrapper.hpp"

#include <algorithm>

#include "formatted.hpp"

namespace diagnostic_updater
{

void DiagnosticStatusWrapper::summary(unsigned char level_now, const std::string & text)
{
  level = level_now;
  message = text;
}

void DiagnosticStatusWrapper::summary(const diagnostic_msgs::msg::DiagnosticStatus & source)
{
  summary(source.level, source.message);
}

void DiagnosticStatusWrapper::summaryf(unsigned char level_now, const char * format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  summary(level_now, formatted(format, arguments));
  va_end(arguments);
}

void DiagnosticStatusWrapper::mergeSummary(unsigned char other_level, const std::string & text)
{
  if (other_level > OK && level > OK) {
    if (!message.empty()) message += "; " + text;
  } else if (other_level > level) {
    message = text;
  }
  level = std::max(level, other_level);
}

void DiagnosticStatusWrapper::mergeSummary(const diagnostic_msgs::msg::DiagnosticStatus & source)
{
  mergeSummary(source.level, source.message);
}

void DiagnosticStatusWrapper::mergeSummaryf(unsigned char other_level, const char * format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  mergeSummary(other_level, formatted(format, arguments));
  va_end(arguments);
}

void DiagnosticStatusWrapper::add(const std::string & key, const std::string & value)
{
  auto & item = values.emplace_back();
  item.key = key;
  item.value = value;
}

void DiagnosticStatusWrapper::addf(const std::string & key, const char * format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  add(key, formatted(format, arguments));
  va_end(arguments);
}

}  // namespace diagnostic_updater
