// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <random>
#include <set>

#include "protocol/session/replay_window.hpp"

namespace pqc_tunnel
{

namespace
{

constexpr auto last = std::numeric_limits<std::uint64_t>::max();

// The definition, without cleverness: everything ever committed, and how far back one may look.
class NaiveWindow
{
public:
  explicit NaiveWindow(std::uint64_t size) : size_(size) {}

  ReplayVerdict check(std::uint64_t seq) const
  {
    if (!seen_.empty() && seq < *seen_.rbegin() && *seen_.rbegin() - seq >= size_) {
      return ReplayVerdict::too_old;
    }
    return seen_.count(seq) != 0 ? ReplayVerdict::replayed : ReplayVerdict::fresh;
  }

  void commit(std::uint64_t seq)
  {
    if (check(seq) == ReplayVerdict::fresh) seen_.insert(seq);
  }

  std::uint64_t highest() const { return seen_.empty() ? 0 : *seen_.rbegin(); }
  std::uint64_t received() const { return seen_.size(); }

private:
  std::uint64_t size_;
  std::set<std::uint64_t> seen_;
};

// Walks both windows along a schedule of small steps, reordering, repeats and leaps.
void expect_same_as_naive(std::size_t size, std::uint64_t first, std::uint32_t seed)
{
  ReplayWindow window(size);
  NaiveWindow naive(window.size());
  std::mt19937_64 random(seed);
  auto position = first;
  for (int step = 0; step < 4000; ++step) {
    const auto leap = random() % 50 == 0 ? random() % (4 * window.size()) : random() % 3;
    position += std::min(leap, last - position);
    const auto back = random() % 2 == 0 ? 0 : random() % (window.size() + 130);
    const auto seq = position - std::min(back, position);
    ASSERT_EQ(window.check(seq), naive.check(seq)) << "size " << size << " seq " << seq;
    if (random() % 8 == 0) continue;  // a forgery: checked, never committed
    window.commit(seq);
    naive.commit(seq);
    ASSERT_EQ(window.highest(), naive.highest());
    ASSERT_EQ(window.received(), naive.received());
  }
  for (std::uint64_t back = 0; back <= std::min<std::uint64_t>(window.size() + 200, position);
       ++back) {
    ASSERT_EQ(window.check(position - back), naive.check(position - back)) << "size " << size;
  }
}

}  // namespace

TEST(ReplayWindow, an_empty_window_accepts_any_number)
{
  const ReplayWindow window;
  EXPECT_TRUE(window.empty());
  EXPECT_EQ(window.highest(), 0U);
  EXPECT_EQ(window.received(), 0U);
  for (const std::uint64_t seq : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 40, last})
  {
    EXPECT_EQ(window.check(seq), ReplayVerdict::fresh);
  }
}

TEST(ReplayWindow, a_size_is_clamped_and_rounded_up_to_whole_words)
{
  EXPECT_EQ(ReplayWindow().size(), 1024U);
  EXPECT_EQ(ReplayWindow(0).size(), 64U);
  EXPECT_EQ(ReplayWindow(64).size(), 64U);
  EXPECT_EQ(ReplayWindow(65).size(), 128U);
  EXPECT_EQ(ReplayWindow(1000).size(), 1024U);
  EXPECT_EQ(ReplayWindow(last).size(), ReplayWindow::max_size);
}

TEST(ReplayWindow, number_zero_is_accepted_once)
{
  ReplayWindow window;
  window.commit(0);
  EXPECT_FALSE(window.empty());
  EXPECT_EQ(window.check(0), ReplayVerdict::replayed);
  EXPECT_EQ(window.check(1), ReplayVerdict::fresh);
}

TEST(ReplayWindow, checking_changes_nothing_so_a_forgery_cannot_move_the_window)
{
  ReplayWindow window;
  window.commit(5);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(window.check(last), ReplayVerdict::fresh);
  EXPECT_EQ(window.highest(), 5U);
  EXPECT_EQ(window.check(4), ReplayVerdict::fresh);
}

TEST(ReplayWindow, committing_a_number_that_is_not_fresh_changes_nothing)
{
  ReplayWindow window(64);
  window.commit(1000);
  window.commit(1000);
  window.commit(1000 - 64);
  EXPECT_EQ(window.received(), 1U);
  EXPECT_EQ(window.highest(), 1000U);
}

TEST(ReplayWindow, exactly_size_numbers_are_remembered_whatever_the_alignment)
{
  for (const std::size_t size : {64U, 128U, 1024U}) {
    for (std::uint64_t highest = 5000; highest < 5000 + 130; ++highest) {
      ReplayWindow window(size);
      window.commit(highest);
      EXPECT_EQ(window.check(highest - size + 1), ReplayVerdict::fresh);
      EXPECT_EQ(window.check(highest - size), ReplayVerdict::too_old);
      window.commit(highest - size + 1);
      EXPECT_EQ(window.check(highest - size + 1), ReplayVerdict::replayed);
    }
  }
}

TEST(ReplayWindow, a_leap_of_any_length_leaves_no_stale_marks)
{
  for (std::uint64_t leap = 1; leap <= 400; ++leap) {
    ReplayWindow window(128);
    for (std::uint64_t seq = 0; seq < 300; ++seq) window.commit(seq);
    const auto target = 299 + leap;
    window.commit(target);
    for (std::uint64_t seq = target - 127; seq < target; ++seq) {
      const auto expected = seq < 300 ? ReplayVerdict::replayed : ReplayVerdict::fresh;
      ASSERT_EQ(window.check(seq), expected) << "leap " << leap << " seq " << seq;
    }
  }
}

TEST(ReplayWindow, the_last_number_of_all_is_accepted_once_and_does_not_wrap)
{
  ReplayWindow window(64);
  window.commit(last - 1);
  window.commit(last);
  EXPECT_EQ(window.highest(), last);
  EXPECT_EQ(window.check(last), ReplayVerdict::replayed);
  EXPECT_EQ(window.check(last - 1), ReplayVerdict::replayed);
  EXPECT_EQ(window.check(last - 63), ReplayVerdict::fresh);
  EXPECT_EQ(window.check(last - 64), ReplayVerdict::too_old);
  EXPECT_EQ(window.check(0), ReplayVerdict::too_old);
}

TEST(ReplayWindow, a_leap_from_zero_to_the_last_number_forgets_zero)
{
  ReplayWindow window;
  window.commit(0);
  window.commit(last);
  EXPECT_EQ(window.check(0), ReplayVerdict::too_old);
  EXPECT_EQ(window.check(last - 1), ReplayVerdict::fresh);
}

TEST(ReplayWindow, clearing_makes_it_as_new)
{
  ReplayWindow window;
  for (std::uint64_t seq = 0; seq < 2000; ++seq) window.commit(seq);
  window.clear();
  EXPECT_TRUE(window.empty());
  for (std::uint64_t seq = 0; seq < 2000; ++seq) ASSERT_EQ(window.check(seq), ReplayVerdict::fresh);
}

TEST(ReplayWindow, random_schedules_agree_with_a_set_of_everything_seen)
{
  for (std::uint32_t seed = 0; seed < 12; ++seed) {
    for (const std::size_t size : {64U, 100U, 128U, 192U, 1024U}) {
      expect_same_as_naive(size, 0, seed);
      expect_same_as_naive(size, (std::uint64_t{1} << 32) - 500, seed);
      expect_same_as_naive(size, last - 3000, seed);
    }
  }
}

}  // namespace pqc_tunnel
