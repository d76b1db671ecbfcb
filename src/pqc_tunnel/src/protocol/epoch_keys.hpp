// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__EPOCH_KEYS_HPP_
#define PQC_TUNNEL__PROTOCOL__EPOCH_KEYS_HPP_

#include <algorithm>
#include <cstdint>
#include <optional>

#include "pqc_tunnel/base/bytes.hpp"
#include "pqc_tunnel/base/ids.hpp"
#include "pqc_tunnel/base/time.hpp"
#include "pqc_tunnel/crypto/aead.hpp"
#include "pqc_tunnel/crypto/suite.hpp"
#include "pqc_tunnel/protocol/key_schedule.hpp"
#include "pqc_tunnel/protocol/wire.hpp"
#include "replay_window.hpp"
#include "settings.hpp"
#include "snapshot.hpp"

namespace pqc_tunnel
{

// One epoch of a session: a key, an IV and a sequence for each direction. A sequence number is used once, never reset,
// never stored. Neither call allocates.
class EpochKeys
{
public:
  EpochKeys(
    const Suite & suite, SessionId id, Epoch epoch, Role own_role, SessionSecrets secrets,
    std::size_t replay_window, Instant installed, std::uint64_t max_packets = max_packets_per_key);

  EpochKeys(EpochKeys &&) = delete;  // others point to it
  EpochKeys & operator=(EpochKeys &&) = delete;

  // Writes the header, encrypts what follows it in place, appends the tag. False once the packet limit is reached.
  bool seal(FrameType type, MutableBytes frame);

  // Checks and decrypts in place, after the datagram's header was decoded. Returns nothing if it succeeded.
  std::optional<Drop> open(const FrameHeader & header, MutableBytes datagram);

  bool matches(const FrameHeader & header) const
  {
    return header.session == id_ && header.epoch == epoch_ && header.suite == header_suite_;
  }

  const Suite & suite() const { return *suite_; }
  const SessionId & id() const { return id_; }
  Epoch epoch() const { return epoch_; }
  Instant installed() const { return installed_; }
  std::uint64_t sent() const { return next_sequence_; }
  bool used_up() const { return next_sequence_ >= max_packets_; }  // nothing more can be sealed
  // Packets under these keys in the busier direction, as far as is known here.
  std::uint64_t packets() const { return std::max(next_sequence_, window_.highest()); }
  std::uint64_t highest_received() const { return window_.highest(); }
  const Key32 & resumption() const { return secrets_.resumption; }
  const std::array<std::uint8_t, 16> & transcript_tag() const { return secrets_.transcript_tag; }

private:
  using Nonce = std::array<std::uint8_t, 16>;
  using NonceBase = SecretArray<16>;
  static NonceBase nonce_base(const SecretBytes & iv, Epoch epoch);
  ByteView nonce(Nonce & buffer, const NonceBase & base, std::uint64_t sequence) const;

  const Suite * suite_;
  std::array<std::uint8_t, 4> header_suite_;
  SessionId id_;
  Epoch epoch_;
  Instant installed_;
  SessionSecrets secrets_;
  NonceBase send_nonce_;
  NonceBase receive_nonce_;
  AeadKey send_key_;
  AeadKey receive_key_;
  ReplayWindow window_;
  std::uint64_t max_packets_;
  std::uint64_t next_sequence_ = 0;
  std::uint64_t failures_ = 0;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__EPOCH_KEYS_HPP_
