// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__LINK__PATHS__PATH_REPORT_HPP_
#define PQC_TUNNEL__LINK__PATHS__PATH_REPORT_HPP_

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "base/endpoint.hpp"
#include "base/time.hpp"
#include "link/mavlink/traffic_class.hpp"
#include "link_settings.hpp"
#include "path_health.hpp"

namespace pqc_tunnel
{

// A change of a path that the owner may report; see PathSet::take_change().
struct PathChange
{
  enum class Kind : std::uint8_t
  {
    up,
    down,
    moved,    // the peer has another address on this link
    crowded,  // the budget of unproved addresses has refused something
  };
  Kind kind = Kind::up;
  std::uint8_t link = 0;
  Endpoint remote;
};

// The origin of the rate of a link.
enum class RateSource : std::uint8_t
{
  unknown,
  configured,
  saturation,  // rate found while this end filled the link
  streams,     // rate at which streams arrived by the link
};

struct PathReport
{
  std::uint8_t link = 0;
  std::string name;  // name of the link
  LinkType type = LinkType::udp;
  Endpoint remote;                    // family none: unknown
  std::optional<Endpoint> candidate;  // an address of the peer that is not proved yet
  PathState state = PathState::down;
  bool carries = false;          // data has gone by it lately
  std::optional<Instant> heard;  // the newest frame or answer
  std::optional<Instant> sent;
  std::optional<Duration> rtt;  // measured by probes; none: the path is not probed
  double loss = 0;              // share of probes without an answer, 0 to 1
  double rate_bytes_s = 0;      // 0: unknown
  std::size_t mtu = 0;          // bytes of the longest frame
  RateSource rate_source = RateSource::unknown;
  std::uint64_t frames_in = 0;  // of the link, for any address; so are the next three
  std::uint64_t bytes_in = 0;
  std::uint64_t frames_out = 0;
  std::uint64_t bytes_out = 0;
  std::string trouble;  // fault of the link that this machine knows; empty: none
  // Counts of the queue before the link, by TrafficClass.
  std::array<ShaperCounts, traffic_classes> shaped = {};
  // Airtime that the application has asked for in vain; none: the link has no queue now.
  std::optional<Duration> load;
};

// Return the name of the enumerator.
const char * to_string(PathState state);
const char * to_string(LinkType type);
const char * to_string(RateSource source);

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__LINK__PATHS__PATH_REPORT_HPP_
