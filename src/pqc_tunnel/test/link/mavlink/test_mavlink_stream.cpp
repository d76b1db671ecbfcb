// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "link/mavlink/mavlink_stream.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "link/mavlink/mavlink_class.hpp"
#include "link/mavlink/mavlink_filter.hpp"
#include "support/known_answers/vector_file.hpp"

namespace pqc_tunnel
{
namespace
{

const Endpoint bridge{AddressFamily::ipv4, 14555, 0, {127, 0, 0, 1}, 0};
const Endpoint other{AddressFamily::ipv4, 14556, 0, {127, 0, 0, 1}, 0};

// Made by pymavlink: every message of ardupilotmega, in both versions, signed or not.
std::vector<Bytes> every_frame()
{
  std::vector<Bytes> frames;
  for (const auto & record :
       test::read_vectors(std::string(PQC_TUNNEL_TEST_VECTORS) + "/mavlink_frames.txt"))
  {
    frames.push_back(record.bytes("frame"));
  }
  return frames;
}

Bytes joined(const std::vector<Bytes> & parts)
{
  Bytes all;
  for (const Bytes & part : parts) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

std::vector<Bytes> cut(const Bytes & bytes, std::mt19937 & random, int longest)
{
  std::vector<Bytes> datagrams;
  for (std::size_t at = 0; at < bytes.size();) {
    const auto size = std::min<std::size_t>(
      bytes.size() - at,
      static_cast<std::size_t>(std::uniform_int_distribution(1, longest)(random)));
    const auto from = bytes.begin() + static_cast<std::ptrdiff_t>(at);
    datagrams.emplace_back(from, from + static_cast<std::ptrdiff_t>(size));
    at += size;
  }
  return datagrams;
}

Bytes noise(std::mt19937 & random, std::size_t size)
{
  Bytes bytes(size);
  for (auto & byte : bytes) {
    byte = static_cast<std::uint8_t>(random());
  }
  return bytes;
}

class Stream
{
public:
  void push(const Bytes & datagram, const Endpoint & sender = bridge)
  {
    stream_.push(datagram, sender, [this](ByteView bytes, bool is_mavlink) {
      all_.insert(all_.end(), bytes.begin(), bytes.end());
      while (is_mavlink && !bytes.empty()) {
        const auto frame = take_mavlink_frame(bytes);
        ASSERT_TRUE(frame);
        frames_.emplace_back(frame->begin(), frame->end());
      }
    });
  }
  void forget_held() { stream_.forget_held(); }
  bool cuts() const { return stream_.cuts(); }
  const Bytes & all() const { return all_; }  // what was taken
  const std::vector<Bytes> & frames() const { return frames_; }

private:
  MavlinkStream stream_;
  Bytes all_;
  std::vector<Bytes> frames_;
};

TEST(MavlinkStream, every_frame_is_found_wherever_datagrams_cut_them)
{
  const auto frames = every_frame();
  const Bytes line = joined(frames);
  std::mt19937 random(1);
  for (const int longest : {1, 7, 64, 300, 1400}) {
    Stream stream;
    for (const Bytes & datagram : cut(line, random, longest)) {
      stream.push(datagram);
    }
    EXPECT_EQ(stream.frames(), frames) << longest;
    EXPECT_EQ(stream.all(), line) << longest;
    EXPECT_TRUE(stream.cuts()) << longest;
  }
}

TEST(MavlinkStream, datagrams_of_whole_frames_are_no_cut_ones)
{
  const auto frames = every_frame();
  Stream stream;
  for (std::size_t i = 0; i + 1 < frames.size(); i += 2) {
    stream.push(joined({frames[i], frames[i + 1]}));
  }
  EXPECT_FALSE(stream.cuts());
  EXPECT_EQ(stream.all(), joined(stream.frames()));
}

TEST(MavlinkStream, after_a_lost_datagram_most_frames_are_found_again_and_no_byte_is_lost_here)
{
  const auto frames = every_frame();
  std::mt19937 random(2);
  Stream stream;
  Bytes pushed;
  std::size_t lost = 0;
  for (const Bytes & datagram : cut(joined(frames), random, 200)) {
    if (random() % 10 == 0) {
      ++lost;
      continue;
    }
    stream.push(datagram);
    pushed.insert(pushed.end(), datagram.begin(), datagram.end());
  }
  ASSERT_GT(lost, 3u);
  // A loss may cost the frames in the datagram, those that it cut, and one that is found too late to be one.
  EXPECT_GT(stream.frames().size(), frames.size() - 12 * lost);
  EXPECT_EQ(
    Bytes(pushed.begin(), pushed.begin() + static_cast<std::ptrdiff_t>(stream.all().size())),
    stream.all());
  EXPECT_LT(pushed.size() - stream.all().size(), 280u);
}

TEST(MavlinkStream, bytes_of_another_kind_are_never_taken_for_cut_frames)
{
  std::mt19937 random(3);
  Stream stream;
  Bytes pushed;
  for (int i = 0; i < 2000; ++i) {
    const Bytes datagram = noise(random, 1 + random() % 400);
    stream.push(datagram);
    pushed.insert(pushed.end(), datagram.begin(), datagram.end());
    ASSERT_FALSE(stream.cuts());
  }
  EXPECT_EQ(
    Bytes(pushed.begin(), pushed.begin() + static_cast<std::ptrdiff_t>(stream.all().size())),
    stream.all());
}

TEST(MavlinkStream, a_sender_that_turns_to_something_else_gets_its_datagrams_through_as_they_are)
{
  std::mt19937 random(4);
  Stream stream;
  Bytes pushed;
  for (const Bytes & datagram : cut(joined(every_frame()), random, 100)) {
    stream.push(datagram);
    pushed.insert(pushed.end(), datagram.begin(), datagram.end());
  }
  ASSERT_TRUE(stream.cuts());
  while (stream.cuts()) {
    const Bytes datagram = noise(random, 200);
    stream.push(datagram);
    pushed.insert(pushed.end(), datagram.begin(), datagram.end());
    ASSERT_LT(pushed.size(), 100000u);
  }
  EXPECT_EQ(stream.all(), pushed);  // nothing is held
}

TEST(MavlinkStream, what_was_passed_on_in_its_datagram_is_not_taken_again)
{
  const auto frames = every_frame();
  const Bytes line = joined({frames[0], frames[1]});
  Stream stream;
  stream.push({line.begin(), line.begin() + 5});
  stream.forget_held();
  stream.push({line.begin() + 5, line.end()});
  EXPECT_EQ(stream.all(), Bytes(line.begin() + 5, line.end()));
  EXPECT_EQ(stream.frames(), std::vector<Bytes>{frames[1]});
}

TEST(MavlinkStream, frames_of_two_senders_are_not_joined)
{
  const auto frames = every_frame();
  const Bytes head(frames[0].begin(), frames[0].begin() + 5);
  Stream stream;
  stream.push(head);
  EXPECT_TRUE(stream.all().empty());
  stream.push(frames[1], other);
  EXPECT_EQ(stream.all(), joined({head, frames[1]}));
  EXPECT_EQ(stream.frames(), std::vector<Bytes>{frames[1]});
}

using Pieces = std::vector<std::pair<Bytes, bool>>;

// What a stream makes of one more datagram; the bytes live on if they are those of the datagram.
Pieces pieces_of(
  MavlinkStream & stream, const Bytes & datagram, bool bytes_live_on,
  const Endpoint & from = bridge)
{
  Pieces pieces;
  const bool ends = stream.push(datagram, from, [&pieces](ByteView bytes, bool is_mavlink) {
    pieces.emplace_back(Bytes(bytes.begin(), bytes.end()), is_mavlink);
  });
  EXPECT_EQ(ends, !bytes_live_on);
  return pieces;
}

TEST(MavlinkStream, takes_pieces_in_order_none_empty_and_none_longer_than_its_datagram)
{
  const Bytes frame = every_frame().front();
  const Bytes head(frame.begin(), frame.begin() + 5);
  const Bytes tail(frame.begin() + 5, frame.end());
  const Bytes rest(400, 1);  // of no frame
  {
    MavlinkStream stream;
    EXPECT_EQ(pieces_of(stream, frame, true), (Pieces{{frame, true}}));
    const Bytes two = joined({frame, frame});
    EXPECT_EQ(pieces_of(stream, two, true), (Pieces{{two, true}}));
    EXPECT_EQ(pieces_of(stream, rest, false), (Pieces{{rest, false}}));
    EXPECT_EQ(
      pieces_of(stream, joined({rest, frame}), false), (Pieces{{rest, false}, {frame, true}}));
    EXPECT_EQ(pieces_of(stream, head, false), Pieces{});
    EXPECT_EQ(pieces_of(stream, tail, false), (Pieces{{frame, true}}));
    EXPECT_EQ(pieces_of(stream, joined({rest, head}), false), (Pieces{{rest, false}}));
    EXPECT_EQ(
      pieces_of(stream, joined({tail, frame, frame}), false),
      (Pieces{{frame, true}, {frame, true}, {frame, true}}));
    EXPECT_EQ(pieces_of(stream, head, false), Pieces{});
    EXPECT_EQ(pieces_of(stream, rest, false), (Pieces{{head, false}, {rest, false}}));
  }
  MavlinkStream stream;
  EXPECT_EQ(pieces_of(stream, head, false), Pieces{});
  EXPECT_EQ(pieces_of(stream, tail, false, other), (Pieces{{head, false}, {tail, false}}));
  EXPECT_EQ(pieces_of(stream, frame, true, other), (Pieces{{frame, true}}));
}

TEST(MavlinkStream, is_cut_after_three_cut_frames_until_601_bytes_of_something_else)
{
  const Bytes frame = every_frame().front();
  const Bytes head(frame.begin(), frame.begin() + 5);
  const Bytes tail(frame.begin() + 5, frame.end());
  MavlinkStream stream;
  for (int i = 0; i < 10; ++i) {
    pieces_of(stream, joined({Bytes(10, 1), frame}), false);
    ASSERT_FALSE(stream.cuts()) << "whole frames";
  }
  for (int i = 1; i <= 3; ++i) {
    pieces_of(stream, joined({frame, head}), false);
    pieces_of(stream, tail, false);
    EXPECT_EQ(stream.cuts(), i == 3);
  }
  pieces_of(stream, Bytes(600, 1), false, other);
  EXPECT_TRUE(stream.cuts());
  pieces_of(stream, Bytes(1, 1), false, other);
  EXPECT_FALSE(stream.cuts());
}

TEST(MavlinkFilter, picks_the_frames_with_its_messages_and_without_any_it_takes_all)
{
  const auto frames = every_frame();
  const Bytes line = joined(frames);
  const auto picked = [&line](const MavlinkFilter & filter) {
    std::vector<Bytes> pieces;
    filter.pick(
      line, [&pieces](ByteView bytes) { pieces.emplace_back(bytes.begin(), bytes.end()); });
    return pieces;
  };
  EXPECT_EQ(picked(MavlinkFilter()), std::vector<Bytes>{line});
  const std::uint32_t first = mavlink_message(frames.front());
  const std::uint32_t last = mavlink_message(frames.back());
  std::vector<Bytes> expected;
  std::ranges::copy_if(frames, std::back_inserter(expected), [&](const Bytes & frame) {
    return mavlink_message(frame) == first || mavlink_message(frame) == last;
  });
  ASSERT_LT(expected.size(), frames.size());
  EXPECT_EQ(picked(MavlinkFilter({last, first})), expected);
}

}  // namespace
}  // namespace pqc_tunnel
