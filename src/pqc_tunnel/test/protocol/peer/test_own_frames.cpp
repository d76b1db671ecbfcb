// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <optional>
#include <utility>
#include <vector>

#include "support/hostile/insider.hpp"
#include "support/pair/rekey_command.hpp"
#include "support/pair/traffic.hpp"
#include "support/pair/wired_pair.hpp"

// What an end sends and reports of its own accord, without data and while links come and go.

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

WiredPair::Options with_links(std::vector<LinkSettings> links)
{
  WiredPair::Options options;
  options.settings.paths.links = std::move(links);
  return options;
}

WiredPair::Options with_two_links() { return with_links({{.name = "lte"}, {.name = "radio"}}); }

std::size_t lost(const WiredPair & pair)
{
  return pair.count(Side::drone, EventKind::peer_lost) +
         pair.count(Side::gcs, EventKind::peer_lost);
}

TEST(OwnFrames, keep_a_session_alive_between_two_reports)
{
  WiredPair::Options options;
  options.settings.report_interval = 5s;
  options.settings.keepalive_interval = 1s;
  options.settings.peer_timeout = 3s;
  WiredPair pair(options);
  ASSERT_TRUE(pair.establish());
  pair.run_for(60s);
  EXPECT_EQ(lost(pair), 0u);
  EXPECT_TRUE(pair.agreed());
}

TEST(OwnFrames, of_a_quiet_pair_are_four_a_second_at_most_and_none_without_keys)
{
  WiredPair pair;
  pair.set_datagram_filter([](Side, Bytes &) { return false; });
  pair.run_for(10s);
  EXPECT_EQ(pair.snapshot(Side::drone).traffic.control_out, 0u);
  pair.set_datagram_filter(nullptr);
  ASSERT_TRUE(pair.establish());
  pair.run_for(10s);
  const auto sent = [&pair] {
    return pair.datagrams_sent(Side::drone).size() + pair.datagrams_sent(Side::gcs).size();
  };
  const auto before = sent();
  pair.run_for(10s);
  EXPECT_LE(sent() - before, 40u) << "a report each way every 0.75 s, now and then an answer";
  for (const Side side : both_sides) {
    const PeerSnapshot peer = pair.snapshot(side);
    EXPECT_LT(peer.link.longest_silence, 800ms);
    EXPECT_LE(pair.now(side) - peer.remote->received, 800ms);
    EXPECT_EQ(peer.link.blackouts, 0u);
  }
}

// Two reports each way, with questions and answers in them, and an answer to the second one.
TEST(OwnFrames, beside_sparse_data_are_seven_a_second_at_most)
{
  for (const bool loses : {false, true}) {
    WiredPair pair;
    ASSERT_TRUE(pair.establish());
    Traffic traffic(pair);
    traffic.run_for(10s, 50ms);
    const auto sent = [&pair] {
      return pair.snapshot(Side::drone).traffic.control_out +
             pair.snapshot(Side::gcs).traffic.control_out;
    };
    const auto before = sent();
    pair.set_datagram_filter(
      [&](Side, Bytes &) { return !loses || pair.random().uniform() > 0.2; });
    traffic.run_for(10s, 50ms);
    EXPECT_EQ(sent() - before > 75, loses) << "short frames alone where some are lost";
    for (const Side side : both_sides) {
      EXPECT_LE(pair.now(side) - pair.snapshot(side).remote->received, loses ? 2s : 550ms);
    }
  }
}

// In steps over more than the time between two reports.
std::vector<Duration> moments_of_a_quiet_second()
{
  std::vector<Duration> moments;
  for (Duration moment = 10s; moment < 11s; moment += 130ms) {
    moments.push_back(moment);
  }
  return moments;
}

TEST(Silence, delays_no_report_on_the_data_that_end_it)
{
  for (const Side from : both_sides) {
    for (const Duration moment : moments_of_a_quiet_second()) {
      WiredPair pair;
      ASSERT_TRUE(pair.establish());
      pair.run_for(moment);
      const Instant begun = pair.now();
      pair.send(from, Bytes(40));
      EXPECT_TRUE(pair.run_until(
        [&] { return pair.snapshot(from).remote->received >= begun + 20ms; }, 500ms + 20ms))
        << moment.count();
      for (int i = 0; i < 5; ++i) {
        const Instant before = pair.snapshot(from).remote->received;
        pair.send(from, Bytes(40));
        EXPECT_TRUE(pair.run_until(
          [&] { return pair.snapshot(from).remote->received > before; }, 500ms + 10ms));
      }
    }
  }
}

