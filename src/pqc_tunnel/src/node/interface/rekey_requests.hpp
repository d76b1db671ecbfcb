// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__NODE__INTERFACE__REKEY_REQUESTS_HPP_
#define PQC_TUNNEL__NODE__INTERFACE__REKEY_REQUESTS_HPP_

#include <functional>
#include <map>
#include <string>

#include "engine/loop/engine.hpp"

namespace pqc_tunnel
{

// The requests for rekeys and fetches without an answer yet. One thread at a time may use it.
class RekeyRequests
{
public:
  using Respond = std::function<void(const RekeyReply &)>;

  void add(RekeyId id, Respond respond) { waiting_[id] = std::move(respond); }
  // Ignores replies that nobody waits for.
  void answer(const RekeyReply & reply);
  // Answers all waiting requests with a failure.
  void give_up(const std::string & message);

private:
  std::map<RekeyId, Respond> waiting_;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__NODE__INTERFACE__REKEY_REQUESTS_HPP_
