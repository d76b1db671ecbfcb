// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__CONNECTION_END_HPP_
#define PQC_TUNNEL__PROTOCOL__CONNECTION_END_HPP_

#include <cstdint>
#include <string>

namespace pqc_tunnel
{

// How the connection of a handshake ended, or why it could not be made.
struct ConnectionEnd
{
  enum class Kind : std::uint8_t
  {
    closed,        // by the other end or by the network
    refused,       // no program accepts connections there
    no_answer,     // nothing came back
    unreachable,   // the network knows no way there
    unknown_name,  // the host name has no address
    failed,        // another error of this machine
  };

  Kind kind = Kind::closed;
  std::string text;  // for the log
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__CONNECTION_END_HPP_
