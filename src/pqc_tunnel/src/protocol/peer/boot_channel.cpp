// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "boot_channel.hpp"

#include <algorithm>
#include <utility>

namespace pqc_tunnel
{
namespace
{

constexpr Duration copy_patience = std::chrono::seconds(1);

}  // namespace

BootChannel::BootChannel(
  const Suite & suite, Role own_role, EpochSecrets secrets, const TunnelSettings & settings,
  const Endpoint & to, Instant now)
: own_role_(own_role),
  keys_(
    {&suite, {}, {}}, own_role, std::move(secrets), settings, now, std::make_shared<PeerClock>()),
  to_(to),
  heard_(now),
  streams_(settings)
{
  for (const LinkSettings & link : settings.paths.links) {
    candidates_.emplace_back(link);
  }
}

void BootChannel::copy_to(const Endpoint & address)
{
  if (
    copies_to_.size() < max_challenges - 1 &&
    std::ranges::find(copies_to_, address) == copies_to_.end())
  {
    copies_to_.push_back(address);
  }
}

void BootChannel::set_copies(const std::vector<Endpoint> & addresses)
{
  const auto kept = std::min(addresses.size(), max_challenges - 1);
  copies_to_.assign(addresses.begin(), addresses.begin() + static_cast<std::ptrdiff_t>(kept));
}

bool BootChannel::is_known(const Endpoint & address) const
{
  return to_ == address || std::ranges::find(copies_to_, address) != copies_to_.end();
}

Candidates * BootChannel::candidates(std::uint8_t link)
{
  return link < candidates_.size() ? &candidates_[link] : nullptr;
}

// Takes the source of the newest frame as the address if it is known. An unknown source has to prove itself.
void BootChannel::handle_frame(bool newest, std::size_t size, const Endpoint & from, Instant now)
{
  heard_ = now;
  Candidates * others = candidates(from.link);
  if (is_known(from)) {
    to_ = newest ? from : to_;
  } else if (others != nullptr && newest) {
    others->add(from, size, now);
  }
}

std::optional<PathProbe> BootChannel::take_probe(RandomSource & random, Instant now)
{
  for (Candidates & others : candidates_) {
    if (const auto probe = others.take_probe(random, now)) {
      return probe;
    }
  }
  return std::nullopt;
}

bool BootChannel::take_answer(const Endpoint & to, std::size_t bytes, Instant now)
{
  Candidates * others = candidates(to.link);
  return others != nullptr && others->spend(to, bytes, now);
}

void BootChannel::handle_answer(std::uint64_t nonce, const Endpoint & from, Instant now)
{
  Candidates * asked = candidates(from.link);
  if (asked != nullptr && asked->handle_answer(nonce, from, now)) {
    to_ = from;
  }
}

bool BootChannel::take_question(Instant now)
{
  if (keys_.clock()->answered() || now < next_question_) {
    return false;
  }
  next_question_ = now + std::exchange(pause_, 2 * pause_);
  return true;
}

Routes BootChannel::routes(Instant now) const
{
  Routes routes;
  if (to_.family != AddressFamily::none) {
    routes.add(to_);
  }
  if (own_role_ == Role::drone && std::ranges::find(copies_to_, to_) != copies_to_.end()) {
    return routes;
  }
  for (const Endpoint & other : copies_to_) {
    const bool in_time = other.link == to_.link || now >= heard_ + copy_patience;
    if (other.family != AddressFamily::none && other != to_ && in_time) {
      routes.add(other);
    }
  }
  return routes;
}

void BootChannel::handle_timeout(Duration allowance, Instant now)
{
  for (Candidates & others : candidates_) {
    others.handle_timeout(allowance, now);
  }
}

Instant BootChannel::next_timeout(Duration allowance) const
{
  Instant next = keys_.clock()->answered() ? Instant::max() : next_question_;
  for (const Candidates & others : candidates_) {
    next = std::min(next, others.next_timeout(allowance));
  }
  return next;
}

}  // namespace pqc_tunnel
