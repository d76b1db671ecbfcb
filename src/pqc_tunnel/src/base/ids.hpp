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

/// An identifier of N bytes. Each `Tag` makes a type of its own, so that identifiers cannot be confused.
template <class Tag, std::size_t N>
struct FixedId
{
  static constexpr std::size_t size = N;  ///< bytes
  std::array<std::uint8_t, N> bytes = {};

  /// True if all bytes are zero, which stands for "none" on the wire.
  bool is_zero() const { return *this == FixedId{}; }
  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy takes the 0 inside <=> for a pointer
  friend auto operator<=>(const FixedId &, const FixedId &) = default;
};

/// Identifies a drone, in its ClientHello.
using DroneId = FixedId<struct DroneIdTag, 8>;
/// Identifies a ground station.
using GcsId = FixedId<struct GcsIdTag, 32>;
/// Identifies a session, in every frame header.
using SessionId = FixedId<struct SessionIdTag, 8>;
/// Identifies an ephemeral KEM key of the ground station.
using KeyId = FixedId<struct KeyIdTag, 16>;
/// Identifies a key of the ground station's anchor: the first bytes of H(public key).
using AnchorId = FixedId<struct AnchorIdTag, 4>;
/// Names the rms of a former session in a ClientHello; zeros for none.
using FormerId = FixedId<struct FormerIdTag, 8>;
/// Hash of mode, minimum level and allowed suites, which must be the same at both ends.
using PolicyHash = FixedId<struct PolicyHashTag, 32>;

/// Counts the keys of a session; each rekey adds one.
enum class Epoch : std::uint8_t
{
};

/// A rekey after this epoch starts a new session.
inline constexpr Epoch last_epoch{255};

/// The epoch after this one. Wraps to 0 after last_epoch.
constexpr Epoch next(Epoch epoch)
{
  return Epoch{static_cast<std::uint8_t>(static_cast<std::uint8_t>(epoch) + 1)};
}

/// Index of a peer in a tunnel. A drone has one peer, 0; a ground station numbers its drones in the order of its
/// configuration, and those that it gets later after them. The index of a drone that has gone stays its own.
enum class PeerIndex : std::uint32_t
{
};

/// Identifies a public-key operation that a worker thread runs.
enum class JobId : std::uint64_t
{
};

/// Identifies a rekey request, from the caller to the one reply.
enum class RekeyId : std::uint64_t
{
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__BASE__IDS_HPP_
