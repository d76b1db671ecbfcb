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

// What an entry of a bundle leaves out of a MAVLink frame, since the frame before it in the bundle says it.
struct FrameBefore
{
  std::uint8_t sequence = 0;
  std::uint8_t system = 0;
  std::uint8_t component = 0;
  // The link's id and the upper four bytes of the time, of a signature.
  using Signer = std::array<std::uint8_t, 5>;
  std::optional<Signer> signer;  // none: the frame is not signed
};

// Writes datagrams one after the other into the payload of a frame, as docs/protocol.md describes it: a MAVLink 2 frame
// without what the receiver knows, any other datagram behind its length.
class BundleWriter
{
public:
  void clear() { before_.reset(); }
  // How many bytes append() would add.
  std::size_t size_of(ByteView datagram) const;
  // Adds one datagram of 1 to 32,767 bytes. False if it stands there whole, behind its length.
  bool append(ByteView datagram, Bytes & out);

  static constexpr std::size_t length_size = 2;  // of a datagram that stands there whole

private:
  std::optional<FrameBefore> before_;
};

// Writes the datagrams of a bundle into `out`, each whole and behind its length: see take_from_bundle(). The first
// malformed entry ends it, and so does the 128th one.
void unpack_bundle(ByteView bundle, Bytes & out);

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__LINK__SHAPING__BUNDLE_HPP_
