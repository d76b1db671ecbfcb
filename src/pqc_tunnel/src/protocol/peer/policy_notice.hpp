// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__PEER__POLICY_NOTICE_HPP_
#define PQC_TUNNEL__PROTOCOL__PEER__POLICY_NOTICE_HPP_

#include <chrono>
#include <optional>

#include "base/time.hpp"
#include "protocol/wire/notice.hpp"

namespace pqc_tunnel
{

// A policy decides once a second; without a decision for longer than this it is silent.
constexpr Duration policy_silence = std::chrono::seconds(5);

// The state of the policy that a drone's tunnel reports, once a second while it is silent and once when it ends that.
struct PolicyNotice
{
  bool silent = false;
  std::optional<bool> armed;  // whether the vehicle is armed; none: unknown

  friend bool operator==(const PolicyNotice &, const PolicyNotice &) = default;
};

Notice to_notice(const PolicyNotice & content);
// Returns nothing for another kind. Further bytes belong to later versions and are ignored.
std::optional<PolicyNotice> policy_notice(const Notice & notice);

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__PEER__POLICY_NOTICE_HPP_