TEST(Silence, of_a_quiet_peer_shows_within_its_time_and_not_after_two_thirds_of_it)
{
  for (const Duration moment : moments_of_a_quiet_second()) {
    WiredPair pair;
    ASSERT_TRUE(pair.establish());
    pair.run_for(moment);
    const auto cut_for = [&pair](Duration time) {
      pair.set_datagram_filter([](Side, Bytes &) { return false; });
      pair.run_for(time);
    };
    cut_for(2s - 10ms);
    pair.set_datagram_filter(nullptr);
    pair.run_for(10s);
    EXPECT_EQ(lost(pair), 0u) << moment.count();
    cut_for(3s + 10ms);
    EXPECT_EQ(lost(pair), 2u) << moment.count();
  }
}

TEST(Silence, ends_when_an_answer_is_missing)
{
  for (const Side deaf : both_sides) {
    WiredPair pair;
    ASSERT_TRUE(pair.establish());
    pair.run_for(10s);
    pair.set_datagram_filter([deaf](Side from, Bytes &) { return from == deaf; });
    pair.run_for(1500ms);
    const std::size_t before = pair.datagrams_sent(deaf).size();
    pair.run_for(1s);
    EXPECT_GE(pair.datagrams_sent(deaf).size(), before + 7) << "as often as after data";
  }
}

TEST(OwnFrames, are_counted_as_they_leave_and_as_they_arrive)
{
  WiredPair pair;
  ASSERT_TRUE(pair.establish());
  pair.run_for(5s + 100ms);  // nothing is on the way then
  const auto traffic = [&pair](Side side) { return pair.snapshot(side).traffic; };
  const TrafficCounters drone = traffic(Side::drone);
  const TrafficCounters gcs = traffic(Side::gcs);
  pair.drone().request_rekey(rekey_to(nullptr), pair.now());
  pair.run_for(5s);
  const auto packets_out = traffic(Side::drone).cipher_out_packets - drone.cipher_out_packets;
  EXPECT_EQ(packets_out, traffic(Side::gcs).cipher_in_packets - gcs.cipher_in_packets);
  EXPECT_EQ(
    traffic(Side::drone).cipher_out_bytes - drone.cipher_out_bytes,
    traffic(Side::gcs).cipher_in_bytes - gcs.cipher_in_bytes);
  const auto parts = traffic(Side::drone).stream_out_packets - drone.stream_out_packets;
  EXPECT_EQ(parts, traffic(Side::gcs).stream_in_packets - gcs.stream_in_packets);
  EXPECT_GT(parts, 0u);
  EXPECT_LT(parts, packets_out / 2);
}

TEST(OwnFrames, say_that_the_peer_hears_nothing_once_that_lasts)
{
  WiredPair pair;
  ASSERT_TRUE(pair.establish());
  pair.run_for(5s);
  const auto cause = [&pair] { return pair.snapshot(Side::drone).likely_cause; };
  pair.set_datagram_filter([](Side from, Bytes &) { return from == Side::gcs; });
  pair.run_for(2s);
  EXPECT_EQ(cause(), "");
  pair.run_for(1500ms);
  EXPECT_TRUE(cause().starts_with("the ground station receives nothing of what this end sends"));
  pair.set_datagram_filter(nullptr);
  pair.run_for(1500ms);
  EXPECT_EQ(cause(), "");
}

TEST(OwnFrames, name_a_new_address_of_the_peer_once_without_a_count)
{
  WiredPair pair;
  ASSERT_TRUE(pair.establish());
  pair.drone().request_rekey(rekey_to(nullptr), pair.now());
  pair.run_for(1s);
  pair.move_to(Side::drone, WiredPair::stranger());
  pair.run_for(2s);
  ASSERT_EQ(pair.count(Side::gcs, EventKind::roamed), 1u);
  EXPECT_EQ(pair.events(Side::gcs).back().text, "the peer answers at another address");
  EXPECT_EQ(pair.events(Side::gcs).back().epoch, Epoch{1});
}

