// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <rcutils/logging_macros.h>

#include <algorithm>
#include <rclcpp/rclcpp.hpp>
#include <string>

#include "node/diagnosis/diagnosis_report.hpp"
#include "node/interface/shown_log.hpp"

namespace pqc_tunnel
{
namespace
{

constexpr const char * forged = "reason\n[INFO] [1.0] [tunnel]: all is well\x1b]0;title\x07";
constexpr const char * harmless = R"(reason\n[INFO] [1.0] [tunnel]: all is well\x1b]0;title\x07)";

TEST(ShownLog, a_line_of_the_log_is_one_line_whoever_writes_it)
{
  rclcpp::init(0, nullptr, rclcpp::InitOptions(), rclcpp::SignalHandlerOptions::None);
  show_log();
  show_log();  // once is enough
  testing::internal::CaptureStderr();
  RCUTILS_LOG_WARN_NAMED("tunnel", "%s", forged);
  RCUTILS_LOG_ERROR_NAMED("library", "%s %d", forged, 7);
  rclcpp::shutdown();
  const std::string log = testing::internal::GetCapturedStderr();
  EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), 2) << log;
  EXPECT_EQ(log.find('\x1b'), std::string::npos) << log;
  EXPECT_NE(log.find(harmless), std::string::npos) << log;
  EXPECT_NE(log.find(std::string(harmless) + " 7"), std::string::npos) << log;
}

TEST(ShownLog, diagnostics_are_shown_text)
{
  Diagnosis diagnosis;
  diagnosis.text = forged;
  diagnosis.values = {{forged, forged}};
  diagnostic_updater::DiagnosticStatusWrapper wrapper;
  report(diagnosis, wrapper);
  EXPECT_EQ(wrapper.message, harmless);
  ASSERT_EQ(wrapper.values.size(), 1U);
  EXPECT_EQ(wrapper.values[0].key, harmless);
  EXPECT_EQ(wrapper.values[0].value, harmless);
}

}  // namespace
}  // namespace pqc_tunnel
