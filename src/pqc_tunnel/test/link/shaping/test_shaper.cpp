// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "link/shaping/shaper.hpp"

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
  EXPECT_EQ(shaped->kind, ShapedFrame::Kind::bundle);
  EXPECT_EQ(shaped->frame.size(), command.size() - 4 + sealed_overhead);
  EXPECT_EQ(datagrams_of(*shaped), std::vector<Bytes>{command});
  EXPECT_FALSE(line.shaper.next_frame(line.now));
  EXPECT_EQ(line.shaper.next_timeout(), Instant::max());
}

TEST(Shaper, a_datagram_that_is_no_frame_leaves_as_it_came)
{
  Line line(radio());
  line.offer({1, 2, 3});
  line.now += 20ms;
  const auto shaped = line.shaper.next_frame(line.now);
  ASSERT_TRUE(shaped);
  EXPECT_EQ(shaped->kind, ShapedFrame::Kind::data);
  EXPECT_EQ(shaped->frame.size(), 3 + sealed_overhead);
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
  line.offer(mavlink(attitude, 2, 28, 7));
  line.offer(mavlink(command_long, 3, 28, 7));
  EXPECT_EQ(
    only_bytes(line.run_until(line.now + 500ms)),
    std::vector<Bytes>{mavlink(command_long, 3, 28, 7)});
  EXPECT_EQ(line.shaper.next_timeout(), Instant::max());
  line.link.urgent_only = false;
  EXPECT_EQ(only_bytes(line.run_until(line.now + 100ms)), std::vector<Bytes>{mavlink(attitude, 1)});
}

TEST(Shaper, a_full_frame_waits_for_nothing)
{
  Line line(radio());
  for (std::uint32_t i = 0; i < 7; ++i) {
    line.offer(mavlink(param_value, i));
  }
  const auto shaped = line.shaper.next_frame(line.now);
  ASSERT_TRUE(shaped);
  EXPECT_EQ(shaped->datagrams, 6U);
  EXPECT_LE(shaped->frame.size(), 240U);
}

TEST(Shaper, fills_a_frame_to_its_last_byte)
{
  Line line(radio());
  line.offer(mavlink(param_value, 1, 100));
  EXPECT_FALSE(line.shaper.next_frame(line.now));
  line.offer(mavlink(param_value, 2, 101));
  const auto shaped = line.shaper.next_frame(line.now);
  ASSERT_TRUE(shaped);
  EXPECT_EQ(shaped->datagrams, 2U);
  EXPECT_EQ(shaped->frame.size(), 240U);
}

TEST(Shaper, datagrams_that_would_fill_a_frame_as_they_are_wait_for_nothing)
{
  for (const std::size_t rest : {86U, 87U}) {
    Line line(radio());
    line.offer(mavlink(param_value, 1, 100));
    line.offer(mavlink(param_value, 2, rest));
    EXPECT_EQ(line.shaper.next_frame(line.now).has_value(), rest == 87);
  }
}

TEST(Shaper, only_a_single_datagram_is_longer_than_a_bundle_may_be)
{
  Line line(radio());
  line.link.longest_bundle = 100;
  const Bytes single = mavlink(param_value, 1, 150);
  line.offer(single);
  EXPECT_EQ(line.shaper.next_frame(line.now)->frame.size(), single.size() - 4 + sealed_overhead);
  for (std::uint32_t i = 2; i < 6; ++i) {
    line.offer(mavlink(param_value, i, 15));  // 21 bytes in a bundle, the first 23
  }
  line.now += 100ms;
  const auto shaped = line.shaper.next_frame(line.now);
  ASSERT_TRUE(shaped);
  EXPECT_EQ(shaped->datagrams, 3U);
}

