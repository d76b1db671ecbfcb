// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <memory>

#include "link/framing/cobs.hpp"
#include "protocol/wire/control_frame.hpp"
#include "support/pair/traffic.hpp"

// Sessions, rekeys and ratchets over a telemetry radio of 57,600 baud, half duplex, that loses 2 % of its frames.

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

constexpr double bytes_per_s = 5760;

class Radio
{
public:
  Radio(const std::string & suite_id, double loss, std::uint64_t seed, double airtime = 0.05)
  : dice_(seed), loss_(loss), pair_(options(suite_id, seed, airtime))
  {
    pair_.set_channel([this](Side, Bytes & frame) { return travel(frame); });
  }

  WiredPair & pair() { return pair_; }
  std::size_t bytes() const { return bytes_; }
  double airtime() const { return static_cast<double>(bytes_) / bytes_per_s; }
  void count_anew() { bytes_ = 0; }

private:
  static WiredPair::Options options(
    const std::string & suite_id, std::uint64_t seed, double airtime)
  {
    WiredPair::Options options;
    options.suite = suite_id;
    options.seed = seed;
    options.latency = 20ms;
    options.settings.suites = SuitePolicy({&suite(suite_id)});
    options.settings.prefetch_airtime = airtime;
    options.settings.paths.links = {
      {.name = "radio", .type = LinkType::serial, .mtu = 320, .rate_kbit = 57.6}};
    return options;
  }

  // One frame after the other, whoever sends it.
  std::vector<Duration> travel(const Bytes & frame)
  {
    const std::size_t size = cobs_bound(frame.size());
    bytes_ += size;
    const std::chrono::duration<double> airtime(static_cast<double>(size) / bytes_per_s);
    free_at_ = std::max(free_at_, pair_.now()) + std::chrono::duration_cast<Duration>(airtime);
    if (dice_.uniform() < loss_) {
      return {};
    }
    return {free_at_ - pair_.now()};
  }

  SeededRandom dice_;
  double loss_;
  Instant free_at_;
  std::size_t bytes_ = 0;
  WiredPair pair_;
};

class ThinLink : public testing::TestWithParam<const char *>
{
};

TEST_P(ThinLink, has_a_first_session_after_little_more_than_the_airtime_of_its_bytes)
{
  // What it takes where nothing is lost.
  Radio lossless(GetParam(), 0, 1);
  ASSERT_TRUE(lossless.pair().establish());
  std::vector<double> ratios;
  for (std::uint64_t seed = 1; seed <= 15; ++seed) {
    Radio radio(GetParam(), 0.02, seed);
    const Instant begun = radio.pair().now();
    ASSERT_TRUE(radio.pair().establish());
    ratios.push_back(in_seconds(radio.pair().now() - begun) / lossless.airtime());
  }
  std::ranges::sort(ratios);
  EXPECT_LE(ratios[ratios.size() / 2], 1.5);
  std::cout << GetParam() << ": median " << ratios[ratios.size() / 2] << ", worst " << ratios.back()
            << " times the airtime\n";
}

INSTANTIATE_TEST_SUITE_P(
  Suites, ThinLink, testing::Values("cs-mlkem512-aesgcm-falcon512", "cs-mlkem768-aesgcm-mldsa65"),
  [](const auto & test) { return std::string(test.param).find("512") == 8 ? "level1" : "level3"; });

TEST(ThinLinkRekeys, take_what_the_arithmetic_says_and_a_ratchet_almost_nothing)
{
  const Suite & of = suite("cs-mlkem768-aesgcm-mldsa65");
  Radio radio(std::string(of.id), 0, 1);
  WiredPair & pair = radio.pair();
  ASSERT_TRUE(pair.run_until([&] { return pair.snapshot(Side::drone).prekeys > 0; }));
  pair.run_for(10s);  // until nothing waits before the radio
  const auto cost = [&](bool ratchet) {
    RekeyCommand command = rekey_to(nullptr);
    command.ratchet = ratchet;
    pair.outcomes(Side::drone).clear();
    pair.drone().request_rekey(command, pair.now());
    EXPECT_TRUE(pair.run_until([&] { return !pair.outcomes(Side::drone).empty(); }));
    EXPECT_TRUE(pair.outcomes(Side::drone).front().success);
    return static_cast<double>(pair.outcomes(Side::drone).front().timing.bytes);
  };
  const double ratchet = cost(true);
  const double full = cost(false);
  std::cout << "rekey " << full << " bytes, ratchet " << ratchet << " bytes\n";
  // The ciphertext, the opening, two MACs, four parts with their headers, acknowledgements, CONFIRM, two keep-alives.
  const auto ciphertext = static_cast<double>(kem_sizes(of.kem).ciphertext);
  EXPECT_GT(full, ciphertext + 150);
  EXPECT_LT(full, ciphertext + 700);
  // Once a minute: at most half a percent of the airtime.
  EXPECT_LT(ratchet, 0.005 * 60 * bytes_per_s);
}

