// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__SESSION__EPOCH_KEYS_HPP_
#define PQC_TUNNEL__PROTOCOL__SESSION__EPOCH_KEYS_HPP_

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>

#include "base/bytes.hpp"
#include "base/ids.hpp"
#include "base/time.hpp"
#include "crypto/aead.hpp"
#include "crypto/suites/suite.hpp"
#include "freshness.hpp"
#include "peer_clock.hpp"
#include "protocol/wire/key_schedule.hpp"
#include "protocol/wire/wire.hpp"
#include "replay_window.hpp"
#include "settings.hpp"
#include "snapshot.hpp"

namespace pqc_tunnel
{

// What an epoch's keys are for, and where they come from.
struct EpochName
{
  const Suite * suite = nullptr;
  SessionId session;
  Epoch epoch{};
  std::uint32_t ratchets = 0;  // since the latest key exchange
  Instant exchanged{};         // when that was; after ratchets only
};

// One epoch of a session, or the boot keys before it: a key, an IV and a sequence for each direction. A sequence number is
// used once, never reset, never stored. Neither seal nor open allocates.
class EpochKeys
{
public:
  // `clock`: of the peer that made these keys with us.
  EpochKeys(
    const EpochName & name, Role own_role, EpochSecrets secrets, const TunnelSettings & settings,
    Instant installed, std::shared_ptr<PeerClock> clock);

  EpochKeys(EpochKeys &&) = delete;  // others point to it
  EpochKeys & operator=(EpochKeys &&) = delete;

  // The frame is header ‖ payload ‖ three bytes ‖ tag. Writes header, time and kind, encrypts in place, appends the tag.
  // False once the packet limit is reached.
  bool seal(FrameKind kind, MutableBytes frame, Instant now);

  struct Opened
  {
    std::optional<Drop> drop;  // none if it succeeded; then the payload is decrypted in place
    std::uint64_t sequence = 0;
    SendTime sent{};
    bool stale = false;  // nothing proves that it is as young as it must be
    std::uint8_t kind = 0;
  };
  Opened open(const FrameHeader & header, MutableBytes datagram, Instant now);
  static MutableBytes payload(MutableBytes datagram)
  {
    return datagram.subspan(frame_header_size, datagram.size() - frame_overhead);
  }

  // The peer sealed that frame after `asked`, and so all that has a higher number.
  void note_answer(const Opened & answer, Instant asked, Instant now);
  const std::shared_ptr<PeerClock> & clock() const { return clock_; }

  FrameKeyId send_id() const { return send_id_; }
  FrameKeyId receive_id() const { return receive_id_; }
  // From this moment on all that arrives under these keys is late: newer keys are in use.
  void refuse_from(Instant when) { refuse_from_ = std::min(refuse_from_, when); }

  const Suite & suite() const { return *name_.suite; }
  const SessionId & id() const { return name_.session; }
  Epoch epoch() const { return name_.epoch; }
  Instant installed() const { return installed_; }
  std::uint32_t ratchets() const { return name_.ratchets; }
  // Returns the moment of the key exchange that they come from.
  Instant exchanged() const { return name_.ratchets == 0 ? installed_ : name_.exchanged; }
  std::uint64_t sent() const { return next_sequence_; }
  bool used_up() const { return next_sequence_ >= limits_.refuse; }  // nothing more can be sealed
  // Packets under these keys in the busier direction, as far as is known here.
  std::uint64_t packets() const { return std::max(next_sequence_, window_.highest()); }
  std::uint64_t highest_received() const { return window_.highest(); }
  const SecretBytes & resumption() const { return resumption_; }
  FormerId former_id() const
  {
    return pqc_tunnel::former_id(hash_of(suite().wire_id), resumption_);
  }
  const Digest & transcript() const { return transcript_; }

private:
  using Nonce = std::array<std::uint8_t, 16>;
  bool is_proven(std::uint64_t sequence, Instant now) const;
  static SecretBytes nonce_base(SecretBytes iv, Epoch epoch);
  static ByteView nonce(Nonce & buffer, const SecretBytes & base, std::uint64_t sequence);

  EpochName name_;
  Instant installed_;
  FrameKeyId send_id_;
  FrameKeyId receive_id_;
  SecretBytes send_nonce_;
  SecretBytes receive_nonce_;
  AeadKey send_key_;
  AeadKey receive_key_;
  SecretBytes resumption_;
  Digest transcript_;
  // The peer sealed all frames from that number on after that moment.
  struct Sealed
  {
    std::uint64_t from = 0;
    Instant after;
  };
  std::shared_ptr<PeerClock> clock_;
  Sealed proven_;
  Sealed next_proven_;  // takes its place when all that arrives is younger
  Duration max_age_;
  ReplayWindow window_;
  Freshness freshness_;
  Instant refuse_from_ = Instant::max();
  PacketLimits limits_;
  std::uint64_t next_sequence_ = 0;
  std::uint64_t failures_ = 0;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__SESSION__EPOCH_KEYS_HPP_
