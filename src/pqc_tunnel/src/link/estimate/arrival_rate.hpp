// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__LINK__ESTIMATE__ARRIVAL_RATE_HPP_
#define PQC_TUNNEL__LINK__ESTIMATE__ARRIVAL_RATE_HPP_

#include <cstddef>
#include <optional>

#include "base/time.hpp"

namespace pqc_tunnel
{

// Measures how fast a link delivers from the parts of streams that arrive by it. A sender of a stream fills the link,
// so that its parts follow each other at the rate of the link.
class ArrivalRate
{
public:
  // Parts that follow each other within this time form a train, and only trains are measured: senders leave longer
  // pauses between messages.
  static constexpr Duration longest_gap = std::chrono::milliseconds(250);

  void handle_part(std::size_t bytes, Instant now);
  // Returns bytes per second; none before enough has arrived.
  std::optional<double> bytes_per_s() const { return rate_; }

private:
  std::optional<Instant> begun_;  // when the first part of the train arrived
  Instant last_;
  std::size_t bytes_ = 0;  // of the train, after its first part
  std::optional<double> rate_;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__LINK__ESTIMATE__ARRIVAL_RATE_HPP_
