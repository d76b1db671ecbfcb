// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cstdlib>
#include <diagnostic_updater/diagnostic_updater.hpp>
#include <memory>
#include <rclcpp/rclcpp.hpp>
#include <string>
#include <vector>

namespace
{

using diagnostic_msgs::msg::DiagnosticArray;
using diagnostic_msgs::msg::DiagnosticStatus;
using diagnostic_updater::DiagnosticStatusWrapper;

std::vector<std::string> in_words(const DiagnosticStatus & status)
{
  std::vector<std::string> words{
    status.name, status.message, std::to_string(status.level), status.hardware_id};
  for (const auto & value : status.values) words.push_back(value.key + "=" + value.value);
  return words;
}

}  // namespace

TEST(Updater, tasks_report_once_a_period_under_the_name_of_the_node)
{
  setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "OFF", 1);
  const std::vector<const char *> arguments{
    "test", "--ros-args", "-p", "diagnostic_updater.period:=0.01"};
  rclcpp::init(
    static_cast<int>(arguments.size()), arguments.data(), rclcpp::InitOptions(),
    rclcpp::SignalHandlerOptions::None);
  const auto node = std::make_shared<rclcpp::Node>("watched");
  std::vector<DiagnosticStatus> newest;
  int runs = 0;
  const auto subscription = node->create_subscription<DiagnosticArray>(
    "/diagnostics", 10, [&](const DiagnosticArray & message) {
      newest = message.status;
      if (runs > 3 && newest.size() == 2) rclcpp::shutdown();
    });
  diagnostic_updater::Updater updater(node.get());
  updater.setHardwareID("unit 7");
  updater.add("link", [&runs](DiagnosticStatusWrapper & status) {
    ++runs;
    status.summary(DiagnosticStatus::WARN, "slow");
    status.add("loss", "5 %");
  });
  updater.add("silent", [](DiagnosticStatusWrapper &) {});
  const auto limit = node->create_wall_timer(std::chrono::seconds(60), [] { rclcpp::shutdown(); });
  rclcpp::spin(node);
  ASSERT_EQ(newest.size(), 2U);
  EXPECT_EQ(
    in_words(newest[0]),
    (std::vector<std::string>{"watched: link", "slow", "1", "unit 7", "loss=5 %"}));
  EXPECT_EQ(
    in_words(newest[1]),
    (std::vector<std::string>{"watched: silent", "No message was set", "2", "unit 7"}));
}
