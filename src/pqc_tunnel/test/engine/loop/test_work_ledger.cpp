// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <map>

#include "engine/loop/work_ledger.hpp"

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

constexpr PeerIndex first{1};
constexpr PeerIndex second{2};

class Ledger : public testing::Test
{
protected:
  void SetUp() override  // the first reading counts from nowhere
  {
    work(std::nullopt, 0ms, 0ms);
    charges();
  }
  // The thread works for a peer, with the processor for a part of the time.
  void work(std::optional<PeerIndex> peer, Duration passed, Duration used)
  {
    ledger_.begin(now_);
    now_ += passed;
    used_ += used;
    ledger_.note(peer, now_);
  }
  void rest(Duration time)
  {
    ledger_.note_idle(now_, now_ + time);
    now_ += time;
  }
  std::map<std::optional<PeerIndex>, Duration> charges()
  {
    std::map<std::optional<PeerIndex>, Duration> found;
    ledger_.settle(used_, [&](auto peer, Duration time) { found[peer] += time; });
    return found;
  }

  Instant now_{1000s};
  Duration used_{77ms};
  WorkLedger ledger_;
};

using Charges = std::map<std::optional<PeerIndex>, Duration>;

TEST_F(Ledger, charges_each_peer_what_passed_for_its_frames)
{
  work(first, 300us, 300us);
  work(second, 500us, 500us);
  work(std::nullopt, 100us, 100us);
  work(first, 200us, 200us);
  EXPECT_EQ(charges(), (Charges{{first, 500us}, {second, 500us}, {std::nullopt, 100us}}));
  EXPECT_EQ(charges(), Charges{}) << "once";
}

TEST_F(Ledger, charges_no_time_in_which_others_had_the_processor)
{
  work(first, 6ms, 1ms);
  work(second, 2ms, 1ms);
  EXPECT_EQ(charges(), (Charges{{first, 1500us}, {second, 500us}}));
}

TEST_F(Ledger, charges_nobody_for_idle_time_and_for_what_was_done_in_between)
{
  work(first, 1ms, 1ms);
  now_ += 3ms;  // of something else
  used_ += 3ms;
  rest(10s);
  work(second, 2ms, 2ms);
  EXPECT_EQ(charges(), (Charges{{first, 1ms}, {second, 2ms}}));
  rest(1s);
  work(first, 1ms, 1ms);
  EXPECT_EQ(charges(), (Charges{{first, 1ms}}));
}

TEST_F(Ledger, charges_at_most_what_passed)
{
  work(first, 1ms, 2ms);
  EXPECT_EQ(charges(), (Charges{{first, 1ms}}));
}

TEST_F(Ledger, is_due_once_a_part_of_a_credit_has_passed)
{
  for (int n = 0; n < 99; ++n) {
    work(n % 2 == 0 ? first : second, 10us, 10us);
    rest(1s);
  }
  EXPECT_FALSE(ledger_.is_due());
  work(first, 10us, 10us);
  EXPECT_TRUE(ledger_.is_due());
  charges();
  EXPECT_FALSE(ledger_.is_due());
}

}  // namespace
}  // namespace pqc_tunnel::test
