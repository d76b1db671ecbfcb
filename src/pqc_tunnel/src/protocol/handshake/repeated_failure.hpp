// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__HANDSHAKE__REPEATED_FAILURE_HPP_
#define PQC_TUNNEL__PROTOCOL__HANDSHAKE__REPEATED_FAILURE_HPP_

#include <cstdint>
#include <string>

#include "protocol/session/event.hpp"

namespace pqc_tunnel
{

// Decides at which severity to log a failure that may repeat: the same one at a decreasing rate, with its count.
class RepeatedFailure
{
public:
  struct Entry
  {
    EventSeverity severity;
    std::string text;  // with the count, if the failure has repeated
  };

  // `mends_itself`: the other end may only not have started yet, so the first seconds are no reason for a warning.
  Entry note(const std::string & text, bool mends_itself, Instant now);
  // It works again.
  void reset() { *this = RepeatedFailure(); }
  // True after a failure, until reset().
  bool failing() const { return count_ > 0; }

private:
  std::string text_;
  std::uint64_t count_ = 0;  // of failures with this text
  Instant first_;            // of these
  Instant trouble_began_;
  Instant next_warning_;
  Duration interval_{};
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__HANDSHAKE__REPEATED_FAILURE_HPP_
