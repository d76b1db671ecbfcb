// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__LIKELY_CAUSE_HPP_
#define PQC_TUNNEL__PROTOCOL__LIKELY_CAUSE_HPP_

#include <optional>
#include <string>

#include "connection_end.hpp"
#include "handshake_client.hpp"
#include "settings.hpp"

namespace pqc_tunnel
{

// A handshake that ended without keys.
struct FailedHandshake
{
  HandshakeFailure failure = HandshakeFailure::closed;
  ConnectionEnd::Kind end = ConnectionEnd::Kind::closed;  // if the failure is `closed`
  bool connected = true;
  bool answered = true;  // the other end had sent something
  std::string text;
};

// What one end knows about the way to its peer.
struct PeerFacts
{
  Role role = Role::drone;                    // of this end
  const TunnelSettings * settings = nullptr;  // of this end
  bool has_keys = false;
  bool lost = false;  // keys are there, but the peer is silent
  bool unconfirmed =
    false;                 // a handshake completed some seconds ago, and no datagram has come since
  bool deaf_peer = false;  // the peer reports that it receives nothing
  bool wrong_key =
    false;  // GCS: since the last session, a hello with this drone's name had another key
  std::optional<FailedHandshake> failed;  // the newest handshake, if it failed
};

// The most likely cause of trouble with the peer, as one sentence in lower case without a full stop; empty when all
// is well, or nothing is known yet.
std::string likely_cause(const PeerFacts & facts);

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__LIKELY_CAUSE_HPP_
