// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "prekey_supply.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace pqc_tunnel
{

PrekeySupply::PrekeySupply(
  const TunnelSettings & settings, GcsIdentity identity, RandomSource & random, Outbox & outbox)
: settings_(settings), identity_(std::move(identity)), outbox_(outbox), pool_(settings.prekey_pool)
{
  random.fill(std::span(boot_.bytes).first(8));
}

KeyId PrekeySupply::next_key_id()
{
  KeyId id = boot_;
  std::uint64_t counter = ++key_counter_;
  const auto low = std::span(id.bytes).last<8>();
  for (auto byte = low.rbegin(); byte != low.rend(); ++byte, counter >>= 8) {
    *byte = static_cast<std::uint8_t>(counter);
  }
  return id;
}

MakePrekey PrekeySupply::keys_of(const Suite & suite, bool signs_former)
{
  const SigningKeys & keys = signs_former ? identity_.former_signing_keys : identity_.signing_keys;
  return {&suite, settings_.mode, identity_.id, next_key_id(), keys.at(suite.signature)};
}

JobId PrekeySupply::issue(
  const Suite & suite, const Digest & bind, bool former, bool signs_former, PeerIndex drone,
  Instant now)
{
  const bool is_signed = signs_slowly(suite.signature);
  auto made = signs_former && is_signed ? std::nullopt : pool_.take(suite, now);
  return outbox_.start(
    IssuePrekey{keys_of(suite, signs_former), std::move(made), bind, former}, drone);
}

void PrekeySupply::replace(GcsIdentity identity)
{
  const auto same = [](const SigningKeys & one, const SigningKeys & other) {
    return std::ranges::equal(one, other, [](const auto & a, const auto & b) {
      return a.first == b.first && constant_time_equal(a.second->view(), b.second->view());
    });
  };
  if (!same(identity.signing_keys, identity_.signing_keys)) {
    pool_.drop_signed();
    drops_made_ = pool_job_.has_value();
  }
  identity_ = std::move(identity);
}

Later PrekeySupply::later(const Suite & suite) const
{
  const auto estimate = std::chrono::ceil<std::chrono::milliseconds>(pool_.estimate(suite));
  return {static_cast<std::uint32_t>(estimate.count())};
}

void PrekeySupply::note_issued(const Suite & suite, const HandshakeTiming & timing)
{
  if (!timing.prepared_ahead) {
    pool_.note_duration(suite, timing.keygen + timing.sign);
  }
}

void PrekeySupply::fill_pool(Instant now)
{
  if (const Suite * suite = pool_.next_to_make(now)) {
    pool_job_ = outbox_.start(keys_of(*suite));
    pool_.begin(*suite);
  }
}

void PrekeySupply::want_for(const std::vector<const Suite *> & in_use)
{
  std::vector<const Suite *> wanted = in_use;
  for (const Suite * suite : in_use) {
    const auto next = likely_next(*suite, settings_.suites.allowed());
    wanted.insert(wanted.end(), next.begin(), next.end());
  }
  const auto & configured = settings_.prekey_pool.suites;
  wanted.insert(wanted.end(), configured.begin(), configured.end());
  std::erase_if(wanted, [this](const Suite * suite) { return !objection(*suite).empty(); });
  pool_.want(wanted);
}

bool PrekeySupply::handle_job_result(JobId id, JobResult & result, Instant now)
{
  if (pool_job_ != id) {
    return false;
  }
  pool_job_.reset();
  auto * made = std::get_if<PrekeyPair>(&result);
  const bool dropped = std::exchange(drops_made_, false) && made && !made->signature.empty();
  if (made && !dropped) {
    pool_.finish(std::move(*made), now);
  } else {
    pool_.fail(now);
  }
  fill_pool(now);
  return true;
}

void PrekeySupply::handle_timeout(Instant now)
{
  pool_.handle_timeout(now);
  fill_pool(now);
}

}  // namespace pqc_tunnel
