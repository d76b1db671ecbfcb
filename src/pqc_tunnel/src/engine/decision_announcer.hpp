// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__ENGINE__DECISION_ANNOUNCER_HPP_
#define PQC_TUNNEL__ENGINE__DECISION_ANNOUNCER_HPP_

#include <cstdint>
#include <map>
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

// Says in a line for the pilot to which suite the drone's policy changes, and why; which suite is in use after a change
// that no notice told of; and what the operator should do when a cue begins. Renewals, repeated tries and mere advice
// are not announced. There is at most one line in announcement_interval: the newest change that waits, else the cue.
class DecisionAnnouncer
{
public:
  static constexpr Duration announcement_interval = std::chrono::seconds(5);
  // A change that was not tried for so long is announced as a new one.
  static constexpr Duration forgotten_after = std::chrono::minutes(1);
  // Between two lines of one cue, however often it ends and begins.
  static constexpr Duration cue_interval = std::chrono::minutes(1);

  // A line to show now, or nothing. To be called for each notice.
  std::optional<Announcement> handle(const DecisionNotice & decision, Instant now);

private:
  struct Change
  {
    const Suite * to = nullptr;  // none: it is done
    Announcement line;
  };
  void note_suite_in_use(const Suite * suite);
  void note_change(const DecisionNotice & decision, Instant now);
  std::optional<Announcement> next_line(Instant now);

  std::optional<Change> waiting_;
  const Suite * in_use_ = nullptr;  // the newest one that is known
  const Suite * target_ = nullptr;  // of the newest line, until the drone has it
  Instant tried_;                   // when the drone was last seen to try it
  std::uint8_t cue_ = 0;
  bool cue_is_said_ = false;
  std::map<std::uint8_t, Instant> next_cue_;  // not before
  std::optional<Instant> next_;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__ENGINE__DECISION_ANNOUNCER_HPP_
