// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "protocol/streams/reassembly.hpp"

namespace pqc_tunnel
{
namespace
{

using namespace std::chrono_literals;

class ReassemblyTest : public testing::Test
{
protected:
  // The datagram that the fragment completes; empty: none.
  Bytes add(
    std::uint64_t origin, std::size_t offset, ByteView bytes, bool is_last = false,
    std::uint64_t keys = 1)
  {
    const auto datagram = reassembly_.handle(
      {keys, origin}, Fragment{{offset, is_last}, offset == 0 ? 0U : 1U, bytes}, counters_, now_);
    return datagram ? Bytes(datagram->begin(), datagram->end()) : Bytes{};
  }
  std::uint64_t count(Drop drop) const { return counters_.drops[static_cast<std::size_t>(drop)]; }

  Instant now_{1h};
  TrafficCounters counters_;
  Reassembly reassembly_{1s};
};

Bytes filled(std::size_t size, std::uint8_t with) { return Bytes(size, with); }

Bytes joined(const std::vector<Bytes> & parts)
{
  Bytes all;
  for (const Bytes & part : parts) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

TEST_F(ReassemblyTest, puts_fragments_together_in_any_order)
{
  std::vector<int> order = {0, 1, 2};
  std::uint64_t origin = 0;
  do {
    ++origin;
    std::vector<Bytes> results;
    for (const int which : order) {
      const auto number = static_cast<std::uint8_t>(which);
      results.push_back(add(
        origin, static_cast<std::size_t>(which) * 100, filled(which == 2 ? 7 : 100, number),
        which == 2));
    }
    EXPECT_TRUE(results[0].empty());
    EXPECT_TRUE(results[1].empty());
    EXPECT_EQ(results[2], joined({filled(100, 0), filled(100, 1), filled(7, 2)}));
  } while (std::ranges::next_permutation(order).found);
  EXPECT_EQ(count(Drop::incomplete), 0U);
}

TEST_F(ReassemblyTest, does_not_need_fragments_of_one_length)
{
  add(1, 0, filled(10, 1));
  add(1, 10, filled(200, 2));
  EXPECT_EQ(
    add(1, 210, filled(50, 3), true), joined({filled(10, 1), filled(200, 2), filled(50, 3)}));
}

TEST_F(ReassemblyTest, keeps_the_fragments_of_two_datagrams_apart)
{
  add(1, 0, filled(100, 1));
  add(2, 0, filled(100, 2));
  add(1, 0, filled(100, 3), false, 2);  // the same number under other keys
  EXPECT_EQ(add(2, 100, filled(10, 5), true), joined({filled(100, 2), filled(10, 5)}));
  EXPECT_EQ(add(1, 100, filled(10, 4), true), joined({filled(100, 1), filled(10, 4)}));
  EXPECT_EQ(add(1, 100, filled(10, 6), true, 2), joined({filled(100, 3), filled(10, 6)}));
}

TEST_F(ReassemblyTest, does_not_show_bytes_of_a_datagram_before)
{
  add(1, 0, filled(100, 1));
  ASSERT_FALSE(add(1, 100, filled(100, 1), true).empty());
  add(2, 0, filled(50, 2));
  EXPECT_TRUE(add(2, 60, filled(40, 2), true).empty());
  EXPECT_EQ(add(2, 50, filled(10, 3)), joined({filled(50, 2), filled(10, 3), filled(40, 2)}));
}

TEST_F(ReassemblyTest, takes_places_again_for_datagrams_of_other_lengths)
{
  for (std::uint64_t origin = 0; origin < 3 * Reassembly::most_datagrams; ++origin) {
    const Bytes rest = filled(100 + 10 * origin, 2);
    add(origin, 0, filled(50, 1), false, 0);
    EXPECT_EQ(add(origin, 50, rest, true, 0), joined({filled(50, 1), rest}));
    now_ += 1ms;
  }
}

TEST_F(ReassemblyTest, takes_free_places_first)
{
  for (std::uint64_t origin = 1; origin <= Reassembly::most_datagrams; ++origin) {
    add(origin, 0, filled(100, 1));
    now_ += 1ms;
  }
  for (std::uint64_t origin = 2; origin <= Reassembly::most_datagrams; ++origin) {
    EXPECT_FALSE(add(origin, 100, filled(1, 1), true).empty());
  }
  add(100, 0, filled(100, 1));
  EXPECT_FALSE(add(1, 100, filled(1, 1), true).empty());
  EXPECT_EQ(count(Drop::incomplete), 0U);
}

TEST_F(ReassemblyTest, completes_nothing_after_a_contradiction)
{
  add(1, 0, filled(100, 1));
  add(1, 99, filled(10, 2));
  EXPECT_TRUE(add(1, 109, filled(10, 3), true).empty());
}

TEST_F(ReassemblyTest, gives_up_what_has_waited_too_long_for_its_next_fragment)
{
  add(1, 0, filled(100, 1));
  now_ += 900ms;
  add(1, 100, filled(100, 1));
  now_ += 900ms;
  reassembly_.handle_timeout(counters_, now_);
  EXPECT_EQ(count(Drop::incomplete), 0U);
  now_ += 101ms;
  reassembly_.handle_timeout(counters_, now_);
  EXPECT_EQ(count(Drop::incomplete), 1U);
  EXPECT_TRUE(add(1, 200, filled(100, 1), true).empty());
}

TEST_F(ReassemblyTest, does_not_count_what_was_begun_again_under_other_keys)
{
  add(1, 0, filled(100, 1));
  now_ += 900ms;
  add(5, 0, filled(100, 1), false, 2);
  now_ += 101ms;
  EXPECT_FALSE(add(5, 100, filled(1, 1), true, 2).empty());
  EXPECT_TRUE(add(1, 100, filled(1, 1), true).empty());
  EXPECT_EQ(count(Drop::incomplete), 0U);
}

TEST_F(ReassemblyTest, does_not_complete_what_has_waited_too_long)
{
  add(1, 0, filled(100, 1));
  now_ += 1001ms;
  EXPECT_TRUE(add(1, 100, filled(100, 1), true).empty());
  EXPECT_EQ(count(Drop::incomplete), 1U);
}

TEST_F(ReassemblyTest, holds_a_few_datagrams_and_gives_up_the_one_that_has_waited_longest)
{
  for (std::uint64_t origin = 1; origin <= Reassembly::most_datagrams; ++origin) {
    add(origin, 0, filled(100, 1));
    now_ += 1ms;
  }
  add(1, 100, filled(100, 1));  // so the second one has waited longest
  add(100, 0, filled(100, 1));
  EXPECT_EQ(count(Drop::incomplete), 1U);
  EXPECT_FALSE(add(1, 200, filled(1, 1), true).empty());
  for (std::uint64_t origin = 3; origin <= Reassembly::most_datagrams; ++origin) {
    EXPECT_FALSE(add(origin, 100, filled(1, 1), true).empty());
  }
  EXPECT_FALSE(add(100, 100, filled(1, 1), true).empty());
  EXPECT_TRUE(add(2, 100, filled(1, 1), true).empty());
  EXPECT_EQ(count(Drop::incomplete), 1U);
}

TEST_F(ReassemblyTest, gives_up_fragments_that_contradict_each_other)
{
  const auto expect_contradiction = [this](auto && fragments) {
    const auto before = count(Drop::malformed);
    fragments();
    EXPECT_EQ(count(Drop::malformed), before + 1);
    reassembly_.clear();
  };
  expect_contradiction([this] {  // an overlap
    add(1, 0, filled(100, 1));
    EXPECT_TRUE(add(1, 99, filled(10, 2), true).empty());
  });
  expect_contradiction([this] {  // the same once more
    add(1, 0, filled(100, 1));
    EXPECT_TRUE(add(1, 0, filled(100, 2)).empty());
  });
  expect_contradiction([this] {  // beyond the end
    add(1, 100, filled(100, 1), true);
    EXPECT_TRUE(add(1, 200, filled(10, 2)).empty());
  });
  expect_contradiction([this] {  // an end before what is here
    add(1, 100, filled(100, 1));
    EXPECT_TRUE(add(1, 50, filled(10, 2), true).empty());
  });
  expect_contradiction([this] {  // two ends
    add(1, 100, filled(100, 1), true);
    EXPECT_TRUE(add(1, 50, filled(10, 2), true).empty());
  });
  expect_contradiction([this] {  // a later one
    add(1, 100, filled(100, 1), true);
    EXPECT_TRUE(add(1, 250, filled(10, 2), true).empty());
  });
  EXPECT_EQ(count(Drop::incomplete), 0U);
}

TEST_F(ReassemblyTest, forgets_all_at_once)
{
  add(1, 0, filled(100, 1));
  reassembly_.clear();
  EXPECT_TRUE(add(1, 100, filled(10, 1), true).empty());
}

TEST(FragmentHeader, has_three_bytes)
{
  Bytes payload(4, 0xee);
  write_fragment_header(std::span(payload).first<3>(), {0x123, true}, 0x456);
  EXPECT_EQ(payload, Bytes({0x92, 0x34, 0x56, 0xee}));
  const auto fragment = parse_fragment(payload);
  ASSERT_TRUE(fragment);
  EXPECT_EQ(fragment->place, (FragmentPlace{0x123, true}));
  EXPECT_EQ(fragment->back, 0x456U);
  EXPECT_EQ(Bytes(fragment->bytes.begin(), fragment->bytes.end()), Bytes{0xee});
}

TEST(FragmentHeader, of_what_can_be_no_fragment_is_refused)
{
  const auto parsed = [](const FragmentPlace & place, std::uint64_t back, std::size_t size) {
    Bytes payload(fragment_header + size);
    write_fragment_header(std::span(payload).first<3>(), place, back);
    return parse_fragment(payload).has_value();
  };
  EXPECT_TRUE(parsed({0, false}, 0, 1));
  EXPECT_TRUE(parsed({100, true}, 1, 1));
  EXPECT_TRUE(parsed({100, false}, most_back, 1400));
  EXPECT_FALSE(parsed({0, false}, 0, 0)) << "empty";
  EXPECT_FALSE(parsed({0, true}, 0, 1)) << "a datagram by itself";
  EXPECT_FALSE(parsed({0, false}, 1, 1)) << "the first one comes after another";
  EXPECT_FALSE(parsed({100, false}, 0, 1)) << "another one is the first";
  EXPECT_FALSE(parsed({100, true}, 1, 1401)) << "longer than any datagram";
  EXPECT_FALSE(parse_fragment(Bytes{}));
  EXPECT_FALSE(parse_fragment(Bytes(2)));
}

}  // namespace
}  // namespace pqc_tunnel