class RekeyBytes : public testing::TestWithParam<const char *>
{
};

TEST_P(RekeyBytes, are_those_of_the_arithmetic)
{
  const Suite & of = suite(GetParam());
  WiredPair::Options options;
  options.suite = GetParam();
  options.settings.suites = SuitePolicy({&of});
  WiredPair pair(options);
  ASSERT_TRUE(pair.establish());
  ASSERT_TRUE(pair.run_until([&] { return pair.snapshot(Side::drone).prekeys > 0; }, 300s));
  pair.run_for(5s);
  bool reported = false;  // no other report of the link comes meanwhile
  pair.set_datagram_filter([&](Side from, const Bytes &) {
    reported = reported || from == Side::drone;
    return true;
  });
  ASSERT_TRUE(pair.run_until([&] { return reported; }));
  pair.run_for(100ms);
  std::size_t bytes = 0;
  pair.set_datagram_filter([&](Side, const Bytes & frame) {
    bytes += frame.size();
    return true;
  });
  pair.drone().request_rekey(rekey_to(nullptr), pair.now());
  ASSERT_TRUE(pair.run_until([&] { return !pair.outcomes(Side::drone).empty(); }));
  // Opening, ciphertext and two MACs in parts; an acknowledgement for every other part; CONFIRM and two keep-alives.
  constexpr std::size_t part = 1232 - Tunnel::frame_overhead - 7;
  const std::size_t message = kem_sizes(of.kem).ciphertext + 128;
  const std::size_t parts = (message + part - 1) / part;
  const auto arithmetic = static_cast<double>(message + 30 * parts + 32 * ((parts + 1) / 2) + 116);
  std::cout << of.id << ": " << bytes << " bytes on the air, " << arithmetic << " by arithmetic\n";
  EXPECT_NEAR(static_cast<double>(bytes), arithmetic, arithmetic / 10);
  // The drone counts the same.
  const HandshakeTiming & timing = pair.outcomes(Side::drone).front().timing;
  EXPECT_NEAR(static_cast<double>(timing.bytes), arithmetic, arithmetic / 10);
  EXPECT_EQ(timing.fetch_bytes, 0u);
}

INSTANTIATE_TEST_SUITE_P(
  Kems, RekeyBytes,
  testing::Values(
    "cs-mlkem512-aesgcm-mldsa44", "cs-mlkem768-aesgcm-mldsa65", "cs-mlkem1024-aesgcm-mldsa87",
    "cs-hqc128-aesgcm-mldsa44", "cs-hqc192-aesgcm-mldsa65", "cs-hqc256-aesgcm-mldsa87",
    "cs-frodokem640aes-aesgcm-mldsa44", "cs-frodokem976aes-aesgcm-mldsa65",
    "cs-frodokem1344aes-aesgcm-mldsa87", "cs-classicmceliece348864-aesgcm-mldsa44",
    "cs-classicmceliece460896-aesgcm-mldsa65", "cs-classicmceliece8192128-aesgcm-mldsa87"));

TEST(ThinLinkRekeys, bytes_leave_out_the_data_beside_them_and_tell_those_of_the_prekey_apart)
{
  WiredPair::Options options;
  options.suite = "cs-mlkem768-aesgcm-mldsa65";
  options.settings.prefetch_max_bytes = 0;
  WiredPair pair(options);
  ASSERT_TRUE(pair.establish());
  Traffic traffic(pair);
  const auto timing_of = [&](bool ratchet) {
    RekeyCommand command = rekey_to(nullptr);
    command.ratchet = ratchet;
    pair.outcomes(Side::drone).clear();
    pair.drone().request_rekey(command, pair.now());
    EXPECT_TRUE(traffic.run_until([&] { return !pair.outcomes(Side::drone).empty(); }));
    traffic.run_for(1s);
    return pair.outcomes(Side::drone).front().timing;
  };
  const Suite & of = suite(options.suite);
  const HandshakeTiming full = timing_of(false);
  const std::uint64_t message = kem_sizes(of.kem).ciphertext + 128;
  EXPECT_GT(full.bytes, message + 100);
  EXPECT_LT(full.bytes, message + 250);
  const std::uint64_t prekey =
    kem_sizes(of.kem).public_key + signature_sizes(of.signature).signature_max;
  EXPECT_GT(full.fetch_bytes, prekey);
  EXPECT_LT(full.fetch_bytes, prekey + 600);
  const HandshakeTiming ratchet = timing_of(true);
  EXPECT_GT(ratchet.bytes, 150u);
  EXPECT_LT(ratchet.bytes, 300u);
  EXPECT_EQ(ratchet.fetch_bytes, 0u);
}

