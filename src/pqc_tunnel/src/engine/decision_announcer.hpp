// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__ENGINE__DECISION_ANNOUNCER_HPP_
#define PQC_TUNNEL__ENGINE__DECISION_ANNOUNCER_HPP_

#include <optional>
#include <string>

#include "paths/mavlink_statustext.hpp"
#include "pqc_tunnel/base/time.hpp"
#include "protocol/drone_notices.hpp"

namespace pqc_tunnel
{

struct Announcement
{
  MavlinkSeverity severity = MavlinkSeverity::info;
  std::string text;
};

// Says in a line for the pilot to which suite the drone's policy changes, and why. Renewals and repeated tries are not
// announced. There is at most one line in announcement_interval: the newest one that waits.
class DecisionAnnouncer
{
public:
  static constexpr Duration announcement_interval = std::chrono::seconds(5);

  // A line to show now, or nothing. To be called for each notice.
  std::optional<Announcement> handle(const DecisionNotice & decision, Instant now);

private:
  std::optional<DecisionNotice> waiting_;
  const Suite * target_ = nullptr;  // of the newest line, until the drone has it
  std::optional<Instant> next_;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__ENGINE__DECISION_ANNOUNCER_HPP_
