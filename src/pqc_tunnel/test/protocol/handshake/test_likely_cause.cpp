// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "protocol/handshake/hello_messages.hpp"
#include "protocol/handshake/likely_cause.hpp"
#include "support/pair/traffic.hpp"

// The sentence that each end shows while its tunnel does not work: in the snapshot, and in the events.

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

const GroundAddress ground{"10.0.0.2:4600", 4600};

WiredPair::Options with_addresses()
{
  WiredPair::Options options;
  options.settings.ground = ground;
  return options;
}

Psk another_psk()
{
  std::array<std::uint8_t, 32> bytes;
  bytes.fill(0xee);
  return Psk(bytes);
}

std::size_t logged(WiredPair & pair, Side side, EventSeverity severity_wanted)
{
  return static_cast<std::size_t>(std::ranges::count_if(
    pair.events(side), [&](const Event & event) { return severity(event) == severity_wanted; }));
}

std::string cause(WiredPair & pair, Side side) { return pair.snapshot(side).likely_cause; }

TEST(LikelyCause, is_empty_once_the_tunnel_is_up)
{
  WiredPair pair(with_addresses());
  ASSERT_TRUE(pair.establish());
  pair.run_for(10s);
  EXPECT_EQ(cause(pair, Side::drone), "");
  EXPECT_EQ(cause(pair, Side::gcs), "");
}

TEST(LikelyCause, begins_with_what_keeps_this_end_itself_from_its_work)
{
  const std::string busy = "this machine is busy";
  WiredPair pair(with_addresses());
  ASSERT_TRUE(pair.establish());
  for (const Side side : both_sides) {
    pair.end(side).note_trouble(MachineTrouble{busy});
    EXPECT_EQ(cause(pair, side), "");
  }
  pair.set_datagram_filter([](Side, Bytes &) { return false; });
  pair.run_for(4s);
  for (const Side side : both_sides) {
    EXPECT_TRUE(cause(pair, side).starts_with(busy + "; nothing is received from "));
    EXPECT_TRUE(pair.reported(side, EventKind::peer_lost, busy + "; nothing is received from "));
    pair.end(side).note_trouble(MachineTrouble{""});
    EXPECT_TRUE(cause(pair, side).starts_with("nothing is received from "));
  }
}

TEST(LikelyCause, of_a_slow_link_may_be_this_end_itself)
{
  WiredPair pair(with_addresses());
  ASSERT_TRUE(pair.establish());
  pair.run_for(2s);
  pair.set_channel([](Side, Bytes &) { return std::vector<Duration>{1500ms}; });
  const auto send_for = [&](int tenths_of_a_second) {
    for (int i = 0; i < tenths_of_a_second; ++i) {
      pair.send(Side::gcs, Bytes(40));
      pair.run_for(100ms);
    }
  };
  send_for(20);
  ASSERT_TRUE(cause(pair, Side::drone).starts_with("datagrams come later"));
  pair.drone().note_trouble(MachineTrouble{"this machine is busy"});
  EXPECT_TRUE(cause(pair, Side::drone).starts_with("this machine is busy; datagrams come later"));
  send_for(110);
  EXPECT_TRUE(pair.reported(
    Side::drone, EventKind::link_stretched, "this machine is busy; datagrams arrive later"));
}

TEST(LikelyCause, of_a_drone_turned_away_is_shown_by_the_drone_and_counted_on_the_ground)
{
  const std::string expected = "it does not accept this drone (unknown name or different key)";
  for (const bool unknown : {false, true}) {
    WiredPair::Options options = with_addresses();
    options.alter_drone = [unknown](DroneIdentity & drone) {
      if (unknown) {
        drone.id.bytes.fill(0xee);
      } else {
        drone.psk = another_psk();
      }
    };
    WiredPair pair(options);
    pair.run_for(20s);
    EXPECT_NE(cause(pair, Side::drone).find(expected), std::string::npos);
    EXPECT_TRUE(pair.reported(Side::drone, EventKind::handshake_failed, expected));
    const StrangerCounters strangers = pair.gcs().strangers();
    EXPECT_EQ(strangers.unknown_drone > 0, unknown);
    EXPECT_EQ(strangers.wrong_key > 0, !unknown);
    EXPECT_EQ(strangers.malformed + strangers.over_limit + strangers.repeated, 0u);
    EXPECT_NE(
      cause(pair, Side::gcs).find(unknown ? "no hello of this drone" : "different key"),
      std::string::npos);
  }
}

constexpr const char * conflict =
  "the other end has another version: its protocol is version 5, and that of this end is version "
  "4: "
  "update both ends";

