// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "engine/loop/punctuality.hpp"
#include "os/machine_load.hpp"

namespace pqc_tunnel
{
namespace
{

using namespace std::chrono_literals;

constexpr Instant start{1000s};

TEST(Punctuality, counts_from_one_look_to_the_next)
{
  Punctuality punctuality(200ms, start);
  EXPECT_EQ(punctuality.handle_look(start + 200ms), 0s);
  EXPECT_EQ(punctuality.handle_look(start + 401ms), 201ms);
  EXPECT_EQ(punctuality.handle_look(start + 500ms), 0s);
}

TEST(Punctuality, says_whether_the_program_was_stopped_or_got_no_processor)
{
  Punctuality punctuality(200ms, start);
  punctuality.note_load(10s, std::nullopt);
  punctuality.handle_standstill(2340ms, 10s + 2s, start);
  EXPECT_EQ(
    punctuality.trouble(start),
    "this machine is too busy: this program got no processor for 2.3 s");
  punctuality.note_load(12s, std::nullopt);
  punctuality.handle_standstill(2s, 12s + 900ms, start);
  EXPECT_EQ(
    punctuality.trouble(start), "this program was stopped for 2.0 s, or this machine slept");
  punctuality.handle_standstill(3s, std::nullopt, start);
  EXPECT_EQ(
    punctuality.trouble(start),
    "this program stood still for 3.0 s (stopped, or this machine is too busy)");
}

TEST(Punctuality, is_reported_every_ten_seconds_at_most_and_is_trouble_for_ten)
{
  Punctuality punctuality(200ms, start);
  punctuality.handle_standstill(3s, std::nullopt, start);
  EXPECT_NE(punctuality.trouble(start + 9s).find("3.0 s"), std::string::npos);
  EXPECT_EQ(punctuality.trouble(start + 10s), "");
  EXPECT_TRUE(punctuality.take_report(start));
  EXPECT_FALSE(punctuality.take_report(start + 9s));
  EXPECT_TRUE(punctuality.take_report(start + 10s));
}

TEST(Punctuality, knows_a_busy_machine_from_the_share_of_time_in_which_programs_wait)
{
  Punctuality punctuality(200ms, start);
  EXPECT_EQ(punctuality.trouble(start), "");
  punctuality.note_load(0s, 0.49);
  EXPECT_EQ(punctuality.trouble(start), "");
  punctuality.note_load(0s, 0.5);
  EXPECT_EQ(punctuality.trouble(start), "this machine is busy: its programs wait for a processor");
}

TEST(MachineLoad, is_told_in_times_that_grow_and_shares_of_one_if_at_all)
{
  const auto before = processor_wait();
  const auto after = processor_wait();
  ASSERT_EQ(before.has_value(), after.has_value());
  EXPECT_LE(before.value_or(0s), after.value_or(0s));
  const double pressure = processor_pressure().value_or(0);
  EXPECT_GE(pressure, 0);
  EXPECT_LE(pressure, 1);
}

}  // namespace
}  // namespace pqc_tunnel
