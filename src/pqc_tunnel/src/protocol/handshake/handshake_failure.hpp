// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__HANDSHAKE__HANDSHAKE_FAILURE_HPP_
#define PQC_TUNNEL__PROTOCOL__HANDSHAKE__HANDSHAKE_FAILURE_HPP_

#include <cstdint>
#include <string>

namespace pqc_tunnel
{

// Why an attempt at a session ended without keys.
enum class HandshakeFailure : std::uint8_t
{
  unanswered,       // no hello was answered
  timeout,          // it was answered, and then nothing came for too long
  authenticated,    // the PSK holds but a signature, key or finish does not
  unauthenticated,  // a message under the boot keys is malformed or lacks the PSK's proof
  policy_mismatch,
  suite_refused,  // by the other end
  unavailable,    // the primitive can't run here
  busy,
  unknown_anchor,  // a key of the anchor can't be used at either end
};

// Follows "… can't use SUITE". Both ends allow the same suites, so one end lacks something for this one.
inline constexpr const char * missing_there =
  ": it holds no key for it, lacks the algorithm, or the suite failed there lately";

struct FailedHandshake
{
  HandshakeFailure failure = HandshakeFailure::unanswered;
  std::string text;
};

// Why the drone's datagrams can't reach the ground station, as far as its own machine knows.
enum class GroundTrouble : std::uint8_t
{
  none,
  unknown_name,  // no address is known for the name
  other_family,  // its addresses can't be reached from bind_address
  unreachable,   // no route
  refused,       // the machine answers that nothing listens there
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__HANDSHAKE__HANDSHAKE_FAILURE_HPP_
