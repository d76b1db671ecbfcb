// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "peer_messages.hpp"

namespace pqc_tunnel
{

pqc_msgs::msg::PeerMessage peer_message(const NoticeArrived & arrived, const ClockPair & now)
{
  pqc_msgs::msg::PeerMessage message;
  message.stamp = to_stamp(arrived.time, now);
  message.kind = static_cast<std::uint8_t>(arrived.notice.kind);
  const ByteView content = arrived.notice.content();
  message.content.assign(content.begin(), content.end());
  return message;
}

std::optional<Notice> notice_from(const pqc_msgs::msg::PeerMessage & message)
{
  Notice notice;
  notice.kind = NoticeKind{message.kind};
  const Bytes content(message.content.begin(), message.content.end());
  if (notice.kind == NoticeKind::policy || content.empty() || !notice.assign(content)) {
    return std::nullopt;
  }
  return notice;
}

}  // namespace pqc_tunnel
