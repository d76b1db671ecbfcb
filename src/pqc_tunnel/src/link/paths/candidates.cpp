// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "candidates.hpp"

#include <algorithm>
#include <utility>

namespace pqc_tunnel
{
namespace
{

// Only an attacker who replays frames from many addresses would need more.
constexpr std::size_t most_candidates = 4;
constexpr Duration patience = std::chrono::seconds(3);
// Enough for some seconds of commands to a genuine new address, and for probes at any time.
constexpr double bytes_per_s = 1000;
constexpr double most_saved = 8000;
constexpr double share = 0.05;  // share of the rate of a thin link

}  // namespace

Candidates::Candidates(const LinkSettings & link) : budget_(rate(link), most_saved) {}

Candidates::Candidate Candidates::make(const Endpoint & remote, Instant now) const
{
  return {remote, PathHealth({true, PathSettings::failover, {}, {}}, now), now};
}

void Candidates::keep(const Candidate & candidate)
{
  if (known_.size() == most_candidates) {
    known_.erase(known_.begin());
  }
  known_.push_back(candidate);
}

std::vector<Candidates::Candidate>::iterator Candidates::find(const Endpoint & remote)
{
  return std::ranges::find(known_, remote, &Candidate::remote);
}

bool Candidates::contains(const Endpoint & remote) const
{
  return std::ranges::find(known_, remote, &Candidate::remote) != known_.end();
}

void Candidates::add(const Endpoint & from, std::size_t bytes, Instant now)
{
  auto known = find(from);
  if (known == known_.end()) {
    keep(make(from, now));
    known = known_.end() - 1;
  }
  known->received += bytes;
  std::rotate(known, known + 1, known_.end());
}

void Candidates::add_configured(const Endpoint & remote, Instant now)
{
  Candidate candidate = make(remote, now);
  candidate.configured = true;
  keep(candidate);
}

bool Candidates::spend(const Endpoint & to, std::size_t bytes, Instant now)
{
  const auto known = find(to);
  if (known == known_.end() || !known->may_get(bytes) || !is_affordable(bytes, 0, now)) {
    return false;
  }
  pay(*known, bytes, now);
  return true;
}

bool Candidates::is_affordable(std::size_t bytes, double share_left, Instant now)
{
  const bool affordable = budget_.allows(bytes, share_left, now);
  exceeded_ = exceeded_ || !affordable;
  return affordable;
}

void Candidates::pay(Candidate & to, std::size_t bytes, Instant now)
{
  budget_.spend(bytes, now);
  to.sent += bytes;
}

[[gnu::hot]] std::optional<Endpoint> Candidates::take_copy(std::size_t bytes, Instant now)
{
  if (
    known_.empty() || !known_.back().may_get(bytes + probe_frame) ||
    !is_affordable(bytes, 0.5, now))
  {
    return std::nullopt;
  }
  pay(known_.back(), bytes, now);
  return known_.back().remote;
}

[[gnu::hot]] std::optional<PathProbe> Candidates::take_probe(RandomSource & random, Instant now)
{
  for (Candidate & candidate : known_) {
    if (!candidate.may_get(probe_frame) || !budget_.allows(probe_frame, 0, now)) {
      continue;
    }
    if (const auto nonce = candidate.health.take_probe(random, now)) {
      pay(candidate, probe_frame, now);
      return PathProbe{candidate.remote, *nonce, false};
    }
  }
  return std::nullopt;
}

std::optional<PathHealth> Candidates::handle_answer(
  std::uint64_t nonce, const Endpoint & from, Instant now)
{
  const auto known = find(from);
  if (known == known_.end() || !known->health.handle_answer(nonce, now)) {
    return std::nullopt;
  }
  PathHealth health = known->health;
  known_.erase(known);
  return health;
}

void Candidates::handle_timeout(Duration allowance, Instant now)
{
  for (Candidate & candidate : known_) {
    candidate.health.handle_timeout(now);  // a path that is down is probed less often
  }
  std::erase_if(known_, [&](const Candidate & candidate) {
    return now >= candidate.begun + patience + allowance;
  });
}

Instant Candidates::next_timeout(Duration allowance) const
{
  Instant next = Instant::max();
  for (const Candidate & candidate : known_) {
    next = std::min(next, candidate.begun + patience + allowance);
    if (candidate.may_get(probe_frame)) {
      next = std::min(next, std::max(candidate.health.next_timeout(), budget_.ready(probe_frame)));
    }
  }
  return next;
}

std::optional<Endpoint> Candidates::newest() const
{
  return known_.empty() ? std::nullopt : std::optional(known_.back().remote);
}

double Candidates::rate(const LinkSettings & link)
{
  return link.is_thin() ? std::min(bytes_per_s, share * link.bytes_per_s()) : bytes_per_s;
}

}  // namespace pqc_tunnel
