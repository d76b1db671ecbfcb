// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "protocol/tunnel/tunnel.hpp"
#include "protocol/wire/wire.hpp"
#include "support/identities.hpp"

// The numbers here are typed anew from the protocol's page, never taken from the code.

namespace pqc_tunnel::test
{
namespace
{

constexpr FrameKeyId example_id{0x2abbcc};

Bytes datagram_with(FrameKeyId id, std::uint64_t sequence, std::size_t size = 25)
{
  Bytes bytes(size);
  encode(id, sequence, std::span(bytes).first<6>());
  return bytes;
}

TEST(FrameHeader, is_6_bytes_at_fixed_places_in_network_order)
{
  const Bytes bytes = datagram_with(example_id, 0x1112131415161718);
  const Bytes expected = {0x6a, 0xbb, 0xcc, 0x16, 0x17, 0x18};  // 01, 22 bits of id, 24 of sequence
  EXPECT_EQ(Bytes(bytes.begin(), bytes.begin() + 6), expected);
}

TEST(FrameHeader, time_kind_and_tag_add_25_bytes_to_a_datagram)
{
  EXPECT_EQ(Tunnel::frame_headroom, 6u);
  EXPECT_EQ(Tunnel::frame_tailroom, 19u);
  EXPECT_EQ(Tunnel::frame_overhead, 25u);
}

TEST(FrameHeader, is_read_back_as_it_was_written)
{
  EXPECT_EQ(
    decode_frame_header(datagram_with(example_id, 0x16aabbcc, 1500)),
    (FrameHeader{example_id, 0xaabbcc}));
  EXPECT_EQ(decode_frame_header(datagram_with(FrameKeyId{0}, 0)), (FrameHeader{FrameKeyId{0}, 0}));
}

TEST(FrameHeader, needs_room_for_itself_the_kind_and_the_tag)
{
  for (std::size_t size = 0; size < 25; ++size) {
    Bytes bytes = datagram_with(example_id, 1);
    bytes.resize(size);
    EXPECT_FALSE(decode_frame_header(bytes)) << size;
  }
}

TEST(Datagram, is_sealed_or_a_hello_by_its_two_top_bits)
{
  Bytes bytes = datagram_with(example_id, 1);
  for (unsigned first = 0; first < 256; ++first) {
    bytes[0] = static_cast<std::uint8_t>(first);
    EXPECT_EQ(decode_frame_header(bytes).has_value(), first >> 6 == 1) << first;
    EXPECT_EQ(is_hello(bytes), first >> 6 == 2) << first;
  }
  EXPECT_FALSE(is_hello({}));
}

TEST(KeyId, is_the_low_22_bits_of_three_bytes)
{
  const std::array<std::uint8_t, 3> bytes = {0xff, 0xbb, 0xcc};
  EXPECT_EQ(frame_key_id(bytes), FrameKeyId{0x3fbbcc});
}

TEST(Sequence, is_restored_nearest_to_the_highest)
{
  constexpr std::uint64_t period = 1 << 24;
  EXPECT_EQ(restore_sequence(0, 0), 0u);
  EXPECT_EQ(restore_sequence(0xffffff, 0), 0xffffffu);  // never below zero
  EXPECT_EQ(restore_sequence(5, 0xfffffe), period + 5);
  EXPECT_EQ(restore_sequence(0xffffff, period), period - 1);
  // Half a period away, to either side.
  EXPECT_EQ(restore_sequence(period / 2, period), period + period / 2);
  EXPECT_EQ(restore_sequence(0, period + period / 2), period);
  for (const std::uint64_t highest : {std::uint64_t{1}, period - 1, period, 3 * period + 77}) {
    for (const std::int64_t offset : {-1000, -1, 0, 1, 1000, 1 << 22}) {
      const std::uint64_t sequence = highest + static_cast<std::uint64_t>(offset);
      if (offset < 0 && static_cast<std::uint64_t>(-offset) > highest) {
        continue;
      }
      EXPECT_EQ(restore_sequence(static_cast<std::uint32_t>(sequence % period), highest), sequence);
    }
  }
}

TEST(Bundle, holds_datagrams_behind_their_lengths)
{
  Bytes bytes = {0, 2, 7, 8, 0, 1, 9};
  MutableBytes rest = bytes;
  auto first = take_from_bundle(rest);
  ASSERT_TRUE(first);
  EXPECT_EQ(Bytes(first->begin(), first->end()), Bytes({7, 8}));
  auto second = take_from_bundle(rest);
  ASSERT_TRUE(second);
  EXPECT_EQ(Bytes(second->begin(), second->end()), Bytes({9}));
  EXPECT_FALSE(take_from_bundle(rest));
}

TEST(Bundle, that_is_malformed_ends_where_it_is)
{
  for (Bytes bytes : {Bytes{}, Bytes{0}, Bytes{0, 0}, Bytes{0, 2, 1}, Bytes{0xff, 0xff, 1}}) {
    MutableBytes rest = bytes;
    EXPECT_FALSE(take_from_bundle(rest));
  }
}

TEST(Limits, are_those_of_the_protocol)
{
  EXPECT_EQ(rekey_asked_packets, 8'388'608u);
  EXPECT_EQ(max_packets_per_key, 268'435'456u);
  EXPECT_EQ(max_failures_per_key, 68'719'476'736u);
}

}  // namespace
}  // namespace pqc_tunnel::test
