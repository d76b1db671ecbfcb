// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <diagnostic_msgs/msg/diagnostic_array.hpp>
#include <diagnostic_updater/diagnostic_updater.hpp>
#include <functional>
#include <rclcpp/rclcpp.hpp>
#include <string>
#include <vector>

namespace
{

using diagnostic_msgs::msg::DiagnosticArray;
using diagnostic_msgs::msg::DiagnosticStatus;
using diagnostic_updater::DiagnosticStatusWrapper;
using namespace std::chrono_literals;

/// A node with an updater, and an ear on /diagnostics for what that node says.
class Updater : public testing::Test
{
protected:
  Updater() { executor_.add_node(node_); }

  bool until(const std::function<bool()> & done)
  {
    const auto end = std::chrono::steady_clock::now() + 10s;
    while (!done() && std::chrono::steady_clock::now() < end) executor_.spin_once(100ms);
    return done();
  }

  void be_heard()
  {
    ASSERT_TRUE(until([this] {
      return node_->count_publishers("/diagnostics") > 0 &&
             subscription_->get_publisher_count() > 0;
    }));
  }

  bool heard(const std::string & name, const std::string & message)
  {
    return until([&] {
      for (const auto & status : statuses_) {
        if (status.name == name && status.message == message) return true;
      }
      return false;
    });
  }

  rclcpp::Node::SharedPtr node_ = rclcpp::Node::make_shared("watched");
  rclcpp::executors::SingleThreadedExecutor executor_;
  std::vector<DiagnosticStatus> statuses_;
  rclcpp::Subscription<DiagnosticArray>::SharedPtr subscription_ =
    node_->create_subscription<DiagnosticArray>(
      "/diagnostics", 10, [this](const DiagnosticArray & message) {
        for (const auto & status : message.status) {
          if (status.name.starts_with("watched: ")) statuses_.push_back(status);
        }
      });
};

}  // namespace

TEST(Status, values_are_written_as_text)
{
  DiagnosticStatusWrapper status;
  status.add("text", "a");
  status.add("number", 2);
  status.add("truth", true);
  status.addf("formatted", "%.1f %s", 0.5, "m");
  std::vector<std::string> values;
  for (const auto & value : status.values) values.push_back(value.key + "=" + value.value);
  EXPECT_EQ(
    values, (std::vector<std::string>{"text=a", "number=2", "truth=True", "formatted=0.5 m"}));
}

TEST(Status, merging_keeps_the_worse_and_joins_troubles)
{
  DiagnosticStatusWrapper status;
  status.summary(DiagnosticStatus::OK, "fine");
  status.mergeSummary(DiagnosticStatus::OK, "also fine");
  EXPECT_EQ(status.message, "fine");
  status.mergeSummaryf(DiagnosticStatus::WARN, "slow: %d", 3);
  EXPECT_EQ(status.message, "slow: 3");
  status.mergeSummary(DiagnosticStatus::ERROR, "broken");
  EXPECT_EQ(status.level, DiagnosticStatus::ERROR);
  EXPECT_EQ(status.message, "slow: 3; broken");
  status.clearSummary();
  EXPECT_EQ(status.level, DiagnosticStatus::OK);
}

TEST_F(Updater, tasks_report_under_the_name_of_the_node)
{
  diagnostic_updater::Updater updater(node_);
  be_heard();
  updater.setHardwareIDf("unit %d", 7);
  updater.add("link", [](DiagnosticStatusWrapper & status) {
    status.summaryf(DiagnosticStatus::WARN, "loss %d %%", 5);
  });
  EXPECT_TRUE(heard("watched: link", "Node starting up"));
  updater.force_update();
  ASSERT_TRUE(heard("watched: link", "loss 5 %"));
  EXPECT_EQ(statuses_.back().level, DiagnosticStatus::WARN);
  EXPECT_EQ(statuses_.back().hardware_id, "unit 7");
}

TEST_F(Updater, a_method_or_a_task_object_can_report)
{
  struct Reporter
  {
    void report(DiagnosticStatusWrapper & status) { status.summary(DiagnosticStatus::OK, "mine"); }
  } reporter;
  diagnostic_updater::FunctionDiagnosticTask task("object", [](DiagnosticStatusWrapper & status) {
    status.summary(DiagnosticStatus::OK, "its own");
  });
  diagnostic_updater::Updater updater(node_);
  be_heard();
  updater.setHardwareID("none");
  updater.add("method", &reporter, &Reporter::report);
  updater.add(task);
  updater.force_update();
  EXPECT_TRUE(heard("watched: method", "mine"));
  EXPECT_TRUE(heard("watched: object", "its own"));
}

TEST_F(Updater, it_reports_by_itself_once_a_period)
{
  node_->declare_parameter("diagnostic_updater.period", 0.01);
  diagnostic_updater::Updater updater(node_.get());
  EXPECT_EQ(updater.getPeriod(), rclcpp::Duration(10ms));
  be_heard();
  updater.setHardwareID("none");
  int runs = 0;
  updater.add("counted", [&](DiagnosticStatusWrapper & status) {
    status.summary(DiagnosticStatus::OK, ++runs < 3 ? "begun" : "several times");
  });
  EXPECT_TRUE(heard("watched: counted", "several times"));
}

TEST_F(Updater, a_task_that_is_removed_reports_no_more)
{
  diagnostic_updater::Updater updater(node_, 1000.0);
  be_heard();
  updater.add("gone", [](DiagnosticStatusWrapper &) {});
  updater.add("kept", [](DiagnosticStatusWrapper &) {});
  EXPECT_TRUE(updater.removeByName("gone"));
  EXPECT_FALSE(updater.removeByName("gone"));
  updater.broadcast(DiagnosticStatus::STALE, "over");
  ASSERT_TRUE(heard("watched: kept", "over"));
  for (const auto & status : statuses_) {
    EXPECT_FALSE(status.name == "watched: gone" && status.message == "over");
  }
}

TEST_F(Updater, a_task_that_says_nothing_is_an_error)
{
  diagnostic_updater::Updater updater(node_);
  be_heard();
  updater.add("silent", [](DiagnosticStatusWrapper &) {});
  updater.force_update();
  ASSERT_TRUE(heard("watched: silent", "No message was set"));
  EXPECT_EQ(statuses_.back().level, DiagnosticStatus::ERROR);
}

int main(int argc, char ** argv)
{
  testing::InitGoogleTest(&argc, argv);
  setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "OFF", 1);
  rclcpp::init(argc, argv);
  const int result = RUN_ALL_TESTS();
  rclcpp::shutdown();
  return result;
}
