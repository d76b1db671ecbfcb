// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__REKEY__REKEY_COMMAND_HPP_
#define PQC_TUNNEL__PROTOCOL__REKEY__REKEY_COMMAND_HPP_

#include <string>

#include "base/ids.hpp"
#include "crypto/suites/suite.hpp"
#include "protocol/session/snapshot.hpp"

namespace pqc_tunnel
{

// A request for new keys. Its id links the caller (service, control socket, signal) to the one reply.
struct RekeyCommand
{
  RekeyId id;
  PeerIndex peer;
  std::string suite_id;       // empty: new keys of the same suite
  std::string reason;         // for the log
  bool ratchet = false;       // new keys of the same suite without public-key operations
  bool one_time_key = false;  // of the anchor: its secret goes into the ratchet, too
  bool fetch_only =
    false;  // only fetches the key for the suite in the background, for a rekey to come
  bool erase_drone = false;  // GCS: asks the drone to erase all its keys instead
};

struct RekeyReply  // answers each RekeyCommand, exactly once
{
  RekeyId id;
  bool success;
  std::string message;
  const Suite * suite;  // suite in use now; null without a session
  Epoch epoch;
  HandshakeTiming timing;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__REKEY__REKEY_COMMAND_HPP_
