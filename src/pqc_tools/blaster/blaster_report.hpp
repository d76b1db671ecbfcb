// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TOOLS__BLASTER__BLASTER_REPORT_HPP_
#define PQC_TOOLS__BLASTER__BLASTER_REPORT_HPP_

#include <array>
#include <cstdint>
#include <string>

#include "flow.hpp"
#include "send_schedule.hpp"

namespace pqc_tunnel::blaster
{

inline constexpr std::array<const char *, 2> direction_names = {"drone_to_gcs", "gcs_to_drone"};

// Losses of the measurement itself: datagrams that the socket refused to send, or that its full receive buffer dropped.
struct OwnLosses
{
  std::uint64_t refused = 0;
  std::uint64_t receiver_drops = 0;
};

std::string counts_json(const WindowCounts & counts);
std::string direction_json(
  const Flow & flow, const SendSchedule & schedule, const OwnLosses & losses);

}  // namespace pqc_tunnel::blaster

#endif  // PQC_TOOLS__BLASTER__BLASTER_REPORT_HPP_
