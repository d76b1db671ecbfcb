// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "engine/decision_announcer.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace pqc_tunnel::test
