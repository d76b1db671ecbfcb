// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "rekey_requests.hpp"

#include <utility>

#include "base/shown_text.hpp"

namespace pqc_tunnel
{

void RekeyRequests::answer(const RekeyReply & reply)
{
  if (auto node = waiting_.extract(reply.id)) {
    node.mapped()(reply);
  }
}

void RekeyRequests::give_up(const std::string & message)
{
  for (auto & [id, respond] : std::exchange(waiting_, {})) {
    respond({id, false, shown(message), nullptr, Epoch{}, {}});
  }
}

}  // namespace pqc_tunnel