// Frames for fetches, both ways.
std::uint64_t fetch_bytes(WiredPair & pair) { return pair.snapshot(Side::drone).fetch_bytes; }

TEST(ThinLinkRekeys, prekeys_that_are_fetched_ahead_take_their_share_of_the_airtime_and_use_it)
{
  for (const double airtime : {0.02, 0.05}) {
    Radio radio("cs-mlkem768-aesgcm-mldsa65", 0, 1, airtime);
    WiredPair & pair = radio.pair();
    ASSERT_TRUE(pair.establish());
    std::size_t rekeys = 0;
    const Instant begun = pair.now();
    while (pair.now() < begun + 5min) {
      pair.outcomes(Side::drone).clear();
      if (pair.snapshot(Side::drone).prekeys > 0) {
        pair.drone().request_rekey(rekey_to(nullptr), pair.now());
        ++rekeys;
      }
      pair.run_for(1s);
    }
    const double share = static_cast<double>(fetch_bytes(pair)) / (300 * bytes_per_s);
    std::cout << "of " << airtime << " of the airtime " << share << " for " << rekeys << " keys\n";
    EXPECT_LE(share, airtime);
    EXPECT_GE(share, airtime * 0.7);
    EXPECT_GE(rekeys, airtime > 0.02 ? 10u : 3u);
  }
}

// What a drone with LTE and a radio fetches ahead over the radio.
class PrefetchOverRadio
{
public:
  PrefetchOverRadio() : pair_(options())
  {
    pair_.set_link_weather([this](Side, std::uint8_t link) -> std::optional<Duration> {
      link_ = link;
      return link == 0 && cut_ ? std::nullopt : std::optional(Duration{});
    });
    pair_.set_channel([this](Side, const Bytes & frame) -> std::vector<Duration> {
      if (link_ != 0 || lte_bytes_per_s_ == 0) {
        return {Duration{}};
      }
      const std::chrono::duration<double> airtime(
        static_cast<double>(frame.size()) / lte_bytes_per_s_);
      free_at_ = std::max(free_at_, pair_.now()) + std::chrono::duration_cast<Duration>(airtime);
      return {free_at_ - pair_.now()};
    });
  }

  WiredPair & pair() { return pair_; }
  void cut_lte() { cut_ = true; }
  // LTE delivers no more than this from now on, but that is not configured.
  void limit_lte(double limit) { lte_bytes_per_s_ = limit; }

private:
  static WiredPair::Options options()
  {
    WiredPair::Options options;
    options.suite = "cs-mlkem768-aesgcm-mldsa65";
    options.settings.suites = SuitePolicy({&suite(options.suite)});
    options.settings.prefetch_airtime = 0.05;
    options.settings.paths.links = {
      {.name = "lte"}, {.name = "radio", .type = LinkType::serial, .mtu = 320, .rate_kbit = 57.6}};
    return options;
  }

  bool cut_ = false;
  double lte_bytes_per_s_ = 0;
  std::uint8_t link_ = 0;
  Instant free_at_;
  WiredPair pair_;
};

TEST(ThinLinkRekeys, prekeys_fetched_ahead_take_a_twentieth_of_the_radio_while_lte_is_cut)
{
  PrefetchOverRadio drone;
  WiredPair & pair = drone.pair();
  ASSERT_TRUE(pair.establish());
  drone.cut_lte();
  const std::uint64_t before = fetch_bytes(pair);
  const Instant begun = pair.now();
  std::size_t used = 0;
  while (pair.now() < begun + 3min) {
    pair.send(Side::drone, Bytes(50));
    pair.send(Side::gcs, Bytes(50));
    const std::size_t prekeys = pair.snapshot(Side::drone).prekeys;
    // Each one that is used is fetched anew.
    if (prekeys > 0 && pair.outcomes(Side::drone).size() == used) {
      pair.drone().request_rekey(rekey_to(nullptr), pair.now());
      ++used;
    }
    pair.run_for(250ms);
  }
  EXPECT_GE(used, 6u);
  EXPECT_LE(used, 13u);
  const double share = static_cast<double>(fetch_bytes(pair) - before) / (180 * bytes_per_s);
  EXPECT_LE(share, 0.05);
  EXPECT_GE(share, 0.03);
}

