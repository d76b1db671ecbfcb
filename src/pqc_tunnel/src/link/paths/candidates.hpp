// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__LINK__PATHS__CANDIDATES_HPP_
#define PQC_TUNNEL__LINK__PATHS__CANDIDATES_HPP_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/endpoint.hpp"
#include "base/time.hpp"
#include "byte_budget.hpp"
#include "crypto/random.hpp"
#include "link_settings.hpp"
#include "path_health.hpp"

namespace pqc_tunnel
{

struct PathProbe
{
  Endpoint to;
  std::uint64_t nonce = 0;  // nonce of the PATH_REQ
  bool proved = true;       // the address has answered a probe
};

// Holds the addresses on one link from which a peer's newest frames came and that have not answered a probe yet. An
// attacker who replays a frame can forge its source. Each address therefore gets at most three times the bytes that
// came from it, as in QUIC (RFC 9000, section 8.1), and probes and copies of data to all of them share a small budget.
class Candidates
{
public:
  explicit Candidates(const LinkSettings & link);

  // Call it for a frame newer than all before, and for any frame of a known candidate.
  void add(const Endpoint & from, std::size_t bytes, Instant now);
  // Adds an address that the operator configured, which needs no limit against reflection.
  void add_configured(const Endpoint & remote, Instant now);
  bool contains(const Endpoint & remote) const;
  // Charges the bytes to the address; false if it may not get them.
  bool spend(const Endpoint & to, std::size_t bytes, Instant now);
  // Charges a copy of data to the candidate heard last and returns it; none if it may not get the copy.
  std::optional<Endpoint> take_copy(std::size_t bytes, Instant now);
  std::optional<PathProbe> take_probe(RandomSource & random, Instant now);
  // Removes the candidate if this answers a probe of its address, and returns the health of its path.
  std::optional<PathHealth> handle_answer(std::uint64_t nonce, const Endpoint & from, Instant now);

  // Forgets candidates that have not answered in time. `allowance`: extra time for the answer on a slow link.
  void handle_timeout(Duration allowance, Instant now);
  Instant next_timeout(Duration allowance) const;
  void clear() { known_.clear(); }
  bool empty() const { return known_.empty(); }
  std::optional<Endpoint> newest() const;
  // Returns whether the budget has refused anything since the last call.
  bool take_excess() { return std::exchange(exceeded_, false); }
  // Returns the bytes per second of the budget.
  static double rate(const LinkSettings & link);

private:
  struct Candidate
  {
    Endpoint remote;
    PathHealth health;
    Instant begun;
    bool configured = false;
    std::uint64_t received = 0;  // bytes from it
    std::uint64_t sent = 0;

    bool may_get(std::size_t bytes) const { return configured || sent + bytes <= 3 * received; }
  };

  Candidate make(const Endpoint & remote, Instant now) const;
  void keep(const Candidate & candidate);
  bool is_affordable(std::size_t bytes, double share_left, Instant now);
  void pay(Candidate & to, std::size_t bytes, Instant now);
  std::vector<Candidate>::iterator find(const Endpoint & remote);

  std::vector<Candidate> known_;  // in the order heard, the newest last
  ByteBudget budget_;
  bool exceeded_ = false;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__LINK__PATHS__CANDIDATES_HPP_
