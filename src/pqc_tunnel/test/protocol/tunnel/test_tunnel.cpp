// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "link/shaping/shaped_line.hpp"
#include "support/pair/fleet.hpp"
#include "support/pair/wired_pair.hpp"

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

Bytes numbered(std::uint32_t n, std::size_t size = 40)
{
  Bytes bytes(size, static_cast<std::uint8_t>(n));
  for (std::size_t i = 0; i < 4 && i < size; ++i) {
    bytes[i] = static_cast<std::uint8_t>(n >> (8 * i));
  }
  return bytes;
}

TEST(Tunnel, connects_and_carries_datagrams_unchanged_both_ways)
{
  WiredPair pair;
  ASSERT_TRUE(pair.establish());
  for (const Side from : {Side::drone, Side::gcs}) {
    const Side to = from == Side::drone ? Side::gcs : Side::drone;
    for (std::uint32_t size = 1; size <= 1400; ++size) {
      ASSERT_TRUE(pair.send(from, numbered(size, size)));
      pair.run_for(11ms);
      ASSERT_EQ(pair.received(to).size(), 1u) << size;
      EXPECT_EQ(pair.received(to).front(), numbered(size, size));
      pair.received(to).clear();
    }
  }
}

TEST(Tunnel, rekeys_to_another_suite_without_losing_a_datagram)
{
  WiredPair pair;
  ASSERT_TRUE(pair.establish());
  const Suite & next = suite("cs-mlkem768-chacha20poly1305-mldsa65");
  pair.drone().request_rekey(rekey_to(&next), pair.now());
  std::uint32_t sent = 0;
  for (; sent < 1000; ++sent) {
    ASSERT_TRUE(pair.send(Side::drone, numbered(sent)));
    ASSERT_TRUE(pair.send(Side::gcs, numbered(sent)));
    pair.run_for(1ms);
  }
  pair.run_for(50ms);
  for (const Side side : {Side::drone, Side::gcs}) {
    ASSERT_EQ(pair.received(side).size(), sent);
    for (std::uint32_t n = 0; n < sent; ++n) {
      EXPECT_EQ(pair.received(side)[n], numbered(n));
    }
    EXPECT_EQ(pair.snapshot(side).suite, &next);
    EXPECT_EQ(pair.snapshot(side).epoch, Epoch{1});
    EXPECT_EQ(pair.snapshot(side).rekeys, 1u);
  }
  ASSERT_EQ(pair.outcomes(Side::drone).size(), 1u);
  const RekeyReply & reply = pair.outcomes(Side::drone).front();
  EXPECT_TRUE(reply.success);
  EXPECT_EQ(reply.suite, &next);
  EXPECT_EQ(reply.epoch, Epoch{1});
}

TEST(Tunnel, encrypts_while_there_are_keys_and_the_peer_is_not_lost)
{
  using enum PeerState;
  for (const PeerState state : {disconnected, connecting, handshaking, established, rekeying, lost})
  {
    PeerSnapshot peer;
    peer.state = state;
    EXPECT_FALSE(is_encrypted(peer)) << to_string(state);
    peer.suite = registry().find("cs-mlkem512-aesgcm-mldsa44");
    EXPECT_EQ(is_encrypted(peer), state == established || state == rekeying) << to_string(state);
  }
}

// --- What it counts, and for whom ---

std::uint64_t drops(const TrafficCounters & traffic, Drop drop)
{
  return traffic.drops[static_cast<std::size_t>(drop)];
}

TEST(TunnelCounts, a_frame_of_a_drone_beyond_its_budget_once_and_as_nobody_elses)
{
  Fleet fleet(2);
  fleet.run_for(3s);
  ASSERT_TRUE(fleet.agreed(0));
  ASSERT_TRUE(fleet.agreed(1));
  fleet.gcs().charge(PeerIndex{0}, 1s);
  for (const std::size_t before : {std::size_t{0}, std::size_t{1}})
  {  // it came from the same drone, or from another one
    fleet.gcs().charge(std::nullopt, 1h);
    fleet.send_up(before, numbered(1));
    fleet.received_from(before).clear();
    fleet.gcs().charge(PeerIndex{0}, 2h);
    fleet.send_up(0, numbered(2));
    EXPECT_EQ(drops(fleet.at_gcs(0).traffic, Drop::queue_full), before + 1);
  }
  EXPECT_EQ(drops(fleet.gcs().strangers().unassigned, Drop::unknown), 0u);
  EXPECT_TRUE(fleet.received_from(0).empty());
}

