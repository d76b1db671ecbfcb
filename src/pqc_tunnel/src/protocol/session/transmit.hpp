// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__SESSION__TRANSMIT_HPP_
#define PQC_TUNNEL__PROTOCOL__SESSION__TRANSMIT_HPP_

#include "base/bytes.hpp"
#include "base/endpoint.hpp"
#include "base/ids.hpp"

namespace pqc_tunnel
{

// A sealed frame or a hello that its link takes now.
struct Transmit
{
  PeerIndex peer{};
  Endpoint to;
  ByteView bytes;
  // True: `bytes` are in the buffer given to handle_plaintext(). Otherwise they are valid until the next poll.
  bool in_place = false;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__SESSION__TRANSMIT_HPP_
