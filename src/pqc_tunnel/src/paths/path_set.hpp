// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PATHS__PATH_SET_HPP_
#define PATHS__PATH_SET_HPP_

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "arrival_rate.hpp"
#include "link_settings.hpp"
#include "path_health.hpp"
#include "pqc_tunnel/base/endpoint.hpp"
#include "pqc_tunnel/base/time.hpp"
#include "pqc_tunnel/crypto/random.hpp"
#include "traffic_class.hpp"

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
  // On each link the address in use and one that is not proved yet.
  std::array<Endpoint, 2 * PathSettings::max_links> to_ = {};
  std::size_t size_ = 0;
};

struct PathProbe
{
  Endpoint to;
  std::uint64_t nonce = 0;  // of the PATH_REQ
};

// What the owner may want to report; fetched with take_change().
struct PathChange
{
  enum class Kind : std::uint8_t
  {
    up,
    down,
    moved,  // the peer has another address on this link
  };
  Kind kind = Kind::up;
  std::uint8_t link = 0;
  Endpoint remote;
};

// Where the rate of a link comes from.
enum class RateSource : std::uint8_t
{
  unknown,
  configured,
  saturation,  // found while this end filled the link
  streams,     // at which streams arrived by it
};

struct PathReport
{
  std::uint8_t link = 0;
  std::string name;  // of the link
  LinkType type = LinkType::udp;
  Endpoint remote;                    // family none: unknown
  std::optional<Endpoint> candidate;  // an address of the peer that is not proved yet
  PathState state = PathState::down;
  bool carries = false;          // data went by it lately
  std::optional<Instant> heard;  // the newest frame or answer
  std::optional<Instant> sent;
  std::optional<Duration> rtt;  // of probes; none if the path is not probed
  double loss = 0;              // of probes and their answers, 0 to 1
  double rate_bytes_s = 0;      // 0: unknown
  RateSource rate_source = RateSource::unknown;
  std::uint64_t frames_in = 0;  // these count for the link, whatever the address
  std::uint64_t bytes_in = 0;
  std::uint64_t frames_out = 0;
  std::uint64_t bytes_out = 0;
  std::string trouble;  // of the link, as this machine knows it; empty: none
  // Of a thin link, by TrafficClass; filled in by the owner of the shaper.
  std::array<ShaperCounts, traffic_classes> shaped = {};
};

// The paths to one peer: on each local link, the address at which it is reached, how well, and which of them a frame
// takes. Sans-I/O. An Endpoint names the link, too: Endpoint::link is its position in the settings.
//
// Of one link alone nothing is probed: all goes to the peer's newest address at once; only an address that differs from
// the one in use is probed first.
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
  // The answer to a probe has arrived by the link. False if none awaited it.
  bool handle_answer(std::uint64_t nonce, std::uint8_t link, Instant now);
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
    Instant begun;
  };
  struct Link
  {
    const LinkSettings * settings = nullptr;
    bool present = true;
    bool was_up = false;  // as last reported
    std::string trouble;
    std::optional<Path> path;
    std::optional<Path> candidate;  // it gets traffic beside the path until it has answered
    Endpoint configured;            // of set_remote(); family none: none
    Instant next_return;            // to it, from an address that has fallen silent
    FrameOrder newest;
    std::optional<Instant> carried;  // data
    std::optional<Instant> sent;
    ArrivalRate arrival_rate;
    std::optional<double> found_rate;  // of a link that is saturated
    std::uint64_t frames_in = 0;
    std::uint64_t bytes_in = 0;
    std::uint64_t frames_out = 0;
    std::uint64_t bytes_out = 0;

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

  Path make_path(const Link & link, const Endpoint & remote, Instant now) const;
  Link * find(std::uint8_t link);
  void use_candidate(Link & link, Instant now);
  Instant candidate_ends(const Link & link) const;
  void note_state(Link & link);
  static void add_addresses(Routes & routes, const Link & link);
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

// As in the source, in lower case.
const char * to_string(PathState state);
const char * to_string(LinkType type);
const char * to_string(RateSource source);

}  // namespace pqc_tunnel

#endif  // PATHS__PATH_SET_HPP_
