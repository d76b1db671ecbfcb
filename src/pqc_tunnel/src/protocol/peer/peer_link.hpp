// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__PEER__PEER_LINK_HPP_
#define PQC_TUNNEL__PROTOCOL__PEER__PEER_LINK_HPP_

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "link/estimate/link_estimator.hpp"
#include "link/paths/path_set.hpp"
#include "output.hpp"
#include "protocol/handshake/likely_cause.hpp"
#include "protocol/session/clock_sync.hpp"
#include "protocol/session/epoch_keys.hpp"
#include "protocol/session/rate_search.hpp"
#include "protocol/session/settings.hpp"
#include "protocol/session/snapshot.hpp"
#include "protocol/wire/control_frame.hpp"

namespace pqc_tunnel
{

// The way to one peer: its paths, what is counted and measured there, and how long the peer has been silent.
class PeerLink
{
public:
  PeerLink(PeerIndex index, const TunnelSettings & settings, RandomSource & random, Outbox & outbox)
  : index_(index),
    settings_(settings),
    outbox_(outbox),
    paths_(settings.paths, random),
    rate_search_(settings)
  {
  }

  PathSet & paths() { return paths_; }
  const PathSet & paths() const { return paths_; }
  TrafficCounters & traffic() { return traffic_; }
  LinkEstimator & estimator() { return estimator_; }
  const ClockSync & clock() const { return clock_; }
  void describe(PeerSnapshot & snapshot, Instant now) const;
  void tell(PeerFacts & facts, Instant now) const;
  // Reports links that are up or down, and addresses. `keys`: those in use; null if there are none.
  void report_changes(const EpochKeys * keys, Instant now);

  // --- Whether the peer is there ---
  // Silence is counted from here on, although nothing has come yet.
  void start_listening(Instant now);
  // This end has looked at nothing for so long, and what came meanwhile may be too old to be believed: that was no silence
  // of the peer.
  void handle_standstill(Duration stood, Instant now);
  // An authentic frame arrived; a stale one may have been held back.
  void note_arrival(bool stale, Instant now);
  // The peer was there at this time, as a hello, an answer or the use of new keys proves.
  void note_alive(Instant at) { last_alive_ = std::max(last_alive_, at); }
  void handle_answer(const TimeResponse & response, const EpochKeys * keys, Instant now);
  Instant last_heard() const { return last_heard_; }
  // The peer has answered a question that was asked at this time, or later.
  Instant last_answered() const { return last_answered_; }
  Instant last_alive() const { return last_alive_; }
  // The peer is taken for lost from then on: nothing fresh has come for peer_timeout or, while datagrams arrive that
  // someone may have held back, no answer for twice as long.
  Instant lost_from() const;

  // --- Times ---
  // Uses the round trip of the handshake: a slow link gets more time from the start. One that becomes slow in flight does
  // not, or whoever holds frames back could stretch the time that silence takes.
  void use_round_trip(Duration round_trip);
  Duration allowance() const { return allowance_; }
  // How long to wait for an answer of the peer before the question is repeated.
  Duration retry_time(Instant now) const;
  // The link loses much, and has room for repetitions.
  bool repeats_densely(Instant now) const;
  // What arrives has been older than it may be.
  bool is_stretched(Instant now) const { return now < stretched_until_; }
  void note_stretched(std::string_view what, Instant now);
  // Says why this end itself may be late; empty if it is not.
  void note_machine_trouble(const std::string & trouble) { machine_trouble_ = trouble; }

  // --- Reports to the peer ---
  // Returns the report that is due now, if one is. `answered`: the peer's clock is known.
  std::optional<LinkReport> take_report(bool answered, Instant now);
  void end_reports() { next_report_.reset(); }
  bool is_idle(Instant now) const { return now >= last_sent_ + settings_.keepalive_interval; }
  void note_sent(Instant now) { last_sent_ = now; }
  Instant next_timeout() const;

  // --- Reports of the peer, and the rate of a link that nobody has configured ---
  void handle_report(
    const LinkView & view, const FrameOrder & order, const EpochKeys * keys, Instant now);
  void note_exchange(Instant now);
  void end_exchange(Instant now) { rate_search_.end_exchange(now); }
  // Bytes per second on the line that the only link takes: it has no configured rate, and this end fills it.
  std::optional<double> found_rate() const { return rate_search_.saturation().rate(); }
  // Traffic that is not urgent waits for a key exchange.
  bool makes_way() const { return rate_search_.saturation().makes_way(); }
  // Frames wait in a queue of that link, or have lately: small datagrams gain by sharing a frame.
  bool is_crowded(Instant now) const { return rate_search_.saturation().is_crowded(now); }

private:
  bool is_deaf(Instant now) const;
  void report_moved(const EpochKeys * keys, Instant now);
  void use_found_rate(const EpochKeys * keys, Instant now);
  void report(
    EventKind kind, Instant now, std::string text, const EpochKeys * keys = nullptr,
    std::optional<EventSeverity> severity = std::nullopt);

  PeerIndex index_;
  const TunnelSettings & settings_;
  Outbox & outbox_;
  PathSet paths_;
  TrafficCounters traffic_;
  LinkEstimator estimator_;
  ClockSync clock_;
  RateSearch rate_search_;
  bool told_saturated_ = false;
  std::optional<PeerLinkReport> remote_;
  FrameOrder remote_order_;            // of its newest report
  std::optional<Instant> deaf_since_;  // the peer's reports count nothing more since then
  Instant last_arrival_;               // of an authentic frame, even if it may have been held back
  Instant last_heard_;                 // of one that is proven to be fresh
  Instant last_alive_;
  Instant last_answered_;
  Instant last_sent_;
  Duration allowance_{};  // of a slow link
  std::string machine_trouble_;
  std::optional<Instant> next_report_;
  std::uint64_t reported_data_ = 0;  // datagrams of the application before the newest report
  Instant stretched_until_;
  Instant next_stretch_report_;
  Instant next_roaming_report_;
  std::uint32_t roamings_ = 0;  // since the last report of one
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__PEER__PEER_LINK_HPP_
