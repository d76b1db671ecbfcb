// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cmath>
#include <initializer_list>
#include <limits>

#include "protocol/decision_names.hpp"
#include "protocol/drone_notices.hpp"
#include "protocol/policy_notice.hpp"
#include "support/hex.hpp"
#include "support/insider.hpp"
#include "support/wired_pair.hpp"

namespace pqc_tunnel::test
{
namespace
{

using std::chrono::milliseconds;

Notice notice_of(NoticeKind kind, std::initializer_list<std::uint8_t> bytes)
{
  Notice notice;
  notice.kind = kind;
  notice.assign(Bytes(bytes));
  return notice;
}

DecisionNotice example_decision()
{
  DecisionNotice decision;
  decision.action = DecisionNotice::Action::down;
  decision.ratchet = true;
  decision.armed = true;
  decision.rule = "link";
  decision.strategy = "expert";
  decision.from = registry().find("cs-mlkem768-aesgcm-mldsa65");
  decision.to = registry().find("cs-mlkem512-aesgcm-mldsa44");
  decision.loss = 0.215;
  decision.rtt_s = 0.042;
  decision.gap_p95_s = 1.5;
  decision.voltage_v = 14.83;
  decision.charge = 0.5;
  decision.temperature_c = -3.5;
  decision.verdict = 2;
  decision.advice_only = true;
  decision.hold = code_of(hold_names, "limit");
  decision.phase = code_of(phase_names, "transit");
  decision.attack = code_of(attack_names, "jamming");
  decision.missing = 0x05;
  decision.cue = code_of(cue_names, "jammed");
  decision.held = registry().find("cs-mlkem1024-aesgcm-mldsa87");
  return decision;
}

TEST(Notices, reach_the_peers_programs_in_both_directions)
{
  WiredPair pair;
  ASSERT_TRUE(pair.establish());
  for (const Side from : both_sides) {
    const Notice sent = notice_of(NoticeKind::computer, {1, 2, 3});
    EXPECT_TRUE(pair.end(from).send_notice(PeerIndex{0}, sent, pair.now()));
    pair.pump();
    pair.run_for(milliseconds(100));
    ASSERT_EQ(pair.notices(other(from)).size(), 1u);
    EXPECT_EQ(pair.notices(other(from))[0].kind, NoticeKind::computer);
    EXPECT_EQ(
      Bytes(
        pair.notices(other(from))[0].content().begin(),
        pair.notices(other(from))[0].content().end()),
      (Bytes{1, 2, 3}));
  }
}

TEST(Notices, are_refused_without_a_session)
{
  WiredPair pair;
  EXPECT_FALSE(
    pair.drone().send_notice(PeerIndex{0}, notice_of(NoticeKind::computer, {1}), pair.now()));
}

TEST(Notices, of_kinds_that_are_not_sent_are_refused)
{
  WiredPair pair;
  ASSERT_TRUE(pair.establish());
  EXPECT_FALSE(pair.drone().send_notice(PeerIndex{0}, notice_of(NoticeKind{8}, {1}), pair.now()));
}

TEST(Notices, of_one_kind_wait_for_each_other_and_the_newest_wins)
{
  WiredPair pair;
  ASSERT_TRUE(pair.establish());
  const auto send = [&](NoticeKind kind, std::uint8_t content) {
    EXPECT_TRUE(pair.drone().send_notice(PeerIndex{0}, notice_of(kind, {content}), pair.now()));
  };
  send(NoticeKind::computer, 1);
  send(NoticeKind::computer, 2);
  send(NoticeKind::computer, 3);
  send(NoticeKind::decision, 4);
  pair.pump();
  pair.run_for(milliseconds(100));
  EXPECT_EQ(pair.notices(Side::gcs).size(), 2u);
  pair.run_for(notice_interval);
  ASSERT_EQ(pair.notices(Side::gcs).size(), 3u);
  EXPECT_EQ(pair.notices(Side::gcs)[2].kind, NoticeKind::computer);
  EXPECT_EQ(pair.notices(Side::gcs)[2].bytes[0], 3);
}

TEST(Notices, that_wait_when_the_keys_are_wiped_are_never_sent)
{
  WiredPair pair;
  ASSERT_TRUE(pair.establish());
  for (const auto content : {std::uint8_t{1}, std::uint8_t{2}}) {
    pair.gcs().send_notice(PeerIndex{0}, notice_of(NoticeKind::request, {content}), pair.now());
  }
  pair.gcs().wipe(PeerIndex{0}, "in a test", pair.now());
  pair.pump();
  pair.run_for(std::chrono::seconds(20));
  for (const Notice & notice : pair.notices(Side::drone)) {
    EXPECT_EQ(notice.bytes[0], 1);
  }
}

TEST(Notices, of_unknown_kinds_are_carried_and_mean_nothing)
{
  WiredPair pair;
  Insider insider(pair);
  ASSERT_TRUE(pair.establish());
  const auto ignored = pair.snapshot(Side::gcs).traffic.control_ignored;
  EXPECT_TRUE(insider.say(Side::drone, {0, notice_of(NoticeKind{200}, {1, 2})}).peer);
  pair.run_for(milliseconds(100));
  ASSERT_FALSE(pair.notices(Side::gcs).empty());
  const Notice & unknown = pair.notices(Side::gcs).back();
  EXPECT_FALSE(computer_notice(unknown));
  EXPECT_FALSE(decision_notice(unknown));
  EXPECT_EQ(pair.snapshot(Side::gcs).traffic.control_ignored, ignored);
}

TEST(ComputerNotice, is_read_back_as_it_was_written)
{
  const ComputerNotice content{0.415, 0.73, 2, 1.8e9, 61.5, 4.27};
  const Notice notice = to_notice(content);
  EXPECT_EQ(notice.size, 9u);
  const auto read = computer_notice(notice);
  ASSERT_TRUE(read);
  EXPECT_NEAR(*read->load, 0.415, 1e-9);
  EXPECT_NEAR(*read->memory, 0.73, 1e-9);
  EXPECT_EQ(read->throttled, 2);
  EXPECT_NEAR(*read->frequency_hz, 1.8e9, 1.0);
  EXPECT_NEAR(*read->temperature_c, 61.5, 1e-9);
  EXPECT_NEAR(*read->power_w, 4.27, 1e-9);
}

TEST(ComputerNotice, keeps_unknown_values_unknown)
{
  EXPECT_EQ(computer_notice(to_notice(ComputerNotice{})), ComputerNotice{});
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(
    computer_notice(to_notice(ComputerNotice{nan, nan, 0, nan, nan, nan})), ComputerNotice{});
}

TEST(ComputerNotice, holds_values_beyond_its_range_at_the_end)
{
  const auto read = computer_notice(to_notice({2.0, -1.0, 0, 1e12, 1e6, 1e9}));
  ASSERT_TRUE(read);
  EXPECT_NEAR(*read->load, 1.27, 1e-9);
  EXPECT_EQ(*read->memory, 0.0);
  EXPECT_NEAR(*read->temperature_c, 3276.7, 1e-9);
  EXPECT_NEAR(*read->power_w, 655.34, 1e-9);
}

TEST(ComputerNotice, cut_short_of_another_kind_or_without_a_meaning_means_nothing)
{
  const Notice whole = to_notice(ComputerNotice{0.4, 0.7, 2, 1.8e9, 61.5, 4.27});
  for (std::size_t size = 0; size < whole.size; ++size) {
    Notice cut = whole;
    cut.size = size;
    EXPECT_FALSE(computer_notice(cut)) << size;
  }
  Notice other = whole;
  other.kind = NoticeKind::decision;
  EXPECT_FALSE(computer_notice(other));
  Notice later = whole;
  later.bytes[2] = 3;  // neither throttled nor not
  EXPECT_FALSE(computer_notice(later));
}

TEST(DecisionNotice, is_read_back_as_it_was_written)
{
  const DecisionNotice content = example_decision();
  const auto read = decision_notice(to_notice(content));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->action, content.action);
  EXPECT_EQ(read->ratchet, content.ratchet);
  EXPECT_EQ(read->armed, content.armed);
  EXPECT_EQ(read->rule, content.rule);
  EXPECT_EQ(read->strategy, content.strategy);
  EXPECT_EQ(read->from, content.from);
  EXPECT_EQ(read->to, content.to);
  EXPECT_NEAR(*read->loss, *content.loss, 1e-9);
  EXPECT_NEAR(*read->rtt_s, *content.rtt_s, 1e-9);
  EXPECT_NEAR(*read->gap_p95_s, *content.gap_p95_s, 1e-9);
  EXPECT_NEAR(*read->voltage_v, *content.voltage_v, 1e-9);
  EXPECT_NEAR(*read->charge, *content.charge, 1e-9);
  EXPECT_NEAR(*read->temperature_c, *content.temperature_c, 1e-9);
  EXPECT_EQ(read->verdict, content.verdict);
  EXPECT_EQ(read->advice_only, content.advice_only);
  EXPECT_EQ(read->hold, content.hold);
  EXPECT_EQ(read->phase, content.phase);
  EXPECT_EQ(read->attack, content.attack);
  EXPECT_EQ(read->missing, content.missing);
  EXPECT_EQ(read->cue, content.cue);
  EXPECT_EQ(read->held, content.held);
}

// As the protocol's page has it.
TEST(DecisionNotice, has_the_bytes_of_the_specification)
{
  const Notice notice = to_notice(example_decision());
  EXPECT_EQ(
    to_hex(notice.content()),
    "021F"            // DOWN; ratchet, armed is known, armed, advice only, a suite is held
    "0102010201"      // suite in use
    "0101010101"      // suite to change to
    "2B002A05DC"      // loss, round trip, gap
    "05CB64FFDD02"    // voltage, charge, temperature, verdict
    "046C696E6B"      // rule
    "06657870657274"  // strategy
    "0404020502"      // the limit; transit; jamming; neither link nor temperature; jammed
    "0103010301");    // suite that is held
}

TEST(DecisionNotice, of_an_earlier_version_lacks_what_that_did_not_tell)
{
  DecisionNotice content;
  content.action = DecisionNotice::Action::down;
  content.from = example_decision().from;
  content.to = example_decision().to;
  content.rule = "link";
  Notice earlier = to_notice(content);
  earlier.size -= 5;
  EXPECT_EQ(decision_notice(earlier), content);
  EXPECT_TRUE(content.changes_suite());
}

TEST(DecisionNotice, has_a_code_for_each_name_and_a_name_for_each_code)
{
  EXPECT_EQ(code_of(hold_names, ""), 0);
  EXPECT_EQ(name_of(hold_names, 0), "");
  EXPECT_EQ(name_of(hold_names, code_of(hold_names, "limit")), "limit");
  EXPECT_EQ(code_of(hold_names, "patience"), other_code) << "no code that a later version gives";
  EXPECT_EQ(name_of(hold_names, other_code), "other");
  EXPECT_EQ(name_of(hold_names, 5), "other") << "of a later version";
}

TEST(DecisionNotice, keeps_unknown_values_unknown)
{
  EXPECT_EQ(decision_notice(to_notice(DecisionNotice{})), DecisionNotice{});
}

TEST(DecisionNotice, fits_with_the_longest_names)
{
  DecisionNotice content = example_decision();
  content.rule = content.strategy = std::string(100, 'x');
  const Notice notice = to_notice(content);
  EXPECT_EQ(notice.size, 63u);
  const auto read = decision_notice(notice);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->rule, std::string(14, 'x'));
}

