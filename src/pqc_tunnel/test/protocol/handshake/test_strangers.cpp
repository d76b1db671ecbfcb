// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "protocol/handshake/hello_messages.hpp"
#include "support/pair/traffic.hpp"

// Strangers without the pre-shared key, and recorders who have genuine hellos, while the tunnel is in use.

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

class Strangers : public testing::Test
{
protected:
  Strangers()
  {
    pair_.set_datagram_filter([this](Side from, Bytes & bytes) {
      if (is_hello(bytes)) {
        (from == Side::drone ? hellos_ : retries_).push_back(bytes);
      }
      return true;
    });
    EXPECT_TRUE(pair_.establish());
    jobs_ = pair_.jobs_run(Side::gcs);
  }

  // Everything that was recorded, and junk, from many addresses.
  void flood(Side to, int count)
  {
    for (int i = 0; i < count; ++i) {
      const Endpoint from = WiredPair::stranger(static_cast<std::uint8_t>(10 + i % 200));
      Bytes junk(client_hello_size);
      pair_.random().fill(junk);
      junk[0] = 0x81;
      junk[1] = 4;
      pair_.inject(to, junk, from);
      pair_.inject(to, hellos_.at(static_cast<std::size_t>(i) % hellos_.size()), from);
      pair_.inject(to, retries_.at(static_cast<std::size_t>(i) % retries_.size()), from);
      pair_.inject(to, hellos_.back(), WiredPair::address_of(other(to)));
    }
  }

  WiredPair pair_;
  std::vector<Bytes> hellos_;
  std::vector<Bytes> retries_;
  std::size_t jobs_ = 0;
};

TEST_F(Strangers, cost_no_job_and_change_nothing_at_either_end)
{
  pair_.run_for(5s);
  const std::size_t jobs = pair_.jobs_run(Side::gcs);
  const SessionId session = pair_.snapshot(Side::gcs).session;
  for (const Side to : both_sides) {
    flood(to, 500);
  }
  pair_.run_for(1s);
  EXPECT_EQ(pair_.jobs_run(Side::gcs), jobs);
  EXPECT_EQ(pair_.snapshot(Side::gcs).session, session);
  EXPECT_TRUE(pair_.agreed());
  EXPECT_EQ(pair_.count(Side::gcs, EventKind::handshake_started), 1u);
}

TEST_F(Strangers, hear_nothing_unless_they_repeat_a_genuine_hello_which_gets_a_shorter_challenge)
{
  flood(Side::gcs, 100);
  for (const auto & [to, bytes] : pair_.sent_elsewhere(Side::gcs)) {
    EXPECT_EQ(hello_type(bytes), HelloType::hello_retry);
    EXPECT_LT(bytes.size(), client_hello_size);
  }
  EXPECT_TRUE(pair_.sent_elsewhere(Side::drone).empty());
}

TEST_F(Strangers, who_repeat_recorded_hellos_at_a_high_rate_are_reported_once_a_minute_with_a_count)
{
  const auto reported = [&] {
    return std::ranges::count_if(pair_.events(Side::gcs), [](const Event & event) {
      return event.text.find("somebody repeats recorded ones (") != std::string::npos;
    });
  };
  pair_.restart(Side::drone);
  ASSERT_TRUE(pair_.establish());
  EXPECT_EQ(reported(), 0);  // a drone that begins a session is no flood
  pair_.run_for(2s);
  for (int i = 0; i < 3000; ++i) {
    pair_.inject(
      Side::gcs, hellos_.front(), WiredPair::stranger(static_cast<std::uint8_t>(i % 200)));
    pair_.run_for(1ms);
  }
  EXPECT_EQ(reported(), 1);
  // Two hellos began the sessions; of the recorded ones this is the 41st in a second.
  EXPECT_TRUE(pair_.reported(Side::gcs, EventKind::refused, "recorded ones (43 so far, "));
}

TEST_F(Strangers, who_make_up_hellos_at_a_high_rate_repeat_none)
{
  Bytes forged = hellos_.front();
  for (std::uint32_t i = 0; i < 200; ++i) {
    forged.back() = static_cast<std::uint8_t>(hellos_.front().back() + 1 + i % 255);
    pair_.inject(Side::gcs, forged, WiredPair::stranger());
  }
  EXPECT_FALSE(pair_.reported(Side::gcs, EventKind::refused, "recorded ones"));
}

TEST_F(Strangers, delay_no_rekey_and_lose_no_datagram)
{
  Traffic traffic(pair_);
  for (std::size_t n = 1; n <= 10; ++n) {
    pair_.drone().request_rekey(rekey_to(nullptr), pair_.now());
    ASSERT_TRUE(traffic.run_until(
      [&] {
        flood(n % 2 == 0 ? Side::gcs : Side::drone, 3);  // once in each interval
        return pair_.outcomes(Side::drone).size() == n;
      },
      2s, 1ms));
    ASSERT_TRUE(pair_.outcomes(Side::drone).back().success);
    traffic.run_for(600ms);
  }
  pair_.run_for(50ms);
  EXPECT_TRUE(traffic.arrived_exactly(Side::drone));
  EXPECT_TRUE(traffic.arrived_exactly(Side::gcs));
}

