// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__GROUND__PREKEY_SUPPLY_HPP_
#define PQC_TUNNEL__PROTOCOL__GROUND__PREKEY_SUPPLY_HPP_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "crypto/random.hpp"
#include "protocol/handshake/prekey_pool.hpp"
#include "protocol/handshake/suite_objection.hpp"
#include "protocol/peer/output.hpp"
#include "protocol/wire/control_frame.hpp"

namespace pqc_tunnel
{

// The ground station's prekeys for all drones. A job signs each of them, with keys from the pool if it holds some.
class PrekeySupply
{
public:
  PrekeySupply(
    const TunnelSettings & settings, GcsIdentity identity, RandomSource & random, Outbox & outbox);

  // Signs by other keys from now on. Keys made ahead with a signature of the ones before are dropped.
  void replace(GcsIdentity identity);
  // Says why the ground station can't use the suite; empty if it can. `former`: with the signing keys before.
  std::string objection(const Suite & suite, bool former = false) const
  {
    return suite_objection(suite, settings_, identity_, former);
  }
  // Starts the job that makes a prekey for the drone. `former`: the rms of a former session is mixed in.
  JobId issue(
    const Suite & suite, const Digest & bind, bool former, bool signs_former, PeerIndex drone,
    Instant now);
  // Tells the pool which keys to make ahead: first those of the suites in use, then of their neighbours, then of the suites
  // that the configuration names.
  void want_for(const std::vector<const Suite *> & in_use);
  // Says how long it may take until the drone gets its prekey.
  Later later(const Suite & suite) const;
  void note_issued(const Suite & suite, const HandshakeTiming & timing);
  // A key exchange needs the processor now.
  void hold_back(Instant now) { pool_.hold_back(now); }
  PrekeyPoolStatus status() const { return pool_.status(); }

  // Takes the keys that were made for the pool. Returns false if the job is another's.
  bool handle_job_result(JobId id, JobResult & result, Instant now);
  void handle_timeout(Instant now);
  Instant next_timeout() const { return pool_.next_timeout(); }

private:
  MakePrekey keys_of(const Suite & suite, bool signs_former = false);
  KeyId next_key_id();
  void fill_pool(Instant now);

  const TunnelSettings & settings_;
  GcsIdentity identity_;
  Outbox & outbox_;
  PrekeyPool pool_;
  std::optional<JobId> pool_job_;
  bool drops_made_ = false;  // the signature of what pool_job_ makes is by keys before
  KeyId boot_;               // its first half is random, and a counter replaces the second half
  std::uint64_t key_counter_ = 0;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__GROUND__PREKEY_SUPPLY_HPP_
