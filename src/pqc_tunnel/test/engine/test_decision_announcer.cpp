// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "engine/decision_announcer.hpp"

#include <gtest/gtest.h>

#include "protocol/decision_names.hpp"

namespace pqc_tunnel::test
{
namespace
{

using Action = DecisionNotice::Action;
using std::chrono::seconds;

const Suite * suite(const char * id) { return registry().find(id); }

DecisionNotice decision(Action action, const char * from, const char * to, const char * rule)
{
  DecisionNotice made;
  made.action = action;
  made.from = suite(from);
  made.to = suite(to);
  made.rule = rule;
  return made;
}

constexpr const char * heavy = "cs-mlkem768-aesgcm-mldsa65";
constexpr const char * light = "cs-mlkem512-aesgcm-mldsa44";
constexpr const char * lightest = "cs-mlkem512-aesgcm-falcon512";

class Announcer : public testing::Test
{
protected:
  std::string said(const DecisionNotice & decision)
  {
    const auto line = announcer_.handle(decision, now_);
    severity_ = line ? line->severity : MavlinkSeverity{};
    now_ += seconds(1);
    return line ? line->text : "";
  }
  std::string said(Action action, const char * from, const char * to, const char * rule = "link")
  {
    return said(decision(action, from, to, rule));
  }

  std::string said_of(std::string_view cue)
  {
    DecisionNotice made = decision(Action::hold, heavy, "", "calm");
    made.cue = code_of(cue_names, cue);
    return said(made);
  }

