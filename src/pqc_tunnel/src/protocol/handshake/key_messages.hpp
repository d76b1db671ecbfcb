// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__HANDSHAKE__KEY_MESSAGES_HPP_
#define PQC_TUNNEL__PROTOCOL__HANDSHAKE__KEY_MESSAGES_HPP_

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/bytes.hpp"
#include "base/ids.hpp"
#include "crypto/suites/suite.hpp"
#include "protocol/session/settings.hpp"
#include "protocol/wire/key_schedule.hpp"

namespace pqc_tunnel
{

// Key messages travel in streams under boot keys or live ones. Their lengths follow from suite and mode. Parsers return
// nothing if a length or field is invalid; views in the result point into the message.

enum class KeyMessageType : std::uint8_t
{
  prekey = 1,
  finish = 2,
  rekey = 3,
};

using X25519PublicKey = std::array<std::uint8_t, x25519_size>;

// KEM and signature of a suite. A prekey serves every suite that has both, with any cipher.
struct PrekeyKind
{
  KemAlgorithm kem;
  SignatureAlgorithm signature;
  explicit PrekeyKind(const Suite & suite) : kem(suite.kem), signature(suite.signature) {}
  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy takes the 0 inside <=> for a pointer
  friend auto operator<=>(const PrekeyKind &, const PrekeyKind &) = default;
};

// The GCS's ephemeral keys and their signature.
struct PrekeyMessage
{
  KeyId key_id;
  std::array<std::uint8_t, 4> suite = {};  // the code without the AEAD
  std::uint8_t mode = 0;
  bool former = false;              // new session: the rms that the hello names is mixed in
  X25519PublicKey x25519_key = {};  // zero without hybrid mode
  ByteView public_key;
  ByteView signature;
};

// The bytes of a rekey message before its Finish.
struct RekeyOpening
{
  Random32 client_random = {};
  KeyId key_id;
  SuiteWireId suite = {};
  std::uint8_t mode = 0;
  SessionId session;
  Epoch next_epoch{};
};

// The drone's encapsulation and its proof of the keys.
struct FinishMessage
{
  ByteView anchor;  // the ciphertext for the anchor; empty without one
  ByteView ciphertext;
  X25519PublicKey x25519_key = {};
  ByteView signature;    // empty unless the drone signs
  ByteView signed_part;  // of the Finish: what the drone's signature covers
  ByteView before_macs;
  ByteView psk_mac;
  ByteView finish_mac;
};

inline constexpr std::size_t rekey_opening_size =
  1 + 32 + KeyId::size + 5 + 1 + SessionId::size + 1;

// Smallest and largest size of a message in bytes; equal if the signature has a fixed size.
struct SizeRange
{
  std::size_t min;
  std::size_t max;
};
SizeRange prekey_size(const Suite & suite, HandshakeMode mode);
SizeRange finish_size(const Suite & suite, HandshakeMode mode);

std::array<std::uint8_t, 4> prekey_code(const SuiteWireId & suite);

std::optional<KeyMessageType> key_message_type(ByteView message);

Bytes encode(const PrekeyMessage & prekey, HandshakeMode mode);
// The form in transcripts: with H(pk) in place of the key, which may be a megabyte long and is hashed once.
Bytes for_transcript(const PrekeyMessage & prekey, HandshakeMode mode, const Digest & key_digest);
std::optional<PrekeyMessage> parse_prekey(
  ByteView message, const Suite & suite, HandshakeMode mode);
// The code of the suite that a prekey message names; nothing if it is no prekey message.
std::optional<std::array<std::uint8_t, 4>> code_of_prekey(ByteView message);

Bytes encode(const RekeyOpening & opening);
std::optional<RekeyOpening> parse_rekey_opening(ByteView message);

// The MACs that end every Finish.
struct FinishMacs
{
  ByteView before;
  ByteView psk_mac;
  ByteView finish_mac;
};
std::optional<FinishMacs> split_macs(ByteView finish);
// A Finish without its type. `anchor_size`: bytes of the id and the ciphertext with which it begins in a session with an anchor.
std::optional<FinishMessage> parse_finish(
  ByteView finish, const Suite & suite, HandshakeMode mode, std::size_t anchor_size = 0);

// Returns the text that the GCS signs. `key_digest` is H(pk).
Bytes signed_by_gcs(
  const PrekeyMessage & prekey, const GcsId & gcs_id, const Digest & key_digest,
  const Digest & bind);
// Returns the text that the drone signs.
Bytes signed_by_drone(const Digest & transcript);

// Binds the prekey of a new session to its hello.
Digest bind_to_hello(ByteView client_hello);
// Binds a prekey sent ahead to its session. `transcript`: th3 of the session's epoch 0.
Digest bind_to_session(const DroneId & drone, const SessionId & session, const Digest & transcript);

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__HANDSHAKE__KEY_MESSAGES_HPP_