TEST(Shaper, refuses_an_empty_datagram_which_would_end_its_bundle)
{
  Line line(radio());
  line.offer(mavlink(param_value, 1));
  line.offer({});
  line.offer(mavlink(param_value, 2));
  EXPECT_EQ(
    only_bytes(line.run_until(line.now + 100ms)),
    (std::vector<Bytes>{mavlink(param_value, 1), mavlink(param_value, 2)}));
  EXPECT_EQ(line.frames, 1);
  EXPECT_EQ(line.shaper.counts(TrafficClass::other).oversize, 1U);
}

TEST(Shaper, leaves_nothing_out_as_long_as_little_waits)
{
  Line line(radio());
  std::vector<Bytes> all;
  for (std::uint32_t i = 0; i < 13; ++i) {  // of 42 bytes each
    all.push_back(mavlink(i == 8 ? command_long : attitude, i));
    line.offer(all.back());
  }
  EXPECT_EQ(only_bytes(line.run_until(line.now + 1s)), all);
}

TEST(Shaper, of_telemetry_that_has_left_lately_the_newest_takes_the_last_place)
{
  Line line(radio());
  line.offer(mavlink(attitude, 1));
  line.offer(mavlink(attitude, 2, 28, 7));  // another vehicle
  line.run_until(line.now + 100ms);
  line.offer(mavlink(attitude, 3));
  line.offer(mavlink(param_value, 4, 200));
  line.offer(mavlink(param_value, 5, 200));
  line.offer(mavlink(param_value, 6, 200));
  line.offer(mavlink(attitude, 7));
  line.offer(mavlink(unknown, 8));
  line.offer(mavlink(attitude, 9));
  EXPECT_EQ(
    only_bytes(line.run_until(line.now + 1s)),
    (std::vector<Bytes>{
      mavlink(param_value, 4, 200), mavlink(param_value, 5, 200), mavlink(param_value, 6, 200),
      mavlink(unknown, 8), mavlink(attitude, 9)}));
  EXPECT_EQ(line.shaper.counts(TrafficClass::telemetry).conflated, 2U);
}

TEST(Shaper, telemetry_that_has_waited_long_keeps_its_place)
{
  Line line(radio());
  line.shaper.occupy_until(line.now + 600ms);
  line.offer(mavlink(attitude, 1));
  for (std::uint32_t i = 2; i < 5; ++i) {
    line.offer(mavlink(param_value, i, 200));
  }
  line.now += 300ms;
  line.offer(mavlink(attitude, 5));
  line.offer(mavlink(attitude, 6));
  EXPECT_EQ(
    only_bytes(line.run_until(line.now + 1s)),
    (std::vector<Bytes>{
      mavlink(attitude, 1), mavlink(param_value, 2, 200), mavlink(param_value, 3, 200),
      mavlink(param_value, 4, 200), mavlink(attitude, 6)}));
}

TEST(Shaper, every_kind_of_a_vehicle_leaves_now_and_then_though_it_sends_them_in_the_same_order)
{
  Line line(radio());
  // A group of 60 kinds four times a second is more than the link takes; a heartbeat follows each fourth.
  std::map<std::uint8_t, Instant> left;
  Duration longest{};
  const Instant start = line.now;
  for (std::uint32_t i = 0; line.now < start + 60s; ++i) {
    for (std::uint32_t kind = 0; kind < 60; ++kind) {
      Bytes named = mavlink(251, i, 18);  // NAMED_VALUE_FLOAT
      named[18] = static_cast<std::uint8_t>(kind + 1);
      line.offer(named);
    }
    if (i % 4 == 0) {
      line.offer(mavlink(heartbeat, i));
    }
    for (const auto & [when, bytes] : line.run_until(line.now + 250ms)) {
      if (bytes[7] != heartbeat) {
        Instant & last = left.try_emplace(bytes[18], start).first->second;
        longest = std::max(longest, when - last);
        last = when;
      }
    }
  }
  EXPECT_EQ(left.size(), 60U);
  for (const auto & [kind, last] : left) {
    longest = std::max(longest, line.now - last);
  }
  EXPECT_LT(longest, 2s);
}

