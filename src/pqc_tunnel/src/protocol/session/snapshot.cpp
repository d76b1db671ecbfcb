// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "snapshot.hpp"

namespace pqc_tunnel
{

const char * to_string(PeerState state)
{
  switch (state) {
    case PeerState::disconnected:
      return "disconnected";
    case PeerState::connecting:
      return "connecting";
    case PeerState::handshaking:
      return "handshaking";
    case PeerState::established:
      return "established";
    case PeerState::rekeying:
      return "rekeying";
    case PeerState::lost:
      return "lost";
  }
  return "";
}

}  // namespace pqc_tunnel
