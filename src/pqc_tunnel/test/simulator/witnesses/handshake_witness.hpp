// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef SIMULATOR__WITNESSES__HANDSHAKE_WITNESS_HPP_
#define SIMULATOR__WITNESSES__HANDSHAKE_WITNESS_HPP_

#include <set>
#include <vector>

#include "protocol/wire/key_schedule.hpp"
#include "simulator/witnesses/journal.hpp"
#include "simulator/witnesses/key_witness.hpp"

namespace pqc_tunnel::test
{

// Watches handshakes and rekeys: hellos, public-key work, requested suites, and that each request of a rekey is answered
// once.
class HandshakeWitness
{
public:
  HandshakeWitness(
    WiredPair & pair, KeyWitness & keys, Journal & journal, std::vector<const Suite *> allowed,
    const Suite * initial);

  // Asks an end for a rekey; null: the suite in use.
  void request_rekey(
    Side side, const Suite * suite, bool ratchet = false, bool one_time_key = false);
  // Asks the drone to fetch the key of a suite.
  void request_fetch(const Suite & suite);
  // To be called after everything that happens, between KeyWitness::look() and DatagramWitness::look(); throws Violation.
  void look(const Standings & ends);
  void look_at_job(const Job & job);
  void restarted(Side side);

  std::size_t unanswered(Side side) const { return unanswered_.at(side).size(); }
  bool last_succeeded() const { return last_succeeded_; }
  std::uint64_t rekeys() const { return rekeys_; }
  std::uint64_t handshakes() const { return handshakes_; }
  std::uint64_t failures() const { return failures_; }

private:
  void request(Side side, const RekeyCommand & command);
  void end_rekey(const Event & event);
  void look_at_event(Side side, const Event & event);
  void look_at_hello(const Bytes & frame);

  WiredPair & pair_;
  KeyWitness & keys_;
  Journal & journal_;
  std::vector<const Suite *> allowed_;
  const Suite * initial_;
  std::multiset<const Suite *> rekeys_to_;  // what the drone rekeys to now; one waits for its key
  std::set<const Suite *> wanted_;          // asked for, ever
  std::map<Side, std::set<RekeyId>> unanswered_{{Side::drone, {}}, {Side::gcs, {}}};
  PskKeySet psk_;
  std::set<Bytes> hellos_;                      // seen already
  std::map<Random32, const Suite *> attempts_;  // by the random value of their hellos
  std::set<KeyId> issued_;
  std::set<KeyId> encapsulated_;
  std::set<KeyId> decapsulated_;
  bool last_succeeded_ = false;
  std::uint64_t rekeys_ = 0;
  std::uint64_t handshakes_ = 0;
  std::uint64_t failures_ = 0;
};

}  // namespace pqc_tunnel::test

#endif  // SIMULATOR__WITNESSES__HANDSHAKE_WITNESS_HPP_
