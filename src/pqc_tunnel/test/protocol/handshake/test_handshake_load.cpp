// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "support/pair/traffic.hpp"

// The cost of registered drones at the ground station, and how long it keeps their state.

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

bool no_finish(Side from, Bytes & bytes) { return from != Side::drone || is_hello(bytes); }

TEST(GroundStation, does_one_job_per_drone_at_a_time_however_often_it_begins_anew)
{
  WiredPair::Options options;
  options.time_of_job = [](const Job & job) {
    return std::holds_alternative<IssuePrekey>(job) ? Duration(5s) : Duration(1ms);
  };
  WiredPair pair(options);
  for (int i = 0; i < 100; ++i) {
    pair.run_for(200ms);
    pair.restart(Side::drone);
  }
  EXPECT_LE(pair.jobs_run(Side::gcs), 5u);
  EXPECT_TRUE(pair.run_until([&] { return pair.agreed(); }, 30s));
}

TEST(GroundStation, makes_boot_keys_for_a_drone_about_once_a_second)
{
  WiredPair pair;
  pair.set_datagram_filter(no_finish);
  for (int i = 0; i < 100; ++i) {
    pair.run_for(100ms);
    pair.restart(Side::drone);
  }
  EXPECT_LE(pair.count(Side::gcs, EventKind::handshake_started), 3u + 10 + 1);
  EXPECT_GT(pair.gcs().strangers().over_limit, 0u);
  pair.set_datagram_filter(nullptr);
  EXPECT_TRUE(pair.run_until([&] { return pair.agreed(); }, 10s));
}

TEST(GroundStation, keeps_one_attempt_of_a_drone_the_newest_that_proved_itself)
{
  WiredPair pair;
  pair.set_datagram_filter(no_finish);
  pair.run_for(100ms);
  EXPECT_EQ(pair.snapshot(Side::gcs).state, PeerState::handshaking);
  for (int i = 0; i < 5; ++i) {
    pair.restart(Side::drone);
    pair.run_for(1100ms);
  }
  EXPECT_EQ(pair.count(Side::gcs, EventKind::handshake_started), 6u);
  pair.run_for(14s);
  EXPECT_EQ(pair.count(Side::gcs, EventKind::handshake_completed), 0u);
}

TEST(GroundStation, ends_an_attempt_that_does_not_get_on)
{
  WiredPair pair;
  pair.set_datagram_filter([](Side from, Bytes & bytes) {
    static bool silent = false;
    silent = silent || (from == Side::gcs && !is_hello(bytes));
    return from == Side::gcs || !silent;
  });
  pair.run_for(14900ms);
  EXPECT_EQ(pair.snapshot(Side::gcs).state, PeerState::handshaking);
  EXPECT_FALSE(pair.saw(Side::gcs, EventKind::handshake_failed));
  pair.run_for(300ms);
  EXPECT_TRUE(pair.saw(Side::gcs, EventKind::handshake_failed));
  EXPECT_EQ(pair.snapshot(Side::gcs).state, PeerState::disconnected);
}

}  // namespace
}  // namespace pqc_tunnel::test
