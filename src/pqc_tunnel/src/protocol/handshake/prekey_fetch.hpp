// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__HANDSHAKE__PREKEY_FETCH_HPP_
#define PQC_TUNNEL__PROTOCOL__HANDSHAKE__PREKEY_FETCH_HPP_

#include <algorithm>
#include <cstdint>
#include <optional>

#include "base/ids.hpp"
#include "base/time.hpp"
#include "crypto/suites/suite.hpp"
#include "protocol/session/backoff.hpp"
#include "protocol/wire/constants.hpp"

namespace pqc_tunnel
{

// The drone's request for one prekey: WANT until it comes, for a rekey that waits for it or ahead of one.
class PrekeyFetch
{
public:
  // `patience`: for any word of the ground station.
  PrekeyFetch(
    const Suite & suite, std::uint32_t transaction, bool urgent, Duration patience, Instant now)
  : suite_(&suite),
    transaction_(transaction),
    urgent_(urgent),
    patience_(patience),
    retry_(pauses(urgent)),
    own_progress_(now),
    arrived_(now),
    next_try_(now),
    tried_(now),
    progress_(now)
  {
  }

  const Suite & suite() const { return *suite_; }
  std::uint32_t transaction() const { return transaction_; }
  // The job that verifies it, once it has come.
  const std::optional<JobId> & job() const { return job_; }
  void begin_job(JobId job) { job_ = job; }
  // A rekey waits for it.
  bool is_urgent() const { return urgent_; }
  // Parts of it have come.
  bool has_begun() const { return begun_; }

  void hurry(Instant now)
  {
    urgent_ = true;
    retry_ = pauses(true);
    next_try_ = begun_ ? next_try_ : now;
  }
  // WANT says something else than before: it is sent some more times.
  void renew(Instant now)
  {
    renewals_ = most_renewals;
    next_renewal_ = now;
  }
  // WANT is due.
  bool take_try(Instant now, RandomSource & random)
  {
    const bool renewed = renewals_ > 0 && now >= next_renewal_;
    const bool due = now >= next_try_;
    if (renewed) {
      --renewals_;
      next_renewal_ = now + (most_renewals - renewals_) * renewal_pause;
    }
    if (due) {
      tried_ = now;
      next_try_ = now + retry_.next(random);
    }
    return renewed || due;
  }
  // The ground station makes it, which takes about this long.
  void handle_later(Duration estimate, Instant now)
  {
    progress_ = now;
    retry_.reset();
    next_try_ = now + std::clamp(estimate, control_retry_first, control_retry_max);
  }
  // Parts of it arrive.
  void note_progress(Instant at)
  {
    if (at > own_progress_) {
      begun_ = true;
      own_progress_ = at;
      next_try_ = at + control_retry_max;
    }
    note_others(at);
  }
  // Parts of others arrive, for which it may have to wait; or the ground station is back.
  void note_others(Instant at)
  {
    if (at > progress_ && !urgent_) {
      next_try_ = std::max(next_try_, begun_ ? at + control_retry_max : tried_ + behind_others);
    }
    arrived_ = std::max(arrived_, at);
    progress_ = std::max(progress_, at);
  }
  bool is_stuck(Instant now) const
  {
    return now >= progress_ + patience_ || now >= arrived_ + prepare_deadline;
  }
  Instant next_timeout() const
  {
    return std::min(
      {next_try_, progress_ + patience_, arrived_ + prepare_deadline,
       renewals_ > 0 ? next_renewal_ : Instant::max()});
  }

private:
  static constexpr int most_renewals = 3;
  static constexpr Duration renewal_pause = std::chrono::seconds(1);
  static constexpr Duration longest_pause = std::chrono::seconds(1);  // nobody waits for it
  static constexpr Duration behind_others = std::chrono::seconds(8);

  static Backoff pauses(bool urgent)
  {
    return urgent ? Backoff{control_retry_first, control_retry_max, exchange_steady_tries}
                  : Backoff{control_retry_first, longest_pause};
  }

  const Suite * suite_;
  std::uint32_t transaction_;
  bool urgent_;
  Duration patience_;
  Backoff retry_;
  std::optional<JobId> job_;
  bool begun_ = false;
  int renewals_ = 0;
  Instant next_renewal_;
  Instant own_progress_;
  Instant arrived_;  // the newest part of it, or of others
  Instant next_try_;
  Instant tried_;
  Instant progress_;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__HANDSHAKE__PREKEY_FETCH_HPP_
