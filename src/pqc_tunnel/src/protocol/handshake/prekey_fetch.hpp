// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__HANDSHAKE__PREKEY_FETCH_HPP_
#define PQC_TUNNEL__PROTOCOL__HANDSHAKE__PREKEY_FETCH_HPP_

#include <algorithm>
#include <cstdint>

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
  PrekeyFetch(const Suite & suite, std::uint32_t transaction, Duration patience, Instant now)
  : suite_(&suite),
    transaction_(transaction),
    patience_(patience),
    arrived_(now),
    next_try_(now),
    progress_(now)
  {
  }

  const Suite & suite() const { return *suite_; }
  std::uint32_t transaction() const { return transaction_; }

  // WANT is due.
  bool take_try(Instant now, RandomSource & random)
  {
    if (now < next_try_) {
      return false;
    }
    next_try_ = now + retry_.next(random);
    return true;
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
    if (at > progress_) {
      arrived_ = progress_ = at;
      next_try_ = at + control_retry_max;
    }
  }
  bool is_stuck(Instant now) const
  {
    return now >= progress_ + patience_ || now >= arrived_ + prepare_deadline;
  }
  Instant next_timeout() const
  {
    return std::min({next_try_, progress_ + patience_, arrived_ + prepare_deadline});
  }

private:
  const Suite * suite_;
  std::uint32_t transaction_;
  Duration patience_;
  Backoff retry_{control_retry_first, control_retry_max, exchange_steady_tries};
  Instant arrived_;  // the newest part of it
  Instant next_try_;
  Instant progress_;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__HANDSHAKE__PREKEY_FETCH_HPP_
