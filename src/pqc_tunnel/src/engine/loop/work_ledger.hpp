// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__ENGINE__LOOP__WORK_LEDGER_HPP_
#define PQC_TUNNEL__ENGINE__LOOP__WORK_LEDGER_HPP_

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include "base/ids.hpp"
#include "base/time.hpp"

namespace pqc_tunnel
{

// Divides the processor time of a thread by the time that passed for each peer. A reading of the processor time is a system
// call, so that one serves many frames.
class WorkLedger
{
public:
  static constexpr Duration at_once = std::chrono::milliseconds(1);  // a fifth of a peer's credit

  // The thread, which has worked since it was idle before, was idle for a time.
  void note_idle(Instant from, Instant until) { busy_ += from - std::exchange(busy_from_, until); }
  void begin(Instant now) { noted_until_ = now; }
  // Something was done for this peer, or for none, since begin() or the last call.
  void note(std::optional<PeerIndex> peer, Instant now)
  {
    work_.push_back({peer, now - noted_until_});
    worked_ += now - std::exchange(noted_until_, now);
  }
  bool is_due() const { return worked_ >= at_once; }
  // Calls charge(peer, time) for all that was noted. `used`: processor time of the thread so far.
  template <class Charge>
  void settle(Duration used, Charge && charge)
  {
    const Duration busy = std::exchange(busy_, {}) + (noted_until_ - busy_from_);
    const double share = std::min(
      std::chrono::duration<double>(used - std::exchange(used_, used)) /
        std::max(busy, Duration{1}),
      1.0);
    for (const auto & [peer, time] : work_) {
      charge(
        peer, std::chrono::duration_cast<Duration>(
                std::chrono::duration<double, std::nano>(time) * share));
    }
    work_.clear();
    worked_ = {};
    busy_from_ = noted_until_;
  }

private:
  std::vector<std::pair<std::optional<PeerIndex>, Duration>> work_;  // time that passed
  Duration worked_{};                                                // their sum
  Instant noted_until_;
  Duration used_{};    // processor time at the last settle()
  Duration busy_{};    // time since then until the thread was idle last
  Instant busy_from_;  // when it was idle last
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__ENGINE__LOOP__WORK_LEDGER_HPP_