TEST(Shaper, drops_telemetry_before_something_urgent_of_its_sender_the_kinds_first_that_left_last)
{
  Line line(radio());
  line.offer(mavlink(attitude, 1));
  line.run_until(line.now + 30ms);
  std::vector<Bytes> expected;
  for (std::uint32_t i = 2; i < 9; ++i) {
    expected.push_back(mavlink(unknown + i, i));
    line.offer(expected.back());
    line.offer(mavlink(attitude, 100 + i));
  }
  expected.push_back(mavlink(command_long, 50));
  line.offer(expected.back());
  auto left = only_bytes(line.run_until(line.now + 1s));
  const std::uint64_t dropped = line.shaper.counts(TrafficClass::telemetry).full +
                                line.shaper.counts(TrafficClass::telemetry).conflated;
  EXPECT_EQ(left.size() + dropped, 15U);
  std::erase_if(left, [](const Bytes & one) { return one[7] == attitude && one[8] == 0; });
  EXPECT_EQ(left, expected);
  EXPECT_GT(line.shaper.counts(TrafficClass::telemetry).full, 0U);
}

TEST(Shaper, drops_telemetry_before_something_urgent_that_has_waited_long)
{
  Line line(radio());
  for (std::uint32_t i = 0; i < 5; ++i) {
    line.offer(mavlink(i == 2 ? param_value : unknown, i));
  }
  line.offer(mavlink(command_long, 5));
  line.offer(mavlink(unknown, 6));
  line.shaper.occupy_until(line.now + 90ms);  // by the other end of the radio
  EXPECT_EQ(
    only_bytes(line.run_until(line.now + 1s)),
    (std::vector<Bytes>{mavlink(param_value, 2), mavlink(command_long, 5), mavlink(unknown, 6)}));
}

TEST(Shaper, lets_a_burst_of_parameters_pass_whole_beside_telemetry_of_the_same_vehicle)
{
  Line line(radio());
  constexpr std::uint32_t parameters = 1340;
  std::uint32_t arrived = 0;
  std::uint32_t offered = 0;
  Instant last;
  Instant telemetry;
  const Instant start = line.now;
  for (std::uint32_t i = 0; line.now < start + 30s; ++i) {
    // 1,340 signed parameters in 1.2 s, and 320 messages a second.
    for (int j = 0; j < 4 && offered < parameters; ++j) {
      line.offer(sign(mavlink(param_value, offered++, 25), 0, i));
    }
    line.offer(sign(mavlink(i % 300 == 0 ? heartbeat : attitude + i % 4, i, 28), 0, i));
    for (const auto & [when, bytes] : line.run_until(line.now + 3125us)) {
      if (bytes[7] == param_value) {
        EXPECT_EQ(bytes, sign(mavlink(param_value, arrived, 25), 0, signing_time(bytes)));
        ++arrived;
        last = when;
      } else if (bytes[7] != heartbeat) {
        telemetry = when;
      }
    }
  }
  EXPECT_EQ(arrived, parameters);
  EXPECT_LT(last - start, 16s);  // the bytes alone take 12 s
  EXPECT_GT(telemetry, start + 29s);
}

TEST(Shaper, drops_nothing_of_what_is_ordered_for_something_urgent)
{
  Line line(radio());
  std::vector<Bytes> all;
  for (std::uint32_t i = 0; i < 30; ++i) {
    all.push_back(mavlink(param_value, i));
    line.offer(all.back());
  }
  all.push_back(mavlink(heartbeat, 30));
  line.offer(all.back());
  EXPECT_EQ(only_bytes(line.run_until(line.now + 2s)), all);
}

