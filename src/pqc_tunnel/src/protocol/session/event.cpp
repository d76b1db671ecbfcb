// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "event.hpp"

namespace pqc_tunnel
{

EventSeverity severity(const Event & event)
{
  if (event.severity) {
    return *event.severity;
  }
  switch (event.kind) {
    case EventKind::rollback:
    case EventKind::link_stretched:
      return EventSeverity::error;
    case EventKind::handshake_failed:
    case EventKind::rekey_failed:
    case EventKind::peer_lost:
    case EventKind::key_limit:
    case EventKind::refused:
    case EventKind::keys_wiped:
    case EventKind::superseded:
    case EventKind::policy_lost:
      return EventSeverity::warning;
    default:
      return EventSeverity::info;
  }
}

const char * to_string(EventKind kind)
{
  switch (kind) {
    case EventKind::handshake_started:
      return "handshake_started";
    case EventKind::handshake_completed:
      return "handshake_completed";
    case EventKind::handshake_failed:
      return "handshake_failed";
    case EventKind::rekey_started:
      return "rekey_started";
    case EventKind::rekey_prepared:
      return "rekey_prepared";
    case EventKind::rekey_committed:
      return "rekey_committed";
    case EventKind::rekey_confirmed:
      return "rekey_confirmed";
    case EventKind::rekey_failed:
      return "rekey_failed";
    case EventKind::rollback:
      return "rollback";
    case EventKind::peer_lost:
      return "peer_lost";
    case EventKind::peer_back:
      return "peer_back";
    case EventKind::roamed:
      return "roamed";
    case EventKind::key_limit:
      return "key_limit";
    case EventKind::refused:
      return "refused";
    case EventKind::link_stretched:
      return "link_stretched";
    case EventKind::keys_wiped:
      return "keys_wiped";
    case EventKind::link_changed:
      return "link_changed";
    case EventKind::superseded:
      return "superseded";
    case EventKind::policy_lost:
      return "policy_lost";
    case EventKind::policy_back:
      return "policy_back";
    case EventKind::said:
      return "said";
    case EventKind::protection:
      return "protection";
    case EventKind::reloaded:
      return "reloaded";
  }
  return "";
}

}  // namespace pqc_tunnel
