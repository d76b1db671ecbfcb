// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__PEER__PEER_KEYS_HPP_
#define PQC_TUNNEL__PROTOCOL__PEER__PEER_KEYS_HPP_

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "boot_channel.hpp"
#include "protocol/session/key_slots.hpp"
#include "protocol/session/settings.hpp"

namespace pqc_tunnel
{

// The kind of keys that seal a control message or a stream.
enum class Channel : std::uint8_t
{
  session,  // the newest keys of the live session
  boot,     // the keys of a session that is being established
};

// All keys that one end shares with its peer: those of sessions, and boot keys.
class PeerKeys
{
public:
  PeerKeys(Role own_role, const TunnelSettings & settings, const KeyOwner & owner)
  : own_role_(own_role), settings_(settings), owner_(owner), slots_(owner)
  {
  }

  KeySlots & slots() { return slots_; }
  const KeySlots & slots() const { return slots_; }
  // Returns the keys that seal the frames of the channel; null if there are none.
  EpochKeys * sending(Channel channel);
  std::shared_ptr<PeerClock> clock(Channel channel);
  void clear();

  // --- Boot keys ---
  BootChannel * boot() { return boot_.get(); }
  const BootChannel * boot() const { return boot_.get(); }
  BootChannel & start_boot(
    const Suite & suite, EpochSecrets secrets, const Endpoint & to, Instant now);
  // Adds one of several sets of boot keys; see choose_boot().
  BootChannel & offer_boot(
    const Suite & suite, EpochSecrets secrets, const Endpoint & to, Instant now);
  bool offers_boot() const { return !offered_boots_.empty(); }
  // If these are offered boot keys, makes them the boot keys, wipes the others, and returns their index in the order of
  // the offers.
  std::optional<std::size_t> choose_boot(const EpochKeys & keys);
  // Ends the use of the boot keys, which recognize late frames until `until`.
  void end_boot(Instant until);

  // --- Opening ---
  struct Opened
  {
    EpochKeys * keys = nullptr;
    EpochKeys::Opened frame;
  };
  // `restore`: leave the datagram as it was if it is not authentic.
  Opened open(const FrameHeader & header, MutableBytes datagram, bool restore, Instant now);
  bool is_former_boot(const EpochKeys & keys) const
  {
    return former_boot_ && &keys == &former_boot_->keys();
  }

  void handle_timeout(Instant now);
  Instant next_timeout() const { return std::min(slots_.next_timeout(), former_boot_until_); }

private:
  std::unique_ptr<BootChannel> make_boot(
    const Suite & suite, EpochSecrets secrets, const Endpoint & to, Instant now) const;

  Role own_role_;
  const TunnelSettings & settings_;
  KeyOwner owner_;
  KeySlots slots_;
  std::unique_ptr<BootChannel> boot_;
  std::vector<std::unique_ptr<BootChannel>> offered_boots_;
  std::unique_ptr<BootChannel> former_boot_;
  Instant former_boot_until_ = Instant::max();
  Bytes second_try_;  // copy of a datagram that several keys might open
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__PEER__PEER_KEYS_HPP_