TEST(Shaper, lets_commands_of_one_sender_overtake_what_another_one_sends)
{
  Line line(radio());
  std::vector<Bytes> rest;
  for (std::uint32_t i = 0; i < 30; ++i) {
    rest.push_back(mavlink(param_value, i));
    line.offer(rest.back());
  }
  line.offer(mavlink(command_long, 30, 28, 255));
  rest.insert(rest.begin(), mavlink(command_long, 30, 28, 255));
  EXPECT_EQ(only_bytes(line.run_until(line.now + 2s)), rest);
}

TEST(Shaper, gives_parameters_and_telemetry_of_different_senders_half_each)
{
  Line line(radio());
  std::map<std::uint8_t, std::size_t> bytes;
  for (std::uint32_t i = 0; i < 2000; ++i) {
    line.offer(mavlink(param_value, i, 50));
    line.offer(mavlink(unknown, i, 20, 2));
    line.offer(mavlink(unknown, i, 200, 3));
    if (i % 10 == 0) {  // which takes no share of either
      line.shaper.offer_sealed({TrafficClass::control, {}}, Bytes(60, 9), {}, line.now);
    }
    for (const auto & [when, datagram] : line.run_until(line.now + 5ms)) {
      bytes[datagram[5]] += datagram.size() + 2;
    }
  }
  const auto all = static_cast<double>(bytes[1] + bytes[2] + bytes[3]);
  EXPECT_NEAR(static_cast<double>(bytes[1]) / all, 0.5, 0.02);
  EXPECT_NEAR(static_cast<double>(bytes[2]) / all, 0.25, 0.02);
}

TEST(Shaper, a_flood_of_commands_leaves_half_of_the_link_to_others)
{
  Line line(radio());
  std::map<std::uint8_t, std::size_t> bytes;
  for (std::uint32_t i = 0; i < 4000; ++i) {
    line.offer(mavlink(command_long, i, 50, 255));
    line.offer(mavlink(unknown, i, 50));
    for (const auto & [when, datagram] : line.run_until(line.now + 5ms)) {
      bytes[datagram[5]] += datagram.size();
    }
  }
  EXPECT_NEAR(static_cast<double>(bytes[1]) / static_cast<double>(bytes[255]), 0.9, 0.1);
}

TEST(Shaper, a_flood_of_commands_silences_neither_streams_nor_strangers)
{
  Line line(radio());
  std::map<std::uint8_t, int> left;
  for (std::uint32_t i = 0; i < 4000; ++i) {
    line.offer(mavlink(command_long, i, 50, 255));
    if (i % 20 == 0) {
      line.shaper.offer_sealed({TrafficClass::stream, {}}, Bytes(240, 1), {}, line.now);
      line.shaper.offer_sealed({TrafficClass::unproved, {}}, Bytes(60, 2), {}, line.now);
    }
    for (const auto & [when, datagram] : line.run_until(line.now + 5ms)) {
      ++left[datagram[0]];
    }
  }
  EXPECT_GT(left[1], 30);
  EXPECT_GT(left[2], 30);
}

TEST(Shaper, hands_a_part_of_the_background_out_only_when_the_link_is_free)
{
  for (const TrafficClass traffic : {TrafficClass::stream, TrafficClass::background}) {
    Line line(radio());
    line.shaper.offer_sealed({TrafficClass::control, {}}, Bytes(240, 1), {}, line.now);
    ASSERT_TRUE(line.shaper.next_frame(line.now));
    line.shaper.offer_sealed({traffic, {}}, Bytes(60, 2), {}, line.now);
    EXPECT_EQ(line.shaper.next_timeout() < line.shaper.free_at(), traffic == TrafficClass::stream);
  }
}

