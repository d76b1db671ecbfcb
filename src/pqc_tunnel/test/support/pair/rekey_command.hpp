// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef SUPPORT__PAIR__REKEY_COMMAND_HPP_
#define SUPPORT__PAIR__REKEY_COMMAND_HPP_

#include <string>

#include "protocol/rekey/rekey_command.hpp"

namespace pqc_tunnel::test
{

// A command to rekey with the first peer, with an id of its own. Null: the same suite, fresh keys.
inline RekeyCommand rekey_to(const Suite * suite, std::string reason = "test")
{
  static std::uint64_t last_id = 0;
  return {
    RekeyId{++last_id}, PeerIndex{0}, suite != nullptr ? std::string(suite->id) : std::string(),
    std::move(reason)};
}

}  // namespace pqc_tunnel::test

#endif  // SUPPORT__PAIR__REKEY_COMMAND_HPP_
