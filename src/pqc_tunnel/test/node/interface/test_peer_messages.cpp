// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "node/interface/peer_messages.hpp"

namespace pqc_tunnel
{
namespace
{

pqc_msgs::msg::PeerMessage message_of(NoticeKind kind, const Bytes & content)
{
  pqc_msgs::msg::PeerMessage message;
  message.kind = static_cast<std::uint8_t>(kind);
  message.content.assign(content.begin(), content.end());
  return message;
}

TEST(PeerMessages, leave_and_arrive_with_kind_and_content)
{
  const auto notice = notice_from(message_of(NoticeKind::request, {1, 2, 3}));
  ASSERT_TRUE(notice);
  const Instant arrival{std::chrono::seconds(99)};
  const ClockPair now{Instant{std::chrono::seconds(100)}, 5'000'000'000};
  const auto message = peer_message({PeerIndex{0}, *notice, arrival}, now);
  EXPECT_EQ(message.stamp.sec, 4);
  EXPECT_EQ(message.kind, 3);
  EXPECT_EQ(message.content, message_of(NoticeKind::request, {1, 2, 3}).content);
  EXPECT_TRUE(notice_from(message_of(NoticeKind::line, Bytes(Notice::max_size))));
}

TEST(PeerMessages, that_are_empty_or_say_what_the_tunnel_alone_may_say_do_not_leave)
{
  EXPECT_FALSE(notice_from(message_of(NoticeKind::request, {})));
  EXPECT_FALSE(notice_from(message_of(NoticeKind::policy, {1})));
}

}  // namespace
}  // namespace pqc_tunnel
