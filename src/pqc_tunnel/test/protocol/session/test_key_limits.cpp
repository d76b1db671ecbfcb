// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "support/hostile/insider.hpp"
#include "support/pair/traffic.hpp"

// How long keys are used: by age, by packets, by epochs.

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

WiredPair::Options with_age(Duration age)
{
  WiredPair::Options options;
  options.settings.max_key_age = age;
  return options;
}

WiredPair::Options with_packet_limits(std::uint64_t ask, std::uint64_t refuse)
{
  WiredPair::Options options;
  options.settings.packet_limits = {ask, refuse};
  return options;
}

TEST(KeyAge, makes_the_drone_rekey_by_itself)
{
  WiredPair pair(with_age(10min));
  ASSERT_TRUE(pair.establish());
  pair.run_for(9min + 59s);
  EXPECT_EQ(pair.snapshot(Side::drone).rekeys, 0u);
  pair.run_for(2s);
  EXPECT_EQ(pair.snapshot(Side::drone).rekeys, 1u);
  EXPECT_EQ(pair.count(Side::drone, EventKind::key_limit), 1u);
  pair.run_for(50min);
  EXPECT_EQ(pair.snapshot(Side::drone).rekeys, 6u);
}

TEST(KeyAge, counts_from_the_latest_rekey_of_either_end)
{
  WiredPair pair(with_age(10min));
  ASSERT_TRUE(pair.establish());
  pair.run_for(6min);
  pair.gcs().request_rekey(rekey_to(nullptr), pair.now());
  pair.run_for(6min);
  EXPECT_EQ(pair.snapshot(Side::drone).rekeys, 1u);
  pair.run_for(5min);
  EXPECT_EQ(pair.snapshot(Side::drone).rekeys, 2u);
}

TEST(KeyAge, of_zero_never_rekeys)
{
  WiredPair pair(with_age(Duration{}));
  ASSERT_TRUE(pair.establish());
  pair.run_for(5h);
  EXPECT_EQ(pair.snapshot(Side::drone).rekeys, 0u);
  EXPECT_TRUE(pair.agreed());
}

TEST(KeyAge, never_cuts_the_link_though_no_rekey_succeeds)
{
  WiredPair pair(with_age(10min));
  ASSERT_TRUE(pair.establish());
  pair.set_job_filter([](Side, Job & job) -> std::optional<JobResult> {
    return std::holds_alternative<CompleteFinish>(job)
             ? std::optional(JobFailed{JobError::unauthenticated, "made to fail by the test"})
             : std::nullopt;
  });
  pair.run_for(29min);
  Traffic traffic(pair);
  traffic.run_for(100ms);
  pair.run_for(50ms);
  EXPECT_TRUE(traffic.arrived_exactly(Side::drone));
  EXPECT_TRUE(traffic.arrived_exactly(Side::gcs));
  EXPECT_EQ(pair.snapshot(Side::drone).epoch, Epoch{0});
  // It tries about once a minute, and reports it.
  EXPECT_GE(pair.count(Side::drone, EventKind::key_limit), 10u);
  EXPECT_LE(pair.count(Side::drone, EventKind::key_limit), 20u);
  pair.set_job_filter(nullptr);
  pair.run_for(2min);
  EXPECT_EQ(pair.snapshot(Side::drone).rekeys, 1u);
}

class PacketLimit : public testing::TestWithParam<Side>
{
};

// The end's own frames, too: reports, questions and answers would leave as they are.
TEST_P(PacketLimit, once_reached_lets_nothing_leave_unsealed)
{
  auto options = with_packet_limits(1u << 20, 300);
  options.settings.paths.links.front().mtu = universal_payload;
  WiredPair pair(options);
  ASSERT_TRUE(pair.establish());
  for (const Side side : both_sides) {
    pair.hold_jobs(side, true);
  }
  for (std::uint32_t n = 0; n < 400; ++n) {
    pair.send(GetParam(), numbered(n));
  }
  EXPECT_FALSE(pair.send(GetParam(), Bytes(universal_payload)));  // in fragments
  pair.datagrams_sent(GetParam()).clear();
  pair.run_for(3s);
  for (const Bytes & datagram : pair.datagrams_sent(GetParam())) {
    EXPECT_TRUE(is_hello(datagram) || decode_frame_header(datagram)->key_id != FrameKeyId{});
  }
}

TEST_P(PacketLimit, makes_the_drone_rekey_whichever_direction_reached_it)
{
  WiredPair pair(with_packet_limits(1000, 1u << 20));
  ASSERT_TRUE(pair.establish());
  for (std::uint32_t n = 0; n < 900; ++n) {
    pair.send(GetParam(), numbered(n));
  }
  pair.run_for(5s);
  EXPECT_EQ(pair.snapshot(Side::drone).rekeys, 0u);
  for (std::uint32_t n = 0; n < 100; ++n) {
    pair.send(GetParam(), numbered(n));
  }
  pair.run_for(2s);
  EXPECT_EQ(pair.snapshot(Side::drone).rekeys, 1u);
  EXPECT_TRUE(pair.saw(Side::drone, EventKind::key_limit));
  EXPECT_TRUE(pair.agreed());
}