TEST(OwnFrames, are_not_sealed_while_no_link_is_there_to_send_them)
{
  WiredPair pair;
  ASSERT_TRUE(pair.establish());
  pair.run_for(1s);
  pair.drone().handle_change(LinkChange{0, LinkState::down}, pair.now());
  const auto packets = pair.snapshot(Side::drone).packets_under_key;
  pair.run_for(1s);
  EXPECT_EQ(pair.snapshot(Side::drone).packets_under_key, packets);
  pair.drone().handle_change(LinkChange{0, LinkState::up}, pair.now());
  pair.run_for(1s);
  EXPECT_GT(pair.snapshot(Side::drone).packets_under_key, packets);
}

// Somebody is faster and sends a frame of the drone from elsewhere: that address has to prove itself.
void relay_from_stranger(WiredPair & pair)
{
  Bytes relayed;
  pair.set_datagram_filter([&relayed](Side, Bytes & bytes) {
    relayed = bytes;
    return false;
  });
  pair.send(Side::drone, numbered(1, 1000));
  pair.set_datagram_filter(nullptr);
  EXPECT_TRUE(pair.inject(Side::gcs, relayed, WiredPair::stranger()).peer);
}

TEST(OwnFrames, to_an_address_that_has_not_proved_itself_are_not_counted_as_sent_to_the_peer)
{
  for (const auto & options : {WiredPair::Options{}, with_two_links()}) {
    WiredPair pair(options);
    ASSERT_TRUE(pair.establish());
    pair.run_for(1s);
    const auto counted = [&pair] { return pair.snapshot(Side::gcs).traffic.cipher_out_packets; };
    const auto before = counted();
    const std::size_t sent = pair.datagrams_sent(Side::gcs).size();
    relay_from_stranger(pair);
    pair.run_for(2s);
    EXPECT_FALSE(pair.sent_elsewhere(Side::gcs).empty());
    EXPECT_EQ(counted() - before, pair.datagrams_sent(Side::gcs).size() - sent);
  }
}

TEST(OwnFrames, are_copied_to_an_address_that_may_be_the_peers_new_one_unless_they_are_of_a_stream)
{
  WiredPair pair;
  Insider insider(pair);
  ASSERT_TRUE(pair.establish());
  pair.run_for(1s);
  relay_from_stranger(pair);
  pair.drone().request_rekey(rekey_to(nullptr), pair.now());
  ASSERT_TRUE(pair.run_until([&] { return !pair.outcomes(Side::drone).empty(); }, 2s));
  int questions = 0;
  for (const auto & [to, bytes] : pair.sent_elsewhere(Side::gcs)) {
    if (const auto control = insider.read_control(Side::drone, bytes)) {
      EXPECT_FALSE(std::holds_alternative<StreamAck>(control->body));
      questions += std::holds_alternative<PathRequest>(control->body) ? 0 : 1;
    }
  }
  EXPECT_GT(questions, 0) << "or answers, beside the probes";
}

TEST(OwnFrames, that_an_address_gets_which_never_answers_are_limited_and_that_is_reported)
{
  WiredPair pair;
  ASSERT_TRUE(pair.establish());
  pair.run_for(1s);
  pair.set_datagram_filter([&pair](Side from, Bytes & bytes) {
    if (from == Side::drone) {
      pair.deliver_later(Side::gcs, bytes, WiredPair::stranger(77), 5ms);
    }
    return true;
  });
  Traffic traffic(pair);
  traffic.run_for(10s, 1ms);
  EXPECT_TRUE(pair.reported(
    Side::gcs, EventKind::refused, "frames of the peer come from addresses that do not answer"));
}

TEST(OwnFrames, under_boot_keys_are_not_copied_to_an_address_of_the_live_session)
{
  WiredPair pair;
  ASSERT_TRUE(pair.establish());
  pair.run_for(1s);
  const auto id = [](ByteView bytes) { return decode_frame_header(bytes)->key_id; };
  const FrameKeyId live = id(pair.datagrams_sent(Side::gcs).back());
  relay_from_stranger(pair);
  pair.restart(Side::drone);
  pair.hold_jobs(Side::gcs, true);
  const auto under_boot_keys = [&] {
    return std::ranges::count_if(pair.datagrams_sent(Side::gcs), [&](const Bytes & bytes) {
      return !is_hello(bytes) && id(bytes) != live;
    });
  };
  const auto before = under_boot_keys();
  pair.run_for(500ms);
  EXPECT_GT(under_boot_keys(), before);
  for (const auto & [to, bytes] : pair.sent_elsewhere(Side::gcs)) {
    EXPECT_EQ(id(bytes), live);
  }
}

