// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>

#include "engine_fixture.hpp"
#include "paths/mavlink_statustext.hpp"
#include "protocol/drone_notices.hpp"
#include "protocol/policy_notice.hpp"
#include "protocol/request_notices.hpp"

namespace pqc_tunnel::test
{
namespace
{

DecisionNotice step_down()
{
  DecisionNotice decision;
  decision.action = DecisionNotice::Action::down;
  decision.rule = "link";
  decision.from = registry().find("cs-mlkem768-aesgcm-mldsa65");
  decision.to = registry().find("cs-mlkem512-aesgcm-mldsa44");
  return decision;
}

class EngineNotices : public EngineFixture
{
protected:
  void start_with(bool announce)
  {
    ASSERT_TRUE(gcs_ = start([&] {
                  auto config = gcs_config();
                  config.announce_decisions = announce;
                  return config;
                }()));
    ASSERT_TRUE(drone_ = start(drone_config()));
    ASSERT_TRUE(in_contact()) << history();
    connect_applications();
    // By this the ground's end learns which vehicle is behind the tunnel.
    vehicle_ = mavlink_statustext(42, 9, MavlinkSeverity::info, "ready");
    drone_application_.send(vehicle_);
    ASSERT_EQ(gcs_application_.receive(), vehicle_);
  }

  std::vector<NoticeArrived> arrived()
  {
    std::vector<NoticeArrived> all;
    EXPECT_TRUE(eventually([&] {
      for (const NoticeArrived & one : gcs_->take_notices()) {
        all.push_back(one);
      }
      return !all.empty();
    }));
    return all;
  }

  Bytes vehicle_;
};

TEST_F(EngineNotices, of_a_decision_reach_the_holder_and_show_in_the_ground_program)
{
  start_with(true);
  drone_->send_notice(PeerIndex{0}, to_notice(step_down()));
  const auto notices = arrived();
  ASSERT_EQ(notices.size(), 1u);
  EXPECT_EQ(decision_notice(notices[0].notice), step_down());
  EXPECT_EQ(
    gcs_application_.receive(),
    mavlink_statustext(42, 0, MavlinkSeverity::warning, "PQC link: mlkem512-aesgcm-mldsa44"));
}

TEST_F(EngineNotices, of_a_decision_show_nowhere_where_that_is_switched_off)
{
  start_with(false);
  drone_->send_notice(PeerIndex{0}, to_notice(step_down()));
  EXPECT_EQ(arrived().size(), 1u);
  drone_application_.send(vehicle_);
  EXPECT_EQ(gcs_application_.receive(), vehicle_) << "nothing came before it";
}

TEST_F(EngineNotices, of_a_silent_policy_are_an_event_at_both_ends_and_a_line_in_the_ground_program)
{
  start_with(true);
  const auto reported = [](Engine & engine, EventKind kind) {
    return eventually([&] {
      const auto events = engine.take_events();
      return std::ranges::any_of(events, [&](const Event & event) { return event.kind == kind; });
    });
  };
  drone_->send_notice(PeerIndex{0}, to_notice(PolicyNotice{true, std::nullopt}));
  EXPECT_TRUE(reported(*drone_, EventKind::policy_lost));
  EXPECT_TRUE(reported(*gcs_, EventKind::policy_lost));
  EXPECT_EQ(
    gcs_application_.receive(),
    mavlink_statustext(42, 0, MavlinkSeverity::warning, "PQC policy silent"));
  const auto silent = [](Engine & engine) { return engine.snapshot().peers.at(0).policy_silent; };
  EXPECT_TRUE(eventually([&] { return silent(*drone_) && silent(*gcs_); }));

  drone_->send_notice(PeerIndex{0}, to_notice(PolicyNotice{false, std::nullopt}));
  EXPECT_TRUE(reported(*drone_, EventKind::policy_back));
  EXPECT_TRUE(reported(*gcs_, EventKind::policy_back));
  EXPECT_EQ(
    gcs_application_.receive(),
    mavlink_statustext(42, 1, MavlinkSeverity::info, "PQC policy decides again"));
  EXPECT_TRUE(eventually([&] { return !silent(*drone_) && !silent(*gcs_); }));
}

TEST_F(EngineNotices, of_a_ground_station_say_nothing_about_the_drones_own_policy)
{
  start_with(true);
  gcs_->send_notice(first_peer, to_notice(PolicyNotice{true, std::nullopt}));
  gcs_->send_notice(first_peer, warning_notice());  // arrives after it
  ASSERT_TRUE(eventually([&] {
    return std::ranges::any_of(
      drone_->take_notices(), [](const NoticeArrived & one) { return is_warning(one.notice); });
  }));
  const auto silent = [](Engine & engine) { return engine.snapshot().peers.at(0).policy_silent; };
  EXPECT_FALSE(silent(*drone_) || silent(*gcs_));
  for (const Event & event : drone_->take_events()) {
    EXPECT_NE(event.kind, EventKind::policy_lost) << event.text;
  }
}

TEST_F(EngineNotices, of_an_attack_on_one_drone_warn_the_other_and_not_itself)
{
  ASSERT_TRUE(gcs_ = start([&] {
                auto config = gcs_config({"alpha", "beta"});
                config.warn_fleet = true;
                return config;
              }()));
  ASSERT_TRUE(drone_ = start(drone_config()));
  const auto beta = start(drone_config("beta"));
  ASSERT_TRUE(beta);
  ASSERT_TRUE(eventually([&] {
    return state(*drone_) == PeerState::established && state(*beta) == PeerState::established &&
           state(*gcs_) == PeerState::established &&
           state(*gcs_, second_peer) == PeerState::established;
  }));
  DecisionNotice attacked = step_down();
  attacked.verdict = DecisionNotice::verdict_attack;
  drone_->send_notice(first_peer, to_notice(attacked));
  std::vector<NoticeArrived> warnings;
  ASSERT_TRUE(eventually([&] {
    warnings = beta->take_notices();
    return !warnings.empty();
  }));
  EXPECT_TRUE(is_warning(warnings[0].notice));
  EXPECT_TRUE(drone_->take_notices().empty());
}

}  // namespace
}  // namespace pqc_tunnel::test
