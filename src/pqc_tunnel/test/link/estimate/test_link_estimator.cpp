// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <set>
#include <vector>

#include "link/estimate/link_estimator.hpp"

namespace pqc_tunnel
{

namespace
{

using namespace std::chrono_literals;

constexpr Instant start{1h};
constexpr Duration slot = 250ms;

double ns(Duration duration) { return static_cast<double>(duration.count()); }

void expect_within_5_percent(Duration measured, Duration truth)
{
  EXPECT_NEAR(ns(measured), ns(truth), std::max(0.05 * ns(truth), 600.0));
}

// Sends count packets, evenly spaced, numbered from first; returns the time of the last.
Instant send(
  LinkEstimator & link, std::uint64_t stream, std::uint64_t first, int count, Instant from,
  Duration spacing)
{
  for (int i = 0; i < count; ++i) {
    link.handle_packet(stream, first + static_cast<std::uint64_t>(i), 100, from + i * spacing);
  }
  return from + (count - 1) * spacing;
}

}  // namespace

TEST(LinkEstimator, without_a_start_and_without_packets_everything_is_zero)
{
  const auto view = LinkEstimator().view(start);
  EXPECT_EQ(view.window, 0s);
  EXPECT_EQ(view.longest_silence, 0s);
  EXPECT_EQ(view.gap_p95, 0s);
  EXPECT_EQ(view.packets_per_s, 0);
  EXPECT_EQ(view.loss, 0);
  EXPECT_EQ(view.blackouts, 0U);
}

TEST(LinkEstimator, silence_grows_from_the_start_while_nothing_arrives)
{
  LinkEstimator link;
  link.start(start);
  link.start(start + 1s);
  EXPECT_EQ(link.view(start + 500ms).longest_silence, 500ms);
  EXPECT_EQ(link.view(start + 500ms).blackouts, 0U);
  const auto view = link.view(start + 7s);
  EXPECT_EQ(view.longest_silence, 7s);
  expect_within_5_percent(view.gap_p95, 7s);
  EXPECT_EQ(view.blackouts, 1U);
  EXPECT_EQ(view.packets_per_s, 0);
  EXPECT_EQ(view.jitter, 0s);
  EXPECT_EQ(link.view(start + 2h).gap_p95, 2h);
}

TEST(LinkEstimator, a_steady_link_shows_its_rate_and_spacing_and_no_jitter)
{
  LinkEstimator link;
  const auto now = send(link, 0, 0, 3200, start, 3125us);
  const auto view = link.view(now);
  EXPECT_NEAR(view.packets_per_s, 320, 1);
  EXPECT_NEAR(view.bytes_per_s, 32000, 100);
  expect_within_5_percent(view.gap_p95, 3125us);
  EXPECT_EQ(view.longest_silence, 3125us);
  EXPECT_EQ(view.jitter, 0s);
  EXPECT_EQ(view.loss, 0);
  EXPECT_EQ(view.packets, 3200U);
  EXPECT_GT(view.window, 5s - slot);
  EXPECT_LE(view.window, 5s);
}

TEST(LinkEstimator, the_rate_is_not_exaggerated_by_the_first_packets)
{
  LinkEstimator link;
  link.handle_packet(0, 0, 100, start);
  EXPECT_EQ(link.view(start).packets_per_s, 4);
  EXPECT_EQ(link.view(start + 500ms).packets_per_s, 2);
  EXPECT_EQ(link.view(start + 500ms).window, 500ms);
}

TEST(LinkEstimator, packets_older_than_the_window_count_only_in_the_totals)
{
  LinkEstimator link;
  auto now = send(link, 0, 0, 100, start, 10ms);
  now = send(link, 0, 200, 1, now + 3s, 0s);
  EXPECT_NEAR(link.view(now).loss, 100.0 / 201, 1e-9);
  now = send(link, 0, 201, 600, now + 10ms, 10ms);
  const auto view = link.view(now);
  EXPECT_EQ(view.loss, 0);
  EXPECT_EQ(view.longest_silence, 10ms);
  EXPECT_EQ(view.lost, 100U);
  EXPECT_EQ(view.blackouts, 1U);
  EXPECT_EQ(view.packets, 701U);
}

TEST(LinkEstimator, late_packets_of_numbers_that_the_window_has_passed_are_no_loss)
{
  LinkEstimator link;
  link.handle_packet(0, 0, 100, start);
  link.handle_packet(0, 10, 100, start);
  send(link, 0, 1, 9, start + 6s, 10ms);
  EXPECT_EQ(link.view(start + 7s).loss, 0);
  EXPECT_EQ(link.view(start + 7s).lost, 0U);
}

TEST(LinkEstimator, a_first_number_below_1024_shows_what_was_lost_before)
{
  for (const std::uint64_t first : {1023U, 1024U}) {
    LinkEstimator link;
    link.handle_packet(0, first, 100, start);
    EXPECT_EQ(link.view(start).lost, first == 1023 ? 1023U : 0U);
  }
}

TEST(LinkEstimator, the_first_packet_ends_no_gap)
{
  LinkEstimator link;
  const auto now = send(link, 0, 0, 18, start, 1ms) + 1s;
  link.handle_packet(0, 18, 100, now);
  expect_within_5_percent(link.view(now).gap_p95, 1s);
}

TEST(LinkEstimator, gaps_of_some_microseconds_are_measured)
{
  LinkEstimator link;
  const auto now = send(link, 0, 0, 100, start, 10us);
  expect_within_5_percent(link.view(now).gap_p95, 10us);
}

TEST(LinkEstimator, the_view_empties_by_time_alone)
{
  LinkEstimator link;
  const auto now = send(link, 0, 0, 1000, start, 10ms);
  const auto view = link.view(now + 6s);
  EXPECT_EQ(view.packets_per_s, 0);
  EXPECT_EQ(view.loss, 0);
  EXPECT_EQ(view.longest_silence, 6s);
  expect_within_5_percent(view.gap_p95, 6s);
}

TEST(LinkEstimator, a_silence_under_way_is_one_blackout_and_stays_one_when_it_ends)
{
  LinkEstimator link({.blackout = 300ms});
  link.handle_packet(0, 0, 100, start);
  EXPECT_EQ(link.view(start + 300ms).blackouts, 0U);
  EXPECT_EQ(link.view(start + 301ms).blackouts, 1U);
  link.handle_packet(0, 1, 100, start + 400ms);
  EXPECT_EQ(link.view(start + 400ms).blackouts, 1U);
  link.handle_packet(0, 2, 100, start + 1s);
  EXPECT_EQ(link.view(start + 1s).blackouts, 2U);
  link.handle_packet(0, 3, 100, start + 1300ms);
  EXPECT_EQ(link.view(start + 1300ms).blackouts, 2U);
}

TEST(LinkEstimator, jitter_follows_the_change_of_spacing)
{
  LinkEstimator link;
  auto now = start;
  for (std::uint64_t seq = 0; seq < 500; ++seq) {
    link.handle_packet(0, seq, 100, now);
    now += seq % 2 == 0 ? 8ms : 12ms;
  }
  EXPECT_NEAR(ns(link.view(now).jitter), 4e6, 1e3);
}

TEST(LinkEstimator, waiting_for_the_first_packet_is_not_jitter)
{
  LinkEstimator link;
  link.start(start);
  const auto now = send(link, 0, 0, 10, start + 3s, 10ms);
  EXPECT_EQ(link.view(now).jitter, 0s);
  EXPECT_EQ(link.view(now).longest_silence, 3s);
}

TEST(LinkEstimator, packets_lost_before_the_first_arrival_count)
{
  LinkEstimator link;
  link.handle_packet(0, 3, 100, start);
  EXPECT_EQ(link.view(start).lost, 3U);
  EXPECT_NEAR(link.view(start).loss, 0.75, 1e-9);
}

TEST(LinkEstimator, a_stream_joined_midway_is_not_taken_for_loss)
{
  LinkEstimator link;
  link.handle_packet(0, 1'000'000, 100, start);
  EXPECT_EQ(link.view(start).lost, 0U);
  link.handle_packet(0, 999'998, 100, start);
  EXPECT_EQ(link.view(start).lost, 1U);
  link.handle_packet(0, 999'999, 100, start);
  EXPECT_EQ(link.view(start).lost, 0U);
  EXPECT_EQ(link.view(start).reordered, 2U);
}

TEST(LinkEstimator, a_stream_is_joined_midway_from_its_1024th_packet_on)
{
  for (const std::uint64_t first : {1023U, 1024U}) {
    LinkEstimator link;
    link.handle_packet(0, first, 100, start);
    EXPECT_EQ(link.view(start).lost, first < 1024 ? first : 0);
  }
}

TEST(LinkEstimator, a_view_without_packets_or_with_late_ones_alone_has_no_loss)
{
  LinkEstimator link;
  for (std::uint64_t seq = 0; seq < 100; seq += 2) {
    link.handle_packet(0, seq, 100, start);
  }
  EXPECT_EQ(link.view(start + 6s).loss, 0);
  for (std::uint64_t seq = 1; seq < 100; seq += 2) {
    link.handle_packet(0, seq, 100, start + 6s);
  }
  EXPECT_EQ(link.view(start + 6s).loss, 0);
}

TEST(LinkEstimator, a_spacing_of_microseconds_is_shown_too)
{
  for (const Duration spacing : {5us, 12us, 17us, 30us, 40us}) {
    LinkEstimator link;
    const auto now = send(link, 0, 0, 100, start, spacing);
    expect_within_5_percent(link.view(now).gap_p95, spacing);
  }
}

TEST(LinkEstimator, the_first_packet_ends_no_gap_unless_silence_was_counted_before)
{
  LinkEstimator link;
  const auto now = send(link, 0, 0, 19, start, 1ms);
  expect_within_5_percent(link.view(now + 100ms).gap_p95, 100ms);  // one of 19
}

TEST(LinkEstimator, a_late_packet_is_lost_until_it_arrives)
{
  LinkEstimator link;
  for (const std::uint64_t seq : {0U, 1U, 4U, 5U}) link.handle_packet(0, seq, 100, start);
  EXPECT_EQ(link.view(start).lost, 2U);
  link.handle_packet(0, 3, 100, start + 10ms);
  link.handle_packet(0, 2, 100, start + 10ms);
  const auto view = link.view(start + 10ms);
  EXPECT_EQ(view.lost, 0U);
  EXPECT_EQ(view.loss, 0);
  EXPECT_EQ(view.reordered, 2U);
}

TEST(LinkEstimator, a_packet_may_be_late_by_any_number_of_others)
{
  LinkEstimator link;
  link.handle_packet(0, 0, 100, start);
  const auto end = send(link, 0, 2, 5000, start, 1ms);
  link.handle_packet(0, 1, 100, end);
  EXPECT_EQ(link.view(end).lost, 0U);
  EXPECT_EQ(link.view(end).packets, 5002U);
}

TEST(LinkEstimator, duplicates_are_counted_and_neither_break_silence_nor_raise_rates)
{
  LinkEstimator link;
  send(link, 0, 0, 2000, start, 1ms);
  const auto end = start + 1999ms;
  link.handle_duplicate();
  link.handle_duplicate();
  const auto view = link.view(end + 2s);
  EXPECT_EQ(view.duplicates, 2U);
  EXPECT_EQ(view.packets, 2000U);
  EXPECT_EQ(view.longest_silence, 2s);
  EXPECT_EQ(view.reordered, 0U);
}

TEST(LinkEstimator, two_epochs_may_interleave_during_a_rekey_without_seeming_loss)
{
  LinkEstimator link;
  auto now = send(link, 7, 0, 500, start, 5ms);
  for (std::uint64_t i = 0; i < 100; ++i) {
    now += 5ms;
    if (i % 10 != 3) link.handle_packet(7, 500 + i, 100, now);
    link.handle_packet(8, i, 100, now);
  }
  now = send(link, 9, 0, 100, now, 5ms);
  const auto view = link.view(now);
  EXPECT_EQ(view.lost, 10U);
  EXPECT_EQ(view.reordered, 0U);
  EXPECT_EQ(view.duplicates, 0U);
  EXPECT_EQ(view.packets, 790U);
}

TEST(LinkEstimator, time_running_back_does_no_harm)
{
  LinkEstimator link;
  link.handle_packet(0, 0, 100, start);
  link.handle_packet(0, 1, 100, start - 1min);
  const auto view = link.view(start - 2min);
  EXPECT_EQ(view.packets, 2U);
  EXPECT_EQ(view.longest_silence, 0s);
}

// Loss, reordering, repeats, bursts and outages at random, against the definitions applied to the
// whole history of arrivals.
TEST(LinkEstimator, random_links_agree_with_the_definitions)
{
  struct Arrival
  {
    Instant time;
    Duration gap;
    std::uint64_t expected;
  };
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    std::mt19937 random(seed);
    LinkEstimator link;
    link.start(start);
    std::vector<Arrival> arrivals;
    std::set<std::uint64_t> seen;
    std::uint64_t next = 0;
    std::uint64_t known = 0;  // numbers known to have been sent
    std::uint64_t duplicates = 0;
    std::uint32_t blackouts = 0;
    auto now = start;
    auto last = start;
    std::lognormal_distribution<double> spacing(std::log(3e6), 1.5);
    for (int step = 0; step < 6000; ++step) {
      now += Duration(static_cast<std::int64_t>(spacing(random)));
      if (random() % 1000 == 0) now += std::chrono::milliseconds(random() % 8000);
      if (random() % 10 == 0) ++next;
      auto seq = next++;
      if (random() % 8 == 0) seq -= std::min<std::uint64_t>(seq, random() % 40);
      if (!seen.insert(seq).second) {
        link.handle_duplicate();
        ++duplicates;
        continue;
      }
      link.handle_packet(3, seq, 50, now);
      const auto expected = seq + 1 > known ? seq + 1 - known : 0;
      known += expected;
      arrivals.push_back({now, now - last, expected});
      blackouts += now - last > 1s ? 1 : 0;
      last = now;
      if (step % 37 != 0) continue;

      const auto asked = now + std::chrono::milliseconds(random() % 400);
      const auto oldest = Instant((asked.time_since_epoch() / slot - 19) * slot);
      std::vector<Duration> gaps{asked - last};
      double packets = 0;
      double sent = 0;
      for (const auto & arrival : arrivals) {
        if (arrival.time < oldest) continue;
        gaps.push_back(arrival.gap);
        packets += 1;
        sent += static_cast<double>(arrival.expected);
      }
      std::sort(gaps.begin(), gaps.end());
      const auto rank =
        static_cast<std::size_t>(std::ceil(0.95 * static_cast<double>(gaps.size())));
      const auto view = link.view(asked);
      ASSERT_EQ(view.window, asked - std::max(start, oldest));
      const auto span = std::chrono::duration<double>(std::max(view.window, slot)).count();
      ASSERT_NEAR(view.packets_per_s, packets / span, 1e-6);
      ASSERT_NEAR(view.bytes_per_s, 50 * packets / span, 1e-4);
      ASSERT_EQ(view.longest_silence, gaps.back());
      ASSERT_NEAR(view.loss, sent > packets ? 1 - packets / sent : 0, 1e-9);
      expect_within_5_percent(view.gap_p95, gaps[rank - 1]);
      ASSERT_EQ(view.lost, known - seen.size());
      ASSERT_EQ(view.duplicates, duplicates);
      ASSERT_EQ(view.blackouts, blackouts);
    }
  }
}

}  // namespace pqc_tunnel
