// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "support/pair/traffic.hpp"

// A drone reconnects to its ground station after any interruption, without a limit of time. Addresses of both ends may
// change, and only peers with the keys can change them.

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

bool no_datagram(Side, Bytes &) { return false; }

bool no_hello(Side, Bytes & bytes) { return !is_hello(bytes); }

TEST(Drone, tries_for_ever_with_growing_and_uneven_pauses)
{
  WiredPair pair;
  pair.set_datagram_filter(no_datagram);
  std::vector<Instant> tries;
  pair.run_until(
    [&] {
      if (pair.count(Side::drone, EventKind::handshake_started) > tries.size()) {
        tries.push_back(pair.now());
      }
      return false;
    },
    1h);
  // Each try waits 4 s for an answer, and pauses of up to 6 s follow.
  ASSERT_GT(tries.size(), 350u);
  EXPECT_LT(tries.size(), 500u);
  EXPECT_LE(tries[1] - tries[0], 4260ms);
  std::set<Duration> pauses;
  for (std::size_t i = 20; i < tries.size(); ++i) {
    const Duration pause = tries[i] - tries[i - 1];
    EXPECT_GE(pause, 8s);
    EXPECT_LE(pause, 10100ms);
    pauses.insert(pause);
  }
  EXPECT_GT(pauses.size(), 100u);
  pair.set_datagram_filter(nullptr);
  pair.run_for(7s);
  EXPECT_TRUE(pair.agreed());
}

TEST(Drone, resends_its_hello_while_nothing_answers_and_asks_the_network_why)
{
  WiredPair pair;
  pair.set_datagram_filter(no_datagram);
  pair.run_for(3900ms);
  EXPECT_EQ(pair.count(Side::drone, EventKind::handshake_started), 1u);
  EXPECT_GE(pair.datagrams_sent(Side::drone).size(), 4u);
  EXPECT_LE(pair.datagrams_sent(Side::drone).size(), 6u);
  EXPECT_EQ(pair.probes(), 1u);
  pair.run_for(60s);
  EXPECT_TRUE(
    pair.reported(Side::drone, EventKind::handshake_failed, "no answer from gcs_address"));
}

TEST(Drone, is_found_by_its_ground_station_after_the_first_hello_that_passes)
{
  WiredPair pair;
  pair.set_datagram_filter(no_datagram);
  pair.run_for(3s);
  pair.set_datagram_filter(nullptr);
  EXPECT_TRUE(pair.run_until([&] { return pair.agreed(); }, 2500ms));
  // The wait for it is none of the handshake's time.
  const HandshakeTiming timing = pair.snapshot(Side::drone).timing;
  EXPECT_LE(timing.connect, 30ms);
  EXPECT_LE(timing.total, 100ms);
  EXPECT_EQ(timing.total, timing.connect + timing.hello + timing.derive + timing.answer);
}

// Found by a model of version 2 (BROKEN_OLD_KEYS_BRING_BACK).
TEST(Drone, reconnects_when_the_ground_station_uses_older_keys_only)
{
  WiredPair pair;
  ASSERT_TRUE(pair.establish());
  // Nothing travels once the drone has new keys.
  pair.set_datagram_filter(
    [&pair](Side, Bytes &) { return !pair.saw(Side::drone, EventKind::rekey_committed); });
  pair.drone().request_rekey(rekey_to(nullptr), pair.now());
  ASSERT_TRUE(pair.run_until([&] { return pair.saw(Side::drone, EventKind::rekey_committed); }));
  pair.run_for(4s);
  // Datagrams of the ground station arrive again, under the keys before the rekey.
  pair.set_datagram_filter([](Side from, Bytes &) { return from == Side::gcs; });
  pair.run_for(5s);
  pair.set_datagram_filter(nullptr);
  EXPECT_TRUE(pair.run_until([&] { return pair.agreed(); }));
}

TEST(Drone, finds_a_restarted_ground_station_after_three_seconds_of_silence)
{
  WiredPair pair;
  ASSERT_TRUE(pair.establish());
  const SessionId former = pair.snapshot(Side::drone).session;
  pair.restart(Side::gcs);
  pair.run_for(2900ms);
  EXPECT_EQ(pair.snapshot(Side::drone).session, former);
  EXPECT_TRUE(pair.run_until([&] { return pair.agreed(); }, 1200ms));
  EXPECT_NE(pair.snapshot(Side::drone).session, former);
  EXPECT_TRUE(pair.saw(Side::drone, EventKind::peer_lost));
}

TEST(Drone, that_restarts_is_back_at_once)
{
  WiredPair pair;
  ASSERT_TRUE(pair.establish());
  pair.restart(Side::drone);
  EXPECT_TRUE(pair.run_until([&] { return pair.agreed(); }, 500ms));
  EXPECT_FALSE(pair.saw(Side::gcs, EventKind::peer_lost));
}

