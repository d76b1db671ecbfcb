// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "paths/shaper.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <vector>

#include "shaped_line.hpp"

namespace pqc_tunnel
{

namespace
{

using namespace std::chrono_literals;
using namespace test;

std::vector<Bytes> only_bytes(const std::vector<std::pair<Instant, Bytes>> & all)
{
  std::vector<Bytes> bytes;
  bytes.reserve(all.size());
  for (const auto & one : all) {
    bytes.push_back(one.second);
  }
  return bytes;
}

}  // namespace

TEST(Shaper, a_command_leaves_at_once_and_alone)
{
  Line line(radio());
  const Bytes command = mavlink(command_long, 1);
  line.offer(command);
  const auto shaped = line.shaper.next_frame(line.now);
  ASSERT_TRUE(shaped);
  EXPECT_EQ(shaped->kind, ShapedFrame::Kind::data);
  EXPECT_EQ(shaped->frame.size(), command.size() + sealed_overhead);
  EXPECT_EQ(datagrams_of(*shaped), std::vector<Bytes>{command});
  EXPECT_FALSE(line.shaper.next_frame(line.now));
  EXPECT_EQ(line.shaper.next_timeout(), Instant::max());
}

TEST(Shaper, telemetry_waits_for_company_no_longer_than_bundle_s)
{
  Line line(radio());
  line.offer(mavlink(attitude, 1));
  EXPECT_FALSE(line.shaper.next_frame(line.now));
  EXPECT_EQ(line.shaper.next_timeout(), line.now + 20ms);
  line.now += 15ms;
  line.offer(mavlink(unknown, 2));
  EXPECT_FALSE(line.shaper.next_frame(line.now));
  line.now += 5ms;
  const auto shaped = line.shaper.next_frame(line.now);
  ASSERT_TRUE(shaped);
  EXPECT_EQ(shaped->kind, ShapedFrame::Kind::bundle);
  EXPECT_EQ(shaped->datagrams, 2U);
  EXPECT_EQ(datagrams_of(*shaped), (std::vector<Bytes>{mavlink(attitude, 1), mavlink(unknown, 2)}));
}

TEST(Shaper, puts_no_more_datagrams_into_a_frame_than_its_receiver_takes_out)
{
  Line line(radio(1000, 9000));
  for (std::uint32_t i = 0; i < 200; ++i) {
    line.offer(mavlink(param_value, i, 4));
  }
  line.now += 20ms;
  const auto shaped = line.shaper.next_frame(line.now);
  ASSERT_TRUE(shaped);
  EXPECT_EQ(datagrams_of(*shaped).size(), max_bundled);
}

TEST(Shaper, lets_telemetry_wait_while_only_what_is_urgent_may_leave)
{
  Line line(radio());
  line.link.urgent_only = true;
  line.offer(mavlink(attitude, 1));
  line.offer(mavlink(command_long, 2));
  EXPECT_EQ(
    only_bytes(line.run_until(line.now + 500ms)), std::vector<Bytes>{mavlink(command_long, 2)});
  EXPECT_EQ(line.shaper.next_timeout(), Instant::max());
  line.link.urgent_only = false;
  EXPECT_EQ(only_bytes(line.run_until(line.now + 100ms)), std::vector<Bytes>{mavlink(attitude, 1)});
}

TEST(Shaper, a_full_frame_waits_for_nothing)
{
  Line line(radio());
  for (std::uint32_t i = 0; i < 6; ++i) {
    line.offer(mavlink(param_value, i));
  }
  const auto shaped = line.shaper.next_frame(line.now);
  ASSERT_TRUE(shaped);
  EXPECT_EQ(shaped->datagrams, 5U);
  EXPECT_LE(shaped->frame.size(), 240U);
}

TEST(Shaper, of_telemetry_the_newest_leaves_in_the_place_of_the_oldest)
{
  Line line(radio());
  line.offer(mavlink(attitude, 1));
  line.offer(mavlink(unknown, 2));
  line.offer(mavlink(attitude, 3, 28, 7));  // another vehicle
  line.offer(mavlink(attitude, 4));
  EXPECT_EQ(
    only_bytes(line.run_until(line.now + 1s)),
    (std::vector<Bytes>{mavlink(attitude, 4), mavlink(unknown, 2), mavlink(attitude, 3, 28, 7)}));
  EXPECT_EQ(line.shaper.counts(TrafficClass::telemetry).conflated, 1U);
}

TEST(Shaper, commands_are_never_conflated_and_of_steering_the_newest_counts)
{
  Line line(radio());
  line.offer(mavlink(command_long, 1));
  line.offer(mavlink(manual_control, 2, 11));
  line.offer(mavlink(command_long, 3));
  line.offer(mavlink(manual_control, 4, 11));
  line.offer(mavlink(heartbeat, 5));
  line.offer(mavlink(heartbeat, 6));
  EXPECT_EQ(
    only_bytes(line.run_until(line.now + 1s)),
    (std::vector<Bytes>{
      mavlink(command_long, 1), mavlink(manual_control, 4, 11), mavlink(command_long, 3),
      mavlink(heartbeat, 5), mavlink(heartbeat, 6)}));
}

TEST(Shaper, sealed_frames_leave_unchanged_and_alone_the_tunnels_own_first)
{
  Line line(radio());
  const Bytes control(70, 1);
  const Bytes part(240, 2);
  const Bytes copy(60, 3);
  line.offer(mavlink(attitude, 1));
  line.shaper.offer_sealed(classify(mavlink(command_long, 1)), copy, {}, line.now);
  line.shaper.offer_sealed({TrafficClass::stream, {}}, part, {}, line.now);
  line.shaper.offer_sealed({TrafficClass::control, {}}, control, {}, line.now);
  EXPECT_EQ(
    only_bytes(line.run_until(line.now + 1s)),
    (std::vector<Bytes>{control, copy, part, mavlink(attitude, 1)}));
}

TEST(Shaper, copies_of_telemetry_are_conflated_among_themselves)
{
  Line line(radio());
  const DatagramClass kind = classify(mavlink(attitude, 1));
  line.shaper.offer_sealed(kind, Bytes(60, 1), {}, line.now);
  line.shaper.offer_sealed(kind, Bytes(61, 2), {}, line.now);
  EXPECT_EQ(only_bytes(line.run_until(line.now + 1s)), std::vector<Bytes>{Bytes(61, 2)});
}

TEST(Shaper, a_datagram_of_several_frames_is_taken_apart)
{
  Line line(radio());
  Bytes all;
  for (const Bytes & frame : {mavlink(attitude, 1, 200), mavlink(command_long, 2, 200)}) {
    all.insert(all.end(), frame.begin(), frame.end());
  }
  line.offer(all);
  EXPECT_EQ(
    only_bytes(line.run_until(line.now + 1s)),
    (std::vector<Bytes>{mavlink(command_long, 2, 200), mavlink(attitude, 1, 200)}));
}

TEST(Shaper, a_datagram_that_no_frame_holds_is_counted)
{
  Line line(radio());
  line.offer(Bytes(240 - sealed_overhead, 1));
  line.offer(Bytes(240 - sealed_overhead + 1, 1));
  line.shaper.offer_sealed({TrafficClass::control, {}}, Bytes(241, 1), {}, line.now);
  EXPECT_EQ(line.run_until(line.now + 1s).size(), 1U);
  EXPECT_EQ(line.shaper.counts(TrafficClass::other).oversize, 1U);
  EXPECT_EQ(line.shaper.counts(TrafficClass::control).oversize, 1U);
}

TEST(Shaper, what_waited_too_long_is_dropped_and_what_was_renewed_is_not)
{
  Line line(radio());
  line.offer(mavlink(command_long, 1));
  line.offer(mavlink(param_value, 2));
  line.offer(mavlink(attitude, 3));
  line.offer(Bytes(50, 0x55));
  line.now += 900ms;
  line.offer(mavlink(attitude, 4));
  line.now += 200ms;
  EXPECT_EQ(
    only_bytes(line.run_until(line.now + 1s)),
    (std::vector<Bytes>{mavlink(param_value, 2), mavlink(attitude, 4)}));
  EXPECT_EQ(line.shaper.counts(TrafficClass::command).stale, 1U);
  EXPECT_EQ(line.shaper.counts(TrafficClass::other).stale, 1U);
}

TEST(Shaper, nothing_waits_in_a_link_that_is_gone)
{
  Line line(radio());
  line.offer(mavlink(command_long, 1));
  line.offer(mavlink(attitude, 2));
  line.shaper.clear();
  EXPECT_EQ(line.shaper.next_timeout(), Instant::max());
  EXPECT_TRUE(line.run_until(line.now + 1s).empty());
  EXPECT_EQ(line.shaper.counts(TrafficClass::telemetry).stale, 1U);
}

TEST(Shaper, a_class_that_is_full_drops_the_newest)
{
  Line line(radio());
  for (std::uint32_t i = 0; i < 1000; ++i) {
    line.offer(mavlink(param_value, i));
  }
  const auto sent = only_bytes(line.run_until(line.now + 5s));
  ASSERT_FALSE(sent.empty());
  for (std::uint32_t i = 0; i < sent.size(); ++i) {
    EXPECT_EQ(sent[i], mavlink(param_value, i));
  }
  const ShaperCounts & counts = line.shaper.counts(TrafficClass::ordered);
  EXPECT_GT(counts.full, 700U);
  EXPECT_EQ(counts.offered, counts.sent + counts.full);
}

TEST(Shaper, at_57_kbit_heartbeats_and_commands_wait_less_than_250_ms_behind_320_messages_a_second)
{
  Line line(radio());
  std::mt19937_64 random(1);
  std::map<Bytes, Instant> urgent;  // and when each was offered
  Duration longest{};
  std::uint32_t number = 0;
  std::size_t telemetry = 0;
  std::size_t bytes = 0;
  Instant next_urgent = line.now;
  const Instant start = line.now;
  for (const Instant end = start + 60s; line.now < end;) {
    // 40 messages, 8 times a second each; now and then a file transfer, parameters and a stream.
    const auto message = attitude + static_cast<std::uint32_t>(number % 4);
    line.offer(mavlink(message, number, 20 + number % 40, static_cast<std::uint8_t>(number % 40)));
    ++number;
    if (random() % 40 == 0) {
      for (int i = 0; i < 5; ++i) {
        line.offer(mavlink(param_value, number, 25));
        line.shaper.offer_sealed({TrafficClass::stream, {}}, Bytes(240, 1), {}, line.now);
      }
    }
    if (line.now >= next_urgent) {
      next_urgent = line.now + std::chrono::milliseconds(50 + random() % 300);
      const Bytes command = mavlink(random() % 2 ? heartbeat : command_long, number);
      urgent[command] = line.now;
      line.offer(command);
    }
    for (const auto & [left, datagram] : line.run_until(line.now + 3125us)) {
      bytes += datagram.size();
      const auto command = urgent.find(datagram);
      telemetry += command == urgent.end() ? 1 : 0;
      if (command != urgent.end()) {
        longest = std::max(longest, left - command->second);
        urgent.erase(command);
      }
    }
  }
  EXPECT_LE(urgent.size(), 1U);
  EXPECT_LT(longest, 250ms);
  EXPECT_GT(telemetry, 2000U);
  // The link is used: of what it takes in a minute, headers and tags are the smaller part.
  EXPECT_GT(static_cast<double>(bytes), 0.75 * 60 * line.link.bytes_per_s());
}

TEST(Shaper, gives_back_what_is_not_sealed_and_keeps_the_rest)
{
  Line line(radio());
  const Bytes first = mavlink(param_value, 1);
  const Bytes second = mavlink(attitude, 2);
  const Bytes urgent = mavlink(command_long, 3);
  line.offer(second);
  line.offer(first);
  line.offer(urgent);
  line.shaper.offer_sealed({TrafficClass::control, {}}, Bytes(40, 1), {}, line.now);
  EXPECT_EQ(line.shaper.take_unsealed(), (std::vector<Bytes>{urgent, first, second}));
  EXPECT_FALSE(line.shaper.has_unsealed());
  const auto left = line.run_until(line.now + 1s);
  ASSERT_EQ(left.size(), 1U);
  EXPECT_EQ(left.front().second, Bytes(40, 1));
  EXPECT_EQ(line.shaper.counts(TrafficClass::ordered).offered, 0U);
}

}  // namespace pqc_tunnel
