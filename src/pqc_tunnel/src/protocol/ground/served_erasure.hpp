// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__GROUND__SERVED_ERASURE_HPP_
#define PQC_TUNNEL__PROTOCOL__GROUND__SERVED_ERASURE_HPP_

#include <cstdint>
#include <optional>
#include <string>

#include "served_context.hpp"

namespace pqc_tunnel
{

// The ground station's request that a drone erases all its keys. It is repeated until the drone answers, or for 10 s.
class ServedErasure
{
public:
  explicit ServedErasure(ServedContext & drone) : drone_(drone), peer_(drone.peer) {}

  // Replies at once if nothing can be asked.
  void request(const RekeyCommand & command, std::uint32_t transaction, Instant now);
  // Returns false if the message belongs to no request.
  bool handle_erased(std::uint32_t transaction, const Erased & erased, Instant now);
  void handle_wiped(Instant now);
  void handle_timeout(Instant now);
  Instant next_timeout() const
  {
    return request_ ? std::min(request_->next_try, request_->deadline) : Instant::max();
  }

private:
  struct Request
  {
    RekeyId id;
    std::uint32_t transaction;
    Instant next_try;
    Instant deadline;
  };
  void end(bool success, const std::string & text, Instant now);

  ServedContext & drone_;
  Peer & peer_;
  std::optional<Request> request_;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__GROUND__SERVED_ERASURE_HPP_
