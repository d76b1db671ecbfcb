// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "command/measure_echoes.hpp"

#include <gtest/gtest.h>

namespace pqc_tunnel::cli
{
namespace
{

TEST(EchoLog, tells_which_way_each_was_lost_once_a_later_one_is_answered)
{
  EchoLog log;
  log.note_lost(10);
  log.note_lost(11);
  EXPECT_EQ(log.count(Lost::unknown), 2u);
  log.note_answer(12, 0b10);
  EXPECT_EQ(log.where(10), Lost::back);
  EXPECT_EQ(log.where(11), Lost::there);
  EXPECT_EQ(log.where(12), Lost::nowhere);
  log.note_lost(13);
  EXPECT_EQ(log.count(Lost::unknown), 1u);
  log.note_answer(13 + 33, 0xffffffff);
  EXPECT_EQ(log.where(13), Lost::unknown) << "too long ago";
  log.note_answer(13 + 32, 1U << 31);
  EXPECT_EQ(log.where(13), Lost::back);
  EXPECT_EQ(log.where(10), Lost::back) << "what is known stays";
}

// A path that carries frames of some lengths in each direction.
struct Path
{
  std::size_t there;
  std::size_t back;
  std::size_t longest_answer = 9216;  // of the other end's links
  std::size_t lose = 0;               // so many of the first requests, whatever their length
  std::size_t asked = 0;
  std::uint32_t arrived = 0;

  EchoAnswer ask(std::size_t bytes)
  {
    EchoAnswer answer;
    answer.number = static_cast<std::uint32_t>(++asked);
    answer.sent = true;
    answer.arrived = arrived;
    const std::size_t request = std::max<std::size_t>(bytes, 30);
    const bool comes = request <= there && asked > lose;
    arrived = arrived << 1U | (comes ? 1U : 0U);
    answer.answer_bytes = request <= longest_answer ? std::max<std::size_t>(bytes, 37) : 37;
    answer.answered = comes && answer.answer_bytes <= back;
    return answer;
  }
  std::optional<PathMtu> find(std::size_t longest)
  {
    EchoLog log;
    return find_path_mtu([this](std::size_t bytes) { return ask(bytes); }, longest, log);
  }
};

TEST(PathMtu, that_is_as_configured_takes_one_request)
{
  Path path{1472, 1472};
  const auto found = path.find(1472);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->frame_bytes, 1472u);
  EXPECT_EQ(found->longer, Lost::nowhere);
  EXPECT_EQ(path.asked, 1u);
}

TEST(PathMtu, is_found_within_four_bytes_and_with_the_way_that_is_narrow)
{
  for (const std::size_t narrow : {37UL, 38UL, 100UL, 548UL, 1392UL, 1400UL, 1471UL}) {
    Path there{narrow, 9216};
    const auto found = there.find(1472);
    ASSERT_TRUE(found) << narrow;
    EXPECT_LE(found->frame_bytes, narrow);
    EXPECT_GE(found->frame_bytes + 4, narrow);
    EXPECT_EQ(found->longer, Lost::there) << narrow;
    EXPECT_LT(there.asked, 24u);
    Path back{9216, narrow};
    const auto other = back.find(1472);
    ASSERT_TRUE(other) << narrow;
    EXPECT_EQ(other->frame_bytes, found->frame_bytes);
    EXPECT_EQ(other->longer, Lost::back) << narrow;
  }
}

TEST(PathMtu, of_a_single_loss_is_not_mistaken)
{
  Path path{1472, 1472, 9216, 1};
  EXPECT_EQ(path.find(1472)->frame_bytes, 1472u);
}

TEST(PathMtu, is_limited_by_the_links_of_the_other_end)
{
  Path path{9216, 9216, 1372};
  const auto found = path.find(1472);
  ASSERT_TRUE(found);
  EXPECT_LE(found->frame_bytes, 1372u);
  EXPECT_GE(found->frame_bytes + 4, 1372u);
  EXPECT_EQ(found->longer, Lost::back);
}

TEST(PathMtu, is_unknown_where_nothing_is_answered)
{
  Path path{0, 0};
  EXPECT_FALSE(path.find(1472));
}

}  // namespace
}  // namespace pqc_tunnel::cli
