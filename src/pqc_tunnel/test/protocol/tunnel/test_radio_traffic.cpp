// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "link/framing/cobs.hpp"
#include "link/shaping/shaped_line.hpp"
#include "support/pair/wired_pair.hpp"

// MAVLink of a vehicle over the radio of the profile sik-57600: how long heartbeats and commands wait behind the rest.

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

constexpr int messages_per_s = 320;
constexpr std::size_t mtu = 240;
constexpr std::size_t radio_queue = 2048;
constexpr double air_bytes_per_s = 57600.0 / 8;  // shared by both directions
constexpr Duration least_delay = 15ms;
constexpr Duration jitter = 20ms;
constexpr double loss = 0.02;

// Both tunnels with their queues, on one radio link.
class Flight
{
public:
  explicit Flight(const std::string & suite_id) : pair_(options(suite_id))
  {
    pair_.set_channel([this](Side from, Bytes & frame) { return travel(from, frame); });
  }

  WiredPair & pair() { return pair_; }

  // The vehicle streams all its states, more than the radio carries; both ends send heartbeats and commands.
  void fly(Duration duration)
  {
    constexpr Duration spacing = std::chrono::nanoseconds(1'000'000'000 / messages_per_s);
    constexpr std::uint32_t states[] = {30, 32, 33, 24, 74, 1, 65, 36, 62, 241, 193, 147};
    for (const Instant end = pair_.now() + duration; pair_.now() < end; ++turn_) {
      if (turn_ % messages_per_s == 0) {
        urgent(Side::drone, heartbeat);
        urgent(Side::gcs, heartbeat);
      }
      if (turn_ % 64 == 10) {
        urgent(Side::gcs, command_long);
      }
      if (turn_ % 64 == 40) {
        urgent(Side::drone, 77);  // COMMAND_ACK
      }
      const auto number = static_cast<std::uint32_t>(turn_);
      pair_.offer(Side::drone, mavlink(states[turn_ % std::size(states)], number, 20 + turn_ % 25));
      pair_.run_for(spacing);
      note_arrivals();
    }
  }

  // Seconds from offering to arrival; those that the radio lost are not in it.
  double percentile_99(Side from)
  {
    auto & waits = waits_[from];
    std::ranges::sort(waits);
    return waits.at(waits.size() * 99 / 100);
  }
  double arrived(Side from) { return static_cast<double>(waits_[from].size()) / offered_[from]; }
  std::size_t telemetry() const { return telemetry_; }
  std::size_t overflows() const { return overflows_; }
  std::size_t out_of_order() const { return out_of_order_; }
  void forget()
  {
    waits_.clear();
    offered_.clear();
    pending_.clear();
    telemetry_ = overflows_ = 0;
  }

private:
  static WiredPair::Options options(const std::string & suite_id)
  {
    WiredPair::Options options;
    options.suite = suite_id;
    options.latency = least_delay;
    options.settings.suites = SuitePolicy({&suite(suite_id)});
    options.settings.paths.links = {radio(57.6, mtu)};
    return options;
  }

  // The radio keeps the order.
  std::vector<Duration> travel(Side from, const Bytes & frame)
  {
    const auto time_for = [](std::size_t bytes) {
      return from_seconds(static_cast<double>(bytes) / air_bytes_per_s);
    };
    const std::size_t size = cobs_bound(frame.size());
    const Instant now = pair_.now();
    if (free_at_ > now && free_at_ - now + time_for(size) > time_for(radio_queue)) {
      ++overflows_;
      return {};
    }
    free_at_ = std::max(free_at_, now) + time_for(size);
    if (dice_.uniform() < loss) {
      return {};
    }
    const auto late = std::chrono::duration_cast<Duration>(jitter * dice_.uniform());
    Instant & arrival = arrival_[from];
    arrival = std::max(arrival, free_at_ + late);
    return {arrival - now};
  }

  void urgent(Side from, std::uint32_t message)
  {
    const auto number = static_cast<std::uint32_t>(urgent_number + turn_);
    pending_[{from, message, number}] = pair_.now();
    offered_[from] += 1;
    pair_.offer(from, mavlink(message, number));
  }
  void note_arrivals()
  {
    for (const Side from : both_sides) {
      for (const Bytes & datagram : pair_.received(other(from))) {
        std::uint32_t number = 0;
        for (std::size_t i = 0; i < 4; ++i) {
          number |= static_cast<std::uint32_t>(datagram.at(10 + i)) << (8 * i);
        }
        // Both ends have one sender each.
        out_of_order_ += number % urgent_number < newest_[from] ? 1 : 0;
        newest_[from] = number % urgent_number;
        const auto found = pending_.find({from, datagram.at(7), number});
        if (found == pending_.end()) {
          ++telemetry_;
          continue;
        }
        waits_[from].push_back(std::chrono::duration<double>(pair_.now() - found->second).count());
        pending_.erase(found);
      }
      pair_.received(other(from)).clear();
    }
  }

  static constexpr std::uint32_t urgent_number = 1'000'000;

  SeededRandom dice_{9};
  std::map<Side, Instant> arrival_;
  std::map<Side, std::uint32_t> newest_;
  std::size_t out_of_order_ = 0;
  Instant free_at_;
  std::size_t turn_ = 0;
  std::map<std::tuple<Side, std::uint32_t, std::uint32_t>, Instant> pending_;
  std::map<Side, std::vector<double>> waits_;
  std::map<Side, double> offered_;
  std::size_t telemetry_ = 0;
  std::size_t overflows_ = 0;
  WiredPair pair_;
};

void expect_promptness(Flight & flight)
{
  for (const Side from : both_sides) {
    std::cout << (from == Side::drone ? "from the drone: " : "from the ground: ")
              << flight.percentile_99(from) << " s, " << flight.arrived(from) << " arrived\n";
    EXPECT_LE(flight.percentile_99(from), 0.25);
    EXPECT_GE(flight.arrived(from), 0.95);
  }
  EXPECT_EQ(flight.out_of_order(), 0u);
  std::cout << flight.telemetry() << " telemetry, " << flight.overflows() << " overflows\n";
}

TEST(RadioTraffic, heartbeats_and_commands_wait_for_telemetry_at_most_a_quarter_of_a_second)
{
  Flight flight("cs-mlkem768-aesgcm-mldsa65");
  ASSERT_TRUE(flight.pair().establish());
  ASSERT_TRUE(
    flight.pair().run_until([&] { return flight.pair().snapshot(Side::drone).prekeys > 0; }, 300s));
  flight.fly(2s);
  flight.forget();
  flight.fly(120s);
  expect_promptness(flight);
  // What is left of the radio carries the newest states.
  EXPECT_GE(flight.telemetry(), 60u * 120u);
}

TEST(RadioTraffic, heartbeats_and_commands_wait_for_a_prekey_at_most_a_quarter_of_a_second)
{
  // A public key of 261 kB: the stream takes longer than this test.
  Flight flight("cs-classicmceliece348864-aesgcm-mldsa44");
  ASSERT_TRUE(flight.pair().run_until([&] { return flight.pair().agreed(); }, 300s));
  flight.fly(5s);
  flight.forget();
  flight.fly(25s);
  ASSERT_EQ(flight.pair().snapshot(Side::drone).prekeys, 0u);
  expect_promptness(flight);
}

TEST(RadioTraffic, heartbeats_and_commands_wait_for_rekeys_at_most_a_quarter_of_a_second)
{
  Flight flight("cs-mlkem768-aesgcm-mldsa65");
  ASSERT_TRUE(flight.pair().establish());
  flight.fly(2s);
  flight.forget();
  for (int i = 0; i < 12; ++i) {
    flight.pair().drone().request_rekey(rekey_to(nullptr), flight.pair().now());
    flight.fly(10s);
  }
  EXPECT_GE(flight.pair().outcomes(Side::drone).size(), 10u);
  for (const RekeyReply & outcome : flight.pair().outcomes(Side::drone)) {
    EXPECT_TRUE(outcome.success) << outcome.message;
  }
  expect_promptness(flight);
}

}  // namespace
}  // namespace pqc_tunnel::test
