// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TOOLS__LINK_EMULATOR__SETTINGS_HPP_
#define PQC_TOOLS__LINK_EMULATOR__SETTINGS_HPP_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pqc_tunnel/base/time.hpp"

// The settings of a link. config/links/clean.yaml explains every field.
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
  double leave = 1.0;  // from the bad state to the good one
  double loss = 1.0;   // chance of loss in the bad state
};

// An adversary on the path who selects packets by size, and drops or delays them, so that newer ones
// overtake them.
struct Adversary
{
  std::size_t min_bytes = 0;
  std::size_t max_bytes = 65535;
  double drop = 0.0;
  double hold = 0.0;
  Duration hold_time{};
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
  double byte_errors = 0.0;           // chance for each byte
  std::uint64_t rate_bits_per_s = 0;  // 0: unlimited
  std::size_t queue_bytes = 0;        // in front of the rate limit
  std::size_t mtu_bytes = 65535;      // including overhead
  std::size_t overhead_bytes = 0;     // bytes of each datagram beside its payload
  std::vector<Outage> outages;
  std::vector<Adversary> adversaries;
};

struct Profile
{
  std::string description;
  bool half_duplex = false;            // both directions share the rate of drone_to_gcs
  std::optional<Duration> nat_rebind;  // interval after which the drone gets another address
  ChannelSettings drone_to_gcs;
  ChannelSettings gcs_to_drone;
};

}  // namespace pqc_tunnel::link_emulator

#endif  // PQC_TOOLS__LINK_EMULATOR__SETTINGS_HPP_
