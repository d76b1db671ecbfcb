// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "support/traffic.hpp"

// Minutes of random mishaps, the same ones for the same seed. A failure names its seed.

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

const std::vector<const Suite *> & suites()
{
  static const std::vector<const Suite *> chosen = {
    &suite("cs-mlkem512-aesgcm-mldsa44"), &suite("cs-mlkem512-chacha20poly1305-falcon512"),
    &suite("cs-mlkem768-ascon128a-mldsa65"), &suite("cs-mlkem1024-asconaead128-mldsa87")};
  return chosen;
}

// What goes wrong, each as a probability: per datagram, per piece of a stream, or per 100 ms.
struct Weather
{
  double loss = 0;
  double duplication = 0;
  double corruption = 0;
  Duration reordering{};  // the longest extra delay of a datagram
  double stream_loss = 0;
  double stream_corruption = 0;
  double cut = 0;
  double bad_tcp = 0;  // changes between refused, silent and working
  double crash = 0;
  double rekey = 0;
};

class RandomSchedule
{
public:
  RandomSchedule(std::uint64_t seed, const Weather & weather)
  : weather_(weather), dice_(seed * 7919), pair_(options(seed)), traffic_(pair_)
  {
  }

  void storm(Duration duration)
  {
    pair_.set_channel([this](Side, Bytes & bytes) { return travel(bytes); });
    pair_.set_stream_filter([this](Side, Bytes & bytes) { return travels_by_stream(bytes); });
    for (const Instant end = pair_.now() + duration; pair_.now() < end;) {
      if (chance(weather_.crash)) {
        pair_.restart(either());
      }
      if (chance(weather_.cut)) {
        pair_.cut_connections();
      }
      if (chance(weather_.bad_tcp)) {
        pair_.set_tcp(chance(0.7) ? Tcp::works : chance(0.7) ? Tcp::refused : Tcp::silent);
      }
      if (chance(weather_.rekey)) {
        const Side side = either();
        const auto pick = static_cast<std::size_t>(dice_.uniform() * 5);
        pair_.end(side).request_rekey(
          PeerIndex{0}, pick < 4 ? suites()[pick] : nullptr, "test", pair_.now());
        ++asked_[side];
      }
      traffic_.run_for(100ms, 20ms);
      check();
    }
  }
  void calm()
  {
    pair_.set_channel(nullptr);
    pair_.set_stream_filter(nullptr);
    pair_.set_tcp(Tcp::works);
  }
  // Whatever was under way comes to its end, and both ends send under the same keys again.
  void expect_recovery()
  {
    EXPECT_TRUE(traffic_.run_until([&] { return pair_.agreed(); }, 30s, 20ms));
    pair_.run_for(125s);  // until the last question is answered
    for (const Side side : both_sides) {
      pair_.received(side).clear();
    }
    Traffic afterwards(pair_);
    afterwards.run_for(4s, 20ms);
    pair_.run_for(100ms);
    EXPECT_TRUE(pair_.agreed());
    for (const Side side : both_sides) {
      EXPECT_TRUE(afterwards.arrived_exactly(side));
    }
    pair_.drone().request_rekey(PeerIndex{0}, suites().front(), "test", pair_.now());
    ++asked_[Side::drone];
    pair_.run_for(1s);
    EXPECT_TRUE(pair_.outcomes(Side::drone).back().success)
      << pair_.outcomes(Side::drone).back().message;
    for (const Side side : both_sides) {
      if (weather_.crash == 0) {
        EXPECT_EQ(pair_.outcomes(side).size(), asked_[side]);
      } else {
        EXPECT_LE(pair_.outcomes(side).size(), asked_[side]);
      }
    }
  }

