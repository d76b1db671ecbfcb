// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <initializer_list>

#include "protocol/peer/policy_notice.hpp"
#include "support/hostile/insider.hpp"
#include "support/pair/wired_pair.hpp"

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

TEST(Notices, reach_the_peers_programs_in_both_directions)
{
  WiredPair pair;
  ASSERT_TRUE(pair.establish());
  for (const Side from : both_sides) {
    const Notice sent = notice_of(NoticeKind::computer, {1, 2, 3});
    EXPECT_TRUE(pair.end(from).send_message(PeerIndex{0}, sent, pair.now()));
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
    pair.drone().send_message(PeerIndex{0}, notice_of(NoticeKind::computer, {1}), pair.now()));
}

TEST(Notices, of_kinds_that_are_not_sent_are_refused)
{
  WiredPair pair;
  ASSERT_TRUE(pair.establish());
  EXPECT_FALSE(pair.drone().send_message(PeerIndex{0}, notice_of(NoticeKind{8}, {1}), pair.now()));
}

TEST(Notices, of_one_kind_wait_for_each_other_and_the_newest_wins)
{
  WiredPair pair;
  ASSERT_TRUE(pair.establish());
  const auto send = [&](NoticeKind kind, std::uint8_t content) {
    EXPECT_TRUE(pair.drone().send_message(PeerIndex{0}, notice_of(kind, {content}), pair.now()));
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
    pair.gcs().send_message(PeerIndex{0}, notice_of(NoticeKind::request, {content}), pair.now());
  }
  pair.gcs().wipe(PeerIndex{0}, "in a test", pair.now());
  pair.pump();
  pair.run_for(std::chrono::seconds(20));
  for (const Notice & notice : pair.notices(Side::drone)) {
    EXPECT_EQ(notice.bytes[0], 1);
  }
}

TEST(Notices, of_unknown_kinds_are_carried)
{
  WiredPair pair;
  Insider insider(pair);
  ASSERT_TRUE(pair.establish());
  const auto ignored = pair.snapshot(Side::gcs).traffic.control_ignored;
  EXPECT_TRUE(insider.say(Side::drone, {0, notice_of(NoticeKind{200}, {1, 2})}).peer);
  pair.run_for(milliseconds(100));
  ASSERT_FALSE(pair.notices(Side::gcs).empty());
  EXPECT_EQ(pair.notices(Side::gcs).back().kind, NoticeKind{200});
  EXPECT_EQ(pair.snapshot(Side::gcs).traffic.control_ignored, ignored);
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
  EXPECT_FALSE(policy_notice(notice_of(NoticeKind::computer, {7})));
}

}  // namespace
}  // namespace pqc_tunnel::test