TEST(Shaper, who_had_nothing_to_send_has_saved_nothing_up)
{
  Line line(radio());
  std::map<std::uint8_t, std::size_t> bytes;
  line.offer(Bytes(50, 9));
  for (std::uint32_t i = 0; i < 2400; ++i) {
    if (i % 10 == 0) {
      line.shaper.offer_sealed({TrafficClass::stream, {}}, Bytes(240, 9), {}, line.now);
    }
    line.offer(mavlink(unknown, i, 50, 2));
    if (i >= 2000) {
      line.offer(mavlink(unknown, i, 50, 3));
      line.offer(mavlink(param_value, i, 50));
    }
    for (const auto & [when, datagram] : line.run_until(line.now + 5ms)) {
      bytes[datagram[5]] += i >= 2000 ? datagram.size() : 0;
    }
  }
  const auto all = static_cast<double>(bytes[1] + bytes[2] + bytes[3]);
  EXPECT_NEAR(static_cast<double>(bytes[1]) / all, 0.5, 0.05);
  EXPECT_NEAR(static_cast<double>(bytes[2]) / all, 0.25, 0.05);
}

TEST(Shaper, what_is_no_mavlink_keeps_its_place_among_all_others)
{
  Line line(radio(57.6, 100));
  std::vector<Bytes> all;
  std::vector<std::size_t> raw;
  for (std::uint32_t i = 0; i < 21; ++i) {
    constexpr std::uint32_t messages[] = {attitude, unknown, param_value};
    const auto system = static_cast<std::uint8_t>(i % 4);
    if (i % 5 == 3) {
      raw.push_back(i);
    }
    all.push_back(i % 5 == 3 ? Bytes(5 + i, 0x55) : mavlink(messages[i % 3], i, 5, system));
    line.offer(all.back());
  }
  const auto left = only_bytes(line.run_until(line.now + 1s));
  ASSERT_EQ(left.size(), all.size());
  for (const std::size_t place : raw) {
    EXPECT_EQ(left[place], all[place]);
    const auto end = static_cast<std::ptrdiff_t>(place);
    EXPECT_TRUE(std::is_permutation(left.begin(), left.begin() + end, all.begin()));
  }
  EXPECT_NE(left, all);
}

TEST(Shaper, what_is_no_mavlink_is_dropped_before_a_command_that_would_wait_for_it)
{
  Line line(radio());
  for (std::uint32_t i = 0; i < 30; ++i) {
    line.offer(mavlink(param_value, i));
  }
  line.offer(Bytes(50, 0x55));
  line.offer(mavlink(command_long, 30, 28, 255));
  const auto left = only_bytes(line.run_until(line.now + 2s));
  ASSERT_EQ(left.size(), 31U);
  EXPECT_EQ(left.front(), mavlink(command_long, 30, 28, 255));
  EXPECT_EQ(line.shaper.counts(TrafficClass::other).full, 1U);
}

TEST(Shaper, a_sender_too_many_keeps_its_order_too)
{
  Line line(radio(1000, 9000));
  std::vector<Bytes> all;
  for (std::uint32_t i = 0; i < 200; ++i) {
    all.push_back(
      mavlink(i % 2 == 0 ? unknown : param_value, i, 9, static_cast<std::uint8_t>(i / 2)));
    line.offer(all.back());
  }
  std::map<std::uint8_t, std::uint32_t> newest;
  const auto left = only_bytes(line.run_until(line.now + 1s));
  EXPECT_EQ(left.size(), 200U);
  for (const Bytes & one : left) {
    const bool is_second = one[7] == param_value;
    EXPECT_EQ(newest[one[5]]++, is_second ? 1U : 0U);
  }
}

