// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "flood/junk_datagrams.hpp"

namespace pqc_tunnel::blaster
{
namespace
{

constexpr std::size_t max_size = 200;
constexpr std::uint64_t seed = 7;

constexpr FrameKeyId live_key{0x2abcde};
constexpr std::size_t kinds_of_a_live_key = 6;

// The first `count` datagrams of a flood.
std::vector<Bytes> flood(JunkDatagrams & junk, std::size_t count)
{
  std::vector<Bytes> datagrams;
  for (std::size_t i = 0; i < count; ++i) {
    Bytes out(max_size);
    out.resize(junk.write_next(out));
    datagrams.push_back(std::move(out));
  }
  return datagrams;
}

TEST(JunkDatagrams, every_kind_takes_its_turn)
{
  JunkDatagrams junk({max_size, live_key, {}, false}, seed);
  flood(junk, 600);
  for (std::size_t i = 0; i < kinds_of_a_live_key; ++i) {
    EXPECT_EQ(junk.written(static_cast<JunkKind>(i)), 100U) << junk_names[i];
  }
}

TEST(JunkDatagrams, without_a_live_key_none_of_it_is_feigned)
{
  JunkDatagrams junk({max_size, std::nullopt, {}, false}, seed);
  flood(junk, 400);
  EXPECT_EQ(junk.written(JunkKind::random), 100U);
  EXPECT_EQ(junk.written(JunkKind::truncated), 100U);
  EXPECT_EQ(junk.written(JunkKind::unknown), 100U);
  EXPECT_EQ(junk.written(JunkKind::hello), 100U);
}

TEST(JunkDatagrams, each_kind_comes_as_far_as_it_says)
{
  JunkDatagrams junk({max_size, live_key, {}, false}, seed);
  const auto datagrams = flood(junk, 600);
  for (std::size_t i = 0; i < datagrams.size(); ++i) {
    const auto header = decode_frame_header(datagrams[i]);
    const auto kind = static_cast<JunkKind>(i % kinds_of_a_live_key);
    ASSERT_FALSE(datagrams[i].empty());
    EXPECT_EQ(is_hello(datagrams[i]), kind == JunkKind::hello);
    switch (kind) {
      case JunkKind::random:
      case JunkKind::truncated:
        EXPECT_FALSE(header);
        break;
      case JunkKind::unknown:
        ASSERT_TRUE(header);
        EXPECT_NE(header->key_id, live_key);
        break;
      case JunkKind::hello:
        EXPECT_EQ(datagrams[i].size(), 152U);
        EXPECT_EQ(datagrams[i][0], 0x81);
        EXPECT_EQ(datagrams[i][1], 4);
        break;
      case JunkKind::old:
        EXPECT_EQ(header, (FrameHeader{live_key, 0}));
        break;
      case JunkKind::forged:
        ASSERT_TRUE(header);
        EXPECT_EQ(header->key_id, live_key);
        // Ahead of whatever a flight of days may have sent, not behind it.
        EXPECT_GT(header->sequence, 4'000'000U);
        EXPECT_LT(header->sequence, std::uint32_t{1} << 23);
        break;
      case JunkKind::recorded:
        FAIL() << "nothing was recorded";
    }
  }
}

TEST(JunkDatagrams, recorded_hellos_are_sent_as_they_were_recorded)
{
  const std::vector<Bytes> recorded = {Bytes(hello_size, 1), Bytes(hello_size, 2)};
  JunkDatagrams junk({max_size, live_key, recorded, true}, seed);
  const auto datagrams = flood(junk, 8);
  EXPECT_EQ(junk.written(JunkKind::hello), 4U);
  EXPECT_EQ(junk.written(JunkKind::recorded), 4U);
  for (std::size_t i = 0; i < datagrams.size(); ++i) {
    EXPECT_EQ(std::ranges::count(recorded, datagrams[i]), i % 2 == 0 ? 0 : 1);
  }
  EXPECT_EQ(std::set<Bytes>(datagrams.begin(), datagrams.end()).size(), 4U + 2U);
}

TEST(JunkDatagrams, no_two_are_alike_and_none_is_too_long)
{
  JunkDatagrams junk({max_size, live_key, {}, false}, seed);
  const auto datagrams = flood(junk, 1000);
  std::set<Bytes> long_ones;
  std::size_t count = 0;
  for (const Bytes & datagram : datagrams) {
    EXPECT_LE(datagram.size(), max_size);
    if (datagram.size() >= frame_header_size) {
      long_ones.insert(datagram);
      ++count;
    }
  }
  EXPECT_EQ(long_ones.size(), count);
}

}  // namespace
}  // namespace pqc_tunnel::blaster
