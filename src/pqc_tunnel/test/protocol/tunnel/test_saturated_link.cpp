// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <vector>

#include "link/shaping/shaped_line.hpp"
#include "protocol/wire/control_frame.hpp"
#include "support/pair/wired_pair.hpp"

namespace pqc_tunnel::test
{
namespace
{

using std::chrono::milliseconds;
using std::chrono::seconds;

// A radio behind a UDP socket: nobody has configured its rate, and its buffer holds a second each way. Both directions
// have the rate.
struct UnknownRadio
{
  double bytes_per_s = 12'000;
  double loss = 0;
  Duration jitter{};
  std::map<Side, Instant> free;
  std::map<Side, double> carried;  // bytes
  SeededRandom random{11};

  std::vector<Duration> carry(Side from, std::size_t bytes, Instant now)
  {
    Instant & free_at = free[from];
    const Instant begin = std::max(free_at, now);
    if (begin > now + seconds(1) || random.uniform() < loss) {
      return {};
    }
    const std::chrono::duration<double> airtime(static_cast<double>(bytes + 48) / bytes_per_s);
    free_at = begin + std::chrono::duration_cast<Duration>(airtime);
    carried[from] += static_cast<double>(bytes + 48);
    const auto late = std::chrono::duration_cast<Duration>(jitter * random.uniform());
    return {free_at - now + late};
  }
};

class SaturatedLink : public ::testing::Test
{
protected:
  void start(bool find_rate = true, const std::vector<LinkSettings> & links = {{.name = "lte"}})
  {
    WiredPair::Options options;
    options.latency = milliseconds(20);
    options.settings.find_rate = find_rate;
    options.settings.paths.links = links;
    pair = std::make_unique<WiredPair>(options);
    ASSERT_TRUE(pair->establish());
    pair->run_for(seconds(15));
    pair->set_channel([this](Side from, Bytes & datagram) {
      return radio.carry(from, datagram.size(), pair->now());
    });
    // After some reports of a quiet link the queue that the data make is seen half a second later.
    pair->run_for(seconds(15) + milliseconds(146));
  }

  // Offers so many datagrams a second.
  void fly(Duration time, int datagrams_per_s)
  {
    const Duration step = Duration(seconds(1)) / datagrams_per_s;
    const Instant end = pair->now() + time;
    for (int i = 0; pair->now() < end; ++i) {
      pair->offer(sender, telemetry(i));
      if (i % datagrams_per_s == 0) {
        ++commands_sent;
        command_sent[static_cast<std::uint32_t>(i)] = pair->now();
        pair->offer(sender, mavlink(command_long, static_cast<std::uint32_t>(i)));
      }
      // Not in step with what the radio takes: else a full buffer never has room for certain frames.
      pair->run_for(std::chrono::duration_cast<Duration>(step * (0.5 + radio.random.uniform())));
      note_arrivals();
    }
  }

  // Of many messages, so that none takes the place of another one.
  static Bytes telemetry(int number)
  {
    return mavlink(
      10'000 + static_cast<std::uint32_t>(number) % 5000, static_cast<std::uint32_t>(number),
      100 + static_cast<std::size_t>(number * 37 % 150));
  }

  void note_arrivals()
  {
    for (const Bytes & frame : pair->received(other(sender))) {
      received_bytes += static_cast<double>(frame.size());
      std::uint32_t number = 0;
      for (std::size_t i = 0; i < 4; ++i) {
        number |= static_cast<std::uint32_t>(frame.at(10 + i)) << (8 * i);
      }
      if (frame.at(7) == command_long && frame.at(8) == 0) {
        slowest_command = std::max(slowest_command, pair->now() - command_sent.at(number));
        ++commands;
      }
    }
    pair->received(other(sender)).clear();
  }
  void forget()
  {
    commands = commands_sent = 0;
    slowest_command = {};
    received_bytes = 0;
  }

  Duration round_trip() { return pair->snapshot(Side::drone).rtt; }
  std::optional<double> rate() { return rate(sender); }
  std::optional<double> rate(Side side)
  {
    const PathReport path = pair->snapshot(side).paths.at(0);
    const bool found = path.rate_source == RateSource::saturation;
    return found ? std::optional(path.rate_bytes_s) : std::nullopt;
  }