TEST(Shaper, streams_come_after_all_data_but_get_a_third)
{
  Line line(radio());
  double stream = 0;
  double data = 0;
  for (std::uint32_t i = 0; i < 6000; ++i) {
    line.offer(i % 2 == 0 ? mavlink(unknown, i, 60) : Bytes(60, 0x55));
    if (i % 10 == 0) {
      line.shaper.offer_sealed({TrafficClass::stream, {}}, Bytes(240, 1), {}, line.now);
    }
    for (const auto & [when, bytes] : line.run_until(line.now + 5ms)) {
      (bytes[0] == 1 ? stream : data) += static_cast<double>(bytes.size());
    }
  }
  EXPECT_NEAR(stream / (30 * line.link.bytes_per_s()), 0.35, 0.03);
  EXPECT_GT(data / (30 * line.link.bytes_per_s()), 0.5);
  // Beside little data they take what is left.
  line.run_until(line.now + 2s);
  stream = 0;
  for (std::uint32_t i = 0; i < 400; ++i) {
    line.offer(mavlink(unknown, i, 60));
    line.shaper.offer_sealed({TrafficClass::stream, {}}, Bytes(240, 1), {}, line.now);
    for (const auto & [when, bytes] : line.run_until(line.now + 50ms)) {
      stream += bytes[0] == 1 ? static_cast<double>(bytes.size()) : 0;
    }
  }
  EXPECT_GT(stream / (20 * line.link.bytes_per_s()), 0.6);
}

TEST(Shaper, a_command_behind_a_long_burst_lends_it_no_urgency_and_streams_get_their_third)
{
  const auto streams_beside = [](std::uint32_t parameters) {
    Line line(radio());
    for (std::uint32_t i = 0; i < parameters; ++i) {
      line.offer(mavlink(param_value, i));
    }
    line.offer(mavlink(command_long, parameters));
    std::size_t parts = 0;
    for (const Instant end = line.now + 4s; line.now < end;) {
      if (line.shaper.counts(TrafficClass::stream).waiting() == 0) {
        line.shaper.offer_sealed({TrafficClass::stream, {}}, Bytes(240, 9), {}, line.now);
      }
      for (const auto & [when, bytes] : line.run_until(line.now + 5ms)) {
        parts += bytes.size() == 240 ? 1 : 0;
      }
    }
    return parts;
  };
  const double frames_in_4_s = 4 * radio().bytes_per_s() / 242;
  // The parameters alone take more than 5 s.
  const auto parts = streams_beside(700);
  EXPECT_GE(static_cast<double>(parts), frames_in_4_s / 4);
  EXPECT_LE(static_cast<double>(parts), frames_in_4_s / 2.5);
}

TEST(Shaper, uses_the_rate_for_a_single_stream_of_states)
{
  // A link found at 28.7 kB/s, and 140 ATTITUDE of 230 bytes a second.
  LinkSettings found{"lte", LinkType::udp, Carry::all, 1232, 28.7 * 8};
  found.longest_bundle = 861;
  Line line(found);
  double bytes = 0;
  for (std::uint32_t i = 0; i < 1400; ++i) {
    line.offer(mavlink(attitude, i, 218));
    for (const auto & [when, datagram] : line.run_until(line.now + 7142us)) {
      bytes += static_cast<double>(datagram.size());
    }
  }
  const double frame = 3 * 232 + sealed_overhead + 48;  // as many as a bundle holds
  EXPECT_GT(bytes, 0.9 * 10 * line.link.bytes_per_s() * 3 * 230 / frame);
}

TEST(Shaper, tells_how_much_airtime_was_asked_for_in_vain)
{
  Line line(radio());
  EXPECT_EQ(line.shaper.load(line.now), 0s);
  for (std::uint32_t i = 0; i < 10; ++i) {
    line.offer(mavlink(unknown, i, 60));  // 72 bytes
  }
  EXPECT_NEAR(
    std::chrono::duration<double>(line.shaper.load(line.now)).count(), 720 / 5760.0, 0.001);
  line.run_until(line.now + 1s);
  EXPECT_EQ(line.shaper.load(line.now), 0s);
  // What was left out was asked for, too.
  for (std::uint32_t i = 0; i < 400; ++i) {
    line.offer(mavlink(attitude, i, 60));
    line.run_until(line.now + 5ms);
  }
  EXPECT_EQ(line.shaper.load(line.now), Shaper::longest_load);
  while (line.shaper.has_unsealed()) {
    line.run_until(line.now + 1ms);
  }
  EXPECT_GT(line.shaper.load(line.shaper.free_at() - 1ns), 0s);
  line.now = line.shaper.free_at();
  EXPECT_EQ(line.shaper.load(line.now), 0s);
  line.offer(mavlink(unknown, 400, 60));
  EXPECT_LT(line.shaper.load(line.now), 20ms);
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
    (std::vector<Bytes>{control, mavlink(attitude, 1), copy, part}));
}

