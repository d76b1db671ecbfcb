// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <set>

#include "link_emulator/link.hpp"
#include "one_way.hpp"

namespace pqc_tunnel::link_emulator
{
namespace
{

std::vector<std::uint32_t> numbers(const std::vector<Delivery> & deliveries)
{
  std::vector<std::uint32_t> result;
  for (const Delivery & delivery : deliveries) {
    result.push_back(OneWay::number_of(delivery.bytes));
  }
  return result;
}

// The lengths of all runs of missing datagrams.
std::vector<std::uint32_t> gaps(const std::vector<std::uint32_t> & arrived)
{
  std::vector<std::uint32_t> result;
  std::uint32_t expected = 0;
  for (const std::uint32_t number : arrived) {
    if (number > expected) {
      result.push_back(number - expected);
    }
    expected = number + 1;
  }
  return result;
}

double mean(const std::vector<std::uint32_t> & values)
{
  double sum = 0.0;
  for (const std::uint32_t value : values) {
    sum += value;
  }
  return sum / static_cast<double>(values.size());
}

void expect_everything_accounted_for(OneWay & way)
{
  const DatagramCounters & counters = way.counters();
  EXPECT_EQ(
    counters.in + counters.duplicated, counters.out + counters.lost + counters.lost_in_outage +
                                         counters.queue_dropped + counters.oversize +
                                         way.channel().in_flight());
}

ChannelSettings everything_bad()
{
  ChannelSettings settings;
  settings.delay = milliseconds(20);
  settings.jitter = milliseconds(30);
  settings.loss = 0.05;
  settings.burst = {0.01, 0.2, 0.9};
  settings.reorder = 0.05;
  settings.reorder_delay = milliseconds(40);
  settings.duplicate = 0.05;
  settings.corrupt = 0.05;
  settings.rate_bits_per_s = 250'000;
  settings.queue_bytes = 1000;
  settings.outages = {{milliseconds(500), milliseconds(100), milliseconds(2000)}};
  return settings;
}

TEST(DatagramChannel, a_clean_link_delivers_everything_at_once_unchanged_and_in_order)
{
  OneWay way({});
  const auto deliveries = way.carry(100);
  ASSERT_EQ(deliveries.size(), 100U);
  for (std::uint32_t i = 0; i < 100; ++i) {
    EXPECT_EQ(deliveries[i].bytes, OneWay::datagram(i));
    EXPECT_EQ(deliveries[i].at, start + i * milliseconds(3));
  }
}

TEST(DatagramChannel, the_same_seed_and_arrivals_give_the_same_result)
{
  const auto once = OneWay(everything_bad(), 7).carry(2000);
  const auto again = OneWay(everything_bad(), 7).carry(2000);
  const auto other = OneWay(everything_bad(), 8).carry(2000);
  ASSERT_EQ(once.size(), again.size());
  for (std::size_t i = 0; i < once.size(); ++i) {
    EXPECT_EQ(once[i].at, again[i].at);
    EXPECT_EQ(once[i].bytes, again[i].bytes);
  }
  EXPECT_NE(numbers(once), numbers(other));
}

// The numbers do not depend on the compiler or its library.
TEST(DatagramChannel, the_first_losses_of_a_seed_are_known)
{
  ChannelSettings settings;
  settings.loss = 0.1;
  const auto arrived = numbers(OneWay(settings, 1).carry(40));
  std::set<std::uint32_t> lost;
  for (std::uint32_t i = 0; i < 40; ++i) {
    if (std::find(arrived.begin(), arrived.end(), i) == arrived.end()) {
      lost.insert(i);
    }
  }
  EXPECT_EQ(lost, (std::set<std::uint32_t>{3, 14, 17, 31, 38}));
}

TEST(DatagramChannel, losses_do_not_depend_on_the_other_properties_of_the_link)
{
  ChannelSettings settings;
  settings.loss = 0.1;
  const auto plain = numbers(OneWay(settings).carry(1000));
  settings.jitter = milliseconds(5);
  settings.corrupt = 0.0;
  settings.delay = milliseconds(100);
  EXPECT_EQ(numbers(OneWay(settings).carry(1000)), plain);
}

TEST(DatagramChannel, random_loss_has_its_rate_and_no_bursts)
{
  ChannelSettings settings;
  settings.loss = 0.05;
  OneWay way(settings);
  const auto arrived = numbers(way.carry(40'000));
  EXPECT_NEAR(static_cast<double>(way.counters().lost) / 40'000, 0.05, 0.004);
  EXPECT_NEAR(mean(gaps(arrived)), 1.0 / 0.95, 0.03);
}

TEST(DatagramChannel, burst_loss_has_its_rate_and_mean_length)
{
  ChannelSettings settings;
  settings.burst = {0.01, 0.2, 1.0};
  OneWay way(settings);
  const auto arrived = numbers(way.carry(100'000));
  // The share of the bad state is enter / (enter + leave); a stay there lasts 1 / leave on average.
  EXPECT_NEAR(static_cast<double>(way.counters().lost) / 100'000, 0.01 / 0.21, 0.004);
  EXPECT_NEAR(mean(gaps(arrived)), 5.0, 0.3);
}

TEST(DatagramChannel, the_loss_rate_within_bursts_is_as_configured)
{
  ChannelSettings settings;
  settings.burst = {0.01, 0.2, 0.5};
  OneWay way(settings);
  way.carry(100'000);
  EXPECT_NEAR(static_cast<double>(way.counters().lost) / 100'000, 0.5 * 0.01 / 0.21, 0.003);
}

TEST(DatagramChannel, jitter_spreads_arrivals_without_reordering)
{
  ChannelSettings settings;
  settings.delay = milliseconds(50);
  settings.jitter = milliseconds(20);
  const auto deliveries = OneWay(settings).carry(2000, milliseconds(30));
  ASSERT_EQ(deliveries.size(), 2000U);
  Duration sum{};
  for (std::uint32_t i = 0; i < 2000; ++i) {
    EXPECT_EQ(OneWay::number_of(deliveries[i].bytes), i);
    const Duration delay = deliveries[i].at - (start + i * milliseconds(30));
    EXPECT_GE(delay, milliseconds(50));
    EXPECT_LE(delay, milliseconds(70));
    sum += delay;
  }
  EXPECT_NEAR(static_cast<double>((sum / 2000).count()) * 1e-6, 60.0, 0.7);

  const auto crowded = numbers(OneWay(settings).carry(2000, milliseconds(1)));
  EXPECT_TRUE(std::is_sorted(crowded.begin(), crowded.end()));
}

TEST(DatagramChannel, held_back_datagrams_are_overtaken_and_counted)
{
  ChannelSettings settings;
  settings.delay = milliseconds(10);
  settings.reorder = 0.1;
  settings.reorder_delay = milliseconds(10);
  OneWay way(settings);
  const auto arrived = numbers(way.carry(5000));
  EXPECT_EQ(arrived.size(), 5000U);
  EXPECT_EQ(std::set(arrived.begin(), arrived.end()).size(), 5000U);
  std::uint64_t late = 0;
  std::uint32_t newest = 0;
  for (const std::uint32_t number : arrived) {
    late += number < newest ? 1 : 0;
    newest = std::max(newest, number);
  }
  EXPECT_EQ(way.counters().reordered, late);
  EXPECT_NEAR(static_cast<double>(late) / 5000, 0.1, 0.015);
}

TEST(DatagramChannel, duplicates_are_whole_copies)
{
  ChannelSettings settings;
  settings.duplicate = 0.1;
  OneWay way(settings);
  const auto deliveries = way.carry(5000);
  EXPECT_EQ(deliveries.size(), 5000 + way.counters().duplicated);
  EXPECT_NEAR(static_cast<double>(way.counters().duplicated) / 5000, 0.1, 0.015);
  for (const Delivery & delivery : deliveries) {
    EXPECT_EQ(delivery.bytes, OneWay::datagram(OneWay::number_of(delivery.bytes)));
  }
}

TEST(DatagramChannel, corruption_flips_one_bit)
{
  ChannelSettings settings;
  settings.corrupt = 0.1;
  OneWay way(settings);
  const auto deliveries = way.carry(5000);
  std::uint64_t altered = 0;
  std::set<std::size_t> places;
  for (std::uint32_t i = 0; i < 5000; ++i) {
    const Bytes original = OneWay::datagram(i);
    ASSERT_EQ(deliveries[i].bytes.size(), original.size());
    int bits = 0;
    for (std::size_t place = 0; place < original.size(); ++place) {
      const auto difference =
        static_cast<std::uint8_t>(original[place] ^ deliveries[i].bytes[place]);
      bits += std::popcount(difference);
      if (difference != 0) {
        places.insert(place);
      }
    }
    ASSERT_LE(bits, 1);
    altered += static_cast<std::uint64_t>(bits);
  }
  EXPECT_EQ(way.counters().corrupted, altered);
  EXPECT_NEAR(static_cast<double>(altered) / 5000, 0.1, 0.015);
  EXPECT_GT(places.size(), 90U);
}

TEST(DatagramChannel, a_rate_limit_spaces_packets_by_their_size_on_the_link)
{
  ChannelSettings settings;
  settings.rate_bits_per_s = 57'600;
  settings.overhead_bytes = 20;
  settings.queue_bytes = 100'000;
  const auto deliveries = OneWay(settings).carry(20, milliseconds(1), 700);
  ASSERT_EQ(deliveries.size(), 20U);
  for (std::uint32_t i = 0; i < 20; ++i) {
    EXPECT_EQ(deliveries[i].at, start + (i + 1) * milliseconds(100));  // 720 bytes at 57.6 kbit/s
  }
}

TEST(DatagramChannel, datagrams_without_room_in_the_queue_are_dropped)
{
  ChannelSettings settings;
  settings.rate_bits_per_s = 80'000;  // 100 bytes take 10 ms
  settings.queue_bytes = 500;
  OneWay way(settings);
  const auto at_once = numbers(way.carry(20, Duration::zero()));
  EXPECT_EQ(at_once, (std::vector<std::uint32_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(way.counters().queue_dropped, 15U);

  OneWay overloaded(settings);
  const auto through = overloaded.carry(1000, milliseconds(5));  // twice what it can carry
  EXPECT_NEAR(static_cast<double>(through.size()), 500.0, 10.0);
  for (const Delivery & delivery : through) {
    const Duration waited =
      delivery.at - (start + OneWay::number_of(delivery.bytes) * milliseconds(5));
    EXPECT_LE(waited, milliseconds(50));  // the queue's length
  }
}

TEST(DatagramChannel, an_idle_link_takes_a_packet_longer_than_its_queue)
{
  ChannelSettings settings;
  settings.rate_bits_per_s = 80'000;
  settings.queue_bytes = 50;
  EXPECT_EQ(OneWay(settings).carry(10, milliseconds(10)).size(), 10U);
}

TEST(DatagramChannel, the_mtu_counts_the_headers)
{
  ChannelSettings settings;
  settings.mtu_bytes = 128;
  settings.overhead_bytes = 28;
  OneWay fits(settings);
  EXPECT_EQ(fits.carry(1, milliseconds(1), 100).size(), 1U);
  OneWay too_long(settings);
  EXPECT_EQ(too_long.carry(1, milliseconds(1), 101).size(), 0U);
  EXPECT_EQ(too_long.counters().oversize, 1U);
}

TEST(DatagramChannel, an_outage_drops_exactly_the_datagrams_that_leave_in_it)
{
  ChannelSettings settings;
  settings.delay = milliseconds(40);  // datagrams already in flight arrive
  settings.outages = {{milliseconds(30), milliseconds(20), std::nullopt}};
  OneWay way(settings);
  const auto arrived = numbers(way.carry(10, milliseconds(10)));
  EXPECT_EQ(arrived, (std::vector<std::uint32_t>{0, 1, 2, 5, 6, 7, 8, 9}));
  EXPECT_EQ(way.counters().lost_in_outage, 2U);
}

TEST(DatagramChannel, every_datagram_is_accounted_for)
{
  OneWay way(everything_bad());
  way.carry(20'000);
  expect_everything_accounted_for(way);
  EXPECT_EQ(way.channel().in_flight(), 0U);
  const DatagramCounters & counters = way.counters();
  for (const std::uint64_t count :
       {counters.lost, counters.lost_in_outage, counters.queue_dropped, counters.duplicated,
        counters.corrupted, counters.reordered})
  {
    EXPECT_GT(count, 0U);
  }
}

TEST(DatagramChannel, a_flood_into_a_long_delay_is_bounded)
{
  ChannelSettings settings;
  settings.delay = std::chrono::hours(1);
  OneWay way(settings);
  for (std::uint32_t i = 0; i < 1200; ++i) {
    way.channel().handle_datagram(OneWay::datagram(i, 60'000), start);
  }
  EXPECT_LE(way.channel().in_flight() * 60'000, std::size_t{64} << 20);
  EXPECT_GT(way.counters().queue_dropped, 0U);
  expect_everything_accounted_for(way);
}

TEST(DatagramChannel, its_next_timeout_is_the_next_delivery)
{
  ChannelSettings settings;
  settings.delay = milliseconds(25);
  OneWay way(settings);
  EXPECT_EQ(way.channel().next_timeout(), Instant::max());
  way.channel().handle_datagram(OneWay::datagram(1), start);
  EXPECT_EQ(way.channel().next_timeout(), start + milliseconds(25));
  EXPECT_FALSE(way.channel().poll_delivery(start + milliseconds(24)));
  EXPECT_TRUE(way.channel().poll_delivery(start + milliseconds(25)));
  EXPECT_EQ(way.channel().next_timeout(), Instant::max());
}

TEST(DatagramChannel, an_adversary_chooses_by_size)
{
  ChannelSettings settings;
  settings.adversaries = {
    {.min_bytes = 200, .max_bytes = 300, .drop = 1.0},
    {.min_bytes = 0, .max_bytes = 50, .hold = 1.0, .hold_time = milliseconds(3000)}};
  OneWay way(settings);
  EXPECT_TRUE(way.carry(10, milliseconds(3), 250).empty());
  EXPECT_EQ(way.counters().taken, 10U);
  OneWay small(settings);
  const auto withheld = small.carry(10, milliseconds(3), 50);
  ASSERT_EQ(withheld.size(), 10U);
  EXPECT_EQ(withheld.front().at, start + milliseconds(3000));
  EXPECT_EQ(small.counters().withheld, 10U);
  OneWay others(settings);
  EXPECT_EQ(others.carry(10, milliseconds(3), 100).back().at, start + milliseconds(27));
}

TEST(DatagramChannel, withheld_datagrams_come_behind_newer_ones)
{
  ChannelSettings settings;
  settings.adversaries = {{.hold = 0.1, .hold_time = milliseconds(100)}};
  OneWay way(settings);
  EXPECT_EQ(way.carry(1000).size(), 1000U);
  EXPECT_NEAR(static_cast<double>(way.counters().withheld), 100.0, 40.0);
  EXPECT_EQ(way.counters().reordered, way.counters().withheld);
}

TEST(DatagramChannel, byte_errors_have_their_rate_and_count_each_datagram_once)
{
  ChannelSettings settings;
  settings.byte_errors = 0.01;
  OneWay way(settings);
  std::size_t wrong = 0;
  std::size_t datagrams = 0;
  std::uint32_t number = 0;
  for (const Delivery & delivery : way.carry(1000)) {
    const Bytes sent = OneWay::datagram(number++);
    std::size_t here = 0;
    for (std::size_t i = 0; i < sent.size(); ++i) {
      here += delivery.bytes[i] != sent[i] ? 1U : 0U;
    }
    wrong += here;
    datagrams += here > 0 ? 1U : 0U;
  }
  EXPECT_NEAR(static_cast<double>(wrong), 1000.0, 120.0);
  EXPECT_EQ(way.counters().corrupted, datagrams);
}

TEST(DatagramChannel, both_directions_of_a_half_duplex_link_share_its_rate)
{
  Profile profile;
  profile.half_duplex = true;
  profile.drone_to_gcs.rate_bits_per_s = 8000;
  profile.drone_to_gcs.queue_bytes = 10'000;
  profile.gcs_to_drone = profile.drone_to_gcs;
  Link link(profile, 1, start);
  EXPECT_EQ(link.bottleneck(Side::drone).send(1000, start), start + milliseconds(1000));
  EXPECT_EQ(link.bottleneck(Side::ground).send(500, start), start + milliseconds(1500));
}

}  // namespace
}  // namespace pqc_tunnel::link_emulator
