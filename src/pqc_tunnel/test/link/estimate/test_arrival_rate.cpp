// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "link/estimate/arrival_rate.hpp"

#include <gtest/gtest.h>

// How the rate of a link is measured from the parts of streams that arrive.

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

const Instant start{};

TEST(ArrivalRate, counts_what_follows_the_first_part_of_a_train)
{
  ArrivalRate rate;
  rate.handle_part(9000, start);
  EXPECT_FALSE(rate.bytes_per_s());
  rate.handle_part(1499, start + 50ms);
  EXPECT_FALSE(rate.bytes_per_s()) << "too little";
  rate.handle_part(1, start + 100ms);
  EXPECT_DOUBLE_EQ(rate.bytes_per_s().value(), 15000);
  rate.handle_part(4500, start + 300ms);
  EXPECT_DOUBLE_EQ(rate.bytes_per_s().value(), 20000);
}

TEST(ArrivalRate, leaves_out_the_pause_between_two_trains)
{
  for (const Duration pause : {Duration(250ms), Duration(251ms)}) {
    ArrivalRate rate;
    rate.handle_part(2000, start);
    rate.handle_part(2000, start + pause);
    EXPECT_EQ(rate.bytes_per_s().has_value(), pause == 250ms);
  }
}

TEST(ArrivalRate, is_measured_anew_after_two_seconds)
{
  ArrivalRate rate;
  for (Duration time{}; time <= 2s; time += 200ms) {
    rate.handle_part(2000, start + time);
  }
  EXPECT_DOUBLE_EQ(rate.bytes_per_s().value(), 10000);
  rate.handle_part(1600, start + 2250ms);
  EXPECT_DOUBLE_EQ(rate.bytes_per_s().value(), 6400);
}

}  // namespace
}  // namespace pqc_tunnel::test
