// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__ENGINE__GROUND_ADDRESSES_HPP_
#define PQC_TUNNEL__ENGINE__GROUND_ADDRESSES_HPP_

#include <optional>
#include <vector>

#include "pqc_tunnel/base/endpoint.hpp"
#include "pqc_tunnel/base/ids.hpp"
#include "pqc_tunnel/base/result.hpp"
#include "pqc_tunnel/net/socket_address.hpp"

namespace pqc_tunnel
{

// The ground station's addresses: those from the name server, and the one that answered before.
class GroundAddresses
{
public:
  // Datagrams leave through a socket of that family; addresses that it can't reach are left out.
  explicit GroundAddresses(SocketFamily link) : link_(link) {}

  // The name server was asked for this connection; it replaces one that waited before.
  void wait_for_name(ConnectionId connection) { waiting_ = connection; }
  void give_up(ConnectionId connection);

  // The addresses to connect to: first the one that answered before, if the host still has it or the name
  // server has no answer, then the others in its order. A late answer serves the connection that waits by then.
  struct Candidates
  {
    ConnectionId connection;
    Result<std::vector<Endpoint>> endpoints;  // never empty
  };
  std::optional<Candidates> handle_answer(Result<std::vector<Endpoint>> answer);

  // True if another address answered before.
  bool note_answered(const Endpoint & address);

private:
  Result<std::vector<Endpoint>> in_order(Result<std::vector<Endpoint>> answer) const;

  SocketFamily link_;
  std::optional<ConnectionId> waiting_;
  std::optional<Endpoint> answered_;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__ENGINE__GROUND_ADDRESSES_HPP_
