// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__ENGINE__SOCKETS__DESTINATION_HPP_
#define PQC_TUNNEL__ENGINE__SOCKETS__DESTINATION_HPP_

#include <functional>
#include <memory>
#include <string>

#include "base/time.hpp"
#include "net/resolver.hpp"
#include "net/socket_address.hpp"

namespace pqc_tunnel
{

// The destination of plaintext: a numeric address, or a host name that is looked up repeatedly. It also knows why
// nothing arrives there.
class Destination
{
public:
  Destination() = default;
  // `parameter`: name of the parameter with the host. Port 0: no destination is given.
  Destination(HostPort where, std::string parameter);

  bool is_given() const { return where_.port != 0; }
  const HostPort & where() const { return where_; }
  // Returns the address; family none: not known yet.
  const Endpoint & address() const { return address_; }

  // Takes the newest sender as the destination if none is given.
  void learn(const Endpoint & sender) { address_ = sender; }

  // A host name is looked up at each ask(), on a thread that calls `answered` (see Resolver).
  void start(std::function<void()> answered);
  void ask();
  // Takes the answers of the name server for a socket of this family. Returns true if the address has changed. It stays
  // the same without an answer, and while it is still among the answers.
  bool take_answers(SocketFamily family);

  // Notes the errno value with which this machine refused to send there; 0: it did not refuse.
  void note_refusal(int error) { refusal_ = error != 0 ? error : refusal_; }
  // Returns why nothing arrives, in lower case without a full stop; empty: no trouble. Call it regularly.
  std::string trouble(Instant now);

private:
  HostPort where_;
  std::string parameter_;
  Endpoint address_;
  std::string unknown_;  // why no address is known
  int refusal_ = 0;      // since the last call of trouble()
  int last_refusal_ = 0;
  Instant refused_at_;
  std::unique_ptr<Resolver> resolver_;  // null: a numeric address
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__ENGINE__SOCKETS__DESTINATION_HPP_
