// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__LINK__PATHS__PATH_SET_HPP_
#define PQC_TUNNEL__LINK__PATHS__PATH_SET_HPP_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "base/endpoint.hpp"
#include "base/time.hpp"
#include "candidates.hpp"
#include "crypto/random.hpp"
#include "link/estimate/arrival_rate.hpp"
#include "link/mavlink/traffic_class.hpp"
#include "link_settings.hpp"
#include "path_health.hpp"
#include "path_report.hpp"

namespace pqc_tunnel
{

// The order in which the peer sealed its frames.
struct FrameOrder
{
  std::uint64_t keys = 0;  // a number for each set of keys; later ones have higher numbers
  std::uint64_t sequence = 0;

  friend bool operator<(const FrameOrder & a, const FrameOrder & b)
  {
    return std::tie(a.keys, a.sequence) < std::tie(b.keys, b.sequence);
  }
};

// Where a frame goes: to each of these. Without memory of its own.
class Routes
{
public:
  void add(const Endpoint & to) { to_[size_++] = to; }
  const Endpoint * begin() const { return to_.data(); }
  const Endpoint * end() const { return to_.data() + size_; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

private:
  // On each link the address in use; during a handshake as many as have proved themselves.
  std::array<Endpoint, 2 * PathSettings::max_links> to_ = {};
  std::size_t size_ = 0;
};

// The paths to one peer: on each local link, the address at which it is reached, how well, and which of them a frame
// takes. Sans-I/O. An Endpoint names the link, too: Endpoint::link is its position in the settings.
//
// A single link is not probed, but an address that has to prove itself is: one that neither the operator nor a
// handshake has named gets nothing but probes and some copies until it answers (Candidates).
class PathSet
{
public:
  // Both must outlive the set.
  PathSet(const PathSettings & settings, RandomSource & random);

  // Where the peer should be reachable: from the configuration, or the other end of a serial line. An address from
  // which frames have come stays, until it falls silent: then this one is tried again.
  void set_remote(const Endpoint & remote, Instant now);
  // An authentic frame of the live session has arrived. A copy that the replay window refused is none.
  void handle_frame(
    const Endpoint & from, const FrameOrder & order, std::size_t bytes, Instant now);
  // The peer has proved in a handshake that it is there.
  void use(const Endpoint & remote, Instant now);
  // The answer to a probe has arrived. False if none to this address awaited it.
  bool handle_answer(std::uint64_t nonce, const Endpoint & from, Instant now);
  // An answer over a slow link may come so much later.
  void set_allowance(Duration allowance) { allowance_ = allowance; }
  // A frame was given to the link.
  void handle_sent(const Endpoint & to, std::size_t bytes, Instant now);
  // It was a part of a stream.
  void handle_stream_part(std::uint8_t link, std::size_t bytes, Instant now);
  // The link is saturated: bytes per second that it takes; none: it is not.
  void set_found_rate(std::uint8_t link, std::optional<double> bytes_per_s);
  // A device was unplugged, or an interface has no address; and is there again. Nothing is sent on it meanwhile.
  void handle_link_down(std::uint8_t link);
  void handle_link_up(std::uint8_t link, Instant now);
  // The fault of the link that this machine knows, in lower case without a full stop; empty: none.
  void note_trouble(std::uint8_t link, const std::string & trouble);

  // Where a frame of so many bytes goes; nowhere if no link takes it. bytes = 0 for what a Shaper will cut to size.
  Routes routes(TrafficClass traffic, std::size_t bytes, Instant now);

  // Where a copy of data goes that has gone by the link: to an address that has not proved itself, as far as it may get
  // one. It leaves after all that goes to others.
  std::optional<Endpoint> take_copy(std::uint8_t link, std::size_t bytes, Instant now);
  // The class of an answer of so many bytes to this address; none: it gets no answer.
  std::optional<TrafficClass> take_answer(const Endpoint & to, std::size_t bytes, Instant now);

  // The peer's address on a link; family none: unknown.
  Endpoint remote(std::uint8_t link) const;
  // Where most of the traffic goes; family none: nowhere.
  Endpoint preferred() const;
  // Bytes per second of the link that streams take now, configured or measured; none: unknown.
  std::optional<double> stream_rate() const;
  // The slowest link of known rate that this traffic goes by now; none: no such link.
  struct RatedLink
  {
    const LinkSettings * settings = nullptr;
    double rate = 0;  // bytes per second
    std::size_t line_bytes(std::size_t frame) const { return settings->line_bytes(frame); }
  };
  std::optional<RatedLink> slowest(TrafficClass traffic) const;
  // The link was given up.
  bool is_down(std::uint8_t link) const;
  // Some address of the peer has to prove itself.
  bool has_candidates() const
  {
    return std::ranges::any_of(links_, [](const Link & link) { return !link.candidates.empty(); });
  }
  // One of the peer's addresses, proved.
  bool is_known(const Endpoint & remote) const;

  // After each call above, and at next_timeout(): take the probes until there are none.
  void handle_timeout(Instant now);
  std::optional<PathProbe> take_probe(Instant now);
  Instant next_timeout() const;

  std::optional<PathChange> take_change();
  // The known fault of each link, in order; empty: none.
  std::vector<std::string> troubles() const;
  // One for each link, in order.
  std::vector<PathReport> report(Instant now) const;

private:
  struct Path
  {
    Endpoint remote;
    PathHealth health;
  };
  struct Link
  {
    explicit Link(const LinkSettings & of) : settings(&of), candidates(of) {}

    const LinkSettings * settings;
    bool present = true;
    bool was_up = false;  // as last reported
    std::string trouble;
    std::optional<Path> path;
    Candidates candidates;
    Endpoint configured;   // of set_remote(); family none: none
    Instant next_return;   // to it, from an address that has fallen silent
    Instant next_crowded;  // report
    FrameOrder newest;
    std::optional<Instant> carried;  // data
    std::optional<Instant> sent;
    ArrivalRate arrival_rate;
    std::optional<double> found_rate;  // of a link that is saturated
    std::uint64_t frames_in = 0;
    std::uint64_t bytes_in = 0;
    std::uint64_t frames_out = 0;
    std::uint64_t bytes_out = 0;

    bool carries(Instant now) const { return carried && now < *carried + std::chrono::seconds(3); }
    std::optional<double> rate() const
    {
      return settings->is_thin() ? settings->bytes_per_s()
             : found_rate        ? found_rate
                                 : arrival_rate.bytes_per_s();
    }
    RateSource rate_source() const
    {
      return settings->is_thin()          ? RateSource::configured
             : found_rate                 ? RateSource::saturation
             : arrival_rate.bytes_per_s() ? RateSource::streams
                                          : RateSource::unknown;
    }
  };

  PathHealth::Settings health_settings(const Link & link) const;
  void make_path(Link & link, const Endpoint & remote, Instant now) const;
  Link * find(std::uint8_t link);
  void note_state(Link & link);
  void note_change(const Link & link, PathChange::Kind kind);
  static bool has_strayed(const Link & link);
  void update_watches(Instant now);
  // How willingly the link takes this traffic, 0 first; none if it doesn't.
  static std::optional<int> rank(const Link & link, TrafficClass traffic, std::size_t bytes);
  const Link * best(TrafficClass traffic, std::size_t bytes) const;
  // Whether the link gets the traffic beside the first one.
  bool gets_copy(const Link & link, TrafficClass traffic, std::size_t bytes) const;

  const PathSettings & settings_;
  RandomSource & random_;
  std::vector<Link> links_;
  Duration allowance_{};
  std::deque<PathChange> changes_;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__LINK__PATHS__PATH_SET_HPP_
