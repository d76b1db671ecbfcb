// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <rclcpp/rclcpp.hpp>
#include <thread>

namespace
{

using namespace std::chrono_literals;
using rclcpp::executors::MultiThreadedExecutor;
using rclcpp::executors::SingleThreadedExecutor;

class Executor : public testing::Test
{
protected:
  rclcpp::Node::SharedPtr node_ = rclcpp::Node::make_shared("executor");
};

}  // namespace

TEST_F(Executor, a_timer_calls_until_it_is_cancelled)
{
  SingleThreadedExecutor executor;
  executor.add_node(node_);
  int calls = 0;
  const auto timer = node_->create_wall_timer(1ms, [&](rclcpp::TimerBase & self) {
    if (++calls == 3) self.cancel();
  });
  int waits = 0;
  const auto end = node_->create_wall_timer(50ms, [&] {
    if (calls >= 3 && ++waits == 2) executor.cancel();
  });
  executor.spin();
  EXPECT_EQ(calls, 3);
  EXPECT_TRUE(timer->is_canceled());
}

TEST_F(Executor, a_timer_that_is_reset_starts_anew)
{
  SingleThreadedExecutor executor;
  executor.add_node(node_);
  const auto timer = node_->create_wall_timer(1ms, [&] { executor.cancel(); });
  timer->cancel();
  EXPECT_EQ(timer->time_until_trigger(), std::chrono::nanoseconds::max());
  std::thread later([&] { timer->reset(); });
  executor.spin();
  later.join();
  EXPECT_FALSE(timer->is_canceled());
}

TEST_F(Executor, a_timer_may_be_made_without_being_started)
{
  const auto timer = node_->create_wall_timer(
    1ms, [] {}, nullptr, false);
  EXPECT_TRUE(timer->is_canceled());
}

TEST_F(Executor, spinning_ends_when_another_thread_cancels)
{
  SingleThreadedExecutor executor;
  executor.add_node(node_);
  std::promise<void> started;
  const auto timer = node_->create_wall_timer(0ms, [&](rclcpp::TimerBase & self) {
    self.cancel();
    started.set_value();
  });
  std::thread canceller([&] {
    started.get_future().wait();
    executor.cancel();
  });
  executor.spin();
  canceller.join();
  EXPECT_FALSE(executor.is_spinning());
}

TEST_F(Executor, what_is_added_while_it_waits_is_served)
{
  SingleThreadedExecutor executor;
  executor.add_node(node_);
  std::thread spinner([&] { executor.spin(); });
  std::promise<void> called;
  const auto timer = node_->create_wall_timer(1ms, [&](rclcpp::TimerBase & self) {
    self.cancel();
    called.set_value();
  });
  EXPECT_EQ(called.get_future().wait_for(10s), std::future_status::ready);
  executor.cancel();
  spinner.join();
}

TEST_F(Executor, spin_some_runs_what_is_ready_and_returns)
{
  int calls = 0;
  const auto timer = node_->create_wall_timer(0ms, [&] { ++calls; });
  const auto far_away = node_->create_wall_timer(1h, [&] { calls += 100; });
  rclcpp::spin_some(node_);
  EXPECT_EQ(calls, 1);
}

TEST_F(Executor, waiting_for_a_future_ends_with_the_future_or_the_time)
{
  std::promise<int> promise;
  const auto future = promise.get_future().share();
  EXPECT_EQ(
    rclcpp::spin_until_future_complete(node_, future, 1ms), rclcpp::FutureReturnCode::TIMEOUT);
  const auto timer = node_->create_wall_timer(1ms, [&](rclcpp::TimerBase & self) {
    self.cancel();
    promise.set_value(1);
  });
  EXPECT_EQ(rclcpp::spin_until_future_complete(node_, future), rclcpp::FutureReturnCode::SUCCESS);
}

TEST_F(Executor, a_node_belongs_to_one_executor_at_a_time)
{
  SingleThreadedExecutor first;
  SingleThreadedExecutor second;
  EXPECT_THROW(first.remove_node(node_), std::runtime_error);
  first.add_node(node_);
  EXPECT_THROW(second.add_node(node_), std::runtime_error);
  first.remove_node(node_);
  second.add_node(node_);
}

TEST_F(Executor, what_a_callback_throws_comes_out_of_spin)
{
  const auto timer = node_->create_wall_timer(0ms, [] { throw std::domain_error("mine"); });
  EXPECT_THROW(rclcpp::spin(node_), std::domain_error);
}

TEST_F(Executor, reentrant_callbacks_run_together_in_several_threads)
{
  const auto group = node_->create_callback_group(rclcpp::CallbackGroupType::Reentrant);
  MultiThreadedExecutor executor(rclcpp::ExecutorOptions(), 2);
  executor.add_node(node_);
  std::promise<void> one_here;
  std::promise<void> other_here;
  bool together = false;
  const auto one = node_->create_wall_timer(
    1ms,
    [&](rclcpp::TimerBase & self) {
      self.cancel();
      one_here.set_value();
      together = other_here.get_future().wait_for(10s) == std::future_status::ready;
      executor.cancel();
    },
    group);
  const auto other = node_->create_wall_timer(
    1ms,
    [&](rclcpp::TimerBase & self) {
      self.cancel();
      one_here.get_future().wait_for(10s);
      other_here.set_value();
    },
    group);
  executor.spin();
  EXPECT_TRUE(together);
}

TEST_F(Executor, exclusive_callbacks_never_run_together)
{
  MultiThreadedExecutor executor(rclcpp::ExecutorOptions(), 3);
  executor.add_node(node_);
  std::atomic<int> inside{0};
  std::atomic<int> calls{0};
  std::atomic<bool> overlapped{false};
  const auto work = [&] {
    if (++inside > 1) overlapped = true;
    std::this_thread::yield();
    --inside;
    if (++calls == 200) executor.cancel();
  };
  const auto one = node_->create_wall_timer(0ms, work);
  const auto other = node_->create_wall_timer(0ms, work);
  executor.spin();
  EXPECT_FALSE(overlapped);
}

TEST_F(Executor, shutting_a_context_down_ends_spinning_and_calls_back)
{
  const auto context = std::make_shared<rclcpp::Context>();
  context->init(0, nullptr, rclcpp::InitOptions().auto_initialize_logging(false));
  const auto node = rclcpp::Node::make_shared("own", rclcpp::NodeOptions().context(context));
  bool told = false;
  context->on_shutdown([&] { told = true; });
  rclcpp::ExecutorOptions options;
  options.context = context;
  SingleThreadedExecutor executor(options);
  executor.add_node(node);
  std::thread ender([&] { context->shutdown("enough"); });
  executor.spin();
  ender.join();
  EXPECT_TRUE(told);
  EXPECT_FALSE(rclcpp::ok(context));
  EXPECT_TRUE(rclcpp::ok());
  EXPECT_EQ(context->shutdown_reason(), "enough");
}

TEST(Arguments, those_of_ros_are_removed)
{
  const char * const arguments[] = {"program", "--mine", "1",  "--ros-args",
                                    "-r",      "a:=b",   "--", "--too"};
  EXPECT_EQ(
    rclcpp::remove_ros_arguments(8, arguments),
    (std::vector<std::string>{"program", "--mine", "1", "--too"}));
}

TEST(Arguments, unknown_ones_of_ros_are_refused)
{
  EXPECT_THROW(
    rclcpp::Node("node", rclcpp::NodeOptions().arguments({"--ros-args", "--nonsense"})),
    rclcpp::exceptions::UnknownROSArgsError);
}
