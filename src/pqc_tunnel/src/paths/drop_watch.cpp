// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "drop_watch.hpp"

namespace pqc_tunnel
{
namespace
{

constexpr Duration drop_memory = std::chrono::seconds(10);

}  // namespace

bool DropWatch::Loss::is_recent(std::uint64_t count, Instant now)
{
  if (count != seen) {
    seen = count;
    grown = now;
  }
  return grown && now < *grown + drop_memory;
}

std::string DropWatch::look(
  const LinkSettings & link, const std::array<ShaperCounts, traffic_classes> & counts, Instant now)
{
  std::uint64_t oversize = 0;
  std::uint64_t overload = 0;
  for (const TrafficClass traffic :
       {TrafficClass::command, TrafficClass::ordered, TrafficClass::other})
  {
    const ShaperCounts & of_class = counts.at(static_cast<std::size_t>(traffic));
    oversize += of_class.oversize;
    overload += of_class.full + of_class.stale;
  }
  oversize += counts.at(static_cast<std::size_t>(TrafficClass::telemetry)).oversize;
  const bool is_too_long = oversize_.is_recent(oversize, now);
  const bool is_too_much = overload_.is_recent(overload, now);
  if (is_too_long) {
    return "datagrams are dropped that are longer than link " + link.name + " takes: a frame has " +
           std::to_string(link.mtu) + " bytes there (mtu_bytes), of which " +
           std::to_string(sealed_overhead) + " are the tunnel's";
  }
  return is_too_much ? "commands, parameters or files are dropped: more is sent than link " +
                         link.name + " takes"
                     : "";
}

}  // namespace pqc_tunnel