// Whoever has the PSK has boot keys, and could show any rate.
TEST(RateOfAPath, is_that_at_which_streams_of_the_session_arrive)
{
  WiredPair pair;
  const auto source = [&pair] { return pair.snapshot(Side::drone).paths.at(0).rate_source; };
  ASSERT_TRUE(pair.establish());
  EXPECT_EQ(source(), RateSource::unknown);
  ASSERT_TRUE(pair.run_until([&pair] { return pair.snapshot(Side::drone).prekeys > 0; }));
  EXPECT_EQ(source(), RateSource::unknown) << "a small key tells no rate";
  const RekeyCommand command = rekey_to(&suite("cs-classicmceliece460896-aesgcm-mldsa65"));
  pair.drone().request_rekey(command, pair.now());
  EXPECT_TRUE(pair.run_until([&] { return source() == RateSource::streams; }));
}

TEST(BytesUnderWay, are_those_of_a_prekey_for_a_new_session_too)
{
  WiredPair pair;
  std::size_t parts = 0;
  pair.set_datagram_filter([&parts](Side from, Bytes & bytes) {
    parts += from == Side::gcs && bytes.size() > 500 ? 1 : 0;
    return parts < 2;
  });
  ASSERT_TRUE(pair.run_until([&parts] { return parts >= 2; }));
  pair.run_for(20ms);
  EXPECT_GT(pair.snapshot(Side::drone).pool.bytes_under_way, 500u);
}

TEST(BytesUnderWay, are_those_of_a_prekey_that_the_ground_station_sends_in_the_session)
{
  WiredPair pair;
  ASSERT_TRUE(pair.establish());
  pair.set_datagram_filter(
    [](Side from, Bytes & bytes) { return from == Side::drone || bytes.size() < 500; });
  pair.run_for(3s);
  EXPECT_EQ(pair.snapshot(Side::drone).prekeys, 0u);
  EXPECT_GT(pair.snapshot(Side::gcs).pool.bytes_under_way, 500u);
}

TEST(Route, is_counted_as_taken_only_if_something_leaves)
{
  for (const double kbit : {0.0, 57.6}) {
    WiredPair::Options options;
    options.settings.paths.links.front().rate_kbit = kbit;
    WiredPair pair(options);
    ASSERT_TRUE(pair.establish());
    const auto frames = [&pair] { return pair.snapshot(Side::drone).paths.at(0).frames_out; };
    const auto before = frames();
    pair.offer(Side::drone, Bytes(100));
    EXPECT_EQ(frames(), before + (kbit > 0 ? 0 : 1)) << "before a thin link it waits";
  }
}

std::optional<Event> newest(WiredPair & pair, EventKind kind)
{
  std::optional<Event> found;
  for (const Event & event : pair.events(Side::drone)) {
    found = event.kind == kind ? std::optional(event) : found;
  }
  return found;
}

TEST(LinkChange, of_one_of_several_links_is_reported_with_its_name)
{
  WiredPair pair(with_two_links());
  ASSERT_TRUE(pair.establish());
  pair.run_for(10s);
  pair.events(Side::drone).clear();
  pair.drone().handle_change(LinkChange{1, LinkState::down}, pair.now());
  pair.run_for(1s);
  const auto down = newest(pair, EventKind::link_changed);
  ASSERT_TRUE(down);
  EXPECT_EQ(down->text, "link radio is down");
  EXPECT_EQ(severity(*down), EventSeverity::warning);
  EXPECT_TRUE(down->suite);
  pair.drone().handle_change(LinkChange{1, LinkState::up}, pair.now());
  pair.run_for(5s);
  const auto up = newest(pair, EventKind::link_changed);
  ASSERT_TRUE(up);
  EXPECT_EQ(up->text, "link radio is up");
  EXPECT_EQ(severity(*up), EventSeverity::info);
  EXPECT_EQ(pair.count(Side::drone, EventKind::link_changed), 2u);
}

