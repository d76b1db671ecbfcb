// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__LINK__SHAPING__BUNDLE_HPP_
#define PQC_TUNNEL__LINK__SHAPING__BUNDLE_HPP_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/bytes.hpp"

namespace pqc_tunnel
{

// The fields that an entry of a bundle omits from a MAVLink frame, since they follow from the frame before it.
struct FrameBefore
{
  std::uint8_t sequence = 0;
  std::uint8_t system = 0;
  std::uint8_t component = 0;
  // Link id and upper four bytes of the time of a signature.
  using Signer = std::array<std::uint8_t, 5>;
  std::optional<Signer> signer;  // none: the frame is not signed
};

// Writes datagrams one after the other into the payload of a frame, as docs/protocol.md describes: MAVLink 2 frames
// without the fields that the receiver can restore, other datagrams after their length.
class BundleWriter
{
public:
  void clear() { before_.reset(); }
  // Returns how many bytes append() would add.
  std::size_t size_of(ByteView datagram) const;
  // Adds a datagram of 1 to 32,767 bytes. Returns false if it is written whole, after its length.
  bool append(ByteView datagram, Bytes & out);

  static constexpr std::size_t length_size = 2;  // bytes before a whole datagram

private:
  std::optional<FrameBefore> before_;
};

// Writes the datagrams of a bundle into `out`, each whole and after its length, for take_from_bundle(). Stops at the
// first malformed entry, and after the 128th.
void unpack_bundle(ByteView bundle, Bytes & out);

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__LINK__SHAPING__BUNDLE_HPP_
