// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__SESSION__RATE_SEARCH_HPP_
#define PQC_TUNNEL__PROTOCOL__SESSION__RATE_SEARCH_HPP_

#include <cstdint>
#include <deque>
#include <optional>

#include "link/estimate/link_estimator.hpp"
#include "link/estimate/saturation.hpp"
#include "settings.hpp"
#include "snapshot.hpp"

namespace pqc_tunnel
{

// Searches for the rate of a single link without a configured rate, from the reports of the peer on its reception.
class RateSearch
{
public:
  explicit RateSearch(const TunnelSettings & settings) : settings_(settings) {}

  // Returns whether there is such a link.
  bool seeks() const;
  const Saturation & saturation() const { return saturation_; }
  // Returns whether nothing is being measured.
  bool rests(Instant now) const
  {
    return !exchange_sent_ && !saturation_.rate() && !saturation_.is_crowded(now) &&
           !saturation_.wants_delays();
  }

  // A frame of a key exchange leaves. Returns true for the first one, after which the delay should be measured.
  bool note_exchange(Instant now);
  void end_exchange(Instant now);
  // `delay`: one-way delay of a question, by the clocks of both ends.
  void handle_delay(Duration delay, Instant now);
  // Compares a report of the peer with what this end has sent. `streamed`: the pace of the streams that the peer sends, in
  // bytes per second.
  void handle_report(
    const LinkView & received, const TrafficCounters & sent, std::optional<double> streamed,
    Instant now);

private:
  // In bytes per second: what an attacker who delays and drops at will can press the link down to, until he stops.
  static constexpr double least_found_rate = 1000;
  struct Offered
  {
    Instant at;
    std::uint64_t line_bytes = 0;  // sent before `at`
  };
  void watch_exchange(Instant now);

  const TunnelSettings & settings_;
  Saturation saturation_{least_found_rate};
  std::optional<Instant> exchange_sent_;  // when the latest frame of the present exchange left
  std::deque<Offered> offered_;           // samples of the time that a report of the peer covers
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__SESSION__RATE_SEARCH_HPP_
