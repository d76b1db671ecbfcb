// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "protocol/hello_messages.hpp"
#include "protocol/likely_cause.hpp"
#include "support/traffic.hpp"

// The sentence that each end shows while its tunnel does not work: in the snapshot, and in the events.

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

const GroundAddress ground{"10.0.0.2:4600", 4600};

const TunnelSettings & settings()
{
  static const TunnelSettings made = [] {
    TunnelSettings one;
    one.ground = ground;
    return one;
  }();
  return made;
}

PeerFacts at_drone(const FailedHandshake & failed)
{
  PeerFacts facts;
  facts.settings = &settings();
  facts.failed = failed;
  return facts;
}

std::string without_an_answer(GroundTrouble trouble)
{
  PeerFacts facts = at_drone({HandshakeFailure::unanswered, "no answer"});
  facts.trouble = trouble;
  return likely_cause(facts);
}

TEST(LikelyCause, without_an_answer_is_what_the_network_reported)
{
  EXPECT_EQ(
    without_an_answer(GroundTrouble::none),
    "no answer from 10.0.0.2:4600: not started, link down, wrong address, UDP port 4600 blocked, "
    "another version of this program (update both ends), or "
    "it does not accept this drone (unknown name or different key)");
  EXPECT_EQ(
    without_an_answer(GroundTrouble::refused),
    "nothing listens at 10.0.0.2:4600: not started, wrong address or port");
  EXPECT_EQ(
    without_an_answer(GroundTrouble::unreachable),
    "the network knows no way to 10.0.0.2:4600: link down, no route, or wrong address");
  EXPECT_EQ(
    without_an_answer(GroundTrouble::unknown_name),
    "no IP address is known for 10.0.0.2:4600: name misspelled, or no name server answers");
  EXPECT_EQ(
    without_an_answer(GroundTrouble::other_family),
    "no address of 10.0.0.2:4600 can be reached from bind_address: one is IPv4, the other IPv6");
}

TEST(LikelyCause, speaks_of_the_kind_of_link_that_there_is)
{
  TunnelSettings serial;
  serial.ground = {"/dev/ttyUSB0", 0};
  serial.paths.links = {{.name = "radio", .type = LinkType::serial}};
  PeerFacts facts = at_drone({HandshakeFailure::unanswered, "no answer"});
  facts.settings = &serial;
  EXPECT_EQ(
    likely_cause(facts),
    "no answer from /dev/ttyUSB0: not started, radio or cable broken or out of range, other baud "
    "rate, another version of this program (update both ends), or it does not accept this drone "
    "(unknown name or different key)");
  for (const auto alter : std::initializer_list<void (*)(PeerFacts &)>{
         [](PeerFacts & all) { all.unconfirmed = true; },
         [](PeerFacts & all) { all.unheard_here = true; },
         [](PeerFacts & all) { all.has_keys = all.deaf_peer = true; }, [](PeerFacts &) {}})
  {
    PeerFacts at_ground;
    at_ground.role = Role::gcs;
    at_ground.settings = &serial;
    alter(at_ground);
    EXPECT_EQ(likely_cause(at_ground).find("UDP"), std::string::npos) << likely_cause(at_ground);
    EXPECT_NE(likely_cause(at_ground).find("radio"), std::string::npos) << likely_cause(at_ground);
  }
  serial.ground = ground;
  serial.paths.links.push_back({.name = "lte"});
  EXPECT_NE(
    likely_cause(facts).find("UDP port 4600 blocked, radio or cable broken"), std::string::npos);
}

TEST(LikelyCause, is_what_this_machine_knows_of_its_links_before_anything_that_it_guesses)
{
  PeerFacts facts;
  facts.settings = &settings();
  facts.link_troubles = {"there is no network interface wwan0"};
  EXPECT_EQ(likely_cause(facts), "there is no network interface wwan0");
  facts.failed = FailedHandshake{HandshakeFailure::unanswered, "no answer"};
  EXPECT_EQ(likely_cause(facts), "there is no network interface wwan0");
  facts.link_troubles.push_back("");
  EXPECT_TRUE(
    likely_cause(facts).starts_with("there is no network interface wwan0; no answer from "));
  facts.failed = FailedHandshake{HandshakeFailure::busy, "the ground station is busy"};
  EXPECT_EQ(likely_cause(facts), "the ground station is busy");
  facts.failed.reset();
  facts.has_keys = true;
  EXPECT_EQ(likely_cause(facts), "") << "the other link carries everything";
}

TEST(LikelyCause, of_an_attempt_that_stops_halfway_says_so)
{
  EXPECT_EQ(
    likely_cause(at_drone({HandshakeFailure::timeout, ""})),
    "the handshake with 10.0.0.2:4600 stopped halfway: slow or broken link");
}

TEST(LikelyCause, is_empty_while_datagrams_arrive_even_if_a_rekey_has_failed)
{
  PeerFacts facts = at_drone({HandshakeFailure::timeout, ""});
  facts.has_keys = true;
  EXPECT_EQ(likely_cause(facts), "");
  facts.lost = true;
  EXPECT_NE(likely_cause(facts), "");
}

// --- At both ends, as it happens ---

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
  "the other end has another version: its protocol is version 4, and that of this end is version "
  "3: "
  "update both ends";

TEST(LikelyCause, of_hellos_of_another_version_is_told_by_the_ground_station_which_stays_silent)
{
  WiredPair pair(with_addresses());
  pair.set_datagram_filter([](Side, Bytes & bytes) {
    bytes[1] = is_hello(bytes) ? 4 : bytes[1];
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
    bytes[1] = from == Side::gcs ? 4 : bytes[1];
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
  retry[1] = 4;
  Bytes hello(144);
  hello[0] = 0x81;
  hello[1] = 4;
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
  facts.settings = &settings();
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
  pair.drone().note_ground_trouble(GroundTrouble::refused);
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
  EXPECT_EQ(pair.events(Side::drone).back().kind, EventKind::handshake_completed);
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
