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

// What the owner may want to report; fetched with take_change().
struct PathChange
{
  enum class Kind : std::uint8_t
  {
    up,
    down,
    moved,    // the peer has another address on this link
    crowded,  // addresses that have not proved themselves get less than they ask for
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
  // What the queue before the link did, by TrafficClass.
  std::array<ShaperCounts, traffic_classes> shaped = {};
  // Airtime that the application has asked for in vain; none: the link has no queue now.
  std::optional<Duration> load;
};

// As in the source, in lower case.
const char * to_string(PathState state);
const char * to_string(LinkType type);
const char * to_string(RateSource source);

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__LINK__PATHS__PATH_REPORT_HPP_