TEST(Shaper, copies_of_telemetry_are_conflated_among_themselves)
{
  Line line(radio());
  const DatagramClass kind = classify(mavlink(attitude, 1));
  line.offer(mavlink(attitude, 0));
  line.run_until(line.now + 100ms);
  line.offer(mavlink(param_value, 1, 200));
  line.offer(mavlink(param_value, 2, 200));
  line.offer(mavlink(param_value, 3, 200));
  line.shaper.offer_sealed(kind, Bytes(60, 1), {}, line.now);
  line.offer(mavlink(attitude, 4));
  line.shaper.offer_sealed(kind, Bytes(61, 2), {}, line.now);
  const auto left = only_bytes(line.run_until(line.now + 1s));
  ASSERT_EQ(left.size(), 5U);
  EXPECT_EQ(left[3], mavlink(attitude, 4));
  EXPECT_EQ(left[4], Bytes(61, 2));
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
    (std::vector<Bytes>{mavlink(attitude, 1, 200), mavlink(command_long, 2, 200)}));
}

TEST(Shaper, a_datagram_that_no_frame_holds_is_counted)
{
  Line line(radio());
  line.offer(Bytes(240 - sealed_overhead, 1));
  line.offer(Bytes(longest_fragmented + 1, 1));
  line.shaper.offer_sealed({TrafficClass::control, {}}, Bytes(241, 1), {}, line.now);
  EXPECT_EQ(line.run_until(line.now + 1s).size(), 1U);
  EXPECT_EQ(line.shaper.counts(TrafficClass::other).oversize, 1U);
  EXPECT_EQ(line.shaper.counts(TrafficClass::control).oversize, 1U);
}

TEST(Shaper, what_waited_too_long_is_dropped_and_what_is_ordered_waits_for_longer)
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
  line.offer(mavlink(param_value, 5));
  line.now += 29s;
  line.offer(mavlink(param_value, 6));
  line.now += 1s + 1ms;
  EXPECT_EQ(only_bytes(line.run_until(line.now + 1s)), std::vector<Bytes>{mavlink(param_value, 6)});
  EXPECT_EQ(line.shaper.counts(TrafficClass::ordered).stale, 1U);
  EXPECT_EQ(line.shaper.counts(TrafficClass::telemetry).stale, 1U);
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
  for (std::uint32_t i = 0; i < 2000; ++i) {
    line.offer(mavlink(param_value, i));
  }
  EXPECT_LE(line.shaper.waiting_memory(TrafficClass::ordered), 256U * 1024);
  const auto sent = only_bytes(line.run_until(line.now + 30s));
  ASSERT_FALSE(sent.empty());
  for (std::uint32_t i = 0; i < sent.size(); ++i) {
    EXPECT_EQ(sent[i], mavlink(param_value, i));
  }
  const ShaperCounts & counts = line.shaper.counts(TrafficClass::ordered);
  EXPECT_GT(counts.full, 400U);
  EXPECT_GT(sent.size(), 1500U);
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
      const Bytes command = mavlink(random() % 2 ? heartbeat : command_long, number, 28, 100);
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
  EXPECT_EQ(line.shaper.take_unsealed(), (std::vector<Bytes>{second, first, urgent}));
  EXPECT_FALSE(line.shaper.has_unsealed());
  const auto left = line.run_until(line.now + 1s);
  ASSERT_EQ(left.size(), 1U);
  EXPECT_EQ(left.front().second, Bytes(40, 1));
  EXPECT_EQ(line.shaper.counts(TrafficClass::ordered).offered, 0U);
}

}  // namespace pqc_tunnel
