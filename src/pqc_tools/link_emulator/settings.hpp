// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TOOLS__LINK_EMULATOR__SETTINGS_HPP_
#define PQC_TOOLS__LINK_EMULATOR__SETTINGS_HPP_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pqc_tunnel/base/time.hpp"

// What a link does to what crosses it. config/links/clean.yaml explains every field.
namespace pqc_tunnel::link_emulator
{

// Chances are from 0 to 1.

// A window in which nothing passes, counted from the emulator's start; repeated if it has a period.
struct Outage
{
  Duration start{};
  Duration length{};
  std::optional<Duration> period;
};

// Gilbert-Elliott: a two-state Markov chain that takes one step per packet.
struct BurstLoss
{
  double enter = 0.0;  // from the good state to the bad one
  double leave = 1.0;  // and back
  double loss = 1.0;   // in the bad state
};

struct ChannelSettings
{
  Duration delay{};
  Duration jitter{};
  double loss = 0.0;
  BurstLoss burst;
  double reorder = 0.0;
  Duration reorder_delay{};
  double duplicate = 0.0;
  double corrupt = 0.0;
  std::uint64_t rate_bits_per_s = 0;  // 0: unlimited
  std::size_t queue_bytes = 0;        // in front of the rate limit
  std::size_t mtu_bytes = 65535;      // overhead included
  std::size_t overhead_bytes = 0;     // of each datagram on the link, beside its payload
  std::vector<Outage> outages;
};

struct Profile
{
  std::string description;
  ChannelSettings drone_to_gcs;
  ChannelSettings gcs_to_drone;
};

}  // namespace pqc_tunnel::link_emulator

#endif  // PQC_TOOLS__LINK_EMULATOR__SETTINGS_HPP_