TEST(LikelyCause, of_hellos_of_another_version_is_told_by_the_ground_station_which_stays_silent)
{
  WiredPair pair(with_addresses());
  pair.set_datagram_filter([](Side, Bytes & bytes) {
    bytes[1] = is_hello(bytes) ? 5 : bytes[1];
    return true;
  });
  pair.run_for(10min);
  EXPECT_EQ(cause(pair, Side::gcs), conflict);
  EXPECT_TRUE(pair.reported(Side::gcs, EventKind::refused, conflict));
  EXPECT_LE(logged(pair, Side::gcs, EventSeverity::warning), 10u);
  EXPECT_TRUE(pair.datagrams_sent(Side::gcs).empty());
  EXPECT_TRUE(pair.reported(Side::drone, EventKind::handshake_failed, "another version"));
  pair.set_datagram_filter(nullptr);
  ASSERT_TRUE(pair.establish());
  EXPECT_EQ(cause(pair, Side::gcs), "");
}

TEST(LikelyCause, of_frames_of_another_version_from_the_ground_station_is_told_by_the_drone)
{
  WiredPair pair(with_addresses());
  pair.set_datagram_filter([](Side from, Bytes & bytes) {
    bytes[1] = from == Side::gcs ? 5 : bytes[1];
    return true;
  });
  pair.run_for(10min);
  EXPECT_EQ(cause(pair, Side::drone), conflict);
  EXPECT_TRUE(pair.reported(Side::drone, EventKind::refused, conflict));
  EXPECT_LE(logged(pair, Side::drone, EventSeverity::warning), 30u);
  pair.set_datagram_filter(nullptr);
  ASSERT_TRUE(pair.establish());
  EXPECT_EQ(cause(pair, Side::drone), "");
}

TEST(LikelyCause, is_no_other_version_because_a_stranger_says_so)
{
  WiredPair pair(with_addresses());
  pair.set_datagram_filter([](Side, Bytes &) { return false; });
  Bytes retry(66);
  retry[0] = 0x82;
  retry[1] = 5;
  Bytes hello(152);
  hello[0] = 0x81;
  hello[1] = 5;
  for (int i = 0; i < 100; ++i) {
    pair.inject(Side::drone, retry, WiredPair::stranger());
    pair.inject(Side::gcs, hello, WiredPair::stranger());
    pair.run_for(100ms);
  }
  EXPECT_NE(cause(pair, Side::drone).find("no answer"), std::string::npos);
  EXPECT_NE(cause(pair, Side::gcs).find("no hello of this drone"), std::string::npos);
}

TEST(LikelyCause, on_the_ground_if_its_answers_never_arrive_names_the_port)
{
  WiredPair pair(with_addresses());
  pair.set_datagram_filter([](Side from, Bytes &) { return from == Side::drone; });
  pair.run_for(30s);
  EXPECT_EQ(
    cause(pair, Side::gcs),
    "the drone's hellos (or recordings of them) arrive, but nothing from here reaches it: UDP port "
    "4600 blocked in one direction?");
  pair.set_datagram_filter(nullptr);
  ASSERT_TRUE(pair.establish());
  EXPECT_EQ(cause(pair, Side::gcs), "");
}

TEST(LikelyCause, is_shown_on_the_ground_if_datagrams_pass_in_one_direction_only)
{
  WiredPair pair(with_addresses());
  ASSERT_TRUE(pair.establish());
  pair.restart(Side::gcs);
  pair.set_datagram_filter([](Side from, Bytes &) { return from == Side::drone; });
  pair.run_for(30s);
  EXPECT_NE(cause(pair, Side::gcs).find("nothing from here reaches it"), std::string::npos);
  pair.set_datagram_filter(nullptr);
  ASSERT_TRUE(pair.establish());
  pair.run_for(2s);
  EXPECT_EQ(cause(pair, Side::gcs), "");
}

// Whoever has overheard a hello can repeat it, and make up others with the drone's id.
TEST(LikelyCause, on_the_ground_is_not_what_forged_and_recorded_hellos_say_if_anything_is_known)
{
  WiredPair pair(with_addresses());
  Bytes recorded;
  pair.set_datagram_filter([&](Side from, Bytes & bytes) {
    recorded = from == Side::drone && is_hello(bytes) && recorded.empty() ? bytes : recorded;
    return true;
  });
  ASSERT_TRUE(pair.establish());
  pair.set_datagram_filter([](Side, Bytes &) { return false; });
  pair.run_for(20s);
  Bytes forged = recorded;
  forged.back() ^= 1;
  pair.inject(Side::gcs, forged, WiredPair::stranger());
  for (std::uint8_t n = 0; n < 20; ++n) {
    pair.inject(Side::gcs, recorded, WiredPair::stranger(n));
  }
  EXPECT_TRUE(cause(pair, Side::gcs).starts_with("nothing is received from the drone: "));

  PeerFacts facts;
  facts.role = Role::gcs;
  const TunnelSettings settings;
  facts.settings = &settings;
  facts.wrong_key = true;
  facts.link_troubles = {"there is no network interface wwan0"};
  EXPECT_EQ(likely_cause(facts), "there is no network interface wwan0");
}

TEST(LikelyCause, of_a_lost_peer_is_replaced_by_that_of_the_failed_handshake)
{
  WiredPair pair(with_addresses());
  ASSERT_TRUE(pair.establish());
  pair.set_datagram_filter([](Side, Bytes &) { return false; });
  pair.run_for(20s);
  EXPECT_NE(cause(pair, Side::drone).find("no answer from"), std::string::npos);
  EXPECT_NE(cause(pair, Side::gcs).find("nothing is received from the drone"), std::string::npos);
  pair.set_datagram_filter(nullptr);
  ASSERT_TRUE(pair.run_until([&] { return pair.agreed(); }));
  EXPECT_EQ(cause(pair, Side::drone), "");
}

