// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef SIMULATOR__HANDSHAKE_WITNESS_HPP_
#define SIMULATOR__HANDSHAKE_WITNESS_HPP_

#include <set>
#include <vector>

#include "pqc_tunnel/protocol/handshake_messages.hpp"
#include "simulator/journal.hpp"
#include "simulator/key_witness.hpp"

namespace pqc_tunnel::test
{

// Watches handshakes and rekeys: messages on streams, requested suites, and that each request of a rekey is answered
// once.
class HandshakeWitness
{
public:
  HandshakeWitness(
    WiredPair & pair, KeyWitness & keys, Journal & journal, std::vector<const Suite *> allowed,
    const Suite * initial);

  // Asks an end for a rekey; null: the suite in use.
  void request_rekey(Side side, const Suite * suite);
  // To be called after everything that happens and after KeyWitness::look(); throws Violation.
  void look();
  void restarted(Side side);

  std::size_t unanswered(Side side) const { return unanswered_.at(side).size(); }
  bool last_succeeded() const { return last_succeeded_; }
  std::uint64_t rekeys() const { return rekeys_; }
  std::uint64_t handshakes() const { return handshakes_; }
  std::uint64_t failures() const { return failures_; }

private:
  void look_at_event(Side side, const Event & event);
  void look_at_drone_message(ByteView message) const;
  void look_at_gcs_message(ByteView message);

  WiredPair & pair_;
  KeyWitness & keys_;
  Journal & journal_;
  std::vector<const Suite *> allowed_;
  const Suite * initial_;
  const Suite * kept_;              // of the drone's next new session
  const Suite * rekey_ = nullptr;   // what the drone rekeys to now
  std::set<const Suite *> wanted_;  // asked for, ever
  std::map<Side, std::set<RekeyId>> unanswered_{{Side::drone, {}}, {Side::gcs, {}}};
  std::set<KeyId> key_ids_;
  std::set<Bytes> public_keys_;
  bool last_succeeded_ = false;
  std::uint64_t rekeys_ = 0;
  std::uint64_t handshakes_ = 0;
  std::uint64_t failures_ = 0;
};

}  // namespace pqc_tunnel::test

#endif  // SIMULATOR__HANDSHAKE_WITNESS_HPP_
