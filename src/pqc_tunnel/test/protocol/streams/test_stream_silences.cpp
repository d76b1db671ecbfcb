// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "protocol/streams/stream_sender.hpp"

// What a sender makes of acknowledgements that do not come, or not yet.

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

constexpr std::size_t largest = 1200 - StreamPart::header_size;
constexpr std::size_t small = 512 - StreamPart::header_size;
constexpr std::size_t least_window = 2 * universal_payload;
constexpr StreamLane foreground = StreamLane::foreground;
const Instant start{1h};

class StreamSilence : public testing::Test
{
protected:
  // All that may leave now.
  std::vector<StreamPart> take_all(Instant now)
  {
    std::vector<StreamPart> parts;
    while (const auto part = sender_.next(now)) {
      parts.push_back(*part);
    }
    return parts;
  }
  // The same when next something is due, which is not before a silence.
  std::vector<StreamPart> take_all_after_silence() { return take_all(sender_.next_timeout()); }
  void acknowledge(const StreamPart & newest, std::uint32_t through, Instant now)
  {
    StreamAck ack;
    ack.id = newest.id;
    ack.newest = newest.number;
    ack.through = through;
    sender_.handle_ack(ack, now);
  }
  static std::size_t bytes_of(const std::vector<StreamPart> & parts)
  {
    std::size_t bytes = 0;
    for (const StreamPart & part : parts) {
      bytes += part.bytes.size();
    }
    return bytes;
  }
  static std::size_t longest_of(const std::vector<StreamPart> & parts)
  {
    std::size_t longest = 0;
    for (const StreamPart & part : parts) {
      longest = std::max(longest, part.bytes.size());
    }
    return longest;
  }
  static void expect_to_fill(const std::vector<StreamPart> & parts, std::size_t window)
  {
    EXPECT_GE(bytes_of(parts), window);
    EXPECT_LT(bytes_of(parts), window + small);
  }

  StreamSender sender_{1200};
};

TEST_F(StreamSilence, before_any_answer_begins_anew_with_little_in_small_parts)
{
  sender_.send(foreground, Bytes(20'000, 1), start);
  EXPECT_EQ(longest_of(take_all(start)), largest);
  const auto again = take_all_after_silence();
  EXPECT_EQ(again.at(0).offset, 0u);
  EXPECT_EQ(longest_of(again), small);
  expect_to_fill(again, least_window);
}

TEST_F(StreamSilence, asks_with_two_large_parts_then_repeats_all_in_small_ones_then_begins_anew)
{
  sender_.send(foreground, Bytes(100'000, 1), start);
  const auto first = take_all(start);
  acknowledge(first.at(0), largest, start + 100ms);
  const std::size_t window = 4 * universal_payload + largest;
  const auto second = take_all(start + 100ms);
  ASSERT_FALSE(second.empty());

  const auto questions = take_all_after_silence();
  ASSERT_EQ(questions.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(questions[i].offset, first.at(i + 1).offset);
    EXPECT_EQ(questions[i].bytes.size(), largest);
  }
  const auto repeated = take_all_after_silence();
  EXPECT_EQ(repeated.at(0).offset, first.at(3).offset);
  EXPECT_EQ(longest_of(repeated), small);
  expect_to_fill(repeated, window);
  const Instant end = sender_.next_timeout();
  const auto anew = take_all(end);
  expect_to_fill(anew, least_window);

  acknowledge(anew.back(), largest + 100, end + 100ms);
  take_all(end + 100ms);
  const Instant next = sender_.next_timeout();
  const auto rest = take_all(next);
  ASSERT_FALSE(rest.empty());
  acknowledge(rest.back(), second.back().offset + largest, next + 100ms);
  const auto more = take_all(next + 100ms);
  ASSERT_FALSE(more.empty());
  EXPECT_LE(longest_of(more), small) << "the rest of the message";
}

TEST_F(StreamSilence, of_a_link_on_which_no_large_part_has_arrived_is_ended_by_small_ones)
{
  sender_.send(foreground, Bytes(20'000, 1), start);
  acknowledge(take_all(start).at(0), 0, start + 100ms);
  take_all(start + 100ms);
  const auto questions = take_all_after_silence();
  ASSERT_FALSE(questions.empty());
  EXPECT_EQ(longest_of(questions), small);
}

TEST_F(StreamSilence, makes_parts_small_up_to_the_end_of_the_message_if_large_ones_ever_arrived)
{
  constexpr std::uint32_t size = largest + 100;
  sender_.send(foreground, Bytes(size, 1), start);
  acknowledge(take_all(start).back(), size, start + 100ms);
  EXPECT_FALSE(sender_.busy(foreground));
  const Instant later = start + 200ms;
  sender_.send(foreground, Bytes(20'000, 1), later);
  EXPECT_EQ(longest_of(take_all(later)), largest);
  EXPECT_EQ(longest_of(take_all_after_silence()), largest);
  EXPECT_EQ(longest_of(take_all_after_silence()), small);
  sender_.send(foreground, Bytes(20'000, 1), later + 10s);
  EXPECT_EQ(longest_of(take_all(later + 10s)), largest);
}

TEST_F(StreamSilence, begins_with_the_first_part_on_the_way_and_not_with_a_later_one)
{
  sender_.send(foreground, Bytes(2000, 1), start);
  EXPECT_TRUE(sender_.next(start + 1s));
  EXPECT_TRUE(sender_.next(start + 1100ms));
  EXPECT_EQ(sender_.next_timeout(), start + 1500ms);
}

TEST_F(StreamSilence, is_not_awaited_by_a_short_message_that_is_repeated)
{
  constexpr std::size_t size = 4 * universal_payload;
  sender_.send(foreground, Bytes(size, 1), start, 5ms);
  for (std::size_t sent = 0; sent < size;) {
    EXPECT_EQ(sender_.next_timeout(), Instant());
    sent += sender_.next(start)->bytes.size();
  }
  EXPECT_EQ(sender_.next_timeout(), start + 5ms);
}

// Its acknowledgement came sooner than a round trip usually takes: those before it may come yet.
TEST_F(StreamSilence, about_a_part_is_no_loss_if_a_later_one_was_very_quick)
{
  sender_.send(foreground, Bytes(5000, 1), start);
  acknowledge(*sender_.next(start), largest, start + 100ms);
  const auto slow = sender_.next(start + 200ms);
  const auto quick = sender_.next(start + 230ms);
  ASSERT_TRUE(slow && quick);
  StreamAck ack;
  ack.id = quick->id;
  ack.newest = quick->number;
  ack.through = largest;
  ack.ranges[0] = {quick->offset, largest};
  ack.range_count = 1;
  sender_.handle_ack(ack, start + 231ms);
  EXPECT_EQ(sender_.next(start + 231ms)->offset, quick->offset + largest);
  sender_.handle_ack(ack, start + 300ms);
  EXPECT_EQ(sender_.next(start + 300ms)->offset, slow->offset);
}

}  // namespace
}  // namespace pqc_tunnel::test
