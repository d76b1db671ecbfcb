// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__WIRE_HPP_
#define PQC_TUNNEL__PROTOCOL__WIRE_HPP_

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "pqc_tunnel/base/bytes.hpp"
#include "pqc_tunnel/base/ids.hpp"
#include "pqc_tunnel/crypto/suite.hpp"
#include "pqc_tunnel/protocol/constants.hpp"

namespace pqc_tunnel
{

/// The content of a frame.
enum class FrameType : std::uint8_t
{
  data = 0,
  control = 1,
};

/// The 22 bytes before every datagram, sent in clear and authenticated as associated data.
struct FrameHeader
{
  FrameType type = FrameType::data;
  std::array<std::uint8_t, 4> suite = {};  ///< KEM, its parameters, signature, its parameters
  SessionId session;
  std::uint64_t sequence = 0;
  Epoch epoch{};

  friend bool operator==(const FrameHeader &, const FrameHeader &) = default;
};

/// The part of a suite's code that frame headers carry.
std::array<std::uint8_t, 4> header_suite(const SuiteWireId & id);

/// Writes a header.
void encode(const FrameHeader & header, std::span<std::uint8_t, frame_header_size> out);

/// Reads the header of a datagram; nothing if the datagram is too short for header and tag, or has another
/// version or type.
std::optional<FrameHeader> decode_frame_header(ByteView datagram);

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__WIRE_HPP_
