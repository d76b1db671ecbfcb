// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "blaster/send_schedule.hpp"

namespace pqc_tunnel::blaster
{
namespace
{

using namespace std::chrono_literals;

constexpr Instant start{1h};

TEST(SendSchedule, the_rate_is_exact_over_any_time)
{
  // 3906 does not divide a second: adding up the period would drift.
  SendSchedule schedule(start, 3906);
  for (int i = 0; i < 3906 * 1000; ++i) {
    schedule.note_sent(schedule.next_due());
  }
  EXPECT_EQ(schedule.next_due(), start + 1000s);
}

TEST(SendSchedule, a_late_datagram_does_not_delay_the_next)
{
  SendSchedule schedule(start, 100);
  schedule.note_sent(start + 4ms);
  EXPECT_EQ(schedule.next_due(), start + 10ms);
}

TEST(SendSchedule, counts_datagrams_sent_more_than_a_period_late)
{
  SendSchedule schedule(start, 100);
  schedule.note_sent(start + 10ms);
  EXPECT_EQ(schedule.slips(), 0U);
  schedule.note_sent(start + 25ms);
  EXPECT_EQ(schedule.slips(), 1U);
  EXPECT_EQ(schedule.latest(), 15ms);
}

TEST(SendSchedule, datagrams_due_in_a_long_halt_are_skipped_and_counted)
{
  SendSchedule schedule(start, 100);
  schedule.skip_long_halt(start + 900ms);
  EXPECT_EQ(schedule.skipped(), 0U);
  schedule.skip_long_halt(start + 2s);
  EXPECT_EQ(schedule.skipped(), 200U);
  EXPECT_EQ(schedule.next_due(), start + 2s);
}

}  // namespace
}  // namespace pqc_tunnel::blaster
