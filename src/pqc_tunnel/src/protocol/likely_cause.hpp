// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__LIKELY_CAUSE_HPP_
#define PQC_TUNNEL__PROTOCOL__LIKELY_CAUSE_HPP_

#include <optional>
#include <string>

#include "handshake_failure.hpp"
#include "settings.hpp"

namespace pqc_tunnel
{

// What one end knows about the way to its peer.
struct PeerFacts
{
  Role role = Role::drone;                    // of this end
  const TunnelSettings * settings = nullptr;  // of this end
  bool has_keys = false;
  bool lost = false;         // keys are there, but the peer is silent
  bool unconfirmed = false;  // a handshake completed some seconds ago, and nothing has come since
  bool deaf_peer = false;    // the peer reports that it receives nothing
  bool wrong_key =
    false;  // GCS: since the last session, a hello with this drone's name had another key
  bool unheard_here =
    false;  // GCS: the drone's first hellos arrive again and again, but never an answered one
  GroundTrouble trouble = GroundTrouble::none;  // drone
  std::optional<FailedHandshake> failed;        // the newest attempt, if it failed
};

// The most likely cause of trouble with the peer, as one sentence in lower case without a full stop; empty when all
// is well, or nothing is known yet.
std::string likely_cause(const PeerFacts & facts);

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__LIKELY_CAUSE_HPP_