TEST(DecisionNotice, cut_short_or_with_a_name_that_no_terminal_shows_means_nothing)
{
  const Notice whole = to_notice(example_decision());
  const std::size_t earlier = whole.size - 10;  // an earlier version ended there
  for (std::size_t size = 0; size < whole.size; ++size) {
    if (size == earlier) {
      continue;
    }
    Notice cut = whole;
    cut.size = size;
    EXPECT_FALSE(decision_notice(cut)) << size;
  }
  DecisionNotice content = example_decision();
  content.rule = "a\x1b[2J";
  EXPECT_FALSE(decision_notice(to_notice(content)));
}

TEST(DecisionNotice, has_a_name_of_at_most_14_letters_that_every_terminal_shows)
{
  const auto passes = [](char last) {
    DecisionNotice content;
    content.rule = std::string("a") + last;
    return decision_notice(to_notice(content)).has_value();
  };
  for (const char shown : {'!', 'z', '~'}) {
    EXPECT_TRUE(passes(shown)) << shown;
  }
  for (const char hidden : {'\0', '\n', '\x1b', ' ', '\x7f', '\x80', '\xff'}) {
    EXPECT_FALSE(passes(hidden)) << int{hidden};
  }
  DecisionNotice content;
  content.rule = std::string(14, 'x');
  content.strategy = std::string(14, 'y');
  Notice notice = to_notice(content);
  ASSERT_TRUE(decision_notice(notice));
  auto * const rule = std::ranges::find(notice.bytes, std::uint8_t{'x'}) - 1;
  rule[0] = 15;
  rule[15] = 'x';
  rule[16] = 13;  // letters of the strategy that follow
  EXPECT_FALSE(decision_notice(notice));
}

