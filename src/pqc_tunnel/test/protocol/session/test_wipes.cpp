// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "support/hostile/insider.hpp"
#include "support/pair/wired_pair.hpp"

// Session keys that an end wipes, after a long silence or on request, and the session that follows.

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

TEST(Keys, are_wiped_at_both_ends_after_a_long_silence_and_on_request)
{
  WiredPair::Options options;
  options.settings.wipe_after = 60s;
  WiredPair pair(options);
  ASSERT_TRUE(pair.establish());
  pair.set_datagram_filter([](Side, Bytes &) { return false; });
  pair.run_for(59s);
  for (const Side side : both_sides) {
    EXPECT_FALSE(pair.snapshot(side).keys.empty());
  }
  pair.run_for(3s);
  for (const Side side : both_sides) {
    EXPECT_TRUE(pair.snapshot(side).keys.empty());
    EXPECT_EQ(pair.count(side, EventKind::keys_wiped), 1u);
  }
  pair.set_datagram_filter(nullptr);
  ASSERT_TRUE(pair.establish());
  for (const Side side : both_sides) {
    pair.end(side).wipe(PeerIndex{0}, "test", pair.now());
    EXPECT_TRUE(pair.snapshot(side).keys.empty());
    EXPECT_TRUE(pair.run_until([&] { return pair.agreed(); }, 10s));
  }
}

// The drone used to find out by 3 s of silence; a session that was being made when the ground station wiped its keys ended
// after 4 s.
TEST(Keys, that_both_ends_wipe_at_about_the_same_time_are_replaced_at_once)
{
  for (const Side first : both_sides) {
    for (Duration apart = 0ms; apart <= 150ms; apart += 10ms) {
      WiredPair pair;
      ASSERT_TRUE(pair.establish());
      pair.run_for(3s);
      const SessionId former = pair.snapshot(Side::gcs).session;
      pair.end(first).wipe(PeerIndex{0}, "test", pair.now());
      pair.run_for(apart);
      pair.end(other(first)).wipe(PeerIndex{0}, "test", pair.now());
      EXPECT_TRUE(pair.run_until(
        [&] { return pair.agreed() && pair.snapshot(Side::gcs).session != former; }, 700ms))
        << apart.count() / 1'000'000 << " ms apart";
    }
  }
}

TEST(Keys, that_the_ground_station_wipes_are_replaced_at_once_on_a_link_with_loss)
{
  int late = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    WiredPair::Options options;
    options.seed = seed;
    WiredPair pair(options);
    ASSERT_TRUE(pair.establish());
    const SessionId former = pair.snapshot(Side::gcs).session;
    pair.set_datagram_filter([&](Side, Bytes &) { return pair.random().uniform() > 0.2; });
    pair.gcs().wipe(PeerIndex{0}, "test", pair.now());
    EXPECT_TRUE(pair.run_until(
      [&] { return pair.agreed() && pair.snapshot(Side::gcs).session != former; }, 10s));
    late += pair.reported(Side::drone, EventKind::peer_lost, "has wiped the keys") ? 0 : 1;
  }
  EXPECT_LE(late, 1);
}

TEST(Keys, of_a_former_session_that_are_wiped_do_not_end_the_newer_one)
{
  WiredPair pair;
  Insider insider(pair);
  ASSERT_TRUE(pair.establish());
  pair.gcs().wipe(PeerIndex{0}, "test", pair.now());
  ASSERT_TRUE(pair.run_until([&] { return pair.saw(Side::drone, EventKind::peer_lost); }));
  ASSERT_TRUE(pair.establish());
  const SessionId session = pair.snapshot(Side::drone).session;
  EXPECT_TRUE(insider.say(Side::gcs, {0, Wiped{}}).peer);  // the drone still has the former keys
  pair.run_for(1s);
  EXPECT_EQ(pair.snapshot(Side::drone).session, session);
  EXPECT_TRUE(pair.agreed());
}

// Somebody lets nothing pass but the datagrams of one end that it has held back, one at a time. The other end never hears
// anything fresh again, and its keys end as if nothing came.
TEST(Keys, are_wiped_although_held_datagrams_go_on_arriving)
{
  for (const Side holds_from : both_sides) {
    for (const Duration interval : {Duration(55s), Duration(2500ms), Duration(100ms)}) {
      WiredPair::Options options;
      options.settings.wipe_after = 60s;
      WiredPair pair(options);
      ASSERT_TRUE(pair.establish());
      pair.run_for(3s);
      std::deque<Bytes> held;
      pair.set_datagram_filter([&](Side from, Bytes & bytes) {
        if (from == holds_from && !is_hello(bytes)) {
          held.push_back(bytes);
        }
        return false;
      });
      const Side to = other(holds_from);
      const Instant end = pair.now() + 60s + 500ms;  // half a report's interval for the last answer
      for (; pair.now() < end; pair.run_for(std::min(interval, end - pair.now()))) {
        if (!held.empty()) {
          pair.inject(to, held.front());
          held.pop_front();
        }
      }
      EXPECT_TRUE(pair.snapshot(to).keys.empty()) << interval.count() / 1'000'000 << " ms apart";
      EXPECT_TRUE(pair.snapshot(holds_from).keys.empty());
    }
  }
}

TEST(Keys, are_not_wiped_while_the_peer_answers_over_a_link_with_loss)
{
  WiredPair::Options options;
  options.settings.wipe_after = 20s;
  WiredPair pair(options);
  ASSERT_TRUE(pair.establish());
  pair.set_datagram_filter([&](Side, Bytes &) { return pair.random().uniform() > 0.5; });
  pair.run_for(5min);
  for (const Side side : both_sides) {
    EXPECT_FALSE(pair.saw(side, EventKind::keys_wiped));
  }
}

TEST(Keys, that_the_drone_has_never_used_are_wiped_too)
{
  WiredPair::Options options;
  options.settings.wipe_after = 60s;
  WiredPair pair(options);
  const auto completed = [&] { return pair.saw(Side::gcs, EventKind::handshake_completed); };
  ASSERT_TRUE(pair.run_until(completed));
  pair.set_datagram_filter([](Side, Bytes &) { return false; });
  pair.run_for(59s);
  EXPECT_FALSE(pair.snapshot(Side::gcs).keys.empty());
  pair.run_for(3s);
  EXPECT_TRUE(pair.snapshot(Side::gcs).keys.empty());
}

TEST(Keys, that_are_silent_do_not_end_a_session_that_is_being_made)
{
  WiredPair::Options options;
  options.settings.wipe_after = 60s;
  options.job_time = 2s;
  WiredPair pair(options);
  ASSERT_TRUE(pair.establish());
  pair.set_datagram_filter([](Side, Bytes &) { return false; });
  pair.run_for(57s);
  pair.set_datagram_filter(nullptr);
  pair.restart(Side::drone);
  pair.events(Side::drone).clear();
  EXPECT_TRUE(pair.run_until([&] { return pair.agreed(); }, 20s));
  EXPECT_FALSE(pair.saw(Side::drone, EventKind::handshake_failed));
  EXPECT_FALSE(pair.saw(Side::gcs, EventKind::keys_wiped));
}

}  // namespace
}  // namespace pqc_tunnel::test
