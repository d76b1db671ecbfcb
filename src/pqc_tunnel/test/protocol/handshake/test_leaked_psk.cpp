// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "support/hostile/psk_thief.hpp"

// A leaked PSK, without the drone's signing key: sessions that a thief begins stop no drone.

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

WiredPair::Options with_drone_signature()
{
  WiredPair::Options options;
  options.settings.mode.drone_signature = true;
  return options;
}

class LeakedPsk : public testing::Test
{
protected:
  explicit LeakedPsk(WiredPair::Options options = with_drone_signature()) : pair_(options)
  {
    EXPECT_TRUE(pair_.establish());
    TunnelSettings settings = options.settings;
    settings.initial_suite = &suite(options.suite);
    thief_.emplace(pair_, settings);
    pair_.run_for(3s);  // prekeys have been fetched
  }

  static Endpoint beside_drone()
  {
    Endpoint other_port = WiredPair::address_of(Side::drone);
    ++other_port.port;
    return other_port;
  }
  bool run_with_thief(Duration every, const std::function<bool()> & condition, Duration limit)
  {
    const Instant end = pair_.now() + limit;
    for (std::size_t n = 0; pair_.now() < end && !condition(); ++n) {
      thief_->begin_session(thief_at_[n % thief_at_.size()]);
      pair_.run_until(condition, every);
    }
    return condition();
  }
  void run_with_thief(Duration every, Duration time)
  {
    run_with_thief(
      every, [] { return false; }, time);
  }
  bool is_back_after_restart(
    Duration every, Duration limit, const Endpoint & at = WiredPair::address_of(Side::drone))
  {
    run_with_thief(every, 5s);
    restart(at);
    return is_back(every, limit);
  }
  void restart(const Endpoint & at)
  {
    before_ = pair_.snapshot(Side::gcs).session;
    pair_.move_to(Side::drone, at);
    pair_.restart(Side::drone);
  }
  bool is_back(Duration every, Duration limit)
  {
    return run_with_thief(
      every, [&] { return pair_.agreed() && pair_.snapshot(Side::gcs).session != before_; }, limit);
  }

  WiredPair pair_;
  std::vector<Endpoint> thief_at_{WiredPair::stranger(60)};
  const Endpoint elsewhere_ = WiredPair::stranger(200);

private:
  std::optional<PskThief> thief_;
  SessionId before_;
};

TEST_F(LeakedPsk, stops_no_full_rekey_by_sessions_that_it_begins)
{
  for (int minute = 0; minute < 10; ++minute) {
    run_with_thief(7s, 60s);
    SCOPED_TRACE(minute);
    const std::uint32_t before = pair_.snapshot(Side::drone).rekeys;
    pair_.drone().request_rekey(rekey_to(nullptr), pair_.now());
    EXPECT_TRUE(pair_.run_until([&] { return pair_.snapshot(Side::drone).rekeys > before; }, 2s));
  }
}

TEST_F(LeakedPsk, does_not_delay_a_drone_that_restarts_however_often_it_begins_sessions)
{
  for (const Duration every : {50ms, 10ms}) {
    EXPECT_TRUE(is_back_after_restart(every, 300ms));
  }
}

TEST_F(LeakedPsk, does_not_keep_out_a_drone_that_restarts_behind_another_address)
{
  EXPECT_TRUE(is_back_after_restart(50ms, 1s, elsewhere_));
}

class LeakedPskBesideTheDrone : public LeakedPsk
{
protected:
  LeakedPskBesideTheDrone() { thief_at_ = {beside_drone()}; }
};

TEST_F(LeakedPskBesideTheDrone, does_not_keep_out_a_drone_that_restarts_behind_another_address)
{
  EXPECT_TRUE(is_back_after_restart(50ms, 1s, elsewhere_));
}

TEST_F(LeakedPskBesideTheDrone, leaves_answers_to_a_drone_that_restarts_behind_another_address)
{
  EXPECT_TRUE(is_back_after_restart(5ms, 2s, elsewhere_));
}

TEST_F(LeakedPskBesideTheDrone, delays_one_behind_another_address_for_a_few_attempts_at_most)
{
  for (const Duration every : {50ms, 1500ms, 3700ms, 4100ms, 15000ms}) {
    SCOPED_TRACE(every.count());
    pair_.move_to(Side::drone, WiredPair::address_of(Side::drone));
    ASSERT_TRUE(pair_.establish());
    pair_.run_for(3s);
    restart(elsewhere_);
    EXPECT_TRUE(is_back(every, 20s));
  }
}

// A handshake takes longer than the second after which a newer attempt may replace it, and the thief has hosts enough to
// begin one each second.
class LeakedPskOnASlowLink : public LeakedPsk
{
protected:
  LeakedPskOnASlowLink()
  : LeakedPsk([] {
      WiredPair::Options options = with_drone_signature();
      options.latency = 600ms;
      return options;
    }())
  {
    for (std::uint8_t host = 61; host < 65; ++host) {
      thief_at_.push_back(WiredPair::stranger(host));
    }
  }
};

TEST_F(LeakedPskOnASlowLink, does_not_delay_a_drone_that_restarts_again_and_again)
{
  for (int i = 0; i < 6; ++i) {
    SCOPED_TRACE(i);
    EXPECT_TRUE(is_back_after_restart(250ms, 6s));
  }
}

TEST_F(LeakedPskOnASlowLink, does_not_delay_a_drone_a_while_after_it_was_beside_the_drone)
{
  const std::vector<Endpoint> others = std::exchange(thief_at_, {beside_drone()});
  run_with_thief(250ms, 5s);
  pair_.run_for(20s);
  thief_at_ = others;
  EXPECT_TRUE(is_back_after_restart(250ms, 6s));
}

TEST_F(LeakedPskOnASlowLink, does_not_delay_a_drone_that_restarts)
{
  EXPECT_TRUE(is_back_after_restart(50ms, 6s));
}

TEST_F(LeakedPskOnASlowLink, does_not_keep_out_a_drone_that_restarts_behind_another_address)
{
  thief_at_ = {beside_drone()};
  EXPECT_TRUE(is_back_after_restart(50ms, 20s, elsewhere_));
}

TEST_F(LeakedPsk, is_named_as_the_cause_where_it_delays_sessions)
{
  pair_.restart(Side::gcs);
  pair_.set_datagram_filter([](Side, Bytes &) { return false; });
  run_with_thief(50ms, 20s);
  EXPECT_NE(pair_.snapshot(Side::gcs).likely_cause.find("the key has leaked"), std::string::npos)
    << pair_.snapshot(Side::gcs).likely_cause;
}

}  // namespace
}  // namespace pqc_tunnel::test