TEST(DecisionNotice, has_a_held_suite_only_if_there_is_one)
{
  DecisionNotice content = example_decision();
  const std::size_t size = to_notice(content).size;
  content.held = nullptr;
  EXPECT_EQ(to_notice(content).size, size - 5);
  const auto read = decision_notice(to_notice(content));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->held, nullptr);
}

TEST(DecisionNotice, says_whether_the_vehicle_is_armed_if_that_is_known)
{
  for (const std::optional<bool> armed : {std::optional<bool>{}, {false}, {true}}) {
    DecisionNotice content;
    content.armed = armed;
    EXPECT_EQ(decision_notice(to_notice(content))->armed, armed);
  }
}

TEST(DecisionNotice, changes_the_suite_if_the_tunnel_is_asked_for_another_one)
{
  const DecisionNotice down = [] {
    DecisionNotice content = example_decision();
    content.advice_only = false;
    return content;
  }();
  EXPECT_TRUE(down.changes_suite());
  DecisionNotice advice = down;
  advice.advice_only = true;
  EXPECT_FALSE(advice.changes_suite());
  DecisionNotice same = down;
  same.to = same.from;
  EXPECT_FALSE(same.changes_suite());
  DecisionNotice none = down;
  none.to = nullptr;
  EXPECT_FALSE(none.changes_suite());
}

