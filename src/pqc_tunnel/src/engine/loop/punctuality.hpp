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

// Whether this end is late itself: its process was stopped, or this machine is too busy. What seems to be the silence of a
// peer may be that. No I/O.
class Punctuality
{
public:
  // `late`: a thread that looks no later than this after the last look is in time.
  Punctuality(Duration late, Instant now) : late_(late), looked_(now) {}

  // The thread looks at what is ready. Returns for how long it has stood still before; zero: it is in time.
  Duration handle_look(Instant now)
  {
    const Duration since = now - std::exchange(looked_, now);
    return since > late_ ? since : Duration{};
  }

  // From time to time: see machine_load.hpp.
  void note_load(std::optional<Duration> processor_wait, std::optional<double> pressure)
  {
    waited_ = processor_wait;
    pressure_ = pressure;
  }

  // It stood still for that long.
  void handle_standstill(Duration stood, std::optional<Duration> processor_wait, Instant now);
  // False if that was said lately.
  bool take_report(Instant now);

  // What may be the cause of a silence now, in lower case without a full stop; empty: nothing here.
  std::string trouble(Instant now) const;

private:
  Duration late_;
  Instant looked_;
  std::optional<Duration> waited_;
  std::optional<double> pressure_;
  std::string standstill_;
  Instant standstill_until_;  // it may be the cause of a silence
  Instant next_report_;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__ENGINE__LOOP__PUNCTUALITY_HPP_
