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

// Where a drone looks for its ground station: what a name server says of it, and what has answered before.
class GroundAddresses
{
public:
  // Datagrams go out through a socket of that family; addresses it can't reach are no use.
  explicit GroundAddresses(SocketFamily link) : link_(link) {}

  // The name server has been asked for this connection; one that waited before has been given up.
  void wait_for_name(ConnectionId connection) { waiting_ = connection; }
  void give_up(ConnectionId connection);

  // What to connect to next: the address that has answered before, if the host still has it or the name
  // server has no answer, then the others in its order. A late answer serves whoever waits by then.
  struct Candidates
  {
    ConnectionId connection;
    Result<std::vector<Endpoint>> endpoints;  // never empty
  };
  std::optional<Candidates> handle_answer(Result<std::vector<Endpoint>> answer);

  // True if it isn't the one that answered before.
  bool note_answered(const Endpoint & address);

private:
  Result<std::vector<Endpoint>> in_order(Result<std::vector<Endpoint>> answer) const;

  SocketFamily link_;
  std::optional<ConnectionId> waiting_;
  std::optional<Endpoint> answered_;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__ENGINE__GROUND_ADDRESSES_HPP_
