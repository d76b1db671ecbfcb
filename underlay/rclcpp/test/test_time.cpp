// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <chrono>
#include <rclcpp/rclcpp.hpp>
#include <rosgraph_msgs/msg/clock.hpp>

namespace
{

using namespace std::chrono_literals;
using rclcpp::Duration;
using rclcpp::Time;

}  // namespace

TEST(Time, arithmetic_keeps_nanoseconds_and_clock)
{
  const Time start(10, 500'000'000, RCL_ROS_TIME);
  const Time end = start + Duration(1, 600'000'000);
  EXPECT_EQ(end.nanoseconds(), 12'100'000'000);
  EXPECT_EQ(end.get_clock_type(), RCL_ROS_TIME);
  EXPECT_EQ((end - start).nanoseconds(), 1'600'000'000);
  EXPECT_LT(start, end);
  EXPECT_DOUBLE_EQ(start.seconds(), 10.5);
}

TEST(Time, times_of_different_clocks_do_not_mix)
{
  const Time ros(1, 0, RCL_ROS_TIME);
  const Time system(1, 0, RCL_SYSTEM_TIME);
  EXPECT_THROW((void)(ros == system), std::runtime_error);
  EXPECT_THROW((void)(ros - system), std::runtime_error);
}

TEST(Time, overflow_is_an_error)
{
  const Time last(std::numeric_limits<int64_t>::max());
  EXPECT_THROW((void)(last + Duration(1ns)), std::overflow_error);
  EXPECT_THROW(Time(-1, 0), std::runtime_error);
}

TEST(Time, messages_hold_the_same_time)
{
  const builtin_interfaces::msg::Time message = Time(3, 7);
  EXPECT_EQ(message.sec, 3);
  EXPECT_EQ(message.nanosec, 7U);
  EXPECT_EQ(Time(message).nanoseconds(), 3'000'000'007);
  const builtin_interfaces::msg::Duration before = Duration(-1500ms);
  EXPECT_EQ(before.sec, -2);
  EXPECT_EQ(before.nanosec, 500'000'000U);
  EXPECT_EQ(Duration(before).nanoseconds(), -1'500'000'000);
}

TEST(Duration, comes_from_and_goes_to_chrono)
{
  const Duration duration = 250ms;
  EXPECT_EQ(duration, Duration::from_seconds(0.25));
  EXPECT_EQ(duration.to_chrono<std::chrono::milliseconds>(), 250ms);
  EXPECT_EQ((duration * 4.0).nanoseconds(), 1'000'000'000);
}

TEST(Clock, steady_time_never_goes_back)
{
  rclcpp::Clock clock(RCL_STEADY_TIME);
  const auto first = clock.now();
  EXPECT_TRUE(clock.sleep_for(1ms));
  EXPECT_GE(clock.now() - first, Duration(1ms));
}

TEST(Clock, follows_simulated_time_where_the_parameter_says_so)
{
  const auto node = rclcpp::Node::make_shared(
    "simulated", rclcpp::NodeOptions().append_parameter_override("use_sim_time", true));
  const auto source =
    rclcpp::Node::make_shared("source")->create_publisher<rosgraph_msgs::msg::Clock>(
      "/clock", rclcpp::QoS(1));
  EXPECT_EQ(node->now().nanoseconds(), 0);
  int ticks = 0;
  const auto timer = node->create_timer(1s, [&ticks] { ++ticks; });

  rclcpp::executors::SingleThreadedExecutor executor;
  executor.add_node(node);
  rosgraph_msgs::msg::Clock message;
  for (int32_t second = 5; ticks < 3; ++second) {
    message.clock.sec = second;
    source->publish(message);
    executor.spin_once(100ms);
    ASSERT_LT(second, 1000);
  }
  EXPECT_GE(node->now().seconds(), 5.0);
  EXPECT_LE(node->now().seconds(), message.clock.sec);

  node->set_parameter(rclcpp::Parameter("use_sim_time", false));
  for (int i = 0; i < 100 && node->now().seconds() < 1e9; ++i) executor.spin_once(100ms);
  EXPECT_GT(node->now().seconds(), 1e9);
}

TEST(QoS, builders_change_one_policy_each)
{
  const auto qos = rclcpp::QoS(1).reliable().transient_local().deadline(Duration(2, 0));
  EXPECT_EQ(qos.depth(), 1U);
  EXPECT_EQ(qos.history(), rclcpp::HistoryPolicy::KeepLast);
  EXPECT_EQ(qos.reliability(), rclcpp::ReliabilityPolicy::Reliable);
  EXPECT_EQ(qos.durability(), rclcpp::DurabilityPolicy::TransientLocal);
  EXPECT_EQ(qos.deadline(), Duration(2, 0));
  EXPECT_EQ(rclcpp::SensorDataQoS().reliability(), rclcpp::ReliabilityPolicy::BestEffort);
  EXPECT_EQ(rclcpp::QoS(rclcpp::KeepAll()).history(), rclcpp::HistoryPolicy::KeepAll);
  EXPECT_EQ(rclcpp::QoS(1), rclcpp::QoS(rclcpp::KeepLast(1)));
  EXPECT_NE(rclcpp::QoS(1), rclcpp::QoS(2));
}

namespace
{

int lines = 0;

void count_lines(
  const rcutils_log_location_t *, int, const char *, rcutils_time_point_value_t, const char *,
  va_list *)
{
  ++lines;
}

}  // namespace

TEST(Logging, macros_log_as_often_as_they_say)
{
  const auto previous = rcutils_logging_get_output_handler();
  rcutils_logging_set_output_handler(count_lines);
  auto logger = rclcpp::get_logger("lines");
  rclcpp::Clock clock(RCL_STEADY_TIME);
  const auto counted = [](const auto & log) {
    lines = 0;
    for (int i = 0; i < 3; ++i) log(i);
    return lines;
  };
  EXPECT_EQ(counted([&](int i) { RCLCPP_INFO(logger, "line %d", i); }), 3);
  EXPECT_EQ(counted([&](int) { RCLCPP_DEBUG(logger, "too fine"); }), 0);
  EXPECT_EQ(counted([&](int i) { RCLCPP_WARN_STREAM(logger, "line " << i); }), 3);
  EXPECT_EQ(counted([&](int) { RCLCPP_ERROR_ONCE(logger, "once"); }), 1);
  EXPECT_EQ(counted([&](int i) { RCLCPP_INFO_EXPRESSION(logger, i == 1, "one"); }), 1);
  EXPECT_EQ(counted([&](int) { RCLCPP_WARN_THROTTLE(logger, clock, 60'000, "rare"); }), 1);
  EXPECT_EQ(
    counted([&](int i) { RCLCPP_INFO_STREAM_THROTTLE(logger, clock, 60'000, "rare " << i); }), 1);
  auto child = logger.get_child("child");
  child.set_level(rclcpp::Logger::Level::Debug);
  EXPECT_EQ(counted([&](int) { RCLCPP_DEBUG(child, "fine"); }), 3);
  EXPECT_STREQ(child.get_name(), "lines.child");
  rcutils_logging_set_output_handler(previous);
}
