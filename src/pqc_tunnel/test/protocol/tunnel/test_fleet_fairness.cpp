// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "protocol/wire/control_frame.hpp"
#include "support/pair/fleet.hpp"

// One drone asks for keys without end; the ground station has one worker. The others must not wait for it.

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

constexpr std::uint8_t fleet_size = 6;
constexpr std::size_t greedy = 0;
constexpr std::size_t newcomer = fleet_size - 1;
constexpr Duration job_time = 100ms;

// What the greedy drone does, each millisecond.
using Greed = std::function<void(Fleet &)>;

struct Waits
{
  Duration rekey{};      // of the slowest drone with a session
  Duration handshake{};  // of one that starts meanwhile
};

Waits waits(const Greed & greed)
{
  Fleet fleet(fleet_size, 0, job_time);
  for (std::size_t i = 1; i < fleet_size; ++i) {
    fleet.silence(i);
  }
  EXPECT_TRUE(fleet.run_until([&] { return fleet.agreed(greedy); }, 10s));
  for (std::size_t i = 1; i < newcomer; ++i) {
    fleet.restart(i);
    fleet.silence(i, false);
  }
  const auto have_prekeys = [&] {
    for (std::size_t i = 1; i < newcomer; ++i) {
      if (!fleet.agreed(i) || fleet.at_drone(i).prekeys == 0) {
        return false;
      }
    }
    return true;
  };
  EXPECT_TRUE(fleet.run_until(have_prekeys, 30s));
  fleet.run_for(5s);

  const auto run = [&](const std::function<bool()> & done) {
    const Instant begin = fleet.now();
    EXPECT_TRUE(fleet.run_until(
      [&] {
        greed(fleet);
        return done();
      },
      60s));
    return fleet.now() - begin;
  };
  const auto run_on = [&] { run([&, end = fleet.now() + 5s] { return fleet.now() >= end; }); };
  run_on();
  Waits waits;
  for (std::size_t i = 1; i < newcomer; ++i) {
    fleet.drone(i).request_rekey(rekey_to(nullptr), fleet.now());
    const auto rekeyed = [&] { return fleet.at_drone(i).rekeys > 0 && fleet.agreed(i); };
    waits.rekey = std::max(waits.rekey, run(rekeyed));
  }
  run_on();  // the others fetch prekeys anew, which wait for the worker, too
  fleet.restart(newcomer);
  fleet.silence(newcomer, false);
  waits.handshake = run([&] { return fleet.agreed(newcomer); });
  return waits;
}

// A job that runs already, and one in front of each of the two that a key exchange takes at most.
void expect_little_more(const Waits & greedy_waits)
{
  static const Waits quiet = waits([](Fleet &) {});
  EXPECT_LE(greedy_waits.rekey, quiet.rekey + 3 * job_time);
  EXPECT_LE(greedy_waits.handshake, quiet.handshake + 3 * job_time);
}

TEST(GreedyDrone, that_wants_keys_without_end_delays_no_other_one)
{
  std::unique_ptr<EpochKeys> keys;
  std::uint32_t transaction = 0;
  const SuiteWireId suites[] = {
    suite("cs-mlkem512-aesgcm-mldsa44").wire_id, suite("cs-frodokem640aes-aesgcm-mldsa44").wire_id};
  expect_little_more(waits([&](Fleet & fleet) {
    if (!keys) {
      keys = fleet.stolen_keys(greedy);
    }
    fleet.say(greedy, *keys, encode({++transaction, Want{suites[transaction % 2]}}));
  }));
}

TEST(GreedyDrone, that_rekeys_without_end_delays_no_other_one)
{
  expect_little_more(waits(
    [](Fleet & fleet) { fleet.drone(greedy).request_rekey(rekey_to(nullptr), fleet.now()); }));
}

TEST(GreedyDrone, that_begins_sessions_without_end_delays_no_other_one)
{
  expect_little_more(waits([n = 0](Fleet & fleet) mutable {
    if (++n % 50 == 0) {
      fleet.restart(greedy);
    }
  }));
}

}  // namespace
}  // namespace pqc_tunnel::test
