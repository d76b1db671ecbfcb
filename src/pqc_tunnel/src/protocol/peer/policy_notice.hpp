// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__PEER__POLICY_NOTICE_HPP_
#define PQC_TUNNEL__PROTOCOL__PEER__POLICY_NOTICE_HPP_

#include <optional>

#include "protocol/wire/notice.hpp"

namespace pqc_tunnel
{

// What a drone's tunnel tells of the policy beside it: once a second while it is silent, and once when it decides again.
struct PolicyNotice
{
  bool silent = false;
  std::optional<bool> armed;  // of the vehicle; none: unknown

  friend bool operator==(const PolicyNotice &, const PolicyNotice &) = default;
};

Notice to_notice(const PolicyNotice & content);
// Nothing for another kind. Bytes that follow are those of later versions and ignored.
std::optional<PolicyNotice> policy_notice(const Notice & notice);

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__PEER__POLICY_NOTICE_HPP_