TEST(Drone, makes_a_session_and_rekeys_at_once_over_a_long_path_that_loses_large_frames)
{
  WiredPair::Options options;
  options.suite = "cs-mlkem1024-aesgcm-mldsa87";
  options.latency = 170ms;
  WiredPair pair(options);
  pair.set_datagram_filter([](Side, const Bytes & bytes) { return bytes.size() <= 1000; });
  ASSERT_TRUE(pair.run_until([&] { return pair.agreed(); }, 10s));
  EXPECT_FALSE(pair.saw(Side::drone, EventKind::handshake_failed));
  pair.drone().request_rekey(rekey_to(nullptr), pair.now());
  EXPECT_TRUE(
    pair.run_until([&] { return pair.saw(Side::drone, EventKind::rekey_confirmed); }, 10s));
}

TEST(Drone, does_not_mix_late_parts_of_a_former_session_into_those_of_the_live_one)
{
  WiredPair pair;
  ASSERT_TRUE(pair.establish());
  std::optional<Bytes> late;  // of a prekey
  pair.set_datagram_filter([&](Side from, const Bytes & bytes) {
    if (!late && from == Side::gcs && bytes.size() > 1000) {
      late = bytes;
    }
    return !late;
  });
  ASSERT_TRUE(pair.run_until([&] { return pair.saw(Side::drone, EventKind::peer_lost); }));
  pair.set_datagram_filter(nullptr);
  pair.restart(Side::gcs);
  ASSERT_TRUE(pair.establish());
  pair.run_for(100ms);
  pair.drone().request_rekey(rekey_to(nullptr), pair.now());
  pair.inject(Side::drone, *late);
  ASSERT_TRUE(pair.run_until([&] { return !pair.outcomes(Side::drone).empty(); }));
  EXPECT_TRUE(pair.outcomes(Side::drone).front().success);
}

TEST(Drone, keeps_its_session_if_the_silence_was_only_a_silence)
{
  WiredPair pair;
  ASSERT_TRUE(pair.establish());
  const SessionId session = pair.snapshot(Side::drone).session;
  pair.set_datagram_filter(no_datagram);
  pair.run_for(60s);
  for (const Side side : both_sides) {
    EXPECT_EQ(pair.count(side, EventKind::peer_lost), 1u);
    EXPECT_EQ(pair.snapshot(side).state, PeerState::lost);
  }
  pair.set_datagram_filter(no_hello);
  pair.run_for(2s);
  EXPECT_TRUE(pair.agreed());
  EXPECT_EQ(pair.snapshot(Side::drone).session, session);
  for (const Side side : both_sides) {
    EXPECT_EQ(pair.count(side, EventKind::peer_back), 1u);
  }
}

TEST(Drone, heals_after_blackouts_of_any_length_and_direction)
{
  for (const auto & dead :
       {std::vector{Side::drone}, std::vector{Side::gcs}, std::vector{Side::drone, Side::gcs}})
  {
    for (Duration length = 100ms; length < 9s; length += 170ms) {
      WiredPair pair;
      ASSERT_TRUE(pair.establish());
      Traffic traffic(pair);
      pair.set_datagram_filter(
        [&](Side from, Bytes &) { return std::ranges::find(dead, from) == dead.end(); });
      traffic.run_for(length, 7ms);
      pair.set_datagram_filter(nullptr);
      ASSERT_TRUE(traffic.run_until([&] { return pair.agreed(); }, 5s, 7ms)) << length.count();
      pair.run_for(300ms);  // until a question that was asked since then has been answered
      for (const Side side : both_sides) {
        pair.received(side).clear();
      }
      Traffic afterwards(pair);
      afterwards.run_for(500ms, 7ms);
      pair.run_for(50ms);
      for (const Side side : both_sides) {
        // Frames under the boot keys of an attempt that has been given up are unknown.
        // What comes first after a silence may be old.
        const std::uint64_t stale = length < 3s ? 0 : pair.drops(side, Drop::stale);
        ASSERT_EQ(pair.drops(side), pair.drops(side, Drop::unknown) + stale) << length.count();
        ASSERT_TRUE(afterwards.arrived_exactly(side)) << length.count();
      }
    }
  }
}

// --- Addresses ---

