// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "power_capture/energy_counter.hpp"
#include "power_capture/sample_counter.hpp"

namespace pqc_tunnel::power
{
namespace
{

using namespace std::chrono_literals;

constexpr Instant start{1h};
const Read four_watts = Reading{4.0};

TEST(SampleCounter, ticks_that_came_too_late_to_read_are_a_gap)
{
  SampleCounter counter(900us);
  EXPECT_EQ(counter.ticked(start, 1, four_watts)->missed, 0U);
  EXPECT_EQ(counter.ticked(start + 3600us, 4, four_watts)->missed, 3U);
  EXPECT_EQ(counter.ticked(start + 4500us, 1, four_watts)->missed, 0U);
  EXPECT_EQ(counter.counts().samples, 3U);
  EXPECT_EQ(counter.counts().gaps, 1U);
  EXPECT_EQ(counter.counts().missed, 3U);
}

TEST(SampleCounter, every_reason_for_a_missing_sample_is_counted_and_all_in_a_row_are_one_gap)
{
  SampleCounter counter(900us);
  EXPECT_TRUE(counter.ticked(start, 1, four_watts));
  for (const Missing why :
       {Missing::no_answer, Missing::no_answer, Missing::overflow, Missing::stale})
  {
    EXPECT_FALSE(counter.ticked(start, 1, tl::make_unexpected(why)));
  }
  EXPECT_EQ(counter.ticked(start, 1, four_watts)->missed, 4U);
  EXPECT_EQ(counter.counts().gaps, 1U);
  EXPECT_EQ(counter.counts().no_answers, 2U);
  EXPECT_EQ(counter.counts().overflows, 1U);
  EXPECT_EQ(counter.counts().stale, 1U);
}

TEST(SampleCounter, a_sensor_that_falls_silent_leaves_a_gap_at_the_end)
{
  SampleCounter counter(900us);
  EXPECT_FALSE(counter.ticked(start, 5, tl::make_unexpected(Missing::no_answer)));
  counter.finish();
  EXPECT_EQ(counter.counts().gaps, 1U);
  EXPECT_EQ(counter.counts().missed, 5U);
}

TEST(SampleCounter, an_hour_of_a_drifting_clock_has_the_gaps_that_were_made_and_no_other)
{
  // The sensor's conversions take 9 % longer than its data sheet says, and its clock drifts by 100 ppm.
  SampleCounter counter(808us);
  Instant at = start;
  std::uint64_t made = 0;
  for (int i = 0; i < 4'000'000; ++i) {
    const bool lost = i % 1'000'003 == 500'000;
    made += lost ? 7U : 0U;
    at += (lost ? 8 : 1) * 881us + Duration(i / 45'000);
    EXPECT_EQ(counter.stamped(at, four_watts)->missed, lost ? 7U : 0U);
  }
  EXPECT_EQ(counter.counts().missed, made);
  EXPECT_EQ(counter.counts().gaps, 4U);
}

TEST(EnergyCounter, energy_is_whole_across_the_end_of_the_counters_range)
{
  constexpr std::int64_t range = 1'000'000;
  EnergyCounter counter(range, start, range - 30'000);
  EXPECT_DOUBLE_EQ(counter.power_w(start + 10ms, range - 10'000), 2.0);
  EXPECT_DOUBLE_EQ(counter.power_w(start + 20ms, 30'000), 4.0);
  EXPECT_DOUBLE_EQ(counter.power_w(start + 30ms, 30'000), 0.0);
  EXPECT_DOUBLE_EQ(counter.step_uj(), 20'000);
}

}  // namespace
}  // namespace pqc_tunnel::power