TEST(LikelyCause, of_an_older_attempt_is_forgotten_once_a_newer_one_has_come_beyond_it)
{
  WiredPair pair(with_addresses());
  pair.set_datagram_filter([](Side, Bytes &) { return false; });
  pair.run_for(20s);
  ASSERT_NE(cause(pair, Side::drone).find("no answer from"), std::string::npos);
  // The first hello is answered now, and nothing beyond it.
  pair.set_datagram_filter([](Side from, Bytes & datagram) {
    return from == Side::drone || hello_type(datagram) == HelloType::hello_retry;
  });
  ASSERT_TRUE(
    pair.run_until([&] { return pair.snapshot(Side::drone).state == PeerState::handshaking; }));
  EXPECT_EQ(cause(pair, Side::drone), "");
}

TEST(LikelyCause, that_the_network_has_reported_is_asked_anew_in_each_attempt)
{
  WiredPair pair(with_addresses());
  pair.set_datagram_filter([](Side, Bytes &) { return false; });
  pair.drone().note_trouble(GroundTrouble::refused);
  pair.run_for(20s);
  EXPECT_NE(cause(pair, Side::drone).find("no answer from"), std::string::npos);
}

TEST(LikelyCause, on_the_ground_is_not_that_of_a_drone_whose_hellos_have_ended)
{
  WiredPair::Options options = with_addresses();
  options.alter_drone = [](DroneIdentity & drone) { drone.psk = another_psk(); };
  WiredPair pair(options);
  pair.run_for(20s);
  ASSERT_NE(cause(pair, Side::gcs).find("different key"), std::string::npos);
  pair.set_datagram_filter([](Side, Bytes &) { return false; });
  pair.run_for(90s);
  EXPECT_NE(cause(pair, Side::gcs).find("no hello of this drone arrives"), std::string::npos);
}

// --- How often it is logged ---

TEST(Log, of_a_drone_that_starts_before_the_ground_station_has_one_line_and_no_warning)
{
  WiredPair pair(with_addresses());
  pair.set_datagram_filter([](Side, Bytes &) { return false; });
  pair.run_for(4500ms);
  EXPECT_TRUE(pair.reported(
    Side::drone, EventKind::handshake_failed, "waiting for the ground station at 10.0.0.2:4600"));
  // The start of the first handshake, and the line that it waits.
  EXPECT_EQ(logged(pair, Side::drone, EventSeverity::info), 2u);
  pair.set_datagram_filter(nullptr);
  ASSERT_TRUE(pair.establish());
  EXPECT_EQ(logged(pair, Side::drone, EventSeverity::warning), 0u);
  EXPECT_EQ(pair.count(Side::drone, EventKind::handshake_completed), 1u);
  EXPECT_EQ(pair.events(Side::drone).back().kind, EventKind::protection);
  EXPECT_EQ(severity(pair.events(Side::drone).back()), EventSeverity::info);
}

TEST(Log, of_a_failure_that_repeats_grows_slower_and_counts)
{
  WiredPair pair(with_addresses());
  pair.set_datagram_filter([](Side, Bytes &) { return false; });
  pair.run_for(1h);
  const auto warnings = logged(pair, Side::drone, EventSeverity::warning);
  EXPECT_GE(warnings, 8u);
  EXPECT_LE(warnings, 16u);
  EXPECT_TRUE(pair.reported(Side::drone, EventKind::handshake_failed, " times in "));
}

TEST(Log, of_a_drone_that_the_ground_station_turns_away_grows_slower_at_both_ends)
{
  WiredPair::Options options = with_addresses();
  options.alter_drone = [](DroneIdentity & drone) { drone.psk = another_psk(); };
  WiredPair pair(options);
  pair.run_for(1h);
  for (const Side side : both_sides) {
    EXPECT_GE(logged(pair, side, EventSeverity::warning), 8u);
    EXPECT_LE(logged(pair, side, EventSeverity::warning), 20u);
  }
}

TEST(Roaming, is_reported_at_a_limited_rate_with_a_count)
{
  WiredPair pair;
  ASSERT_TRUE(pair.establish());
  for (int i = 0; i < 200; ++i) {
    pair.move_to(Side::drone, WiredPair::stranger(static_cast<std::uint8_t>(i % 2 == 0 ? 9 : 10)));
    pair.send(Side::drone, numbered(static_cast<std::uint32_t>(i)));
    pair.run_for(100ms);
  }
  EXPECT_GE(pair.count(Side::gcs, EventKind::roamed), 2u);
  EXPECT_LE(pair.count(Side::gcs, EventKind::roamed), 3u);
  EXPECT_TRUE(pair.reported(Side::gcs, EventKind::roamed, "times since the last report"));
}

}  // namespace
}  // namespace pqc_tunnel::test