TEST(LinkChange, of_the_only_link_is_that_of_the_tunnel_and_not_reported_twice)
{
  WiredPair pair;
  ASSERT_TRUE(pair.establish());
  pair.drone().handle_change(LinkChange{0, LinkState::down}, pair.now());
  pair.run_for(1s);
  pair.drone().handle_change(LinkChange{0, LinkState::up}, pair.now());
  pair.run_for(30s);
  EXPECT_FALSE(pair.saw(Side::drone, EventKind::link_changed));
  EXPECT_TRUE(pair.agreed());
}

TEST(LinkChange, without_keys_is_not_reported)
{
  WiredPair pair(with_two_links());
  ASSERT_TRUE(pair.establish());
  pair.run_for(10s);
  pair.gcs().wipe(PeerIndex{0}, "in a test", pair.now());
  pair.set_datagram_filter([](Side, Bytes &) { return false; });
  pair.pump();
  const std::size_t reported = pair.count(Side::gcs, EventKind::link_changed);
  pair.gcs().handle_change(LinkChange{1, LinkState::down}, pair.now());
  pair.run_for(1s);
  EXPECT_EQ(pair.count(Side::gcs, EventKind::link_changed), reported);
  pair.set_datagram_filter(nullptr);
  pair.gcs().handle_change(LinkChange{1, LinkState::up}, pair.now());
  EXPECT_TRUE(pair.establish());
}

TEST(Wiped, is_said_three_times_and_to_nobody_without_keys)
{
  WiredPair pair;
  ASSERT_TRUE(pair.establish());
  pair.run_for(5s);
  const std::size_t before = pair.datagrams_sent(Side::gcs).size();
  pair.set_datagram_filter([](Side, Bytes &) { return false; });
  pair.gcs().wipe(PeerIndex{0}, "in a test", pair.now());
  pair.pump();
  EXPECT_EQ(pair.datagrams_sent(Side::gcs).size(), before + 3);
  pair.gcs().wipe(PeerIndex{0}, "in a test", pair.now());
  pair.pump();
  EXPECT_EQ(pair.datagrams_sent(Side::gcs).size(), before + 3);
}

// How many datagrams the ground station sends as it wipes the keys.
std::size_t said(WiredPair & pair)
{
  const std::size_t before = pair.datagrams_sent(Side::gcs).size();
  pair.gcs().wipe(PeerIndex{0}, "in a test", pair.now());
  pair.pump();
  return pair.datagrams_sent(Side::gcs).size() - before;
}

TEST(Wiped, is_said_under_keys_too_that_the_drone_has_not_used_yet)
{
  WiredPair pair;
  const auto completed = [&] { return pair.saw(Side::gcs, EventKind::handshake_completed); };
  ASSERT_TRUE(pair.run_until(completed));
  EXPECT_EQ(said(pair), 6u) << "under boot keys and those of the session";
  ASSERT_TRUE(pair.establish());
  pair.run_for(1s);
  const auto installed = [&] { return pair.snapshot(Side::gcs).keys.size(); };
  const std::size_t before = installed();
  pair.drone().request_rekey(rekey_to(nullptr), pair.now());
  ASSERT_TRUE(pair.run_until([&] { return installed() > before; }));
  EXPECT_EQ(said(pair), 6u) << "under the live keys and those of the rekey";
}

TEST(Wiped, under_boot_keys_alone_counts_no_frame_of_a_path)
{
  WiredPair pair;
  ASSERT_TRUE(pair.establish());
  pair.run_for(1s);
  pair.gcs().wipe(PeerIndex{0}, "in a test", pair.now());
  pair.hold_jobs(Side::gcs, true);
  const std::size_t begun = pair.count(Side::gcs, EventKind::handshake_started);
  ASSERT_TRUE(pair.run_until(
    [&] { return pair.count(Side::gcs, EventKind::handshake_started) > begun; }, 10s));
  const auto counted = [&] { return pair.snapshot(Side::gcs).paths.at(0).frames_out; };
  const auto before = counted();
  EXPECT_EQ(said(pair), 3u);
  EXPECT_EQ(counted(), before);
}

}  // namespace
}  // namespace pqc_tunnel::test