TEST(TunnelCounts, what_waited_too_long_for_its_sender_if_that_is_known)
{
  Fleet fleet(2);
  fleet.run_for(3s);
  for (std::size_t i = 0; i < 2; ++i) {
    ASSERT_TRUE(fleet.agreed(i));
    Bytes frame(40 + frame_overhead);
    ASSERT_TRUE(fleet.drone(i).handle_plaintext(PeerIndex{0}, frame, {}, fleet.now()));
    while (fleet.drone(i).poll_transmit(0, fleet.now())) {
    }
    EXPECT_FALSE(fleet.gcs().handle_datagram(frame, {}, fleet.now(), 2s).peer);
    EXPECT_EQ(drops(fleet.at_gcs(i).traffic, Drop::stale), 1u);
  }
  EXPECT_EQ(drops(fleet.gcs().strangers().unassigned, Drop::stale), 0u);
  Bytes junk(40, 0x40);
  fleet.gcs().handle_datagram(junk, {}, fleet.now(), 2s);
  fleet.gcs().handle_datagram(MutableBytes(junk).first(3), {}, fleet.now(), 2s);
  EXPECT_EQ(drops(fleet.gcs().strangers().unassigned, Drop::stale), 2u);
  fleet.drone(1).handle_datagram(junk, {}, fleet.now(), 2s);
  EXPECT_EQ(drops(fleet.at_drone(1).traffic, Drop::stale), 1u);
}

TEST(TunnelCounts, frames_that_a_drone_does_not_know_for_its_ground_station)
{
  WiredPair pair;
  ASSERT_TRUE(pair.establish());
  Bytes junk(100, 0x40);
  pair.drone().handle_datagram(junk, WiredPair::stranger(), pair.now());
  EXPECT_EQ(drops(pair.snapshot(Side::drone).traffic, Drop::unknown), 1u);
}

// Bytes that are missing on a serial line look like a forgery; what came twice does not.
TEST(TunnelCounts, forged_frames_of_a_serial_line_as_malformed_and_copies_as_replayed)
{
  for (const LinkType type : {LinkType::udp, LinkType::serial}) {
    WiredPair::Options options;
    options.settings.paths.links.front().type = type;
    WiredPair pair(options);
    ASSERT_TRUE(pair.establish());
    Bytes frame = pair.datagrams_sent(Side::gcs).back();
    pair.inject(Side::drone, frame);
    EXPECT_EQ(pair.drops(Side::drone, Drop::replay), 1u);
    frame[4] = static_cast<std::uint8_t>(frame[4] + 1);  // a later sequence number
    pair.inject(Side::drone, frame);
    const Drop expected = type == LinkType::serial ? Drop::malformed : Drop::auth_fail;
    EXPECT_EQ(pair.drops(Side::drone, expected), 1u);
  }
}

TEST(TunnelCounts, forged_frames_but_no_copies_if_frames_take_several_links)
{
  WiredPair::Options options;
  options.settings.paths.links.push_back(options.settings.paths.links.front());
  options.settings.paths.links.back().name = "second";
  options.settings.paths.schedule = Schedule::redundant;
  WiredPair pair(options);
  ASSERT_TRUE(pair.establish());
  pair.run_for(1s);
  Bytes frame = pair.datagrams_sent(Side::gcs).back();
  pair.inject(Side::drone, frame);
  EXPECT_EQ(pair.drops(Side::drone, Drop::replay), 0u);
  frame[4] = static_cast<std::uint8_t>(frame[4] + 1);
  pair.inject(Side::drone, frame);
  EXPECT_EQ(pair.drops(Side::drone, Drop::auth_fail), 1u);
}

// --- What concerns one of the ends ---

