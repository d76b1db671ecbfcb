// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

// The keys of a session that is being made.

#include <algorithm>
#include <utility>

#include "peer.hpp"

namespace pqc_tunnel
{
namespace
{

constexpr Duration copy_patience = std::chrono::seconds(1);

}  // namespace

void Peer::start_boot(const Suite & suite, EpochSecrets secrets, const Endpoint & to, Instant now)
{
  last_alive_ = now;  // a hello has proved the PSK
  boot_ = std::make_unique<Boot>(
    EpochName{&suite, {}, {}}, own_role_, std::move(secrets), settings_, to, max_part(), now);
  copy_boot_to(to);
}

void Peer::offer_boot(
  const Suite & suite, EpochSecrets secrets, const Endpoint & to,
  const std::vector<Endpoint> & copies_to, std::size_t max_message, Instant now)
{
  last_alive_ = now;  // a HelloRetry has proved the PSK
  offered_boots_.push_back(std::make_unique<Boot>(
    EpochName{&suite, {}, {}}, own_role_, std::move(secrets), settings_, to, max_part(), now));
  const auto kept = std::min(copies_to.size(), max_challenges - 1);
  offered_boots_.back()->copies_to.assign(
    copies_to.begin(), copies_to.begin() + static_cast<std::ptrdiff_t>(kept));
  offered_boots_.back()->streams.in.expect(StreamClass::foreground, max_message);
}

// Which of the offered keys these are, if any.
std::optional<std::size_t> Peer::choose_boot(const EpochKeys & keys)
{
  const auto chosen = std::ranges::find_if(
    offered_boots_, [&keys](const auto & boot) { return &boot->keys == &keys; });
  if (chosen == offered_boots_.end()) {
    return std::nullopt;
  }
  const auto index = static_cast<std::size_t>(chosen - offered_boots_.begin());
  boot_ = std::move(*chosen);
  offered_boots_.clear();
  return index;
}

void Peer::end_boot(Instant now)
{
  if (!boot_ && offered_boots_.size() == 1) {
    boot_ = std::move(offered_boots_.front());
  }
  offered_boots_.clear();
  if (boot_) {
    former_boot_ = std::move(boot_);
    former_boot_until_ = now + max_overlap + allowance_;
  }
}

// The newest frame tells where the other end is, if it is one of its addresses. Another one has to prove itself.
void Peer::note_boot_arrival(bool newest, std::size_t size, const Endpoint & from, Instant now)
{
  boot_->heard = now;
  Candidates * candidates = boot_candidates(from.link);
  if (is_boot_address(from)) {
    boot_->to = newest ? from : boot_->to;
  } else if (candidates != nullptr && newest) {
    candidates->add(from, size, now);
  }
}

bool Peer::is_boot_address(const Endpoint & address) const
{
  return boot_->to == address ||
         std::ranges::find(boot_->copies_to, address) != boot_->copies_to.end();
}

Candidates * Peer::boot_candidates(std::uint8_t link)
{
  return boot_ && link < boot_->candidates.size() ? &boot_->candidates[link] : nullptr;
}

void Peer::probe_boot(Instant now)
{
  for (std::size_t link = 0; boot_ && link < boot_->candidates.size(); ++link) {
    Candidates & candidates = boot_->candidates[link];
    candidates.handle_timeout(allowance_, now);
    while (const auto probe = candidates.take_probe(random_, now)) {
      send_probe(Channel::boot, *probe, now);
    }
  }
}

void Peer::redirect_boot(const Endpoint & to)
{
  if (boot_) {
    boot_->to = to;
  }
}

void Peer::copy_boot_to(const Endpoint & address)
{
  if (boot_) {
    auto & known = boot_->copies_to;
    if (known.size() < max_challenges - 1 && std::ranges::find(known, address) == known.end()) {
      known.push_back(address);
    }
  }
}

Routes Peer::boot_routes(Instant now) const
{
  Routes routes;
  if (!boot_) {
    return routes;
  }
  if (boot_->to.family != AddressFamily::none) {
    routes.add(boot_->to);
  }
  const auto & others = boot_->copies_to;
  if (own_role_ == Role::drone && std::ranges::find(others, boot_->to) != others.end()) {
    return routes;
  }
  for (const Endpoint & other : others) {
    const bool in_time = other.link == boot_->to.link || now >= boot_->heard + copy_patience;
    if (other.family != AddressFamily::none && other != boot_->to && in_time) {
      routes.add(other);
    }
  }
  return routes;
}

std::shared_ptr<PeerClock> Peer::clock(Channel channel) const
{
  const EpochKeys * keys = channel == Channel::session ? keys_.sending()
                           : boot_                     ? &boot_->keys
                                                       : nullptr;
  return keys != nullptr ? keys->clock() : std::make_shared<PeerClock>();
}

Endpoint Peer::boot_address() const { return boot_ ? boot_->to : address(); }

}  // namespace pqc_tunnel
