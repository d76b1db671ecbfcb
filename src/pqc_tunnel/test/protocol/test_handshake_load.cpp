// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "pqc_tunnel/protocol/handshake_messages.hpp"
#include "support/traffic.hpp"

// The cost of admitted drones at the ground station, and how long it keeps their state.

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

WiredPair::Options slow_ground_station(Duration hello)
{
  WiredPair::Options options;
  options.time_of_job = [hello](const Job & job) {
    return std::holds_alternative<MakeServerHello>(job) ? hello : Duration(1ms);
  };
  return options;
}

TEST(GroundStation, processes_one_handshake_per_drone_at_a_time_however_often_it_connects)
{
  WiredPair pair(slow_ground_station(5s));
  for (int i = 0; i < 100; ++i) {
    pair.run_for(200ms);
    pair.restart(Side::drone);
  }
  EXPECT_LE(pair.jobs_run(Side::gcs), 5u);
  EXPECT_TRUE(
    pair.reported(Side::drone, EventKind::handshake_failed, "the ground station is busy"));
  EXPECT_TRUE(pair.reported(Side::gcs, EventKind::refused, "is still being computed"));
  EXPECT_TRUE(pair.run_until([&] { return pair.agreed(); }, 20s));
}

TEST(GroundStation, keeps_one_connection_of_a_drone_the_newest_that_proved_itself)
{
  WiredPair pair;
  // The finish never arrives, so the ground station waits on each connection.
  pair.set_stream_filter([](Side from, Bytes & bytes) {
    return from != Side::drone || bytes.size() == 4 + client_hello_size;
  });
  pair.run_for(100ms);
  EXPECT_EQ(pair.snapshot(Side::gcs).state, PeerState::handshaking);
  for (int i = 0; i < 10; ++i) {
    pair.restart(Side::drone);
    pair.run_for(100ms);
  }
  EXPECT_EQ(pair.count(Side::gcs, EventKind::handshake_started), 11u);
  pair.run_for(14s);
  EXPECT_EQ(pair.count(Side::gcs, EventKind::handshake_completed), 0u);
}

TEST(GroundStation, ends_a_handshake_after_its_time_limit)
{
  WiredPair pair;
  pair.set_stream_filter([](Side from, Bytes & bytes) {
    return from != Side::drone || bytes.size() == 4 + client_hello_size;
  });
  pair.run_for(14900ms);
  EXPECT_EQ(pair.snapshot(Side::gcs).state, PeerState::handshaking);
  EXPECT_FALSE(pair.saw(Side::gcs, EventKind::handshake_failed));
  pair.run_for(200ms);
  EXPECT_TRUE(pair.saw(Side::gcs, EventKind::handshake_failed));
}

// The jobs of a rekey at the ground station, this long after it made keys ahead that no drone used.
std::size_t jobs_of_a_rekey_after(Duration age)
{
  WiredPair::Options options;
  options.settings.max_key_age = Duration{};
  WiredPair pair(options);
  EXPECT_TRUE(pair.establish());
  const auto rekey = [&pair](std::size_t number) {
    pair.drone().request_rekey(rekey_to(nullptr), pair.now());
    EXPECT_TRUE(pair.run_until([&] { return pair.outcomes(Side::drone).size() == number; }));
    return pair.outcomes(Side::drone).back().success;
  };
  pair.set_tcp(Tcp::refused);
  EXPECT_FALSE(rekey(1));
  pair.set_tcp(Tcp::works);
  pair.run_for(age);
  const std::size_t jobs = pair.jobs_run(Side::gcs);
  EXPECT_TRUE(rekey(2));
  return pair.jobs_run(Side::gcs) - jobs;
}

TEST(GroundStation, keeps_keys_made_ahead_for_an_hour)
{
  EXPECT_EQ(jobs_of_a_rekey_after(59min), 2u);  // hello and finish
  EXPECT_EQ(jobs_of_a_rekey_after(61min), 3u);  // and the preparation
}

}  // namespace
}  // namespace pqc_tunnel::test
