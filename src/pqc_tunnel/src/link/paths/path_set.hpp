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

// The place of a frame in the order in which the peer sealed its frames.
struct FrameOrder
{
  std::uint64_t keys = 0;  // number of the keys, which rises with each new set
  std::uint64_t sequence = 0;

  friend bool operator<(const FrameOrder & a, const FrameOrder & b)
  {
    return std::tie(a.keys, a.sequence) < std::tie(b.keys, b.sequence);
  }
};

// The addresses that a frame goes to. Allocates nothing.
class Routes
{
public:
  void add(const Endpoint & to) { to_[size_++] = to; }
  const Endpoint * begin() const { return to_.data(); }
  const Endpoint * end() const { return to_.data() + size_; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

private:
  // One address in use on each link; twice as many during a handshake.
  std::array<Endpoint, 2 * PathSettings::max_links> to_ = {};
  std::size_t size_ = 0;
};

// The paths to one peer. For each local link the set knows the address of the peer and how well it is reached, and it
// chooses the paths of each frame. Sans-I/O. Endpoint::link is the position of the link in the settings.
//
// A single link is not probed. An address that neither the operator nor a handshake has named must answer a probe, and
// until then gets nothing but probes and some copies (Candidates).
class PathSet
{
public:
  // `settings` and `random` must outlive the set.
  PathSet(const PathSettings & settings, RandomSource & random);

  // Sets where the peer should be reachable, from the configuration or as the other end of a serial line. An address
  // from which frames have come stays in use until it falls silent; then this one is tried again.
  void set_remote(const Endpoint & remote, Instant now);
  // An authentic frame of the live session has arrived. Do not call it for a copy that the replay window refused.
  void handle_frame(
    const Endpoint & from, const FrameOrder & order, std::size_t bytes, Instant now);
  // Takes an address at which a handshake has proved the peer.
  void use(const Endpoint & remote, Instant now);
  // The answer to a probe has arrived. Returns false if no probe to this address awaited it.
  bool handle_answer(std::uint64_t nonce, const Endpoint & from, Instant now);
  // Sets the extra time that an answer over a slow link may take.
  void set_allowance(Duration allowance) { allowance_ = allowance; }
  // A frame was given to the link.
  void handle_sent(const Endpoint & to, std::size_t bytes, Instant now);
  // A part of a stream has arrived. `round_trip`: zero if unknown.
  void handle_stream_part(std::uint8_t link, std::size_t bytes, Duration round_trip, Instant now);
  // Sets the bytes per second that a saturated link takes; none: it is not saturated.
  void set_found_rate(std::uint8_t link, std::optional<double> bytes_per_s);
  // A device was unplugged or an interface lost its address, or it is back. Nothing is sent on it in between.
  void handle_link_down(std::uint8_t link);
  void handle_link_up(std::uint8_t link, Instant now);
  // Sets the fault of the link that this machine knows, in lower case without a full stop; empty: none.
  void note_trouble(std::uint8_t link, const std::string & trouble);

  // Returns where a frame of so many bytes goes; empty if no link takes it. bytes = 0: a Shaper will cut it to size.
  Routes routes(TrafficClass traffic, std::size_t bytes, Instant now);

  // Returns the unproved address that gets a copy of data which has gone by the link; none if none may get one. The
  // copy leaves after all frames to other addresses.
  std::optional<Endpoint> take_copy(std::uint8_t link, std::size_t bytes, Instant now);
  // Returns the class of an answer of so many bytes to this address; none: the address gets no answer.
  std::optional<TrafficClass> take_answer(const Endpoint & to, std::size_t bytes, Instant now);

  // Returns the peer's address on a link; family none: unknown.
  Endpoint remote(std::uint8_t link) const;
  // Returns the address that telemetry goes to; family none: nowhere.
  Endpoint preferred() const;
  // Returns bytes per second of the link that streams take now, configured or measured; none: unknown.
  std::optional<double> stream_rate() const;
  // Returns whether this rate is sure: it is configured, or a sender has filled the link lately.
  bool is_stream_rate_sure(Instant now) const;
  // Returns whether it ever was.
  bool was_stream_rate_sure() const;
  // Returns that link, or the first one if there is none yet.
  const LinkSettings & stream_link() const;
  // The slowest link of known rate that carries a class of traffic now.
  struct RatedLink
  {
    const LinkSettings * settings = nullptr;
    double rate = 0;  // bytes per second
    std::size_t line_bytes(std::size_t frame) const { return settings->line_bytes(frame); }
  };
  std::optional<RatedLink> slowest(TrafficClass traffic) const;
  // Returns whether the path of the link is down.
  bool is_down(std::uint8_t link) const;
  // Returns whether some address of the peer still has to prove itself.
  bool has_candidates() const
  {
    return std::ranges::any_of(links_, [](const Link & link) { return !link.candidates.empty(); });
  }
  // Returns whether a frame has made a probe or a report due.
  bool has_news() const { return !changes_.empty() || has_candidates(); }
  // Returns whether this is a proved address of the peer.
  bool is_known(const Endpoint & remote) const;

  // After each call above, but after handle_frame() only if has_news(), and at next_timeout(), call handle_timeout() and
  // take probes until there are none.
  void handle_timeout(Instant now);
  std::optional<PathProbe> take_probe(Instant now);
  Instant next_timeout() const;

  std::optional<PathChange> take_change();
  // Return one entry for each link, in order. An empty trouble means none.
  std::vector<std::string> troubles() const;
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
    bool was_up = false;  // state that was last reported
    std::string trouble;
    std::optional<Path> path;
    Candidates candidates;
    Endpoint configured;   // from set_remote(); family none: none
    Instant next_return;   // next try of `configured` while the path is down
    Instant next_crowded;  // earliest next report of PathChange::Kind::crowded
    FrameOrder newest;
    std::optional<Instant> carried;  // when data went by it last
    std::optional<Instant> sent;
    ArrivalRate arrival_rate;
    std::optional<double> found_rate;  // bytes per second of a saturated link
    std::uint64_t frames_in = 0;
    std::uint64_t bytes_in = 0;
    std::uint64_t frames_out = 0;
    std::uint64_t bytes_out = 0;

    bool carries(Instant now) const { return carried && now < *carried + std::chrono::seconds(3); }
    std::optional<double> rate() const
    {
      return settings->is_thin()       ? settings->bytes_per_s()
             : found_rate              ? found_rate
             : arrival_rate.is_known() ? arrival_rate.bytes_per_s()
                                       : std::nullopt;
    }
    RateSource rate_source() const
    {
      return settings->is_thin() ? RateSource::configured
             : found_rate        ? RateSource::saturation
             : rate()            ? RateSource::streams
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
  // Returns the rank of the link for this traffic, 0 being the best; none: it does not take it.
  static std::optional<int> rank(const Link & link, TrafficClass traffic, std::size_t bytes);
  const Link * best(TrafficClass traffic, std::size_t bytes) const;
  // Returns whether the link gets a copy of what best() gets.
  bool gets_copy(const Link & link, TrafficClass traffic, std::size_t bytes) const;

  const PathSettings & settings_;
  RandomSource & random_;
  std::vector<Link> links_;
  Duration allowance_{};
  std::deque<PathChange> changes_;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__LINK__PATHS__PATH_SET_HPP_
