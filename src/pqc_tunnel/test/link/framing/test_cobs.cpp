// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "link/framing/cobs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "support/hex.hpp"

namespace pqc_tunnel
{

namespace
{

constexpr std::size_t max_frame = 1500;

Bytes encoded(const Bytes & frame)
{
  Bytes line;
  append_cobs(frame, line);
  return line;
}

std::vector<Bytes> frames_of(CobsDecoder & decoder, ByteView line)
{
  std::vector<Bytes> frames;
  while (const auto frame = decoder.next(line)) frames.emplace_back(frame->begin(), frame->end());
  return frames;
}

Bytes counted(std::uint8_t first, std::size_t size)
{
  Bytes bytes(size);
  std::iota(bytes.begin(), bytes.end(), first);
  return bytes;
}

Bytes joined(const std::vector<Bytes> & parts)
{
  Bytes all;
  for (const auto & part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

// Zeros are frequent, rare or absent; sizes lie around the borders of groups.
Bytes random_frame(std::mt19937_64 & random)
{
  const std::size_t sizes[] = {1, 2, 253, 254, 255, 508, 509, 1 + random() % max_frame};
  Bytes frame(sizes[random() % std::size(sizes)]);
  const auto range = std::vector<std::uint64_t>{2, 256, 255}[random() % 3];
  for (auto & byte : frame) {
    byte = static_cast<std::uint8_t>(random() % range + (range == 255 ? 1 : 0));
  }
  return frame;
}

TEST(Cobs, published_examples_are_encoded_and_decoded)
{
  // Wikipedia, "Consistent Overhead Byte Stuffing", encoding examples.
  struct Example
  {
    Bytes frame;
    Bytes line;
  };
  const auto hex = [](const char * text) { return test::from_hex(text); };
  const std::vector<Example> examples = {
    {hex("00"), hex("010100")},
    {hex("0000"), hex("01010100")},
    {hex("001100"), hex("0102110100")},
    {hex("11220033"), hex("031122023300")},
    {hex("11223344"), hex("051122334400")},
    {hex("11000000"), hex("021101010100")},
    {counted(1, 254), joined({hex("ff"), counted(1, 254), hex("00")})},
    {counted(0, 255), joined({hex("01ff"), counted(1, 254), hex("00")})},
    {counted(1, 255), joined({hex("ff"), counted(1, 254), hex("02ff00")})},
    {joined({counted(2, 254), hex("00")}), joined({hex("ff"), counted(2, 254), hex("010100")})},
    {joined({counted(3, 253), hex("0001")}), joined({hex("fe"), counted(3, 253), hex("020100")})},
    // Cheshire and Baker, 1999, figure 3: the start of an IP packet.
    {hex("4500002c4c79000040064f37"), hex("024501042c4c79010540064f3700")},
  };
  CobsDecoder decoder(max_frame);
  for (const auto & [frame, line] : examples) {
    EXPECT_EQ(test::to_hex(encoded(frame)), test::to_hex(line));
    EXPECT_EQ(frames_of(decoder, line), std::vector<Bytes>{frame}) << test::to_hex(line);
  }
  EXPECT_EQ(decoder.malformed(), 0);
}

TEST(Cobs, frames_survive_whatever_the_pieces_they_arrive_in)
{
  std::mt19937_64 random(1);
  for (int round = 0; round < 300; ++round) {
    std::vector<Bytes> sent(1 + random() % 5);
    Bytes line;
    for (auto & frame : sent) {
      frame = random_frame(random);
      const auto before = line.size();
      append_cobs(frame, line);
      ASSERT_LE(line.size() - before, cobs_bound(frame.size()));
      ASSERT_EQ(
        std::find(line.begin() + static_cast<std::ptrdiff_t>(before), line.end(), 0),
        line.end() - 1);
    }
    CobsDecoder decoder(max_frame);
    std::vector<Bytes> received;
    for (ByteView rest = line; !rest.empty();) {
      const auto piece = rest.first(std::min<std::size_t>(rest.size(), 1 + random() % 300));
      rest = rest.subspan(piece.size());
      for (auto & frame : frames_of(decoder, piece)) received.push_back(std::move(frame));
    }
    ASSERT_EQ(received, sent);
    ASSERT_EQ(decoder.malformed(), 0);
  }
}

TEST(Cobs, the_frame_after_garbage_and_a_zero_arrives)
{
  std::mt19937_64 random(2);
  for (int round = 0; round < 300; ++round) {
    CobsDecoder decoder(max_frame);
    Bytes line(random() % 4000);
    for (auto & byte : line) byte = static_cast<std::uint8_t>(random());
    line.push_back(0);
    const auto frame = random_frame(random);
    append_cobs(frame, line);
    const auto frames = frames_of(decoder, line);
    ASSERT_FALSE(frames.empty());
    ASSERT_EQ(frames.back(), frame);
    for (const auto & one : frames) ASSERT_LE(one.size(), max_frame);
  }
}

TEST(Cobs, a_frame_that_was_cut_off_is_malformed)
{
  CobsDecoder decoder(max_frame);
  EXPECT_TRUE(frames_of(decoder, test::from_hex("051122")).empty());
  EXPECT_TRUE(frames_of(decoder, test::from_hex("00")).empty());
  EXPECT_EQ(decoder.malformed(), 1);
  EXPECT_EQ(frames_of(decoder, test::from_hex("021100")), std::vector<Bytes>{test::from_hex("11")});
  EXPECT_EQ(decoder.malformed(), 1);
}

TEST(Cobs, the_longest_frame_passes_and_a_longer_one_is_malformed_once)
{
  CobsDecoder decoder(240);
  const Bytes longest(240, 7);
  EXPECT_EQ(frames_of(decoder, encoded(longest)), std::vector<Bytes>{longest});
  EXPECT_EQ(decoder.malformed(), 0);
  EXPECT_TRUE(frames_of(decoder, encoded(Bytes(241, 7))).empty());
  EXPECT_TRUE(frames_of(decoder, encoded(Bytes(241, 0))).empty());
  EXPECT_EQ(decoder.malformed(), 2);
  EXPECT_EQ(frames_of(decoder, encoded(longest)), std::vector<Bytes>{longest});
}

TEST(Cobs, zeros_between_frames_are_neither_frames_nor_faults)
{
  CobsDecoder decoder(max_frame);
  EXPECT_EQ(
    frames_of(decoder, test::from_hex("000002110000000100021100")),
    (std::vector{test::from_hex("11"), test::from_hex("11")}));
  EXPECT_EQ(decoder.malformed(), 0);
}

TEST(Cobs, a_frame_that_had_begun_is_forgotten_when_the_line_is_opened_again)
{
  CobsDecoder decoder(max_frame);
  EXPECT_TRUE(frames_of(decoder, test::from_hex("0511")).empty());
  decoder.reset();
  EXPECT_EQ(frames_of(decoder, test::from_hex("022200")), std::vector<Bytes>{test::from_hex("22")});
  EXPECT_EQ(decoder.malformed(), 0);
}

}  // namespace

}  // namespace pqc_tunnel
