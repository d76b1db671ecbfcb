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

// The connection to one peer: its paths, their counts and measurements, and how long the peer has been silent.
class PeerLink
{
public:
  PeerLink(
    PeerIndex index, Role own_role, const TunnelSettings & settings, RandomSource & random,
    Outbox & outbox)
  : index_(index),
    settings_(settings),
    leads_(own_role == Role::gcs),
    rest_(rest_of(own_role, settings)),
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
  // Reports links that went up or down, and new addresses. `keys`: the sending keys; null: none.
  void report_changes(const EpochKeys * keys, Instant now);

  // --- Presence of the peer ---
  // Counts silence from now on, even before the first frame.
  void start_listening(Instant now);
  // This end was at a standstill for `stood`, which does not count as silence of the peer: frames that came in that
  // time may have become too old.
  void handle_standstill(Duration stood, Instant now);
  // An authentic frame has arrived. `stale`: it may have been held back.
  void note_arrival(bool stale, Instant now);
  // A hello, an answer or the use of new keys proves that the peer was present at this time.
  void note_alive(Instant at) { last_alive_ = std::max(last_alive_, at); }
  void handle_answer(const TimeResponse & response, const EpochKeys * keys, Instant now);
  Instant last_heard() const { return last_heard_; }
  // Returns when the newest question was asked that the peer has answered.
  Instant last_answered() const { return last_answered_; }
  Instant last_alive() const { return last_alive_; }
  // Returns from when on the peer counts as lost: peer_timeout after the last fresh frame, or twice as long after the
  // last answer, whichever is earlier.
  Instant lost_from() const;

  // --- Times ---
  // Grants a slow link more time, by the round trip of the handshake. A link that becomes slow later gets none, or an
  // attacker who delays frames could postpone the detection of silence.
  void use_round_trip(Duration round_trip);
  Duration allowance() const { return allowance_; }
  // Returns how long to wait for an answer before the question is repeated.
  Duration retry_time(Instant now) const;
  // True if the link loses much and has room for repetitions.
  bool repeats_densely(Instant now) const;
  // True if frames have lately been older than they may be.
  bool is_stretched(Instant now) const { return now < stretched_until_; }
  void note_stretched(std::string_view what, Instant now);
  // Sets why this end itself may be late; empty: it is not.
  void note_machine_trouble(const std::string & trouble) { machine_trouble_ = trouble; }

  // --- Reports to the peer ---
  // Returns the report, if one is due. `answered`: the peer's clock is known. One without a question follows a frame that
  // asks: a full queue has room for short frames.
  std::optional<LinkReport> take_report(bool answered, Instant now);
  // Returns a report with this answer if reports carry answers and one is due soon.
  std::optional<LinkReport> take_reply(const TimeResponse & answer, bool answered, Instant now);
  void end_reports()
  {
    next_report_.reset();
    rests_ = false;  // no data bring one forward
  }
  // Returns when the next report is due, which data bring forward.
  Instant next_report() const;
  // True if reports are rare because nothing flowed before the newest one.
  bool rests() const { return rests_; }
  bool is_idle(Instant now) const { return now >= last_sent_ + settings_.keepalive_interval; }
  void note_sent(Instant now) { last_sent_ = now; }
  Instant next_timeout() const;

  // --- Reports of the peer, and the rate of a link without a configured rate ---
  void handle_report(
    const LinkView & view, const FrameOrder & order, const EpochKeys * keys, Instant now);
  void note_exchange(Instant now);
  void end_exchange(Instant now) { rate_search_.end_exchange(now); }
  // Returns bytes per second on the line that a single link without a configured rate takes while this end fills it.
  std::optional<double> found_rate() const { return rate_search_.saturation().rate(); }
  // True while traffic that is not urgent waits for a key exchange.
  bool makes_way() const { return rate_search_.saturation().makes_way(); }
  // True if frames have waited in a queue of that link lately. Small datagrams then share frames.
  bool is_crowded(Instant now) const { return rate_search_.saturation().is_crowded(now); }

private:
  // Returns the time between two reports of a link that rests.
  static Duration rest_of(Role role, const TunnelSettings & settings);
  // Returns how many frames have carried something for others than this tunnel.
  std::uint64_t flow() const;
  bool is_calm(const LinkView & view, Instant now) const;
  LinkReport make_report(bool answered, Instant now);
  bool is_deaf(Instant now) const;
  void report_moved(const EpochKeys * keys, Instant now);
  void use_found_rate(const EpochKeys * keys, Instant now);
  void report(
    EventKind kind, Instant now, std::string text, const EpochKeys * keys = nullptr,
    std::optional<EventSeverity> severity = std::nullopt);

  PeerIndex index_;
  const TunnelSettings & settings_;
  bool leads_;  // the ground station reports first, so that a drone answers with its own report
  Duration rest_;
  Outbox & outbox_;
  // Each datagram needs these: they lie beside each other.
  Instant last_arrival_;  // of an authentic frame, even a stale one
  Instant last_heard_;    // of a frame that is proven to be fresh
  Instant last_alive_;
  Instant last_answered_;
  Instant last_sent_;
  std::uint64_t reported_flow_ = 0;
  PathSet paths_;
  TrafficCounters traffic_;
  LinkEstimator estimator_;
  ClockSync clock_;
  RateSearch rate_search_;
  bool told_saturated_ = false;
  std::optional<PeerLinkReport> remote_;
  FrameOrder remote_order_;            // of the newest report of the peer
  std::optional<Instant> deaf_since_;  // since when the peer's reports count no more packets
  Duration allowance_{};               // extra time for a slow link
  std::string machine_trouble_;
  std::optional<Instant> next_report_;
  Duration interval_{};  // from the newest report to the next one
  bool joins_ = false;   // reports carry question and answer
  bool rests_ = false;
  Instant reported_;                 // when the newest report was made
  Instant asked_;                    // when the oldest open question left with a report
  std::uint64_t reported_data_ = 0;  // datagrams of the application up to the newest report
  Instant stretched_until_;
  Instant next_stretch_report_;
  Instant next_roaming_report_;
  std::uint32_t roamings_ = 0;  // since the last report of roaming
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__PEER__PEER_LINK_HPP_
