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
  std::uint64_t nonce = 0;  // of the PATH_REQ
  bool proved = true;       // the address
};

// The addresses on one link from which a peer's newest frames came, and that have not answered a probe yet. Whoever repeats
// a frame can name any address as its source: each gets at most three times the bytes that came from it, as in QUIC
// (RFC 9000, section 8.1), and all together no more than a small budget, which probes share with copies of data.
class Candidates
{
public:
  explicit Candidates(const LinkSettings & link);

  // A frame that is newer than all before has come from there, or any frame from a known candidate.
  void add(const Endpoint & from, std::size_t bytes, Instant now);
  // The operator names this address: nobody else has anything sent there.
  void add_configured(const Endpoint & remote, Instant now);
  bool contains(const Endpoint & remote) const;
  // Takes so many bytes for the address; false if it may not get them.
  bool spend(const Endpoint & to, std::size_t bytes, Instant now);
  // Where a copy of data of so many bytes goes: to the one heard last.
  std::optional<Endpoint> take_copy(std::size_t bytes, Instant now);
  std::optional<PathProbe> take_probe(RandomSource & random, Instant now);
  // What is known of the path, if this answers a probe of this address: it is no candidate any more.
  std::optional<PathHealth> handle_answer(std::uint64_t nonce, const Endpoint & from, Instant now);

  // Forgets those that have not answered in time; an answer may come so much later.
  void handle_timeout(Duration allowance, Instant now);
  Instant next_timeout(Duration allowance) const;
  void clear() { known_.clear(); }
  bool empty() const { return known_.empty(); }
  std::optional<Endpoint> newest() const;
  // Something was left out for the budget since the last call.
  bool take_excess() { return std::exchange(exceeded_, false); }
  // Returns the bytes per second that the budget gives.
  static double rate(const LinkSettings & link);

private:
  struct Candidate
  {
    Endpoint remote;
    PathHealth health;
    Instant begun;
    bool configured = false;
    std::uint64_t received = 0;  // bytes, from it
    std::uint64_t sent = 0;

    bool may_get(std::size_t bytes) const { return configured || sent + bytes <= 3 * received; }
  };

  Candidate make(const Endpoint & remote, Instant now) const;
  void keep(const Candidate & candidate);
  bool is_affordable(std::size_t bytes, double share_left, Instant now);
  void pay(Candidate & to, std::size_t bytes, Instant now);
  std::vector<Candidate>::iterator find(const Endpoint & remote);

  std::vector<Candidate> known_;  // the one heard last at the end
  ByteBudget budget_;
  bool exceeded_ = false;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__LINK__PATHS__CANDIDATES_HPP_