TEST(TunnelOfTheGroundStation, ignores_what_concerns_drones_alone)
{
  WiredPair pair;
  EXPECT_FALSE(pair.snapshot(Side::drone).suite);
  ASSERT_TRUE(pair.establish());
  EXPECT_TRUE(pair.snapshot(Side::drone).suite);
  pair.gcs().handle_change(GcsAddresses{{WiredPair::stranger()}}, pair.now());
  pair.gcs().note_trouble(GroundTrouble::refused);
  EXPECT_TRUE(pair.snapshot(Side::gcs).blacklist.empty());
  EXPECT_EQ(pair.drone().strangers().malformed, 0u);
  pair.run_for(1s);
  EXPECT_TRUE(pair.agreed());
}

TEST(TunnelOfTheGroundStation, refuses_a_rekey_of_a_drone_beyond_its_last)
{
  WiredPair pair;
  ASSERT_TRUE(pair.establish());
  RekeyCommand command = rekey_to(nullptr);
  command.peer = PeerIndex{1};
  pair.gcs().request_rekey(command, pair.now());
  pair.pump();
  ASSERT_EQ(pair.outcomes(Side::gcs).size(), 1u);
  EXPECT_EQ(pair.outcomes(Side::gcs).back().message, "there is no such drone");
}

WiredPair::Options over_a_radio()
{
  WiredPair::Options options;
  options.settings.paths.links = {radio()};
  return options;
}

TEST(TunnelOverARadio, keeps_what_waits_when_the_link_comes_up_and_drops_it_when_it_goes)
{
  WiredPair pair(over_a_radio());
  ASSERT_TRUE(pair.establish());
  for (std::uint32_t i = 0; i < 20; ++i) {
    pair.offer(Side::drone, numbered(i, 200));
  }
  const auto waiting = [&] {
    return pair.queue_counts(Side::drone, TrafficClass::other).waiting();
  };
  ASSERT_GT(waiting(), 10u);
  pair.drone().handle_change(LinkChange{0, LinkState::up}, pair.now());
  EXPECT_GT(waiting(), 10u);
  pair.drone().handle_change(LinkChange{0, LinkState::down}, pair.now());
  EXPECT_EQ(waiting(), 0u);
}

// Nobody without keys takes airtime from those who have some.
TEST(TunnelOverARadio, is_not_slowed_down_by_frames_that_are_not_authentic)
{
  WiredPair pair(over_a_radio());
  ASSERT_TRUE(pair.establish());
  pair.run_for(5s);
  for (std::uint32_t i = 0; i < 200; ++i) {
    Bytes junk(200, 7);
    pair.drone().handle_datagram(junk, WiredPair::stranger(), pair.now(), {});
    pair.offer(Side::drone, numbered(i, 20));
    pair.run_for(20ms);
  }
  EXPECT_LE(pair.queue_counts(Side::drone, TrafficClass::other).waiting(), 1u);
  pair.run_for(100ms);
  EXPECT_EQ(pair.received(Side::gcs).size(), 200u);
}

// A serial port's bytes come in pieces, and one piece may complete several frames.
TEST(Tunnel, sends_each_of_the_frames_that_a_datagram_completes)
{
  WiredPair::Options options;
  options.settings.paths.links = {
    {.name = "lte"}, {.name = "radio", .type = LinkType::serial, .rate_kbit = 57.6}};
  WiredPair pair(options);
  ASSERT_TRUE(pair.establish());
  std::uint32_t number = 0;
  std::vector<Bytes> frames;
  for (int round = 0; round < 8; ++round) {  // after some of them it is known that frames are cut
    pair.run_for(1s);
    pair.received(Side::gcs).clear();
    frames = {
      mavlink(attitude, ++number), mavlink(attitude, ++number), mavlink(attitude, ++number)};
    Bytes rest;
    for (const Bytes & frame : frames) {
      rest.insert(rest.end(), frame.begin(), frame.end());
    }
    pair.offer(Side::drone, Bytes(rest.begin(), rest.begin() + 5));
    pair.offer(Side::drone, Bytes(rest.begin() + 5, rest.end()));
  }
  pair.run_for(1s);
  EXPECT_TRUE(std::ranges::equal(pair.received(Side::gcs), frames));
}

}  // namespace
}  // namespace pqc_tunnel::test
