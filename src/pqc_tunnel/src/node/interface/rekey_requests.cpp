// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "rekey_requests.hpp"

#include <utility>

#include "base/shown_text.hpp"
#include "crypto/suites/suite.hpp"
#include "node/messages/messages.hpp"

namespace pqc_tunnel
{

void RekeyRequests::answer(const RekeyReply & reply)
{
  auto node = waiting_.extract(reply.id);
  if (node.empty()) {
    return;
  }
  Response response;
  response.success = reply.success;
  response.message = reply.message;
  response.suite = reply.suite == nullptr ? "" : reply.suite->id;
  response.epoch = static_cast<std::uint8_t>(reply.epoch);
  response.timing = to_message(reply.timing);
  response.bytes = reply.timing.bytes;
  response.fetch_bytes = reply.timing.fetch_bytes;
  node.mapped()(response);
}

void RekeyRequests::give_up(const std::string & message)
{
  for (auto & [id, respond] : std::exchange(waiting_, {})) {
    Response response;
    response.success = false;
    response.message = shown(message);
    respond(response);
  }
}

}  // namespace pqc_tunnel