TEST_P(PacketLimit, once_reached_for_good_ends_the_use_of_the_keys_and_a_new_session_follows)
{
  WiredPair pair(with_packet_limits(1000, 2000));
  ASSERT_TRUE(pair.establish());
  pair.hold_jobs(Side::drone, true);  // so that no rekey helps in time
  const Side from = GetParam();
  std::uint32_t sent = 0;
  while (sent < 3000 && pair.send(from, numbered(sent))) {
    ++sent;
  }
  EXPECT_LT(sent, 2000u);
  EXPECT_EQ(pair.snapshot(from).packets_under_key, 2000u);
  EXPECT_EQ(pair.drops(from, Drop::no_session), 1u);
  pair.run_for(20s);
  EXPECT_FALSE(pair.send(from, numbered(1)));
  const SessionId spent = pair.snapshot(Side::drone).session;

  pair.hold_jobs(Side::drone, false);
  pair.run_for(40s);
  EXPECT_TRUE(pair.agreed());
  EXPECT_NE(pair.snapshot(Side::drone).session, spent);
  EXPECT_TRUE(pair.send(from, numbered(1)));
  pair.run_for(50ms);
  EXPECT_EQ(pair.received(other(from)).size(), sent + 1);
}

TEST_P(PacketLimit, holds_at_the_receiver_if_the_sender_ignores_it)
{
  WiredPair pair(with_packet_limits(1 << 20, Insider::first_sequence + 1));
  Insider insider(pair);
  ASSERT_TRUE(pair.establish());
  // The receiver takes one more than the insider has skipped.
  const Bytes last = insider.seal(GetParam(), FrameKind::data, numbered(1));
  const Bytes beyond = insider.seal(GetParam(), FrameKind::data, numbered(2));
  const Side to = other(GetParam());
  EXPECT_FALSE(pair.inject(to, beyond).peer);
  EXPECT_EQ(pair.drops(to, Drop::decrypt_fail), 1u);
  EXPECT_TRUE(pair.inject(to, last).peer);
}

std::string direction(const testing::TestParamInfo<Side> & info)
{
  return info.param == Side::drone ? "up" : "down";
}

INSTANTIATE_TEST_SUITE_P(BothWays, PacketLimit, testing::Values(Side::drone, Side::gcs), direction);

TEST(EpochLimit, makes_the_256th_rekey_a_new_session_without_losing_a_datagram)
{
  WiredPair::Options options;
  options.suite = "cs-mlkem512-aesgcm-mldsa44";
  WiredPair pair(options);
  ASSERT_TRUE(pair.establish());
  Traffic traffic(pair);
  const SessionId first = pair.snapshot(Side::drone).session;
  for (std::size_t n = 1; n <= 260; ++n) {
    pair.drone().request_rekey(rekey_to(nullptr), pair.now());
    ASSERT_TRUE(traffic.run_until([&] { return pair.outcomes(Side::drone).size() == n; }, 5s, 5ms));
    ASSERT_TRUE(pair.outcomes(Side::drone).back().success) << n;
    ASSERT_EQ(pair.snapshot(Side::drone).epoch, Epoch{static_cast<std::uint8_t>(n % 256)});
    ASSERT_EQ(pair.snapshot(Side::drone).session == first, n <= 255) << n;
  }
  pair.run_for(50ms);
  EXPECT_TRUE(pair.agreed());
  for (const Side side : both_sides) {
    EXPECT_TRUE(traffic.arrived_exactly(side));
    EXPECT_EQ(pair.drops(side), 0u);
  }
  EXPECT_EQ(pair.snapshot(Side::drone).rekeys, 260u);
  EXPECT_EQ(pair.snapshot(Side::gcs).rekeys, 260u);
}

TEST(PrekeyAge, ends_a_prekey_at_the_ground_station_and_the_drone_fetches_another)
{
  WiredPair::Options options = with_age(Duration{});
  options.gcs_settings = options.settings;
  options.gcs_settings->prekey_pool.max_age = 60s;
  WiredPair pair(options);
  ASSERT_TRUE(pair.establish());
  pair.run_for(5s);
  EXPECT_GE(pair.snapshot(Side::gcs).prekeys, 1u);
  pair.run_for(60s);
  EXPECT_EQ(pair.snapshot(Side::gcs).prekeys, 0u);
  EXPECT_GE(pair.snapshot(Side::drone).prekeys, 1u);
  pair.drone().request_rekey(rekey_to(nullptr), pair.now());
  ASSERT_TRUE(pair.run_until([&] { return !pair.outcomes(Side::drone).empty(); }, 10s));
  EXPECT_TRUE(pair.outcomes(Side::drone).front().success);
  EXPECT_TRUE(pair.saw(Side::drone, EventKind::rekey_prepared));
  EXPECT_TRUE(pair.snapshot(Side::drone).blacklist.empty());
}

TEST(PrekeyAge, ends_the_prekeys_of_a_drone)
{
  WiredPair::Options options = with_age(Duration{});
  options.settings.wipe_after = Duration{};
  WiredPair pair(options);
  ASSERT_TRUE(pair.establish());
  pair.run_for(5s);
  EXPECT_GE(pair.snapshot(Side::drone).prekeys, 1u);
  pair.set_datagram_filter([](Side, Bytes &) { return false; });
  pair.run_for(prekey_lifetime);
  EXPECT_EQ(pair.snapshot(Side::drone).prekeys, 0u);
}

}  // namespace
}  // namespace pqc_tunnel::test
