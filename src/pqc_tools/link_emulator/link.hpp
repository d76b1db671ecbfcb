// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TOOLS__LINK_EMULATOR__LINK_HPP_
#define PQC_TOOLS__LINK_EMULATOR__LINK_HPP_

#include <array>
#include <cstddef>
#include <cstdint>

#include "bottleneck.hpp"
#include "common/dice.hpp"
#include "settings.hpp"

namespace pqc_tunnel::link_emulator
{

// A side of the relay, and the direction of the traffic that enters there.
enum class Side : std::uint8_t
{
  drone,   // drone to ground station
  ground,  // ground station to drone
};

inline constexpr std::array<Side, 2> both_sides{Side::drone, Side::ground};

inline Side opposite(Side side) { return side == Side::drone ? Side::ground : Side::drone; }
inline std::size_t index(Side side) { return static_cast<std::size_t>(side); }

// The link in both directions. It must not move: relays refer to it.
class Link
{
public:
  Link(const Profile & profile, std::uint64_t seed, Instant start)
  : profile_(profile),
    seed_(seed),
    start_(start),
    bottlenecks_{Bottleneck(profile.drone_to_gcs), Bottleneck(profile.gcs_to_drone)}
  {
  }
  Link(const Link &) = delete;
  Link & operator=(const Link &) = delete;

  const Profile & profile() const { return profile_; }
  const ChannelSettings & settings(Side side) const
  {
    return side == Side::drone ? profile_.drone_to_gcs : profile_.gcs_to_drone;
  }
  Bottleneck & bottleneck(Side side)
  {
    return bottlenecks_[profile_.half_duplex ? index(Side::drone) : index(side)];
  }
  Instant start() const { return start_; }
  std::uint64_t datagram_seed(Side side) const { return Dice(seed_, 100 + index(side)).next(); }

private:
  Profile profile_;
  std::uint64_t seed_;
  Instant start_;
  std::array<Bottleneck, 2> bottlenecks_;
};

}  // namespace pqc_tunnel::link_emulator

#endif  // PQC_TOOLS__LINK_EMULATOR__LINK_HPP_
