// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "policy_notice.hpp"

namespace pqc_tunnel
{
namespace
{

constexpr std::uint8_t policy_is_silent = 0x01;
constexpr std::uint8_t armed_is_known = 0x02;
constexpr std::uint8_t is_armed = 0x04;

}  // namespace

Notice to_notice(const PolicyNotice & content)
{
  std::uint8_t flags = content.silent ? policy_is_silent : 0;
  if (content.armed) {
    flags = flags | armed_is_known | (*content.armed ? is_armed : 0);
  }
  Notice notice;
  notice.kind = NoticeKind::policy;
  notice.bytes[0] = flags;
  notice.size = 1;
  return notice;
}

std::optional<PolicyNotice> policy_notice(const Notice & notice)
{
  if (notice.kind != NoticeKind::policy || notice.size < 1) {
    return std::nullopt;
  }
  const std::uint8_t flags = notice.bytes[0];
  PolicyNotice content;
  content.silent = (flags & policy_is_silent) != 0;
  if ((flags & armed_is_known) != 0) {
    content.armed = (flags & is_armed) != 0;
  }
  return content;
}

}  // namespace pqc_tunnel
