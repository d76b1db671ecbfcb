// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <diagnostic_msgs/msg/diagnostic_status.hpp>
#include <sstream>
#include <string>

namespace diagnostic_updater
{

/// A diagnostic status with helpers for filling it in.
class DiagnosticStatusWrapper : public diagnostic_msgs::msg::DiagnosticStatus
{
public:
  void summary(unsigned char level_now, const std::string & text);
  void summary(const diagnostic_msgs::msg::DiagnosticStatus & source);
  [[gnu::format(printf, 3, 4)]] void summaryf(unsigned char level_now, const char * format, ...);

  /// Keeps the worse level; texts that are both of trouble are joined.
  void mergeSummary(unsigned char other_level, const std::string & text);
  void mergeSummary(const diagnostic_msgs::msg::DiagnosticStatus & source);
  [[gnu::format(printf, 3, 4)]] void mergeSummaryf(
    unsigned char other_level, const char * format, ...);

  void clearSummary() { summary(OK, ""); }

  void add(const std::string & key, const std::string & value);
  void add(const std::string & key, const char * value) { add(key, std::string(value)); }
  void add(const std::string & key, const bool & value) { add(key, value ? "True" : "False"); }
  /// Anything else as its stream operator prints it.
  template <class T>
  void add(const std::string & key, const T & value)
  {
    std::stringstream text;
    text << value;
    add(key, text.str());
  }
  [[gnu::format(printf, 3, 4)]] void addf(const std::string & key, const char * format, ...);

  /// Forgets the values, not the summary.
  void clear() { values.clear(); }
};

}  // namespace diagnostic_updater