  UnknownRadio radio;
  Side sender = Side::drone;
  std::unique_ptr<WiredPair> pair;
  std::map<std::uint32_t, Instant> command_sent;
  std::uint32_t states = 0;
  std::size_t commands_sent = 0;
  std::size_t commands = 0;
  Duration slowest_command{};
  double received_bytes = 0;  // of the application
};

TEST_F(SaturatedLink, is_found_in_twenty_seconds_and_its_queue_becomes_short)
{
  start();
  EXPECT_FALSE(rate());
  fly(seconds(20), 110);  // twice what the radio carries
  ASSERT_TRUE(rate());
  EXPECT_TRUE(pair->reported(Side::drone, EventKind::link_changed, "is saturated"));
  fly(seconds(60), 110);
  ASSERT_TRUE(rate());
  EXPECT_NEAR(*rate(), radio.bytes_per_s, 0.35 * radio.bytes_per_s);
  EXPECT_LT(round_trip(), milliseconds(400));
}

TEST_F(SaturatedLink, lets_commands_overtake_and_delivers_all_of_them)
{
  start();
  fly(seconds(30), 110);
  forget();
  fly(seconds(60), 110);
  EXPECT_GE(commands, 59u);
  EXPECT_LT(
    slowest_command, milliseconds(800));  // while the rate is found to have been raised too far
  EXPECT_GT(received_bytes, 0.6 * 60 * radio.bytes_per_s);  // headers take the rest
}

TEST_F(SaturatedLink, lets_a_rekey_pass_that_begins_before_its_rate_is_found)
{
  for (const Duration since : {milliseconds(600), milliseconds(1200), milliseconds(2000)}) {
    for (const double rate : {12'000.0, 30'000.0}) {
      radio = UnknownRadio{};
      radio.random = SeededRandom{2};  // a full buffer takes all CONFIRMs of one rekey in ten
      radio.bytes_per_s = rate;
      start();
      const int datagrams_per_s = static_cast<int>(rate / 110);
      fly(since, datagrams_per_s);
      const Instant begun = pair->now();
      pair->drone().request_rekey(rekey_to(nullptr), begun);
      while (pair->outcomes(Side::drone).empty() && pair->now() < begun + seconds(20)) {
        fly(milliseconds(50), datagrams_per_s);
      }
      ASSERT_FALSE(pair->outcomes(Side::drone).empty());
      EXPECT_TRUE(pair->outcomes(Side::drone)[0].success) << pair->outcomes(Side::drone)[0].message;
      EXPECT_LT(pair->now() - begun, milliseconds(3000)) << rate;
    }
  }
}

TEST_F(SaturatedLink, has_small_datagrams_share_frames_before_its_rate_is_found)
{
  start();
  std::uint32_t number = 0;
  const auto frames_per_datagram = [&] {
    const TrafficCounters before = pair->snapshot(sender).traffic;
    for (const Instant end = pair->now() + seconds(2); pair->now() < end; ++number) {
      pair->offer(sender, mavlink(10'000 + number % 5000, number, 20));
      pair->run_for(milliseconds(2));
    }
    const TrafficCounters after = pair->snapshot(sender).traffic;
    return static_cast<double>(after.cipher_out_packets - before.cipher_out_packets) /
           static_cast<double>(after.plain_in_packets - before.plain_in_packets);
  };
  EXPECT_GT(frames_per_datagram(), 0.5) << "there is no queue at first";
  EXPECT_LT(frames_per_datagram(), 0.3);
  EXPECT_FALSE(rate());
}

TEST_F(SaturatedLink, without_the_search_keeps_its_queue_full_and_loses_commands)
{
  start(false);
  fly(seconds(30), 110);
  forget();
  fly(seconds(60), 110);
  EXPECT_FALSE(rate());
  EXPECT_LT(commands, 50u);
  EXPECT_GT(round_trip(), milliseconds(800));
}

TEST_F(SaturatedLink, is_not_looked_for_unless_it_is_udp_without_a_rate)
{
  const std::vector<std::vector<LinkSettings>> other_links = {
    {{.name = "radio", .type = LinkType::serial}}, {{.name = "lte", .rate_kbit = 1000}}};
  for (const auto & links : other_links) {
    radio = UnknownRadio{};
    start(true, links);
    fly(seconds(30), 110);
    EXPECT_FALSE(rate()) << links[0].name;
    EXPECT_FALSE(pair->reported(Side::drone, EventKind::link_changed, "saturated"));
  }
}

// What is repeated would only add to what the link has no room for.
TEST_F(SaturatedLink, has_nothing_repeated_within_a_round_trip_although_it_loses_much)
{
  radio.loss = 0.15;
  start();
  fly(seconds(60), 110);
  ASSERT_TRUE(rate());
  std::vector<Instant> sent;
  pair->set_datagram_filter([&](Side from, Bytes & bytes) {
    const bool ratchet = from == Side::drone &&
                         bytes.size() == frame_overhead + encode(ControlFrame{0, Ratchet{}}).size();
    if (ratchet) {
      sent.push_back(pair->now());
    }
    return !ratchet;
  });
  RekeyCommand ratchet = rekey_to(nullptr);
  ratchet.ratchet = true;
  const Duration least = round_trip() * 3 / 4;
  pair->drone().request_rekey(ratchet, pair->now());
  ASSERT_TRUE(pair->run_until([&sent] { return sent.size() == 2; }, seconds(5)));
  EXPECT_GE(sent[1] - sent[0], least);
}

TEST_F(SaturatedLink, of_a_higher_rate_has_frames_that_pass)
{
  radio.bytes_per_s = 60'000;
  start();
  fly(seconds(30), 500);
  ASSERT_TRUE(rate());
  forget();
  fly(seconds(20), 500);
  EXPECT_GT(received_bytes, 0.7 * 20 * radio.bytes_per_s);
}

TEST_F(SaturatedLink, is_found_when_both_directions_are_full)
{
  start();
  for (int i = 0; i < 4000; ++i) {
    pair->offer(Side::drone, telemetry(i));
    pair->offer(Side::gcs, telemetry(i + 1));
    pair->run_for(std::chrono::duration_cast<Duration>(milliseconds(10 + 5 * (i % 3))));
  }
  EXPECT_TRUE(rate());
  EXPECT_TRUE(rate(Side::gcs));
}

// Each newer state would take the place of an older one that still waits for company.
TEST_F(SaturatedLink, is_used_by_a_single_stream_of_states)
{
  radio.bytes_per_s = 28'700;
  start();
  const auto stream = [&](Duration time) {
    for (const Instant end = pair->now() + time; pair->now() < end;) {
      pair->offer(sender, mavlink(attitude, ++states, 218));
      pair->run_for(std::chrono::duration_cast<Duration>(seconds(1)) / 140);
    }
  };
  stream(seconds(60));
  ASSERT_TRUE(rate());
  radio.carried.clear();
  stream(seconds(60));
  ASSERT_TRUE(rate());
  EXPECT_GT(radio.carried[sender], 0.9 * 60 * radio.bytes_per_s);
}

TEST_F(SaturatedLink, is_followed_when_it_shrinks)
{
  start();
  fly(seconds(30), 110);
  radio.bytes_per_s = 4'000;
  fly(seconds(40), 110);
  ASSERT_TRUE(rate());
  EXPECT_LT(*rate(), 5'500);
}

TEST_F(SaturatedLink, is_left_alone_again_when_little_is_sent)
{
  start();
  fly(seconds(40), 110);
  ASSERT_TRUE(rate());
  fly(seconds(60), 10);
  EXPECT_FALSE(rate());
  EXPECT_TRUE(pair->reported(Side::drone, EventKind::link_changed, "no longer saturated"));
}

TEST_F(SaturatedLink, is_left_alone_again_when_it_takes_all_that_is_sent)
{
  start();
  fly(seconds(40), 110);
  ASSERT_TRUE(rate());
  radio.bytes_per_s = 1e6;
  fly(seconds(120), 110);
  EXPECT_FALSE(rate());
  EXPECT_TRUE(pair->reported(Side::drone, EventKind::link_changed, "no longer saturated"));
}

TEST_F(SaturatedLink, shows_in_the_report_of_the_path_where_its_rate_comes_from)
{
  start();
  EXPECT_NE(pair->snapshot(Side::drone).paths.at(0).rate_source, RateSource::saturation);
  fly(seconds(30), 110);
  const PathReport path = pair->snapshot(Side::drone).paths.at(0);
  EXPECT_EQ(path.rate_source, RateSource::saturation);
  EXPECT_DOUBLE_EQ(path.rate_bytes_s, rate().value_or(0));
}

TEST_F(SaturatedLink, is_none_that_loses_and_jitters_but_has_room)
{
  radio.bytes_per_s = 1e7;
  radio.loss = 0.3;
  radio.jitter = milliseconds(120);
  start();
  for (int i = 0; i < 30; ++i) {
    fly(seconds(2), 100);
    EXPECT_FALSE(rate());
  }
  EXPECT_FALSE(pair->reported(Side::drone, EventKind::link_changed, "saturated"));
}

// Recorded hellos from ever new ports: their answers took the link, so that less and less was found to pass.
TEST_F(SaturatedLink, keeps_its_rate_and_its_commands_through_a_flood_of_hellos)
{
  Bytes hello;
  radio.bytes_per_s = 31'250;
  sender = Side::gcs;
  start();
  pair->restart(Side::drone);
  pair->set_datagram_filter([&hello](Side from, Bytes & bytes) {
    if (from == Side::drone && is_hello(bytes) && hello.empty()) {
      hello = bytes;
    }
    return true;
  });
  ASSERT_TRUE(pair->establish());
  pair->watch_elsewhere(
    [this](Side from, ByteView bytes) { radio.carry(from, bytes.size(), pair->now()); });
  fly(seconds(60), 220);
  ASSERT_TRUE(rate());
  const double before = *rate();
  forget();
  Endpoint from = WiredPair::stranger();
  const Instant end = pair->now() + seconds(10);
  while (pair->now() < end) {
    for (int i = 0; i < 75; ++i, ++from.port) {
      pair->inject(Side::gcs, hello, from);
    }
    pair->pump();
    fly(milliseconds(50), 220);
  }
  fly(seconds(1), 220);
  EXPECT_GE(commands + 1, commands_sent);  // the search for more tries the queue
  forget();
  fly(seconds(5), 220);
  EXPECT_GT(received_bytes, 5 * 0.6 * before);
  ASSERT_TRUE(rate());
  EXPECT_GT(*rate(), 0.7 * before);
}

}  // namespace
}  // namespace pqc_tunnel::test
