// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__LINK__ESTIMATE__ARRIVAL_RATE_HPP_
#define PQC_TUNNEL__LINK__ESTIMATE__ARRIVAL_RATE_HPP_

#include <cstddef>
#include <optional>

#include "base/time.hpp"

namespace pqc_tunnel
{

// How fast a link delivers, measured from the parts of streams that arrive by it: a sender of a stream fills the link,
// so that the parts follow each other at its rate.
class ArrivalRate
{
public:
  // Parts of one train follow each other within this time. Senders leave longer pauses between messages, whose parts
  // would otherwise be measured with the pause.
  static constexpr Duration longest_gap = std::chrono::milliseconds(250);

  void handle_part(std::size_t bytes, Instant now);
  // Bytes per second; none before enough has arrived.
  std::optional<double> bytes_per_s() const { return rate_; }

private:
  std::optional<Instant> begun_;  // the first part of a train
  Instant last_;
  std::size_t bytes_ = 0;  // after the first part
  std::optional<double> rate_;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__LINK__ESTIMATE__ARRIVAL_RATE_HPP_
