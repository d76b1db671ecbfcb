// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <set>

#include "flood/junk_datagrams.hpp"

namespace pqc_tunnel::blaster
{
namespace
{

constexpr std::size_t max_size = 200;
constexpr std::uint64_t seed = 7;

FrameHeader live_header()
{
  FrameHeader header;
  header.session.bytes = {1, 2, 3, 4, 5, 6, 7, 8};
  header.suite = {1, 2, 3, 4};
  header.epoch = Epoch{9};
  return header;
}

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
  JunkDatagrams junk(max_size, live_header(), seed);
  flood(junk, 500);
  for (std::size_t i = 0; i < junk_names.size(); ++i) {
    EXPECT_EQ(junk.written(static_cast<JunkKind>(i)), 100U) << junk_names[i];
  }
}

TEST(JunkDatagrams, without_a_live_session_none_of_it_is_feigned)
{
  JunkDatagrams junk(max_size, std::nullopt, seed);
  flood(junk, 300);
  EXPECT_EQ(junk.written(JunkKind::random), 100U);
  EXPECT_EQ(junk.written(JunkKind::truncated), 100U);
  EXPECT_EQ(junk.written(JunkKind::unknown), 100U);
}

TEST(JunkDatagrams, each_kind_comes_as_far_as_it_says)
{
  JunkDatagrams junk(max_size, live_header(), seed);
  const auto datagrams = flood(junk, 500);
  for (std::size_t i = 0; i < datagrams.size(); ++i) {
    const auto header = decode_frame_header(datagrams[i]);
    switch (static_cast<JunkKind>(i % junk_names.size())) {
      case JunkKind::random:
        break;
      case JunkKind::truncated:
        EXPECT_FALSE(header);
        break;
      case JunkKind::unknown:
        ASSERT_TRUE(header);
        EXPECT_NE(header->session, live_header().session);
        break;
      case JunkKind::old:
        ASSERT_TRUE(header);
        EXPECT_EQ(header->session, live_header().session);
        EXPECT_EQ(header->epoch, live_header().epoch);
        EXPECT_EQ(header->suite, live_header().suite);
        EXPECT_EQ(header->sequence, 0U);
        break;
      case JunkKind::forged:
        ASSERT_TRUE(header);
        EXPECT_EQ(header->session, live_header().session);
        EXPECT_GE(header->sequence, max_packets_per_key / 2);
        EXPECT_LT(header->sequence, max_packets_per_key);
        break;
    }
  }
}

TEST(JunkDatagrams, no_two_are_alike_and_none_is_too_long)
{
  JunkDatagrams junk(max_size, live_header(), seed);
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
