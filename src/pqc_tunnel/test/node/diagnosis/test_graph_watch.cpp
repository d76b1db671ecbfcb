// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <chrono>

#include "node/diagnosis/graph_watch.hpp"

namespace pqc_tunnel
{
namespace
{

using Level = Diagnosis::Level;
using std::chrono::seconds;

constexpr Instant start{seconds(1000)};
constexpr std::int64_t ros_ns = 1'700'000'000'000'000'000;
const std::vector<std::string> alone{"/pqc/tunnel"};

GraphWatch a_watch() { return {"/pqc/tunnel", "/pqc/status", "/pqc/rekey", start}; }

TEST(GraphWatch, its_own_statuses_are_no_second_tunnel)
{
  auto watch = a_watch();
  watch.note_own_status(7);
  watch.handle_status(7, start);
  watch.handle_second(alone, 1, false, ros_ns, start + seconds(1));
  EXPECT_EQ(watch.take_warning(), std::nullopt);
  EXPECT_EQ(watch.diagnose().level, Level::ok);
}

TEST(GraphWatch, a_second_tunnel_is_named_once_in_the_log_and_as_long_as_it_lasts_in_the_diagnosis)
{
  auto watch = a_watch();
  for (int second = 1; second <= 5; ++second) {
    const Instant now = start + seconds(second);
    watch.handle_status(-second, now);
    watch.handle_second({"/pqc/tunnel", "/pqc/other"}, 1, false, ros_ns, now);
  }
  EXPECT_EQ(
    watch.take_warning(),
    "/pqc/status is also published by /pqc/other: two tunnels on one ROS graph. Give one of them "
    "another namespace or ROS_DOMAIN_ID.");
  EXPECT_EQ(watch.take_warning(), std::nullopt);
  EXPECT_EQ(watch.diagnose().level, Level::warning);
  watch.handle_second(alone, 1, false, ros_ns, start + seconds(9));
  EXPECT_EQ(watch.diagnose().level, Level::ok);
}

TEST(GraphWatch, a_second_tunnel_with_the_same_name_is_named_too)
{
  auto watch = a_watch();
  watch.handle_status(1, start);
  watch.handle_second({"/pqc/tunnel", "/pqc/tunnel"}, 1, false, ros_ns, start);
  EXPECT_NE(watch.take_warning().value_or("").find("by another /pqc/tunnel"), std::string::npos);
}

TEST(GraphWatch, a_killed_process_that_the_graph_still_lists_is_no_second_tunnel)
{
  auto watch = a_watch();
  watch.handle_second({"/pqc/tunnel", "/pqc/tunnel"}, 1, false, ros_ns, start + seconds(1));
  EXPECT_EQ(watch.take_warning(), std::nullopt);
}

TEST(GraphWatch, a_second_server_of_rekey_that_stays_is_named_once)
{
  auto watch = a_watch();
  for (int second = 1; second <= 30; ++second) {
    watch.handle_second(alone, 2, false, ros_ns, start + seconds(second));
    EXPECT_EQ(watch.take_warning(), std::nullopt) << second;
  }
  watch.handle_second(alone, 2, false, ros_ns, start + seconds(31));
  EXPECT_EQ(
    watch.take_warning(),
    "/pqc/rekey is also served by another node: a second tunnel, or a program in its place. A "
    "caller may get the "
    "answer of either.");
  EXPECT_EQ(watch.diagnose().level, Level::warning);
  watch.handle_second(alone, 2, false, ros_ns, start + seconds(33));
  EXPECT_EQ(watch.take_warning(), std::nullopt);
  watch.handle_second(alone, 1, false, ros_ns, start + seconds(34));
  EXPECT_EQ(watch.diagnose().level, Level::ok);
}

TEST(GraphWatch, simulated_time_without_a_clock_is_reported_after_two_seconds)
{
  auto watch = a_watch();
  watch.handle_second(alone, 1, true, 0, start + seconds(1));
  EXPECT_EQ(watch.take_warning(), std::nullopt);
  watch.handle_second(alone, 1, true, 0, start + seconds(2));
  EXPECT_NE(watch.take_warning().value_or("").find("no /clock arrives"), std::string::npos);
  watch.handle_second(alone, 1, true, 0, start + seconds(3));
  EXPECT_EQ(watch.take_warning(), std::nullopt);
  EXPECT_EQ(watch.diagnose().level, Level::warning);
  watch.handle_second(alone, 1, true, 42, start + seconds(4));
  EXPECT_EQ(watch.diagnose().level, Level::ok);
}

TEST(GraphWatch, real_time_needs_no_clock)
{
  auto watch = a_watch();
  watch.handle_second(alone, 1, false, ros_ns, start + seconds(60));
  EXPECT_EQ(watch.take_warning(), std::nullopt);
}

}  // namespace
}  // namespace pqc_tunnel