  DecisionAnnouncer announcer_;
  Instant now_ = Instant(seconds(100));
  MavlinkSeverity severity_ = {};
};

TEST_F(Announcer, says_the_rule_and_the_new_suite_in_a_line_that_fits)
{
  EXPECT_EQ(said(Action::down, heavy, light), "PQC link: mlkem512-aesgcm-mldsa44");
  EXPECT_EQ(severity_, MavlinkSeverity::warning);
}

TEST_F(Announcer, says_a_step_up_as_information)
{
  EXPECT_NE(said(Action::upgrade, light, heavy, "upgrade"), "");
  EXPECT_EQ(severity_, MavlinkSeverity::info);
}

TEST_F(Announcer, says_nothing_of_renewals_and_of_decisions_to_hold)
{
  EXPECT_EQ(said(Action::hold, heavy, ""), "");
  EXPECT_EQ(said(Action::rekey, heavy, heavy, "rekey"), "");
}

TEST_F(Announcer, says_a_change_that_is_tried_again_once)
{
  EXPECT_NE(said(Action::down, heavy, light), "");
  for (int i = 0; i < 30; ++i) {
    EXPECT_EQ(said(i % 6 == 0 ? Action::down : Action::hold, heavy, i % 6 == 0 ? light : ""), "");
  }
}

TEST_F(Announcer, says_the_same_change_again_after_it_was_done)
{
  EXPECT_NE(said(Action::down, heavy, light), "");
  now_ += seconds(60);
  EXPECT_EQ(said(Action::hold, light, ""), "");
  EXPECT_NE(said(Action::upgrade, light, heavy), "");
  now_ += seconds(60);
  EXPECT_EQ(said(Action::hold, heavy, ""), "");
  EXPECT_NE(said(Action::down, heavy, light), "");
}

TEST_F(Announcer, says_at_most_one_line_in_5_s_and_then_the_newest)
{
  EXPECT_NE(said(Action::upgrade, light, heavy), "");
  EXPECT_EQ(said(Action::down, heavy, light), "");
  EXPECT_EQ(said(Action::down_to_lightest, light, lightest, "emergency"), "");
  EXPECT_EQ(said(Action::hold, lightest, ""), "");
  EXPECT_EQ(said(Action::hold, lightest, ""), "");
  EXPECT_EQ(said(Action::hold, lightest, ""), "PQC emergency: mlkem512-aesgcm-falcon512");
}

TEST_F(Announcer, says_which_suite_is_in_use_after_a_change_that_no_notice_told_of)
{
  EXPECT_EQ(said(Action::hold, heavy, "", "calm"), "") << "no change was seen";
  EXPECT_EQ(said(Action::hold, light, "", "calm"), "PQC now: mlkem512-aesgcm-mldsa44");
  EXPECT_EQ(severity_, MavlinkSeverity::info);
  EXPECT_EQ(said(Action::hold, light, "", "calm"), "");
}

TEST_F(Announcer, says_a_change_with_its_rule_although_the_suite_is_already_in_use)
{
  EXPECT_NE(said(Action::upgrade, light, heavy), "");
  EXPECT_EQ(said(Action::down, heavy, light, "link"), "") << "too early";
  now_ += seconds(5);
  EXPECT_EQ(said(Action::hold, light, "", "calm"), "PQC link: mlkem512-aesgcm-mldsa44");
  now_ += seconds(5);
  EXPECT_EQ(said(Action::hold, light, "", "calm"), "");
}

TEST_F(Announcer, takes_a_lost_session_for_no_change)
{
  EXPECT_EQ(said(Action::hold, heavy, "", "calm"), "");
  EXPECT_EQ(said(Action::hold, "", "", "safety"), "");
  EXPECT_EQ(said(Action::hold, heavy, "", "calm"), "");
}

TEST_F(Announcer, says_nothing_of_a_change_that_is_only_advised)
{
  DecisionNotice advised = decision(Action::down, heavy, light, "link");
  advised.advice_only = true;
  EXPECT_EQ(said(advised), "");
}

TEST_F(Announcer, says_a_change_that_failed_again_when_it_was_not_tried_for_a_minute)
{
  EXPECT_NE(said(Action::down, heavy, light), "");
  now_ += seconds(50);
  EXPECT_EQ(said(Action::down, heavy, light), "");
  now_ += seconds(61);
  EXPECT_NE(said(Action::down, heavy, light), "");
}

TEST_F(Announcer, takes_a_decision_that_waits_for_the_change_for_a_try)
{
  EXPECT_NE(said(Action::down, heavy, light), "");
  for (const char * hold : {"under_way", "retry"}) {
    now_ += seconds(50);
    DecisionNotice waits = decision(Action::hold, heavy, "", "link");
    waits.hold = code_of(hold_names, hold);
    EXPECT_EQ(said(waits), "");
  }
  now_ += seconds(50);
  EXPECT_EQ(said(Action::down, heavy, light), "");
}

TEST_F(Announcer, says_a_cue_once_when_it_begins)
{
  EXPECT_EQ(said_of(""), "");
  EXPECT_EQ(said_of("loss"), "PQC loss: slow down, or heavy detectors off");
  EXPECT_EQ(severity_, MavlinkSeverity::warning);
  for (int i = 0; i < 200; ++i) {
    EXPECT_EQ(said_of("loss"), "");
  }
}

TEST_F(Announcer, says_one_cue_at_most_once_a_minute_and_another_after_5_s)
{
  int lines = 0;
  for (int i = 0; i < 120; ++i) {
    lines += said_of(i % 2 == 0 ? "loss" : "").empty() ? 0 : 1;
  }
  EXPECT_EQ(lines, 2);
  EXPECT_EQ(said_of("loss"), "PQC loss: slow down, or heavy detectors off");
  EXPECT_EQ(said_of("jammed"), "");
  now_ += seconds(5);
  EXPECT_EQ(said_of("jammed"), "PQC jammed: climb, change channel, or turn back");
}

TEST_F(Announcer, says_a_change_before_a_cue_and_loses_neither)
{
  DecisionNotice both = decision(Action::down, heavy, light, "attack");
  both.cue = code_of(cue_names, "jammed");
  EXPECT_EQ(said(both), "PQC attack: mlkem512-aesgcm-mldsa44");
  now_ += seconds(5);
  EXPECT_EQ(said_of("jammed"), "PQC jammed: climb, change channel, or turn back");
}

TEST_F(Announcer, has_a_line_that_fits_for_every_cue_and_for_unknown_ones)
{
  for (std::size_t code = 1; code <= 255; ++code) {
    const auto text = cue_text(static_cast<std::uint8_t>(code));
    EXPECT_FALSE(text.empty());
    EXPECT_LE(text.size() + std::string_view("PQC ").size(), 50u) << text;
  }
}

}  // namespace
}  // namespace pqc_tunnel::test