  WiredPair & pair() { return pair_; }
  Traffic & traffic() { return traffic_; }

private:
  static WiredPair::Options options(std::uint64_t seed)
  {
    WiredPair::Options options;
    options.settings.initial_suite = suites().front();
    options.settings.suites = SuitePolicy(suites());
    for (const Suite * one : suites()) {
      options.identities.push_back(one->signature);
    }
    options.seed = seed;
    return options;
  }
  bool chance(double probability) { return dice_.uniform() < probability; }
  Side either() { return chance(0.5) ? Side::drone : Side::gcs; }
  void corrupt(Bytes & bytes)
  {
    const auto at = static_cast<std::size_t>(dice_.uniform() * static_cast<double>(bytes.size()));
    bytes[at] ^= static_cast<std::uint8_t>(1 + dice_.uniform() * 255);
  }

  std::vector<Duration> travel(Bytes & bytes)
  {
    if (chance(weather_.corruption)) {
      corrupt(bytes);
    }
    std::vector<Duration> copies;
    for (const bool there : {!chance(weather_.loss), chance(weather_.duplication)}) {
      if (there) {
        copies.push_back(
          std::chrono::duration_cast<Duration>(weather_.reordering * dice_.uniform()));
      }
    }
    return copies;
  }
  bool travels_by_stream(Bytes & bytes)
  {
    if (chance(weather_.stream_corruption)) {
      corrupt(bytes);
    }
    return !chance(weather_.stream_loss);
  }

  // What holds all along.
  void check()
  {
    for (const Side side : both_sides) {
      ASSERT_TRUE(traffic_.arrived_at_most_once(side));
      const auto snapshot = pair_.snapshot(side);
      ASSERT_TRUE(snapshot.suite == nullptr || std::ranges::count(suites(), snapshot.suite) == 1);
    }
    // Nothing that the network does counts against a suite.
    ASSERT_TRUE(pair_.drone().blacklist(PeerIndex{0}, pair_.now()).empty());
  }

  Weather weather_;
  SeededRandom dice_;
  WiredPair pair_;
  Traffic traffic_;
  std::map<Side, std::size_t> asked_;
};

void through(std::uint64_t seeds, const Weather & weather)
{
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomSchedule schedule(seed, weather);
    schedule.storm(40s);
    schedule.calm();
    schedule.expect_recovery();
    if (testing::Test::HasFailure()) {
      return;
    }
  }
}

TEST(RandomSchedule, of_every_mishap_at_once_ends_in_agreement)
{
  through(
    60, {.loss = 0.2,
         .duplication = 0.1,
         .corruption = 0.05,
         .reordering = 60ms,
         .stream_loss = 0.05,
         .stream_corruption = 0.05,
         .cut = 0.02,
         .bad_tcp = 0.03,
         .crash = 0.01,
         .rekey = 0.1});
}

TEST(RandomSchedule, of_constant_crashes_ends_in_agreement)
{
  through(20, {.loss = 0.05, .reordering = 30ms, .crash = 0.2, .rekey = 0.3});
}

TEST(RandomSchedule, of_heavy_loss_ends_in_agreement)
{
  through(20, {.loss = 0.7, .duplication = 0.3, .reordering = 100ms, .rekey = 0.2});
}

TEST(RandomSchedule, of_rekeys_with_any_trouble_over_tcp_loses_no_datagram)
{
  const Weather weather = {
    .duplication = 0.2,
    .reordering = 15ms,
    .stream_loss = 0.05,
    .stream_corruption = 0.1,
    .cut = 0.05,
    .bad_tcp = 0.1,
    .rekey = 0.3};
  std::size_t rekeys = 0;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomSchedule schedule(seed, weather);
    ASSERT_TRUE(schedule.pair().establish());
    schedule.storm(60s);
    schedule.calm();
    schedule.pair().run_for(200ms);
    rekeys += schedule.pair().snapshot(Side::drone).rekeys;
    for (const Side side : both_sides) {
      ASSERT_EQ(schedule.pair().received(side).size(), schedule.traffic().sent(other(side)));
      ASSERT_EQ(schedule.pair().drops(side), schedule.pair().drops(side, Drop::replay));
      ASSERT_FALSE(schedule.pair().saw(side, EventKind::peer_lost));
    }
    schedule.expect_recovery();
    if (HasFailure()) {
      return;
    }
  }
  EXPECT_GT(rekeys, 100u);
}

}  // namespace
}  // namespace pqc_tunnel::test
