// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "protocol/drone_notices.hpp"
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
  EXPECT_LE(notice.size, Notice::max_size);
  const auto read = decision_notice(notice);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->rule, std::string(14, 'x'));
}

TEST(DecisionNotice, cut_short_or_with_a_name_that_no_terminal_shows_means_nothing)
{
  const Notice whole = to_notice(example_decision());
  for (std::size_t size = 0; size < whole.size; ++size) {
    Notice cut = whole;
    cut.size = size;
    EXPECT_FALSE(decision_notice(cut)) << size;
  }
  DecisionNotice content = example_decision();
  content.rule = "a\x1b[2J";
  EXPECT_FALSE(decision_notice(to_notice(content)));
}

TEST(DecisionNotice, of_a_later_version_is_read_as_far_as_it_is_known)
{
  Notice longer = to_notice(example_decision());
  longer.bytes.at(longer.size++) = 7;
  EXPECT_TRUE(decision_notice(longer));
  longer.bytes[0] = 99;
  EXPECT_EQ(decision_notice(longer)->action, DecisionNotice::Action::unknown);
}

TEST(DecisionNotice, has_the_names_of_actions_that_the_policy_gives_them)
{
  EXPECT_EQ(decision_action("DOWN_TO_LIGHTEST"), DecisionNotice::Action::down_to_lightest);
  EXPECT_STREQ(to_string(DecisionNotice::Action::rollback), "ROLLBACK");
  EXPECT_EQ(decision_action("DANCE"), DecisionNotice::Action::unknown);
}

}  // namespace
}  // namespace pqc_tunnel::test