TEST(Address, of_the_drone_follows_its_newest_packet)
{
  WiredPair pair;
  ASSERT_TRUE(pair.establish());
  pair.move_to(Side::drone, WiredPair::stranger(9));
  pair.send(Side::drone, numbered(1));
  pair.send(Side::drone, numbered(2));
  pair.run_for(11ms);
  // It gets copies until it has answered.
  EXPECT_EQ(pair.snapshot(Side::gcs).address, WiredPair::address_of(Side::drone));
  pair.send(Side::gcs, numbered(1));
  pair.run_for(21ms);
  EXPECT_EQ(pair.received(Side::drone).size(), 1u);
  pair.received(Side::drone).clear();
  EXPECT_EQ(pair.snapshot(Side::gcs).address, WiredPair::stranger(9));
  EXPECT_EQ(pair.snapshot(Side::gcs).address, WiredPair::stranger(9));
  EXPECT_EQ(pair.count(Side::gcs, EventKind::roamed), 1u);
  Traffic traffic(pair);
  traffic.run_for(100ms);
  pair.run_for(50ms);
  EXPECT_TRUE(traffic.arrived_exactly(Side::drone));
  EXPECT_EQ(pair.count(Side::gcs, EventKind::roamed), 1u);
}

// A rebinding of the network's address translation: nothing goes to the old address any more.
TEST(Address, that_changes_costs_what_is_sent_until_the_first_frame_from_the_new_one)
{
  for (const double loss : {0.0, 0.2}) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      WiredPair pair({.seed = seed, .latency = 40ms});
      ASSERT_TRUE(pair.establish());
      SeededRandom dice(seed);
      pair.set_channel([&dice, loss](Side, Bytes &) {
        return dice.uniform() < loss ? std::vector<Duration>{} : std::vector<Duration>{Duration{}};
      });
      Traffic traffic(pair);
      traffic.run_for(2s, 20ms);
      pair.move_to(Side::drone, WiredPair::stranger(9));
      const std::size_t sent = traffic.sent(Side::gcs);
      const std::size_t arrived = pair.received(Side::drone).size();
      traffic.run_for(2s, 20ms);
      pair.run_for(100ms);
      EXPECT_EQ(pair.snapshot(Side::gcs).address, WiredPair::stranger(9));
      const std::size_t lost =
        traffic.sent(Side::gcs) - sent - (pair.received(Side::drone).size() - arrived);
      // On the way to the old address, and until the new one is known; beside what the link loses.
      EXPECT_LE(lost, loss == 0 ? 6u : 6u + 40u) << seed;
    }
  }
}

// Keys of a megabyte take seconds: they go on to the new address as soon as it has answered.
TEST(Address, may_change_while_large_keys_arrive)
{
  for (const bool first_session : {true, false}) {
    WiredPair pair(
      {.suite =
         first_session ? "cs-classicmceliece460896-aesgcm-mldsa65" : "cs-mlkem768-aesgcm-mldsa65"});
    Instant free_at = pair.now();
    pair.set_channel([&](Side from, Bytes & bytes) {
      if (from == Side::drone) {
        return std::vector<Duration>{Duration{}};
      }
      free_at = std::max(free_at, pair.now()) + bytes.size() * 10us;
      return std::vector<Duration>{free_at - pair.now()};
    });
    if (!first_session) {
      ASSERT_TRUE(pair.establish());
      pair.drone().request_rekey(
        rekey_to(&suite("cs-classicmceliece460896-aesgcm-mldsa65")), pair.now());
    }
    const Instant begun = pair.now();
    pair.run_for(2s);
    pair.move_to(Side::drone, WiredPair::stranger(9));
    const bool done = pair.run_until(
      [&] { return first_session ? pair.agreed() : !pair.outcomes(Side::drone).empty(); }, 20s);
    ASSERT_TRUE(done);
    EXPECT_LT(pair.now() - begun, 12s);
    EXPECT_EQ(pair.count(Side::gcs, EventKind::handshake_started), 1u);
    EXPECT_EQ(pair.count(Side::gcs, EventKind::handshake_failed), 0u);
    if (!first_session) {
      EXPECT_TRUE(pair.outcomes(Side::drone)[0].success);
    }
  }
}

