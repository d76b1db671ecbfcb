// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "peer_keys.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace pqc_tunnel
{

EpochKeys * PeerKeys::sending(Channel channel)
{
  return channel == Channel::session ? slots_.sending() : boot_ ? &boot_->keys() : nullptr;
}

std::shared_ptr<PeerClock> PeerKeys::clock(Channel channel)
{
  const EpochKeys * keys = sending(channel);
  return keys != nullptr ? keys->clock() : std::make_shared<PeerClock>();
}

void PeerKeys::clear()
{
  slots_.clear();
  boot_.reset();
  offered_boots_.clear();
  former_boot_.reset();
  former_boot_until_ = Instant::max();
}

void PeerKeys::handle_timeout(Instant now)
{
  slots_.handle_timeout(now);
  if (now >= former_boot_until_) {
    former_boot_.reset();
    former_boot_until_ = Instant::max();
  }
}

// --- Boot keys ---

std::unique_ptr<BootChannel> PeerKeys::make_boot(
  const Suite & suite, EpochSecrets secrets, const Endpoint & to, Instant now) const
{
  auto boot =
    std::make_unique<BootChannel>(suite, own_role_, std::move(secrets), settings_, to, now);
  boot->keys().enter(owner_);
  return boot;
}

BootChannel & PeerKeys::start_boot(
  const Suite & suite, EpochSecrets secrets, const Endpoint & to, Instant now)
{
  boot_ = make_boot(suite, std::move(secrets), to, now);
  return *boot_;
}

BootChannel & PeerKeys::offer_boot(
  const Suite & suite, EpochSecrets secrets, const Endpoint & to, Instant now)
{
  return *offered_boots_.emplace_back(make_boot(suite, std::move(secrets), to, now));
}

[[gnu::hot]] std::optional<std::size_t> PeerKeys::choose_boot(const EpochKeys & keys)
{
  const auto chosen = std::ranges::find_if(
    offered_boots_, [&keys](const auto & boot) { return &boot->keys() == &keys; });
  if (chosen == offered_boots_.end()) {
    return std::nullopt;
  }
  const auto index = static_cast<std::size_t>(chosen - offered_boots_.begin());
  boot_ = std::move(*chosen);
  offered_boots_.clear();
  return index;
}

void PeerKeys::end_boot(Instant until)
{
  if (!boot_ && offered_boots_.size() == 1) {
    boot_ = std::move(offered_boots_.front());
  }
  offered_boots_.clear();
  if (boot_) {
    former_boot_ = std::move(boot_);
    former_boot_until_ = until;
  }
}

// --- Opening ---

// Several keys can have the same id. A failed try changes the bytes, so the next try gets a copy of the datagram.
[[gnu::hot]] PeerKeys::Opened PeerKeys::open(
  const FrameHeader & header, MutableBytes datagram, bool restore, Instant now)
{
  std::array<EpochKeys *, KeySlots::max_candidates + 2 + max_challenges> candidates;
  auto end = candidates.begin();
  slots_.candidates(header.key_id, [&end](EpochKeys & keys) { *end++ = &keys; });
  for (const auto * boot : {&boot_, &former_boot_}) {
    if (*boot && (*boot)->keys().receive_id() == header.key_id) [[unlikely]] {
      *end++ = &(*boot)->keys();
    }
  }
  for (const auto & boot : offered_boots_) {
    if (boot->keys().receive_id() == header.key_id) {
      *end++ = &boot->keys();
    }
  }
  const bool several = restore || end - candidates.begin() > 1;
  if (several) [[unlikely]] {
    second_try_.assign(datagram.begin(), datagram.end());
  }
  Opened opened;
  opened.frame.drop = Drop::unknown;
  for (auto keys = candidates.begin(); keys != end; ++keys) {
    opened.frame = (*keys)->open(header, datagram, now);
    if (!opened.frame.drop) [[likely]] {
      opened.keys = *keys;
      return opened;
    }
    if (several) [[unlikely]] {
      std::ranges::copy(second_try_, datagram.begin());
    }
  }
  return opened;
}

}  // namespace pqc_tunnel
