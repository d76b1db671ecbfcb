// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <vector>

#include "protocol/admission.hpp"

namespace pqc_tunnel
{

namespace
{

using namespace std::chrono_literals;

constexpr Instant start{1h};

Endpoint ipv4(std::uint32_t host, std::uint16_t port = 5000)
{
  Endpoint endpoint{AddressFamily::ipv4, port, 0, {}};
  for (std::size_t i = 0; i < 4; ++i) {
    endpoint.address[i] = static_cast<std::uint8_t>(host >> (24 - 8 * i));
  }
  return endpoint;
}

Endpoint ipv6(std::initializer_list<std::uint8_t> bytes, std::uint32_t scope = 0)
{
  Endpoint endpoint{AddressFamily::ipv6, 5000, scope, {}};
  std::copy(bytes.begin(), bytes.end(), endpoint.address.begin());
  return endpoint;
}

bool admit_and_release(Admission & admission, const Endpoint & from, Instant now)
{
  const bool admitted = admission.try_admit(from, now);
  if (admitted) admission.release(from);
  return admitted;
}

int admitted_of(Admission & admission, const Endpoint & from, int attempts, Instant now)
{
  int admitted = 0;
  for (int i = 0; i < attempts; ++i) admitted += admit_and_release(admission, from, now) ? 1 : 0;
  return admitted;
}

}  // namespace

TEST(Admission, one_address_holds_at_most_its_share_whatever_its_ports)
{
  Admission admission;
  EXPECT_TRUE(admission.try_admit(ipv4(1, 1000), start));
  EXPECT_TRUE(admission.try_admit(ipv4(1, 1001), start));
  EXPECT_FALSE(admission.try_admit(ipv4(1, 1002), start));
  EXPECT_TRUE(admission.try_admit(ipv4(2), start));
  EXPECT_EQ(admission.open(), 3U);
  EXPECT_EQ(admission.counters().admitted, 3U);
  EXPECT_EQ(admission.counters().refused_per_address, 1U);
  admission.release(ipv4(1, 4));
  EXPECT_TRUE(admission.try_admit(ipv4(1), start));
}

TEST(Admission, all_addresses_together_hold_at_most_the_maximum)
{
  Admission admission;
  for (std::uint32_t host = 0; host < 16; ++host)
    EXPECT_TRUE(admission.try_admit(ipv4(host), start));
  EXPECT_FALSE(admission.try_admit(ipv4(99), start));
  EXPECT_EQ(admission.counters().refused_total, 1U);
  admission.release(ipv4(3));
  EXPECT_TRUE(admission.try_admit(ipv4(99), start));
  EXPECT_EQ(admission.open(), 16U);
}

TEST(Admission, releasing_a_connection_that_was_never_admitted_changes_nothing)
{
  Admission admission;
  admission.release(ipv4(1));
  EXPECT_TRUE(admission.try_admit(ipv4(1), start));
  admission.release(ipv4(2));
  EXPECT_EQ(admission.open(), 1U);
}

TEST(Admission, a_burst_is_admitted_and_then_only_the_rate)
{
  Admission admission;
  EXPECT_EQ(admitted_of(admission, ipv4(1), 9, start), 5);
  EXPECT_EQ(admission.counters().refused_rate, 4U);
  EXPECT_FALSE(admit_and_release(admission, ipv4(1), start + 49ms));
  EXPECT_TRUE(admit_and_release(admission, ipv4(1), start + 50ms));
  EXPECT_FALSE(admit_and_release(admission, ipv4(1), start + 51ms));
  EXPECT_EQ(admitted_of(admission, ipv4(1), 9, start + 10s), 5);
  EXPECT_EQ(admitted_of(admission, ipv4(2), 9, start + 10s), 5);
}

TEST(Admission, a_steady_caller_gets_the_rate_over_ten_seconds)
{
  Admission admission;
  int admitted = 0;
  for (Duration t = 0s; t < 10s; t += 1ms)
    admitted += admit_and_release(admission, ipv4(1), start + t);
  EXPECT_GE(admitted, 203);
  EXPECT_LE(admitted, 205);
}

TEST(Admission, time_standing_still_or_running_back_gives_no_tokens)
{
  Admission admission;
  EXPECT_EQ(admitted_of(admission, ipv4(1), 5, start), 5);
  EXPECT_FALSE(admit_and_release(admission, ipv4(1), start - 1min));
  EXPECT_FALSE(admit_and_release(admission, ipv4(1), start));
  EXPECT_EQ(admitted_of(admission, ipv4(1), 2, start + 50ms), 1);
}

TEST(Admission, an_ipv6_network_of_64_bits_counts_as_one_address)
{
  Admission admission;
  EXPECT_TRUE(admission.try_admit(ipv6({0x20, 1, 0xd, 0xb8, 0, 0, 0, 1, 1}), start));
  EXPECT_TRUE(admission.try_admit(ipv6({0x20, 1, 0xd, 0xb8, 0, 0, 0, 1, 2}), start));
  EXPECT_FALSE(admission.try_admit(ipv6({0x20, 1, 0xd, 0xb8, 0, 0, 0, 1, 3}), start));
  EXPECT_TRUE(admission.try_admit(ipv6({0x20, 1, 0xd, 0xb8, 0, 0, 0, 2, 1}), start));
}

TEST(Admission, link_local_networks_of_two_interfaces_are_two_addresses)
{
  Admission admission({.max_per_address = 1});
  EXPECT_TRUE(admission.try_admit(ipv6({0xfe, 0x80}, 1), start));
  EXPECT_FALSE(admission.try_admit(ipv6({0xfe, 0x80}, 1), start));
  EXPECT_TRUE(admission.try_admit(ipv6({0xfe, 0x80}, 2), start));
}

TEST(Admission, an_ipv4_address_mapped_into_ipv6_is_that_ipv4_address)
{
  Admission admission;
  const auto mapped = [](std::uint8_t host) {
    return ipv6({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0, 0, host});
  };
  EXPECT_TRUE(admission.try_admit(mapped(1), start));
  EXPECT_TRUE(admission.try_admit(ipv4(1), start));
  EXPECT_FALSE(admission.try_admit(mapped(1), start));
  EXPECT_TRUE(admission.try_admit(mapped(2), start));
}

TEST(Admission, a_flood_of_other_addresses_does_not_refill_anyones_bucket)
{
  Admission admission({.table = 64});
  EXPECT_EQ(admitted_of(admission, ipv4(7), 5, start), 5);
  for (std::uint32_t host = 1000; host < 11000; ++host) {
    admit_and_release(admission, ipv4(host), start + 10ms);
  }
  EXPECT_FALSE(admit_and_release(admission, ipv4(7), start + 20ms));
}

TEST(Admission, new_addresses_share_one_bucket_while_the_table_is_full)
{
  Admission admission({.table = 8});
  for (std::uint32_t host = 0; host < 8; ++host) {
    EXPECT_TRUE(admit_and_release(admission, ipv4(host), start));
  }
  int admitted = 0;
  for (std::uint32_t host = 100; host < 200; ++host) {
    admitted += admit_and_release(admission, ipv4(host), start);
  }
  EXPECT_EQ(admitted, 5);
}

TEST(Admission, an_idle_address_is_replaced)
{
  Admission admission({.table = 8});
  for (std::uint32_t host = 0; host < 8; ++host) admitted_of(admission, ipv4(host), 5, start);
  for (std::uint32_t host = 100; host < 108; ++host) {
    EXPECT_EQ(admitted_of(admission, ipv4(host), 9, start + 250ms), 5);
  }
}

TEST(Admission, load_begins_above_half_of_the_connections_and_ends_with_them)
{
  Admission admission;
  for (std::uint32_t host = 0; host < 8; ++host)
    EXPECT_TRUE(admission.try_admit(ipv4(host), start));
  EXPECT_FALSE(admission.under_load(start));
  EXPECT_TRUE(admission.try_admit(ipv4(8), start));
  EXPECT_TRUE(admission.under_load(start + 1h));
  admission.release(ipv4(8));
  EXPECT_FALSE(admission.under_load(start));
}

TEST(Admission, many_refusals_within_a_second_are_load_and_then_pass)
{
  Admission admission;
  EXPECT_EQ(admitted_of(admission, ipv4(1), 5 + 19, start), 5);
  EXPECT_FALSE(admission.under_load(start));
  EXPECT_FALSE(admit_and_release(admission, ipv4(1), start));
  EXPECT_TRUE(admission.under_load(start));
  EXPECT_TRUE(admission.under_load(start + 900ms));
  EXPECT_FALSE(admission.under_load(start + 1s));
  EXPECT_EQ(admission.counters().refused_rate, 20U);
  EXPECT_EQ(admitted_of(admission, ipv4(1), 5 + 19, start + 1s), 5);
  EXPECT_FALSE(admission.under_load(start + 1s));
}

TEST(Admission, random_strangers_never_break_a_limit)
{
  for (std::uint32_t seed = 0; seed < 10; ++seed) {
    std::mt19937 random(seed);
    const AdmissionLimits limits{.max_connections = 6, .rate_per_s = 10, .burst = 3, .table = 16};
    Admission admission(limits, seed);
    std::vector<std::uint32_t> held;
    std::vector<double> admitted(40, 0);
    std::uint64_t attempts = 0;
    auto now = start;
    for (int step = 0; step < 20000; ++step) {
      now += std::chrono::microseconds(random() % 4000);
      if (random() % 3 == 0 && !held.empty()) {
        std::swap(held[random() % held.size()], held.back());
        admission.release(ipv4(held.back()));
        held.pop_back();
        continue;
      }
      const auto host = static_cast<std::uint32_t>(random() % admitted.size());
      ++attempts;
      if (admission.try_admit(ipv4(host), now)) {
        held.push_back(host);
        admitted[host] += 1;
      }
      ASSERT_LE(held.size(), 6U);
      ASSERT_LE(std::count(held.begin(), held.end(), host), 2);
      ASSERT_EQ(admission.open(), held.size());
    }
    const auto & c = admission.counters();
    EXPECT_EQ(attempts, c.admitted + c.refused_total + c.refused_per_address + c.refused_rate);
    const auto seconds = std::chrono::duration<double>(now - start).count();
    // Its own bucket and, now and then, the shared one.
    for (const auto count : admitted) EXPECT_LE(count, 2 * (3 + 10 * seconds));
  }
}

}  // namespace pqc_tunnel