TEST(ThinLinkRekeys, prekeys_fetched_ahead_take_a_share_of_the_rate_that_a_link_shows)
{
  PrefetchOverRadio drone;
  drone.limit_lte(20000);
  WiredPair & pair = drone.pair();
  ASSERT_TRUE(pair.establish());
  std::size_t used = 0;
  const Instant begun = pair.now();
  while (pair.now() < begun + 2min) {
    if (pair.snapshot(Side::drone).prekeys > 0 && pair.outcomes(Side::drone).size() == used) {
      pair.drone().request_rekey(rekey_to(nullptr), pair.now());
      ++used;
    }
    pair.run_for(250ms);
  }
  // A prekey of about 4.5 kB every 4.5 s instead of every second.
  EXPECT_GE(used, 10u);
  EXPECT_LE(used, 40u);
  const double rate = pair.snapshot(Side::drone).paths.at(0).rate_bytes_s;
  EXPECT_GT(rate, 10000);
  EXPECT_LT(rate, 30000);
}

TEST(ThinLinkRekeys, to_classic_mceliece_take_a_ciphertext_once_the_prekey_is_there)
{
  Radio radio("cs-classicmceliece348864-aesgcm-mldsa44", 0.02, 3, 1);
  WiredPair & pair = radio.pair();
  ASSERT_TRUE(pair.run_until([&] { return pair.agreed(); }, 300s));
  ASSERT_TRUE(pair.run_until([&] { return pair.snapshot(Side::drone).prekeys > 0; }, 600s));
  pair.run_for(2s);
  radio.count_anew();
  pair.drone().request_rekey(rekey_to(nullptr), pair.now());
  ASSERT_TRUE(pair.run_until([&] { return !pair.outcomes(Side::drone).empty(); }, 30s));
  EXPECT_TRUE(pair.outcomes(Side::drone).front().success);
  EXPECT_LT(radio.bytes(), 2500u);
}

// --- Progress ---

// A radio of 4,800 baud, whose queues the engine keeps.
class VeryThinLink : public testing::Test
{
protected:
  VeryThinLink()
  {
    WiredPair::Options options;
    options.suite = "cs-frodokem1344aes-aesgcm-mldsa87";
    options.settings.suites = SuitePolicy({&suite(options.suite)});
    options.settings.report_interval = 20s;
    options.settings.peer_timeout = 2min;
    options.settings.prefetch_airtime = 0.05;
    options.settings.paths.links = {
      {.name = "radio", .type = LinkType::serial, .mtu = 320, .rate_kbit = 4.8}};
    pair_ = std::make_unique<WiredPair>(options);
    EXPECT_TRUE(pair_->run_until([this] { return pair_->agreed(); }, 10min));
  }
  bool run_until_answered()
  {
    return pair_->run_until([this] { return !pair_->outcomes(Side::drone).empty(); }, 10min);
  }

  std::unique_ptr<WiredPair> pair_;
};

TEST_F(VeryThinLink, finishes_a_rekey_that_makes_progress_for_longer_than_an_answer_may_take)
{
  ASSERT_TRUE(pair_->run_until([this] { return pair_->snapshot(Side::drone).prekeys > 0; }, 1h));
  pair_->drone().request_rekey(rekey_to(nullptr), pair_->now());
  ASSERT_TRUE(run_until_answered());
  EXPECT_TRUE(pair_->outcomes(Side::drone)[0].success) << pair_->outcomes(Side::drone)[0].message;
  EXPECT_GT(pair_->snapshot(Side::drone).timing.answer, 35s);
}

TEST_F(VeryThinLink, gives_up_a_ratchet_that_is_not_answered_although_a_prekey_makes_progress)
{
  pair_->run_for(5s);  // the prekey of the next rekey is on the way, and takes a minute
  pair_->set_datagram_filter([](Side from, Bytes & bytes) {
    const std::size_t answer = frame_overhead + encode(ControlFrame{0, RatchetOk{}}).size();
    return from == Side::drone || bytes.size() != answer;
  });
  RekeyCommand ratchet = rekey_to(nullptr);
  ratchet.ratchet = true;
  const Instant begun = pair_->now();
  pair_->drone().request_rekey(ratchet, begun);
  ASSERT_TRUE(run_until_answered());
  EXPECT_FALSE(pair_->outcomes(Side::drone)[0].success);
  EXPECT_LE(pair_->now() - begun, 31s);
  EXPECT_EQ(pair_->snapshot(Side::drone).prekeys, 0u);
}

}  // namespace
}  // namespace pqc_tunnel::test
