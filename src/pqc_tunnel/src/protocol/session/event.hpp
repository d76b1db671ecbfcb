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
  rekey_prepared,   // the ground station's ephemeral key has arrived
  rekey_committed,  // this end sends under new keys
  rekey_confirmed,  // the peer sends under the new keys too
  rekey_failed,     // timed out or refused; the old keys stay in use
  rollback,         // authenticated failure; the suite is blacklisted
  peer_lost,
  peer_back,
  roamed,
  key_limit,       // age or packet limit reached
  refused,         // an unauthenticated stranger, a policy mismatch, a bad request
  link_stretched,  // datagrams or answers arrive too late
  keys_wiped,      // after a long silence, or on request
  link_changed,    // one of several links went up or down
  superseded,      // a session is in use that a newer one of this drone replaced
  policy_lost,     // the drone's policy has gone silent
  policy_back,     // the drone's policy decides again
  said,            // the drone's programs have sent a line for the pilot
  protection,      // the keys rest on other problems than those before
  reloaded,        // this end has read its keys anew
};

enum class EventSeverity : std::uint8_t
{
  debug,  // published but not logged, because it repeats a recent event
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
  std::optional<EventSeverity> severity = std::nullopt;  // none: that of the kind
};

// Returns the severity at which every program logs the event.
EventSeverity severity(const Event & event);

// Returns the name of the enumerator.
const char * to_string(EventKind kind);

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__SESSION__EVENT_HPP_
