// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__BASE__IDS_HPP_
#define PQC_TUNNEL__BASE__IDS_HPP_

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>

namespace pqc_tunnel
{

// Fixed-size identifiers that can't be mistaken for one another.
template <class Tag, std::size_t N>
struct FixedId
{
  static constexpr std::size_t size = N;
  std::array<std::uint8_t, N> bytes = {};

  bool is_zero() const { return *this == FixedId{}; }
  friend auto operator<=>(const FixedId &, const FixedId &) = default;
};

using DroneId = FixedId<struct DroneIdTag, 8>;
using GcsId = FixedId<struct GcsIdTag, 32>;
using SessionId = FixedId<struct SessionIdTag, 8>;
using KeyId = FixedId<struct KeyIdTag, 16>;
using PolicyHash = FixedId<struct PolicyHashTag, 32>;

enum class Epoch : std::uint8_t
{
};

inline constexpr Epoch last_epoch{255};

constexpr Epoch next(Epoch epoch)
{
  return Epoch{static_cast<std::uint8_t>(static_cast<std::uint8_t>(epoch) + 1)};
}

// Index of a remote in a tunnel: 0 is a drone's only peer; a GCS numbers its drones as configured.
enum class PeerIndex : std::uint32_t
{
};

// One TCP connection of the handshake, numbered by the side that opens or accepts it.
enum class ConnectionId : std::uint64_t
{
};

enum class JobId : std::uint64_t
{
};

enum class RekeyId : std::uint64_t
{
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__BASE__IDS_HPP_