TEST_F(Strangers, delay_no_reconnect)
{
  for (const Side crashing : both_sides) {
    pair_.restart(crashing);
    ASSERT_TRUE(pair_.run_until(
      [&, next = pair_.now()]() mutable {
        if (pair_.now() >= next) {
          next = pair_.now() + 5ms;
          flood(Side::gcs, 2);
          flood(Side::drone, 2);
        }
        return pair_.agreed();
      },
      6s));
  }
}

TEST_F(Strangers, are_reported_once_a_second_at_most)
{
  const auto before = pair_.count(Side::gcs, EventKind::refused);
  for (int i = 0; i < 50; ++i) {
    flood(Side::gcs, 5);
    pair_.run_for(100ms);
  }
  EXPECT_LE(pair_.count(Side::gcs, EventKind::refused) - before, 6u);
}

// --- Datagrams that someone has held back ---

class HeldBack : public testing::TestWithParam<int>
{
};

TEST_P(HeldBack, for_three_seconds_is_refused_and_for_half_a_second_is_accepted)
{
  const Duration interval = Duration(1s) / GetParam();
  for (const Side from : both_sides) {
    for (const bool long_ago : {false, true}) {
      WiredPair pair;
      ASSERT_TRUE(pair.establish());
      Bytes held;
      pair.set_datagram_filter([&](Side side, Bytes & bytes) {
        if (side != from || !held.empty()) {
          return true;
        }
        held = bytes;
        return false;
      });
      ASSERT_TRUE(pair.send(from, numbered(7)));
      Traffic traffic(pair);
      traffic.run_for(long_ago ? Duration(3s) : Duration(500ms), interval);
      const Opened opened = pair.inject(other(from), held);
      EXPECT_EQ(opened.peer.has_value(), !long_ago) << GetParam();
      if (long_ago) {
        EXPECT_EQ(pair.drops(other(from), Drop::seq_old), 1u);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
  PerSecond, HeldBack, testing::Values(1, 2, 3, 10, 30, 100, 300, 1000, 2000, 4000));

TEST(HeldBackDatagrams, trickled_in_neither_hide_a_restart_nor_call_the_recovery_off)
{
  WiredPair pair;
  ASSERT_TRUE(pair.establish());
  pair.run_for(3s);
  std::deque<Bytes> held;
  pair.set_datagram_filter([&](Side from, Bytes & bytes) {
    if (from == Side::gcs && held.size() < 40 && !is_hello(bytes)) {
      held.push_back(bytes);
      return false;
    }
    return true;
  });
  pair.run_for(2500ms);
  pair.restart(Side::gcs);
  pair.set_datagram_filter(nullptr);
  const bool back = pair.run_until(
    [&, next = pair.now()]() mutable {
      if (pair.now() >= next && !held.empty()) {
        pair.inject(Side::drone, held.front());
        held.pop_front();
        next += 500ms;
      }
      return pair.agreed();
    },
    9s);
  EXPECT_TRUE(back);
}

TEST(Link, that_is_stretched_in_time_is_reported_once)
{
  WiredPair pair;
  ASSERT_TRUE(pair.establish());
  pair.set_channel([](Side, Bytes &) { return std::vector<Duration>{1200ms}; });
  pair.run_for(10s);
  for (const Side side : both_sides) {
    EXPECT_EQ(pair.count(side, EventKind::link_stretched), 1u);
    EXPECT_TRUE(pair.snapshot(side).stretched);
  }
  pair.set_channel(nullptr);
  pair.run_for(6s);
  for (const Side side : both_sides) {
    EXPECT_FALSE(pair.snapshot(side).stretched);
  }
}

TEST(Ratchets, in_a_row_ask_for_a_full_rekey)
{
  WiredPair::Options options;
  options.settings.max_ratchets = 5;
  WiredPair pair(options);
  ASSERT_TRUE(pair.establish());
  pair.run_for(3s);
  for (std::size_t n = 1; n <= 5; ++n) {
    RekeyCommand command = rekey_to(nullptr);
    command.ratchet = true;
    pair.drone().request_rekey(command, pair.now());
    ASSERT_TRUE(pair.run_until([&] { return pair.outcomes(Side::drone).size() == n; }));
    ASSERT_TRUE(pair.outcomes(Side::drone).back().success);
  }
  pair.run_for(2s);
  EXPECT_EQ(pair.snapshot(Side::drone).rekeys, 6u);
  EXPECT_EQ(pair.snapshot(Side::drone).ratchets, 5u);
}

}  // namespace
}  // namespace pqc_tunnel::test
