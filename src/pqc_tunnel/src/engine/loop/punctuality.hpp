// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__ENGINE__LOOP__PUNCTUALITY_HPP_
#define PQC_TUNNEL__ENGINE__LOOP__PUNCTUALITY_HPP_

#include <optional>
#include <string>
#include <utility>

#include "base/time.hpp"

namespace pqc_tunnel
{

// Detects that this end itself is late, because its process was stopped or the machine is too busy. That may look like
// the silence of a peer. No I/O.
class Punctuality
{
public:
  // `late`: the thread is in time if it looks again within this time.
  Punctuality(Duration late, Instant now) : late_(late), looked_(now) {}

  // The thread looks at the ready descriptors. Returns for how long it stood still before; zero: it is in time.
  Duration handle_look(Instant now)
  {
    const Duration since = now - std::exchange(looked_, now);
    return since > late_ ? since : Duration{};
  }

  // Takes the load of the machine; see machine_load.hpp.
  void note_load(std::optional<Duration> processor_wait, std::optional<double> pressure)
  {
    waited_ = processor_wait;
    pressure_ = pressure;
  }

  // The thread stood still for `stood`.
  void handle_standstill(Duration stood, std::optional<Duration> processor_wait, Instant now);
  // Returns whether a standstill may be reported, which happens at most every 10 s.
  bool take_report(Instant now);

  // Returns the local cause that a silence may have now, in lower case without a full stop; empty: none.
  std::string trouble(Instant now) const;

private:
  Duration late_;
  Instant looked_;
  std::optional<Duration> waited_;
  std::optional<double> pressure_;
  std::string standstill_;
  Instant standstill_until_;  // until then it may explain a silence
  Instant next_report_;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__ENGINE__LOOP__PUNCTUALITY_HPP_
