// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "shaped_line.hpp"

// Datagrams that no frame of a thin link holds leave it in fragments.

namespace pqc_tunnel
{
namespace
{

using namespace std::chrono_literals;
using namespace test;

constexpr std::uint32_t file_transfer = 110;

std::vector<Bytes> only_bytes(const std::vector<std::pair<Instant, Bytes>> & timed)
{
  std::vector<Bytes> bytes;
  for (const auto & [when, datagram] : timed) {
    bytes.push_back(datagram);
  }
  return bytes;
}

Bytes of_no_sender(std::size_t size)
{
  Bytes bytes(size);
  for (std::size_t i = 0; i < size; ++i) {
    bytes[i] = static_cast<std::uint8_t>(i * 7 % 251);
  }
  return bytes;
}

Bytes signed_file_part(std::uint8_t number, std::uint8_t system = 1)
{
  return sign(mavlink(file_transfer, number, 254, system), number, number);
}

// The parts that one fragment after another has.
std::vector<ShapedFrame> take(Line & line, std::size_t frames)
{
  std::vector<ShapedFrame> taken;
  while (taken.size() < frames && line.shaper.next_timeout() != Instant::max()) {
    line.now = std::max(line.now, line.shaper.next_timeout());
    if (const auto shaped = line.shaper.next_frame(line.now)) {
      taken.push_back(*shaped);
    }
  }
  return taken;
}

TEST(FragmentedQueue, lets_every_length_up_to_an_ethernet_frame_pass_unchanged)
{
  for (std::size_t size = 1; size <= longest_fragmented; size += size % 7 + 1) {
    Line line(radio());
    const Bytes datagram = of_no_sender(size);
    line.offer(datagram);
    EXPECT_EQ(only_bytes(line.run_until(line.now + 2s)), std::vector<Bytes>{datagram});
    EXPECT_EQ(line.shaper.counts(TrafficClass::other).sent, 1U);
    EXPECT_EQ(line.shaper.next_timeout(), Instant::max());
  }
}

TEST(FragmentedQueue, needs_no_fragments_for_what_a_frame_just_holds)
{
  Line line(radio());
  line.offer(Bytes(240 - sealed_overhead, 1));
  EXPECT_EQ(take(line, 1).at(0).kind, ShapedFrame::Kind::data);
  line.offer(Bytes(240 - sealed_overhead + 1, 1));
  const auto fragments = take(line, 3);
  ASSERT_EQ(fragments.size(), 2U);
  EXPECT_EQ(fragments[0].kind, ShapedFrame::Kind::fragment);
  EXPECT_EQ(fragments[0].place, (FragmentPlace{0, false}));
  EXPECT_EQ(fragments[0].datagrams, 0U);
  EXPECT_EQ(fragments[1].place, (FragmentPlace{240 - sealed_overhead - fragment_header, true}));
  EXPECT_EQ(fragments[1].datagrams, 1U);
}

TEST(FragmentedQueue, charges_the_link_for_every_frame)
{
  Line line(radio());
  line.offer(of_no_sender(1500));
  const Instant begun = line.now;
  const auto out = line.run_until(line.now + 2s);
  ASSERT_EQ(out.size(), 1U);
  const double bytes = 1500 + 8 * (sealed_overhead + fragment_header + 2);  // two of COBS
  EXPECT_NEAR(std::chrono::duration<double>(out[0].first - begun).count(), bytes / 5760, 0.025);
}

TEST(FragmentedQueue, keeps_the_order_of_a_sender_and_lets_an_urgent_one_of_another_pass)
{
  Line line(radio());
  line.offer(signed_file_part(1));
  line.offer(mavlink(param_value, 2));
  ASSERT_EQ(take(line, 1).at(0).kind, ShapedFrame::Kind::fragment);
  line.offer(mavlink(attitude, 3, 28, 2));        // of another sender, but not urgent
  line.offer(mavlink(command_long, 4, 33, 1));    // urgent, but of the same one
  line.offer(mavlink(command_long, 5, 33, 255));  // both
  const auto passing = take(line, 1);
  EXPECT_EQ(datagrams_of(passing.at(0)), std::vector<Bytes>{mavlink(command_long, 5, 33, 255)});
  EXPECT_TRUE(take(line, 1).at(0).place.is_last);
  EXPECT_EQ(
    only_bytes(line.run_until(line.now + 1s)),
    (std::vector<Bytes>{
      mavlink(param_value, 2), mavlink(command_long, 4, 33, 1), mavlink(attitude, 3, 28, 2)}));
}

TEST(FragmentedQueue, begins_no_second_one_before_the_end_of_the_first)
{
  Line line(radio());
  line.offer(signed_file_part(1));
  ASSERT_EQ(take(line, 1).size(), 1U);
  Bytes urgent = mavlink(file_transfer, 2, 250, 255);
  line.offer(urgent);
  line.offer(mavlink(command_long, 3, 33, 255));  // the flow of both is urgent
  EXPECT_TRUE(take(line, 1).at(0).place.is_last);
  EXPECT_EQ(
    only_bytes(line.run_until(line.now + 1s)),
    (std::vector<Bytes>{urgent, mavlink(command_long, 3, 33, 255)}));
}

TEST(FragmentedQueue, lets_nothing_of_the_application_pass_what_belongs_to_no_sender)
{
  Line line(radio());
  const Bytes bytes = of_no_sender(500);
  line.offer(bytes);
  ASSERT_EQ(take(line, 1).size(), 1U);
  const Bytes rest(bytes.begin() + 212, bytes.end());
  line.offer(mavlink(command_long, 1));
  line.shaper.offer_sealed({TrafficClass::control, {}}, Bytes(30, 1), {}, line.now);
  const auto next = take(line, 4);
  ASSERT_EQ(next.size(), 4U);
  EXPECT_EQ(next[0].traffic, TrafficClass::control);
  EXPECT_EQ(next[1].place, (FragmentPlace{212, false}));
  EXPECT_EQ(next[2].place, (FragmentPlace{424, true}));
  EXPECT_EQ(next[3].traffic, TrafficClass::command);
}

TEST(FragmentedQueue, drops_the_rest_of_what_would_keep_something_urgent_waiting_for_long)
{
  Line line(radio(9.6));
  line.offer(of_no_sender(1500));
  ASSERT_EQ(take(line, 1).size(), 1U);
  line.offer(mavlink(command_long, 1));
  EXPECT_EQ(take(line, 1).at(0).traffic, TrafficClass::command);
  EXPECT_EQ(line.shaper.next_timeout(), Instant::max());
  EXPECT_EQ(line.shaper.counts(TrafficClass::other).sent, 0U);
  EXPECT_EQ(line.shaper.counts(TrafficClass::other).full, 1U);
  EXPECT_FALSE(line.shaper.has_unsealed());
}

TEST(FragmentedQueue, drops_nothing_for_what_may_pass)
{
  Line line(radio(4.8, 100));
  line.offer(mavlink(unknown, 1, 250));
  ASSERT_EQ(take(line, 1).size(), 1U);
  line.offer(mavlink(command_long, 2, 33, 255));
  EXPECT_EQ(take(line, 1).at(0).traffic, TrafficClass::command);
  EXPECT_EQ(take(line, 1).at(0).place, (FragmentPlace{72, false}));
  EXPECT_EQ(line.shaper.counts(TrafficClass::telemetry).full, 0U);
}

TEST(FragmentedQueue, never_drops_a_part_of_a_file_for_something_urgent)
{
  Line line(radio(4.8, 100));
  line.offer(signed_file_part(1));
  ASSERT_EQ(take(line, 1).size(), 1U);
  line.offer(mavlink(command_long, 1));
  EXPECT_EQ(take(line, 1).at(0).place, (FragmentPlace{72, false}));
}

TEST(FragmentedQueue, drops_the_rest_of_telemetry_for_something_urgent_of_its_sender)
{
  Line line(radio(4.8, 100));
  line.offer(mavlink(unknown, 1, 250));
  ASSERT_EQ(take(line, 1).size(), 1U);
  line.offer(mavlink(command_long, 2));
  EXPECT_EQ(take(line, 1).at(0).traffic, TrafficClass::command);
  EXPECT_EQ(line.shaper.counts(TrafficClass::telemetry).full, 1U);
}

TEST(FragmentedQueue, ends_what_it_has_begun_in_a_flood_of_commands)
{
  Line line(radio());
  line.offer(signed_file_part(1));
  ASSERT_EQ(take(line, 1).size(), 1U);
  const Instant begun = line.now;
  std::vector<Bytes> out;
  for (std::uint32_t n = 0; n < 200 && line.shaper.counts(TrafficClass::command).sent < 200; ++n) {
    for (std::uint8_t i = 0; i < 3; ++i) {
      line.offer(mavlink(command_long, n * 3 + i, 100, static_cast<std::uint8_t>(200 + i)));
    }
    const auto next = take(line, 1);
    ASSERT_EQ(next.size(), 1U);
    if (next[0].kind == ShapedFrame::Kind::fragment) {
      EXPECT_GT(line.now - begun, 50ms);
      EXPECT_LT(line.now - begun, 200ms);
      EXPECT_TRUE(next[0].place.is_last);
      return;
    }
  }
  FAIL() << "the datagram never ended";
}

TEST(FragmentedQueue, gives_back_as_a_whole_what_has_left_in_part)
{
  Line line(radio());
  const Bytes first = of_no_sender(900);
  line.offer(first);
  line.offer(mavlink(attitude, 2));
  ASSERT_EQ(take(line, 1).size(), 1U);
  EXPECT_TRUE(line.shaper.has_unsealed());
  EXPECT_EQ(line.shaper.take_unsealed(), (std::vector<Bytes>{first, mavlink(attitude, 2)}));
  EXPECT_FALSE(line.shaper.has_unsealed());
  EXPECT_EQ(line.shaper.next_timeout(), Instant::max());
  EXPECT_EQ(line.shaper.counts(TrafficClass::other).offered, 0U);
  EXPECT_EQ(line.shaper.counts(TrafficClass::other).sent, 0U);
}

TEST(FragmentedQueue, gives_nothing_back_of_what_has_left_to_its_end)
{
  Line line(radio());
  line.offer(of_no_sender(400));
  ASSERT_EQ(take(line, 2).size(), 2U);
  EXPECT_FALSE(line.shaper.has_unsealed());
  EXPECT_TRUE(line.shaper.take_unsealed().empty());
  line.shaper.clear();
  EXPECT_EQ(line.shaper.counts(TrafficClass::other).sent, 1U);
}

TEST(FragmentedQueue, forgets_with_the_link_what_has_left_in_part)
{
  Line line(radio());
  line.offer(of_no_sender(900));
  ASSERT_EQ(take(line, 1).size(), 1U);
  line.shaper.clear();
  EXPECT_EQ(line.shaper.next_timeout(), Instant::max());
  EXPECT_EQ(line.shaper.counts(TrafficClass::other).sent, 0U);
  EXPECT_EQ(line.shaper.counts(TrafficClass::other).stale, 1U);
}

TEST(FragmentedQueue, begins_again_although_the_last_fragment_was_handed_out)
{
  Line line(radio());
  const Bytes datagram = of_no_sender(400);
  line.offer(datagram);
  ASSERT_TRUE(take(line, 2).at(1).place.is_last);
  line.shaper.begin_again();
  EXPECT_EQ(only_bytes(line.run_until(line.now + 1s)), std::vector<Bytes>{datagram});
  EXPECT_EQ(line.shaper.counts(TrafficClass::other).sent, 1U);
}

TEST(FragmentedQueue, drops_the_rest_when_the_link_has_stood_still)
{
  Line line(radio());
  line.offer(signed_file_part(1));
  line.offer(mavlink(param_value, 2));
  ASSERT_EQ(take(line, 1).size(), 1U);
  line.now += 3s;
  EXPECT_EQ(only_bytes(line.run_until(line.now + 1s)), std::vector<Bytes>{mavlink(param_value, 2)});
  EXPECT_EQ(line.shaper.counts(TrafficClass::ordered).stale, 1U);
}

TEST(FragmentedQueue, has_time_for_a_long_datagram_on_a_slow_link)
{
  Line line(radio(9.6));
  line.offer(of_no_sender(1500));
  EXPECT_EQ(only_bytes(line.run_until(line.now + 3s)), std::vector<Bytes>{of_no_sender(1500)});
}

TEST(FragmentedQueue, hands_out_what_was_sealed_in_fragments_frame_by_frame)
{
  Line line(radio());
  Bytes frames(240, 1);
  frames.insert(frames.end(), 240, 2);
  frames.insert(frames.end(), 50, 3);
  line.shaper.offer_sealed({TrafficClass::ordered, {}}, frames, {}, line.now, 240);
  EXPECT_FALSE(line.shaper.has_unsealed());
  ASSERT_EQ(take(line, 1).size(), 1U);
  EXPECT_FALSE(line.shaper.has_unsealed());
  EXPECT_EQ(
    only_bytes(line.run_until(line.now + 1s)), (std::vector<Bytes>{Bytes(240, 2), Bytes(50, 3)}));
  line.shaper.offer_sealed({TrafficClass::ordered, {}}, frames, {}, line.now, 241);
  EXPECT_EQ(line.shaper.counts(TrafficClass::ordered).oversize, 1U);
}

TEST(FragmentedQueue, is_not_empty_while_the_rest_of_a_datagram_waits)
{
  Line line(radio());
  line.offer(of_no_sender(400));
  take(line, 1);
  EXPECT_TRUE(line.shaper.has_unsealed());
  EXPECT_FALSE(line.shaper.yields(line.now));
  take(line, 1);
  EXPECT_FALSE(line.shaper.has_unsealed());
  EXPECT_TRUE(line.shaper.yields(line.now));
}

TEST(FragmentedQueue, gives_back_no_sealed_fragments)
{
  Line line(radio());
  line.shaper.offer_sealed(classify(of_no_sender(400)), Bytes(480, 1), Endpoint{}, line.now, 240);
  take(line, 1);
  EXPECT_FALSE(line.shaper.has_unsealed());
  EXPECT_TRUE(line.shaper.take_unsealed().empty());
  EXPECT_EQ(take(line, 1).size(), 1U);
}

TEST(FragmentedQueue, refuses_a_link_whose_frames_hold_no_fragment)
{
  Line line(radio(57.6, sealed_overhead + fragment_header));
  line.offer(Bytes(10, 1));
  EXPECT_EQ(line.shaper.counts(TrafficClass::other).oversize, 1U);
  Line wider(radio(57.6, sealed_overhead + fragment_header + 1));
  wider.offer(of_no_sender(10));
  EXPECT_EQ(only_bytes(wider.run_until(wider.now + 1s)), std::vector<Bytes>{of_no_sender(10)});
}

}  // namespace
}  // namespace pqc_tunnel
