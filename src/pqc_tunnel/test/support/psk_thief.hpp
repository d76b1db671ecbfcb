// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef SUPPORT__PSK_THIEF_HPP_
#define SUPPORT__PSK_THIEF_HPP_

#include "protocol/hello_messages.hpp"
#include "support/wired_pair.hpp"

namespace pqc_tunnel::test
{

// Has the drone's PSK and no other key: begins sessions at the ground station from addresses of its own, and goes no
// further.
class PskThief
{
public:
  PskThief(WiredPair & pair, const TunnelSettings & settings)
  : pair_(pair),
    record_(Identities::for_signature(settings.initial_suite->signature).record()),
    psk_(PskKeySet::derive(record_.psk))
  {
    hello_.drone_id = record_.id;
    hello_.suite = settings.initial_suite->wire_id;
    hello_.mode = settings.mode.to_wire();
    hello_.policy_hash = settings.suites.hash(settings.mode);
  }

  void begin_session(const Endpoint & from)
  {
    pair_.random().fill(hello_.client_random);
    hello_.challenge = {};
    pair_.inject(Side::gcs, frame(), from);
    auto & answers = pair_.sent_elsewhere(Side::gcs);
    if (!answers.empty() && answers.back().first == from && is_hello(answers.back().second)) {
      hello_.challenge = parse_hello_retry(answers.back().second);
      pair_.inject(Side::gcs, frame(), from);
    }
    answers.clear();
  }

private:
  Bytes frame()
  {
    Bytes bytes = encode(hello_);
    append_mac(bytes, psk_.of(hello_.suite), psk_.of(hello_.suite).hello);
    return bytes;
  }

  WiredPair & pair_;
  DroneRecord record_;
  PskKeySet psk_;
  ClientHello hello_;
};

}  // namespace pqc_tunnel::test

#endif  // SUPPORT__PSK_THIEF_HPP_
