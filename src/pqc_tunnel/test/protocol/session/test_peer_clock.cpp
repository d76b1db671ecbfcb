// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "protocol/session/peer_clock.hpp"

#include <gtest/gtest.h>

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

constexpr Instant start{50'000s};
constexpr Duration ahead = 777s;  // of the peer's clock
constexpr Duration tick = send_time_unit;

SendTime peer_time(Instant now) { return send_time(now + ahead); }

// Asked at the start; question and answer took so long.
PeerClock asked(Duration there, Duration back)
{
  PeerClock clock;
  clock.note_answer(peer_time(start + there), start, start + there + back);
  return clock;
}

TEST(PeerClock, takes_nothing_for_young_before_it_knows_anything)
{
  EXPECT_FALSE(PeerClock().is_young(peer_time(start), 1s, start));
  EXPECT_FALSE(PeerClock().answered());
}

TEST(PeerClock, takes_a_frame_for_young_up_to_the_limit_and_the_usual_way)
{
  const PeerClock clock = asked(100ms, 100ms);
  EXPECT_TRUE(clock.answered());
  const Instant sent = start + 10s;
  // The bound is loose by the way of the question, a tick of each time, and the drift of 10 s.
  const Duration limit = 1s + 100ms;
  const Duration loose = 100ms + 2 * tick + 11s / 4096;
  EXPECT_TRUE(clock.is_young(peer_time(sent), 1s, sent + limit - loose));
  EXPECT_FALSE(clock.is_young(peer_time(sent), 1s, sent + limit + 1ms));
}

TEST(PeerClock, never_makes_a_frame_younger_because_answers_are_held_back)
{
  PeerClock clock;
  for (Duration held = 3s; held > 0s; held -= 100ms) {
    clock.note_answer(peer_time(start + held / 2), start, start + held);
    const Instant sent = start + 10s;
    EXPECT_FALSE(clock.is_young(peer_time(sent), 1s, sent + 1s + held / 2 + 1ms));
  }
}

TEST(PeerClock, keeps_its_best_answer_and_the_smallest_round_trip)
{
  PeerClock clock = asked(10ms, 10ms);
  const Instant later = start + 20s;
  clock.note_answer(peer_time(later + 800ms), later, later + 1600ms);
  EXPECT_EQ(clock.usual_way(1s), 10ms);
  const Instant sent = later + 5s;
  EXPECT_TRUE(clock.is_young(peer_time(sent), 1s, sent + 900ms));
}

TEST(PeerClock, takes_no_more_than_the_limit_for_a_usual_way)
{
  EXPECT_EQ(asked(5s, 5s).usual_way(1s), 1s);
  EXPECT_EQ(asked(5s, 5s).usual_way(8s), 5s);
}

TEST(PeerClock, allows_for_clocks_that_drift_apart)
{
  const PeerClock clock = asked(1ms, 1ms);
  // The peer's clock gains 200 parts in a million, and a frame is held for longer than it may be.
  const Instant sent = start + 400s;
  const SendTime time = send_time(sent + ahead + 400s / 5000);
  EXPECT_FALSE(clock.is_young(time, 1s, sent + 1001ms));
  EXPECT_TRUE(clock.is_young(time, 1s, sent + 500ms));
}

TEST(PeerClock, refuses_what_is_ahead_of_its_bound_and_then_learns_that_a_clock_has_jumped)
{
  PeerClock clock = asked(10ms, 10ms);
  const Duration jump = 5s;
  const Instant now = start + 10s;
  EXPECT_FALSE(clock.is_young(send_time(now + ahead + jump), 1s, now + 10ms));
  clock.note_answer(send_time(now + ahead + jump), now - 10ms, now + 10ms);
  EXPECT_TRUE(clock.is_young(send_time(now + ahead + jump), 1s, now + 10ms));
}

TEST(PeerClock, knows_times_around_the_end_of_their_period)
{
  for (Duration at = -2s; at < 2s; at += 100ms) {
    const Instant end =
      start + send_time_period - (start + ahead).time_since_epoch() % send_time_period;
    const Instant sent = end + at;
    PeerClock clock;
    clock.note_answer(peer_time(end - 2s), end - 2010ms, end - 1990ms);
    EXPECT_TRUE(clock.is_young(peer_time(sent), 1s, sent + 10ms));
    EXPECT_FALSE(clock.is_young(peer_time(sent), 1s, sent + 1100ms));
  }
}

TEST(PeerClock, takes_no_time_at_all_for_young_before_an_answer)
{
  for (int sent = 0; sent < 65536; ++sent) {
    EXPECT_FALSE(PeerClock().is_young(static_cast<SendTime>(sent), 1s, start)) << sent;
  }
}

TEST(PeerClock, takes_frames_for_young_from_its_bound_to_the_limit_and_both_included)
{
  PeerClock clock;
  clock.note_answer(SendTime{1000}, start, start);  // nothing of it is uncertain but the tick
  const auto is_young = [&](int sent) {
    return clock.is_young(static_cast<SendTime>(sent), 64 * tick, start);
  };
  EXPECT_FALSE(is_young(1002));
  EXPECT_TRUE(is_young(1001));
  EXPECT_TRUE(is_young(1001 - 64));
  EXPECT_FALSE(is_young(1001 - 65));
}

TEST(PeerClock, finds_times_before_the_end_of_a_period_older_than_those_after_it)
{
  PeerClock clock;
  clock.note_answer(SendTime{32}, start, start);
  EXPECT_TRUE(clock.is_young(SendTime{65536 - 16}, 1s, start));
  // An answer that was held back is of the period before: it shows no jump, and the better bound stays.
  clock.note_sealed(SendTime{65536 - 64}, start - 3s, start + 1ms);
  EXPECT_TRUE(clock.is_young(SendTime{32}, 1s, start + 900ms));
}

}  // namespace
}  // namespace pqc_tunnel::test
