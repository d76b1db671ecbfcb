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
#include "key_index.hpp"
#include "peer_clock.hpp"
#include "protocol/wire/key_schedule.hpp"
#include "protocol/wire/wire.hpp"
#include "replay_window.hpp"
#include "settings.hpp"
#include "snapshot.hpp"

namespace pqc_tunnel
{

// Identifies the keys of an epoch and their origin.
struct EpochName
{
  const Suite * suite = nullptr;
  SessionId session;
  Epoch epoch{};
  std::uint32_t ratchets = 0;   // ratchets since the latest key exchange
  Instant exchanged{};          // when the latest key exchange was; set only if `ratchets` > 0
  SharedPskKeys psk = nullptr;  // that the session began with; null for boot keys
};

// The keys of an epoch, or the boot keys of a session: a key, an IV and a sequence for each direction. Each sequence
// number is used once, and never reset or stored. Neither seal() nor open() allocates.
class EpochKeys
{
public:
  // `clock`: the clock of the peer that made these keys with this end.
  EpochKeys(
    const EpochName & name, Role own_role, EpochSecrets secrets, const TunnelSettings & settings,
    Instant installed, std::shared_ptr<PeerClock> clock);

  EpochKeys(EpochKeys &&) = delete;  // other objects point to it
  EpochKeys & operator=(EpochKeys &&) = delete;

  // Enters the keys in an index for as long as they exist.
  void enter(const KeyOwner & owner)
  {
    entry_ =
      owner.index ? KeyIndex::Entry(*owner.index, receive_id_, owner.peer) : KeyIndex::Entry();
  }

  // Seals the frame header ‖ payload ‖ three bytes ‖ tag in place: writes header, time, kind and tag, and encrypts.
  // Returns false once the packet limit is reached.
  bool seal(FrameKind kind, MutableBytes frame, Instant now);

  struct Opened
  {
    std::optional<Drop> drop;  // none: the payload is decrypted in place
    std::uint64_t sequence = 0;
    SendTime sent{};
    bool stale = false;  // no proof shows that it is younger than max_age
    std::uint8_t kind = 0;
  };
  Opened open(const FrameHeader & header, MutableBytes datagram, Instant now);
  static MutableBytes payload(MutableBytes datagram)
  {
    return datagram.subspan(frame_header_size, datagram.size() - frame_overhead);
  }

  // Takes the proof that the peer sealed this frame, and all with higher numbers, after `asked`.
  void note_answer(const Opened & answer, Instant asked, Instant now);
  const std::shared_ptr<PeerClock> & clock() const { return clock_; }

  FrameKeyId send_id() const { return send_id_; }
  FrameKeyId receive_id() const { return receive_id_; }
  // From `when` on, every frame under these keys counts as late, because newer keys are in use.
  void refuse_from(Instant when) { refuse_from_ = std::min(refuse_from_, when); }

  const Suite & suite() const { return *name_.suite; }
  const SessionId & id() const { return name_.session; }
  Epoch epoch() const { return name_.epoch; }
  // Of the session, which all its rekeys use.
  const SharedPskKeys & psk() const { return name_.psk; }
  Instant installed() const { return installed_; }
  std::uint32_t ratchets() const { return name_.ratchets; }
  // Returns when the key exchange took place that these keys come from.
  Instant exchanged() const { return name_.ratchets == 0 ? installed_ : name_.exchanged; }
  std::uint64_t sent() const { return next_sequence_; }
  bool used_up() const { return next_sequence_ >= limits_.refuse; }  // seal() fails from now on
  // Returns the packets under these keys in the busier direction, as far as this end knows.
  std::uint64_t packets() const { return std::max(next_sequence_, window_.highest()); }
  std::uint64_t highest_received() const { return window_.highest(); }
  const SecretBytes & resumption() const { return resumption_; }
  FormerId former_id() const
  {
    return pqc_tunnel::former_id(hash_of(suite().wire_id), resumption_);
  }
  const Digest & transcript() const { return transcript_; }
  // Returns what these keys depend on.
  const Layers & layers() const { return layers_; }
  // Returns a copy of the rms for the next keys.
  Resumption resume() const { return {SecretBytes::copy_of(resumption_.view()), layers_}; }
  // Returns on how many families of hard problems these keys rest that a quantum computer does not solve.
  std::size_t families() const { return families_; }

private:
  using Nonce = std::array<std::uint8_t, 16>;
  bool is_proven(std::uint64_t sequence, Instant now) const;
  static SecretArray<16> nonce_base(const SecretBytes & iv, Epoch epoch);
  ByteView nonce(Nonce & buffer, const SecretArray<16> & base, std::uint64_t sequence) const;

  EpochName name_;
  Instant installed_;
  FrameKeyId send_id_;
  FrameKeyId receive_id_;
  SecretArray<16> send_nonce_;
  SecretArray<16> receive_nonce_;
  AeadKey send_key_;
  AeadKey receive_key_;
  SecretBytes resumption_;
  Digest transcript_;
  Layers layers_;
  std::size_t families_;
  // A proof that the peer sealed all frames from number `from` on after the moment `after`.
  struct Sealed
  {
    std::uint64_t from = 0;
    Instant after;
  };
  std::shared_ptr<PeerClock> clock_;
  Sealed proven_;
  Sealed next_proven_;  // replaces proven_ when all frames that arrive are younger
  Duration max_age_;
  ReplayWindow window_;
  Freshness freshness_;
  Instant refuse_from_ = Instant::max();
  PacketLimits limits_;
  std::uint64_t next_sequence_ = 0;
  std::uint64_t failures_ = 0;
  KeyIndex::Entry entry_;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__SESSION__EPOCH_KEYS_HPP_