TEST(Address, never_follows_a_late_replayed_forged_or_former_packet)
{
  WiredPair pair;
  ASSERT_TRUE(pair.establish());
  std::vector<Bytes> withheld;
  pair.set_datagram_filter([&](Side from, Bytes & bytes) {
    if (from == Side::drone && withheld.size() < 2) {
      withheld.push_back(bytes);
      return false;
    }
    return true;
  });
  pair.send(Side::drone, numbered(1));
  pair.send(Side::drone, numbered(2));
  pair.send(Side::drone, numbered(3));
  pair.run_for(20ms);
  const auto at = [&] { return pair.snapshot(Side::gcs).address; };
  const Endpoint home = WiredPair::address_of(Side::drone);
  EXPECT_TRUE(pair.inject(Side::gcs, withheld[0], WiredPair::stranger()).peer);  // late
  EXPECT_EQ(at(), home);
  EXPECT_FALSE(
    pair.inject(Side::gcs, pair.datagrams_sent(Side::drone).back(), WiredPair::stranger()).peer);
  EXPECT_EQ(at(), home);
  Bytes forged = pair.datagrams_sent(Side::drone).back();
  forged[8] ^= 1;
  EXPECT_FALSE(pair.inject(Side::gcs, forged, WiredPair::stranger()).peer);
  EXPECT_EQ(at(), home);
  pair.drone().request_rekey(rekey_to(nullptr), pair.now());
  ASSERT_TRUE(pair.run_until([&] { return !pair.outcomes(Side::drone).empty(); }));
  EXPECT_TRUE(pair.inject(Side::gcs, withheld[1], WiredPair::stranger()).peer);  // former epoch
  EXPECT_EQ(at(), home);
  EXPECT_FALSE(pair.saw(Side::gcs, EventKind::roamed));
}

TEST(Address, of_a_relay_gets_traffic_beside_the_genuine_one_only)
{
  WiredPair pair;
  ASSERT_TRUE(pair.establish());
  for (const Side victim : both_sides) {
    Bytes relayed;
    pair.set_datagram_filter([&](Side from, Bytes & bytes) {
      if (from != victim && relayed.empty()) {
        relayed = bytes;
        return false;
      }
      return true;
    });
    pair.send(other(victim), numbered(1));
    EXPECT_TRUE(pair.inject(victim, relayed, WiredPair::stranger()).peer);
    EXPECT_EQ(pair.snapshot(victim).address, WiredPair::address_of(other(victim)));
    pair.set_datagram_filter(nullptr);
    for (const Side side : both_sides) {
      pair.received(side).clear();
    }
    Traffic traffic(pair);
    traffic.run_for(5s, 10ms);
    pair.run_for(50ms);
    EXPECT_TRUE(traffic.arrived_exactly(other(victim)));
    EXPECT_EQ(pair.snapshot(victim).address, WiredPair::address_of(other(victim)));
  }
}

TEST(Address, of_the_ground_station_is_the_configured_one_again_after_a_loss)
{
  WiredPair pair;
  ASSERT_TRUE(pair.establish());
  // Datagrams of the ground station arrive from another address; then it restarts at its configured one.
  pair.move_to(Side::gcs, WiredPair::stranger(9));
  pair.run_for(3s);
  EXPECT_EQ(pair.snapshot(Side::drone).address, WiredPair::stranger(9));
  EXPECT_TRUE(pair.agreed());
  pair.move_to(Side::gcs, WiredPair::address_of(Side::gcs));
  pair.restart(Side::gcs);
  EXPECT_TRUE(pair.run_until([&] { return pair.agreed(); }, 5s));
  EXPECT_EQ(pair.snapshot(Side::drone).address, WiredPair::address_of(Side::gcs));
}

TEST(Address, that_the_drone_has_followed_gets_hellos_and_the_configured_one_gets_copies)
{
  WiredPair pair;
  ASSERT_TRUE(pair.establish());
  pair.move_to(Side::gcs, WiredPair::stranger(9));
  pair.run_for(3s);
  pair.restart(Side::gcs);
  pair.sent_elsewhere(Side::drone).clear();
  EXPECT_TRUE(pair.run_until([&] { return pair.agreed(); }, 5s));
  const auto copies = std::ranges::count_if(
    pair.sent_elsewhere(Side::drone),
    [](const auto & sent) { return !is_hello(sent.second) && sent.second.size() > 200; });
  EXPECT_GT(copies, 0);  // of its Finish
}

TEST(Address, that_a_name_has_come_to_mean_is_used_for_datagrams_once_a_session_has_been_made_there)
{
  WiredPair pair;
  ASSERT_TRUE(pair.establish());
  const Endpoint before = pair.snapshot(Side::drone).address;
  pair.drone().handle_change(GcsAddresses{{WiredPair::stranger(9)}}, pair.now());
  EXPECT_EQ(pair.snapshot(Side::drone).address, before);
  Traffic traffic(pair);
  traffic.run_for(100ms);
  pair.run_for(50ms);
  EXPECT_TRUE(traffic.arrived_exactly(Side::gcs));
  pair.restart(Side::gcs);
  pair.move_to(Side::gcs, WiredPair::stranger(9));
  EXPECT_TRUE(pair.run_until([&] { return pair.agreed(); }, 10s));
  EXPECT_EQ(pair.snapshot(Side::drone).address, WiredPair::stranger(9));
}

}  // namespace
}  // namespace pqc_tunnel::test