TEST(DecisionNotice, of_a_later_version_is_read_as_far_as_it_is_known)
{
  Notice longer = to_notice(example_decision());
  longer.bytes.at(longer.size++) = 7;
  EXPECT_TRUE(decision_notice(longer));
  for (const std::uint8_t action : std::initializer_list<std::uint8_t>{7, 99}) {
    longer.bytes[0] = action;
    ASSERT_TRUE(decision_notice(longer));
    EXPECT_EQ(decision_notice(longer)->action, DecisionNotice::Action::unknown);
  }
}

TEST(DecisionNotice, of_another_kind_means_nothing)
{
  Notice other = to_notice(example_decision());
  other.kind = NoticeKind::computer;
  EXPECT_FALSE(decision_notice(other));
}

TEST(DecisionNotice, has_a_line_for_the_operator_for_each_cue)
{
  EXPECT_EQ(cue_text(0), "");
  for (const std::string_view cue : cue_names) {
    EXPECT_TRUE(cue_text(code_of(cue_names, cue)).starts_with(cue)) << cue;
  }
  EXPECT_EQ(cue_text(cue_names.size() + 1), "cue: see the drone's decision");
}

TEST(DecisionNotice, has_the_names_of_actions_that_the_policy_gives_them)
{
  EXPECT_EQ(decision_action("DOWN_TO_LIGHTEST"), DecisionNotice::Action::down_to_lightest);
  EXPECT_STREQ(to_string(DecisionNotice::Action::rollback), "ROLLBACK");
  EXPECT_EQ(decision_action("DANCE"), DecisionNotice::Action::unknown);
}

TEST(PolicyNotice, is_read_back_as_it_was_written)
{
  for (const bool silent : {false, true}) {
    for (const std::optional<bool> armed : {std::optional<bool>{}, {false}, {true}}) {
      const PolicyNotice content{silent, armed};
      EXPECT_EQ(policy_notice(to_notice(content)), content);
    }
  }
}

TEST(PolicyNotice, that_is_empty_or_of_another_kind_means_nothing_and_a_longer_one_is_read)
{
  Notice notice = to_notice(PolicyNotice{true, true});
  notice.bytes.at(notice.size++) = 7;
  EXPECT_EQ(policy_notice(notice), (PolicyNotice{true, true}));
  notice.size = 0;
  EXPECT_FALSE(policy_notice(notice));
  EXPECT_FALSE(policy_notice(to_notice(ComputerNotice{})));
}

}  // namespace
}  // namespace pqc_tunnel::test
