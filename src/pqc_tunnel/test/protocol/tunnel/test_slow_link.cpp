// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "support/pair/traffic.hpp"

// A round trip of up to 20 s: sessions begin, and live like those of a short link, where max_age permits it.

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

class SlowLink : public ::testing::TestWithParam<Duration>
{
protected:
  SlowLink()
  {
    options.latency = GetParam();
    options.settings.max_age = GetParam() + 1s;
    options.identities = {SignatureAlgorithm::ml_dsa_87};
    options.settings.suites = SuitePolicy({&suite(options.suite), &heavier});
  }

  // Both ends send ten datagrams a second; what arrives is counted.
  void fly(WiredPair & pair, Duration time)
  {
    const Instant end = pair.now() + time;
    while (pair.now() < end) {
      for (const Side side : both_sides) {
        pair.send(side, Bytes(40));
        arrived[side] += pair.received(side).size();
        pair.received(side).clear();
      }
      pair.run_for(100ms);
    }
  }

  Duration round_trip() const { return 2 * GetParam(); }

  const Suite & heavier = suite("cs-mlkem1024-aesgcm-mldsa87");
  WiredPair::Options options;
  std::map<Side, std::size_t> arrived;
};

TEST_P(SlowLink, begins_a_session_after_a_few_round_trips)
{
  WiredPair pair(options);
  EXPECT_TRUE(pair.run_until([&] { return pair.agreed(); }, 5 * round_trip() + 10s));
}

TEST_P(SlowLink, keeps_its_session_and_delivers_all_datagrams)
{
  WiredPair pair(options);
  ASSERT_TRUE(pair.run_until([&] { return pair.agreed(); }, 3min));
  pair.run_for(2 * round_trip());
  fly(pair, 2min);
  fly(pair, round_trip());
  for (const Side side : both_sides) {
    EXPECT_FALSE(pair.saw(side, EventKind::peer_lost));
    EXPECT_EQ(pair.snapshot(side).likely_cause, "");
    EXPECT_EQ(pair.drops(side, Drop::stale), 0u);
    EXPECT_GE(arrived[side], 1200u);
  }
  EXPECT_EQ(pair.count(Side::drone, EventKind::handshake_completed), 1u);
}

TEST_P(SlowLink, rekeys_with_and_without_a_prekey_and_ratchets)
{
  WiredPair pair(options);
  ASSERT_TRUE(pair.run_until([&] { return pair.agreed(); }, 3min));
  pair.drone().request_rekey(rekey_to(&heavier), pair.now());
  ASSERT_TRUE(pair.run_until([&] { return pair.outcomes(Side::drone).size() == 1; }, 3min));
  EXPECT_TRUE(pair.outcomes(Side::drone)[0].success) << pair.outcomes(Side::drone)[0].message;
  pair.run_for(2min);
  ASSERT_GE(pair.snapshot(Side::drone).prekeys, 1u);
  RekeyCommand ratchet = rekey_to(nullptr);
  ratchet.ratchet = true;
  pair.drone().request_rekey(ratchet, pair.now());
  ASSERT_TRUE(pair.run_until([&] { return pair.outcomes(Side::drone).size() == 2; }, 3min));
  EXPECT_TRUE(pair.outcomes(Side::drone)[1].success) << pair.outcomes(Side::drone)[1].message;
  EXPECT_EQ(pair.count(Side::drone, EventKind::handshake_completed), 1u);
}

TEST_P(SlowLink, finds_a_ground_station_or_drone_that_starts_again)
{
  WiredPair pair(options);
  ASSERT_TRUE(pair.run_until([&] { return pair.agreed(); }, 3min));
  for (const Side side : both_sides) {
    const SessionId former = pair.snapshot(Side::drone).session;
    pair.restart(side);
    EXPECT_TRUE(pair.run_until(
      [&] { return pair.agreed() && pair.snapshot(Side::drone).session != former; },
      8 * round_trip() + 20s));
  }
}

TEST(SlowLinkAddress, of_the_drone_is_followed)
{
  WiredPair::Options options;
  options.latency = 2500ms;
  options.settings.max_age = 3s;
  WiredPair pair(options);
  ASSERT_TRUE(pair.run_until([&] { return pair.agreed(); }, 3min));
  pair.move_to(Side::drone, WiredPair::stranger(7));
  pair.run_for(20s);
  EXPECT_EQ(pair.snapshot(Side::gcs).address, WiredPair::stranger(7));
  EXPECT_FALSE(pair.saw(Side::drone, EventKind::peer_lost));
}

TEST_P(SlowLink, that_loses_a_fifth_begins_too)
{
  WiredPair pair(options);
  SeededRandom random(3);
  pair.set_datagram_filter([&](Side, Bytes &) { return random.uniform() > 0.2; });
  EXPECT_TRUE(pair.run_until([&] { return pair.agreed(); }, 5min));
}

INSTANTIATE_TEST_SUITE_P(
  OneWay, SlowLink, ::testing::Values(600ms, 1200ms, 2500ms, 5s, 10s), [](const auto & one_way) {
    return std::to_string(
      std::chrono::duration_cast<std::chrono::milliseconds>(one_way.param).count());
  });

TEST(SlowLinkCause, is_that_answers_come_late_and_not_a_blocked_port)
{
  WiredPair::Options options;
  options.latency = 15s;
  WiredPair pair(options);
  pair.run_for(3min);
  EXPECT_FALSE(pair.saw(Side::drone, EventKind::handshake_completed));
  const std::string expected =
    "gcs_address answers, but only after 30 s: no session begins over a link that takes longer "
    "than 20 s";
  EXPECT_EQ(pair.snapshot(Side::drone).likely_cause, expected);
  EXPECT_TRUE(pair.reported(Side::drone, EventKind::handshake_failed, expected));
}

TEST(SlowLinkCause, is_forgotten_when_no_answers_come_any_more)
{
  WiredPair::Options options;
  options.latency = 15s;
  WiredPair pair(options);
  pair.run_for(1min);
  pair.set_datagram_filter([](Side, Bytes &) { return false; });
  pair.run_for(3min);
  EXPECT_NE(pair.snapshot(Side::drone).likely_cause.find("blocked"), std::string::npos);
}

TEST(ShortLink, does_not_wait_longer_for_a_silent_peer_because_the_link_becomes_slow_in_flight)
{
  WiredPair pair;
  ASSERT_TRUE(pair.establish());
  pair.set_channel([](Side, Bytes &) { return std::vector<Duration>{10s}; });
  EXPECT_TRUE(pair.run_until([&] { return pair.saw(Side::drone, EventKind::peer_lost); }, 3100ms));
}

}  // namespace
}  // namespace pqc_tunnel::test
