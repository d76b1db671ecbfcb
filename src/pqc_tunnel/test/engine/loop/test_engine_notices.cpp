// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "engine/engine_fixture.hpp"
#include "engine/loop/drone_lines.hpp"
#include "link/mavlink/mavlink_statustext.hpp"
#include "protocol/peer/policy_notice.hpp"

namespace pqc_tunnel::test
{
namespace
{

Notice notice_of(NoticeKind kind, std::string_view content)
{
  Notice notice;
  notice.kind = kind;
  notice.assign(Bytes(content.begin(), content.end()));
  return notice;
}

Notice line_of(std::string_view content) { return notice_of(NoticeKind::line, content); }

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
    if (announce) {  // what the ground's end has known since the session began
      EXPECT_EQ(
        gcs_application_.receive(),
        mavlink_statustext(42, 0, MavlinkSeverity::info, "PQC: lattices"));
    }
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

TEST_F(EngineNotices, with_a_line_reach_the_holder_the_ground_program_the_log_and_the_snapshot)
{
  start_with(true);
  const Notice line = line_of("\7\4PQC link: light");
  drone_->send_notice(PeerIndex{0}, line);
  const auto notices = arrived();
  ASSERT_EQ(notices.size(), 1u);
  EXPECT_TRUE(std::ranges::equal(notices[0].notice.content(), line.content()));
  EXPECT_EQ(
    gcs_application_.receive(),
    mavlink_statustext(42, 1, MavlinkSeverity::warning, "PQC link: light"));
  EXPECT_TRUE(eventually([&] { return gcs_->snapshot().peers.at(0).said == "PQC link: light"; }));
  std::vector<Event> said;
  EXPECT_TRUE(eventually([&] {
    for (const Event & event : gcs_->take_events()) {
      if (event.kind == EventKind::said) {
        said.push_back(event);
      }
    }
    return !said.empty();
  }));
  EXPECT_EQ(said[0].text, "PQC link: light");
  EXPECT_EQ(severity(said[0]), EventSeverity::warning);
}

TEST_F(EngineNotices, with_a_line_show_nowhere_where_that_is_switched_off)
{
  start_with(false);
  drone_->send_notice(PeerIndex{0}, line_of("\7\4PQC link: light"));
  EXPECT_EQ(arrived().size(), 1u);
  drone_application_.send(vehicle_);
  EXPECT_EQ(gcs_application_.receive(), vehicle_) << "nothing came before it";
}

TEST(DroneLines, are_shown_once_for_each_number)
{
  DroneLines lines;
  EXPECT_EQ(lines.newest(), "");
  EXPECT_EQ(lines.handle(line_of("\1\6one"))->text, "one");
  EXPECT_FALSE(lines.handle(line_of("\1\6one")));
  EXPECT_EQ(lines.handle(line_of("\2\6one"))->text, "one");
  EXPECT_EQ(lines.handle(line_of("\1\6two"))->text, "two");
  EXPECT_EQ(lines.newest(), "two");
}

TEST(DroneLines, are_warnings_or_information)
{
  for (const char severity : {'\1', '\4', '\5', '\6', '\377'}) {
    const auto line = DroneLines().handle(line_of(std::string{'\1', severity, 'x'}));
    ASSERT_TRUE(line);
    const bool warns = severity == '\1' || severity == '\4';
    EXPECT_EQ(line->severity, warns ? MavlinkSeverity::warning : MavlinkSeverity::info);
  }
}

TEST(DroneLines, that_no_terminal_should_get_are_made_harmless)
{
  EXPECT_EQ(DroneLines().handle(line_of("\1\6a\x1b[2J\xff"))->text, "a\\x1b[2J\\xff");
}

TEST(DroneLines, without_a_text_or_of_another_kind_are_none)
{
  for (const std::string_view content : {"\1", "\1\6"}) {
    EXPECT_FALSE(DroneLines().handle(line_of(content)));
  }
  EXPECT_FALSE(DroneLines().handle(notice_of(NoticeKind::decision, "\1\6one")));
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
    mavlink_statustext(42, 1, MavlinkSeverity::warning, "PQC policy silent"));
  const auto silent = [](Engine & engine) { return engine.snapshot().peers.at(0).policy_silent; };
  EXPECT_TRUE(eventually([&] { return silent(*drone_) && silent(*gcs_); }));

  drone_->send_notice(PeerIndex{0}, to_notice(PolicyNotice{false, std::nullopt}));
  EXPECT_TRUE(reported(*drone_, EventKind::policy_back));
  EXPECT_TRUE(reported(*gcs_, EventKind::policy_back));
  EXPECT_EQ(
    gcs_application_.receive(),
    mavlink_statustext(42, 2, MavlinkSeverity::info, "PQC policy decides again"));
  EXPECT_TRUE(eventually([&] { return !silent(*drone_) && !silent(*gcs_); }));
}

TEST_F(EngineNotices, of_a_ground_station_say_nothing_about_the_drones_own_policy_and_show_no_line)
{
  start_with(true);
  gcs_->send_notice(first_peer, to_notice(PolicyNotice{true, std::nullopt}));
  gcs_->send_notice(first_peer, line_of("\1\4no"));
  gcs_->send_notice(first_peer, notice_of(NoticeKind::computer, "\1"));  // arrives after both
  ASSERT_TRUE(eventually([&] {
    return std::ranges::any_of(drone_->take_notices(), [](const NoticeArrived & one) {
      return one.notice.kind == NoticeKind::computer;
    });
  }));
  const auto silent = [](Engine & engine) { return engine.snapshot().peers.at(0).policy_silent; };
  EXPECT_FALSE(silent(*drone_) || silent(*gcs_));
  EXPECT_EQ(drone_->snapshot().peers.at(0).said, "");
  for (const Event & event : drone_->take_events()) {
    EXPECT_NE(event.kind, EventKind::policy_lost) << event.text;
    EXPECT_NE(event.kind, EventKind::said) << event.text;
  }
}

}  // namespace
}  // namespace pqc_tunnel::test
