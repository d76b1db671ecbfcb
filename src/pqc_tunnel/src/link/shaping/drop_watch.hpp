// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__LINK__SHAPING__DROP_WATCH_HPP_
#define PQC_TUNNEL__LINK__SHAPING__DROP_WATCH_HPP_

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "base/time.hpp"
#include "link/mavlink/traffic_class.hpp"
#include "link/paths/link_settings.hpp"

namespace pqc_tunnel
{

// Tells whether a count of losses has grown in the last seconds. Must be asked regularly.
class LossWatch
{
public:
  bool is_recent(std::uint64_t count, Instant now);

private:
  std::uint64_t seen_ = 0;
  std::optional<Instant> grown_;
};

// The cause of trouble while fragments of datagrams are missing, in lower case without a full stop.
inline constexpr const char * fragments_lost =
  "long datagrams arrive incomplete: the link loses some of the fragments that they travel in";

// Watches what the queue of a thin link drops, except telemetry, which newer telemetry replaces.
class DropWatch
{
public:
  // Returns why something was dropped in the last seconds, in lower case without a full stop; empty: nothing was. Call
  // it regularly.
  std::string look(
    const LinkSettings & link, const std::array<ShaperCounts, traffic_classes> & counts,
    Instant now);

private:
  LossWatch oversize_;
  LossWatch overload_;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__LINK__SHAPING__DROP_WATCH_HPP_
