// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "protocol/handshake/repeated_failure.hpp"

#include <gtest/gtest.h>

// At which severity a failure is logged that comes again and again.

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

constexpr Duration instantly{1};

class Failures : public testing::Test
{
protected:
  EventSeverity severity(Duration time, bool mends_itself = false)
  {
    return failures_.note("no answer", mends_itself, begun_ + time).severity;
  }
  std::string text(Duration time, const std::string & text = "no answer")
  {
    return failures_.note(text, false, begun_ + time).text;
  }

  const Instant begun_{1h};
  RepeatedFailure failures_;
};

TEST_F(Failures, that_may_mend_themselves_are_no_warning_for_three_seconds)
{
  EXPECT_FALSE(failures_.failing());
  EXPECT_EQ(severity(0s, true), EventSeverity::info);
  EXPECT_TRUE(failures_.failing());
  EXPECT_EQ(severity(3s - instantly, true), EventSeverity::debug);
  EXPECT_EQ(severity(3s, true), EventSeverity::warning);
  failures_.reset();
  EXPECT_EQ(severity(4s, true), EventSeverity::info);
  EXPECT_EQ(severity(5s, false), EventSeverity::warning);
}

TEST_F(Failures, that_go_on_are_a_warning_after_pauses_that_double_up_to_ten_minutes)
{
  EXPECT_EQ(severity(0s), EventSeverity::warning);
  Duration warned = 0s;
  Duration pause = 5s;
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(severity(warned + pause - instantly), EventSeverity::debug);
    warned += pause;
    EXPECT_EQ(severity(warned), EventSeverity::warning) << i;
    pause = std::min<Duration>(2 * pause, 10min);
  }
}

TEST_F(Failures, of_one_text_are_counted_and_another_text_begins_anew)
{
  EXPECT_EQ(text(0s), "no answer");
  EXPECT_EQ(text(2s), "no answer (2 times in 2 s)");
  EXPECT_EQ(text(7s), "no answer (3 times in 7 s)");
  EXPECT_EQ(text(8s, "busy"), "busy");
  EXPECT_EQ(text(9s, "busy"), "busy (2 times in 1 s)");
  EXPECT_EQ(severity(10s), EventSeverity::warning);
}

}  // namespace
}  // namespace pqc_tunnel::test
