// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "engine/decision_repeater.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "engine/decision_announcer.hpp"
#include "protocol/notice_pacer.hpp"

namespace pqc_tunnel::test
{
namespace
{

using Action = DecisionNotice::Action;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr const char * heavy = "cs-mlkem768-aesgcm-mldsa65";
constexpr const char * light = "cs-mlkem512-aesgcm-mldsa44";

DecisionNotice hold(const char * from)
{
  DecisionNotice made;
  made.action = Action::hold;
  made.rule = "calm";
  made.from = registry().find(from);
  return made;
}

DecisionNotice step_down()
{
  DecisionNotice made = hold(heavy);
  made.action = Action::down;
  made.rule = "link";
  made.to = registry().find(light);
  return made;
}

TEST(DecisionRepeater, tells_a_change_until_the_suite_in_use_changes_with_the_newest_inputs)
{
  DecisionRepeater repeater;
  const Instant now{seconds(100)};
  EXPECT_EQ(repeater.handle(hold(heavy), now), hold(heavy));
  EXPECT_EQ(repeater.handle(step_down(), now), step_down());
  DecisionNotice waits = hold(heavy);
  waits.loss = 0.25;
  waits.hold = 1;
  DecisionNotice told = step_down();
  told.loss = 0.25;
  EXPECT_EQ(repeater.handle(waits, now + seconds(1)), told);
  EXPECT_EQ(repeater.handle(hold(light), now + seconds(2)), hold(light));
  EXPECT_EQ(repeater.handle(hold(heavy), now + seconds(3)), hold(heavy)) << "it is done";
}

TEST(DecisionRepeater, tells_a_change_for_10_s)
{
  DecisionRepeater repeater;
  const Instant now{seconds(100)};
  repeater.handle(step_down(), now);
  EXPECT_EQ(repeater.handle(hold(heavy), now + seconds(9)).action, Action::down);
  EXPECT_EQ(repeater.handle(hold(heavy), now + seconds(10)), hold(heavy));
}

TEST(DecisionRepeater, tells_what_the_policy_decides_for_next_in_its_place)
{
  DecisionRepeater repeater;
  const Instant now{seconds(100)};
  repeater.handle(step_down(), now);
  DecisionNotice rekey = hold(heavy);
  rekey.action = Action::rekey;
  rekey.to = rekey.from;
  EXPECT_EQ(repeater.handle(rekey, now + seconds(1)), rekey);
  EXPECT_EQ(repeater.handle(hold(heavy), now + seconds(2)), hold(heavy));
}

TEST(DecisionRepeater, does_not_repeat_mere_advice)
{
  DecisionRepeater repeater;
  const Instant now{seconds(100)};
  DecisionNotice advised = step_down();
  advised.advice_only = true;
  EXPECT_EQ(repeater.handle(advised, now), advised);
  EXPECT_EQ(repeater.handle(hold(heavy), now + seconds(1)), hold(heavy));
}

// A drone that decides once a second hands its reports to the pacer of a radio of 57.6 kbit/s, of which notices may take
// 1 %. After 20 s it decides for a change. `arrives`: whether the n-th notice of a decision does.
std::vector<std::string> lines_on_a_radio(
  Duration time_of_rekey, const std::function<bool(int)> & arrives, Duration begin = seconds(20))
{
  constexpr double share = 0.01 * 57600 / 10;
  constexpr std::size_t line_bytes = 90;
  DecisionRepeater repeater;
  NoticePacer pacer;
  DecisionAnnouncer announcer;
  std::vector<std::string> lines;
  int sent = 0;
  const Instant start{seconds(1000)};
  for (Instant now = start; now < start + seconds(80); now += milliseconds(100)) {
    if ((now - start) % seconds(1) == Duration{}) {
      const bool decides = now - start == begin;
      const auto decision =
        decides ? step_down() : hold(now - start < begin + time_of_rekey ? heavy : light);
      Notice computer;
      computer.kind = NoticeKind::computer;
      pacer.offer(computer, now);
      pacer.offer(to_notice(repeater.handle(decision, now)), now);
    }
    while (const auto notice = pacer.take(now)) {
      pacer.handle_sent(line_bytes, share, now);
      const auto decision = decision_notice(*notice);
      if (!decision || !arrives(sent++)) {
        continue;
      }
      if (const auto line = announcer.handle(*decision, now)) {
        lines.push_back(line->text);
      }
    }
  }
  return lines;
}

const std::vector<std::string> told = {"PQC link: mlkem512-aesgcm-mldsa44"};
const std::vector<std::string> seen = {"PQC now: mlkem512-aesgcm-mldsa44"};

TEST(DecisionRepeater, has_every_change_announced_on_a_slow_radio_with_its_rule)
{
  for (int second = 20; second < 30; ++second) {
    EXPECT_EQ(
      lines_on_a_radio(
        seconds(6), [](int) { return true; }, seconds(second)),
      told)
      << second;
  }
}

TEST(DecisionRepeater, has_a_change_announced_although_every_second_notice_is_lost)
{
  for (const int odd : {0, 1}) {
    EXPECT_EQ(lines_on_a_radio(seconds(10), [odd](int i) { return i % 2 == odd; }), told) << odd;
  }
}

TEST(DecisionRepeater, has_a_change_announced_although_all_that_told_of_it_is_lost)
{
  EXPECT_EQ(lines_on_a_radio(seconds(10), [](int i) { return i < 4 || i > 12; }), seen);
}

}  // namespace
}  // namespace pqc_tunnel::test
