// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__HANDSHAKE__LIKELY_CAUSE_HPP_
#define PQC_TUNNEL__PROTOCOL__HANDSHAKE__LIKELY_CAUSE_HPP_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.hpp"
#include "handshake_failure.hpp"
#include "protocol/session/settings.hpp"

namespace pqc_tunnel
{

// A frame of another version of the protocol, of which nobody proves where it comes from: it is worth a hint, for a while.
struct VersionHint
{
  std::uint8_t version = 0;
  Instant at;
  int count = 1;
};
std::uint8_t version_now(const std::optional<VersionHint> & hint, Instant now);
// "the version of the protocol is 4 there and 3 here: update both ends"
std::string version_conflict(std::uint8_t theirs);

inline constexpr const char * identity_cloned =
  "two machines have this drone's identity, and take the session from each other";

// The knowledge of one end about the way to its peer.
struct PeerFacts
{
  Role role = Role::drone;                    // of this end
  const TunnelSettings * settings = nullptr;  // of this end
  bool has_keys = false;
  bool lost = false;         // keys are there, but the peer is silent, or does not answer
  bool arrives = false;      // its datagrams do, fresh or not
  bool unconfirmed = false;  // a handshake completed some seconds ago, and nothing has come since
  bool cloned = false;       // two machines have the drone's identity
  bool deaf_peer = false;    // it reports that it receives nothing
  bool stretched = false;    // datagrams or answers come too late
  bool wrong_key =
    false;  // GCS: since the last session, a hello with this drone's name had another key
  bool unheard_here =
    false;  // GCS: the drone's first hellos arrive again and again, but never an answered one
  bool crowded = false;    // GCS: hellos prove this drone's key, but are too many
  bool overdue = false;    // the keys are beyond their limits, and renewing them has failed
  Duration late_answer{};  // drone: how long an answer took that came after its attempt had ended
  std::uint8_t other_version =
    0;  // of the other end's protocol, as a frame says that proves nothing
  GroundTrouble trouble = GroundTrouble::none;  // drone
  std::string machine_trouble;                  // why this end is late itself; empty: it is not
  std::vector<std::string> link_troubles;       // known to this machine; empty: none; by link
  std::optional<FailedHandshake> failed;        // the newest attempt, if it failed
};

// The most likely cause of trouble with the peer, as one sentence in lower case without a full stop; empty when all
// is well, or nothing is known yet.
std::string likely_cause(const PeerFacts & facts);

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__HANDSHAKE__LIKELY_CAUSE_HPP_
