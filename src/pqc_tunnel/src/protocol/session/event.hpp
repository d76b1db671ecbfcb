// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__SESSION__EVENT_HPP_
#define PQC_TUNNEL__PROTOCOL__SESSION__EVENT_HPP_

#include <cstdint>
#include <optional>
#include <string>

#include "base/ids.hpp"
#include "base/time.hpp"
#include "crypto/suites/suite.hpp"

namespace pqc_tunnel
{

enum class EventKind : std::uint8_t
{
  handshake_started,
  handshake_completed,
  handshake_failed,
  rekey_started,
  rekey_prepared,   // the ground station's ephemeral key is here
  rekey_committed,  // new keys installed, sending under them
  rekey_confirmed,  // the peer sends under them too
  rekey_failed,     // timed out or refused; the old keys stay
  rollback,         // authenticated failure: the suite is blacklisted
  peer_lost,
  peer_back,
  roamed,
  key_limit,       // age or packet limit reached
  refused,         // an unauthenticated stranger, a policy mismatch, a bad request
  link_stretched,  // datagrams or answers come too late
  keys_wiped,      // after a long silence, or on request
  link_changed,    // one of several links is up or down
  superseded,      // somebody still uses a session that a newer one of this drone has replaced
  policy_lost,     // the drone's policy is silent
  policy_back,     // it decides again
  said,            // the drone's programs have sent a line for the pilot
};

enum class EventSeverity : std::uint8_t
{
  debug,  // repeats what was logged lately: published, but not logged
  info,
  warning,
  error,
};

struct Event
{
  EventKind kind;
  Instant time;
  std::optional<PeerIndex> peer;
  const Suite * suite = nullptr;
  Epoch epoch{};
  std::string text;  // one sentence for a person; it does not name the drone
  std::optional<EventSeverity> severity = std::nullopt;  // if not that of the kind
};

// At which severity every program logs the event.
EventSeverity severity(const Event & event);

// As in the source, in lower case.
const char * to_string(EventKind kind);

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__SESSION__EVENT_HPP_
