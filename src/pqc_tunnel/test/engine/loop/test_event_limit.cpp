// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "engine/loop/event_limit.hpp"
#include "engine/loop/mailbox.hpp"

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

constexpr PeerIndex hostile{0};
constexpr PeerIndex other{1};

Event event(EventKind kind, PeerIndex peer, Instant now, std::string text = {})
{
  return {kind, now, peer, nullptr, Epoch{}, std::move(text)};
}

TEST(
  EventLimit, passes_a_burst_and_one_a_second_of_what_a_peer_causes_and_says_how_many_it_left_out)
{
  EventLimit limit;
  Instant now{1h};
  int passed = 0;
  for (int i = 0; i < 10'000; ++i, now += 1ms) {
    passed += limit.passes(event(EventKind::refused, hostile, now)) ? 1 : 0;
  }
  EXPECT_LE(passed, 32 + 10);
  EXPECT_TRUE(limit.passes(event(EventKind::refused, other, now)));
  EXPECT_TRUE(limit.passes(event(EventKind::superseded, hostile, now)));
  const auto counts = limit.take_counts(now + 10s);
  ASSERT_EQ(counts.size(), 1u);
  EXPECT_EQ(counts[0].peer, hostile);
  EXPECT_EQ(
    counts[0].text, std::to_string(10'000 - passed) + " more events \"refused\" were left out");
  EXPECT_TRUE(limit.take_counts(now + 20s).empty());
}

TEST(EventLimit, leaves_out_nothing_of_keys_that_are_renewed_every_second)
{
  EventLimit limit;
  Instant now{1h};
  for (int i = 0; i < 1000; ++i, now += 1s) {
    for (const auto kind : {EventKind::rekey_started, EventKind::rekey_confirmed}) {
      EXPECT_TRUE(limit.passes(event(kind, hostile, now)));
    }
  }
  EXPECT_TRUE(limit.take_counts(now + 1h).empty());
}

TEST(Mailbox, that_nobody_empties_keeps_what_quiet_peers_had_to_say)
{
  Mailbox mailbox({});
  mailbox.add_event(event(EventKind::peer_lost, other, {}, "quiet"));
  mailbox.add_notice({other, Notice{}, {}});
  for (int i = 0; i < 5000; ++i) {
    mailbox.add_event(event(EventKind::refused, hostile, {}));
    mailbox.add_notice({hostile, Notice{}, {}});
  }
  const auto events = mailbox.take_events();
  EXPECT_EQ(events.size(), 1024u);
  EXPECT_EQ(events.front().text, "quiet");
  EXPECT_EQ(mailbox.take_notices().front().peer, other);
}

}  // namespace
}  // namespace pqc_tunnel::test
