// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "drop_watch.hpp"

#include "link/framing/fragment.hpp"

namespace pqc_tunnel
{
namespace
{

constexpr Duration drop_memory = std::chrono::seconds(10);

}  // namespace

bool LossWatch::is_recent(std::uint64_t count, Instant now)
{
  if (count != seen_) {
    seen_ = count;
    grown_ = now;
  }
  return grown_ && now < *grown_ + drop_memory;
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
    return "datagrams are dropped that are longer than link " + link.name +
           " takes: it has frames of " + std::to_string(link.mtu) +
           " bytes (mtu_bytes), and longer datagrams leave in fragments up to " +
           std::to_string(longest_fragmented);
  }
  return is_too_much ? "commands, parameters or files are dropped: more is sent than link " +
                         link.name + " takes"
                     : "";
}

}  // namespace pqc_tunnel
