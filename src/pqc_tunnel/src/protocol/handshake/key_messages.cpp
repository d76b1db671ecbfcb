// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "key_messages.hpp"

#include <algorithm>

#include "base/byte_io.hpp"

namespace pqc_tunnel
{
namespace
{

constexpr std::size_t type_size = 1;
constexpr std::size_t signature_length_size = 2;
// A prekey without its keys and signature: type, id, suite, mode.
constexpr std::size_t fixed_prekey_size = type_size + KeyId::size + 4 + 1;
constexpr std::uint8_t former_bit = 8;  // of the mode in a prekey, which is not signed

void put(ByteWriter & out, KeyMessageType type) { out.u8(static_cast<std::uint8_t>(type)); }

bool take(ByteReader & in, KeyMessageType type)
{
  return in.u8() == static_cast<std::uint8_t>(type) && in.ok();
}

std::size_t x25519_field(HandshakeMode mode) { return mode.hybrid_x25519 ? x25519_size : 0; }

bool allowed_signature_size(SignatureAlgorithm algorithm, std::size_t size)
{
  return size > 0 && size <= signature_sizes(algorithm).signature_max &&
         (signature_sizes(algorithm).variable || size == signature_sizes(algorithm).signature_max);
}

SizeRange with_signature(std::size_t fixed, SignatureAlgorithm algorithm)
{
  const SignatureSizes & sizes = signature_sizes(algorithm);
  return {fixed + (sizes.variable ? 1 : sizes.signature_max), fixed + sizes.signature_max};
}

Bytes encode_with(const PrekeyMessage & prekey, HandshakeMode mode, ByteView key_field)
{
  Bytes message;
  message.reserve(
    fixed_prekey_size + x25519_field(mode) + key_field.size() + prekey.signature.size());
  ByteWriter out(message);
  put(out, KeyMessageType::prekey);
  out.id(prekey.key_id)
    .bytes(prekey.suite)
    .u8(static_cast<std::uint8_t>(prekey.mode | (prekey.former ? former_bit : 0)));
  if (mode.hybrid_x25519) {
    out.bytes(prekey.x25519_key);
  }
  out.bytes(key_field).bytes(prekey.signature);
  return message;
}

}  // namespace

SizeRange prekey_size(const Suite & suite, HandshakeMode mode)
{
  return with_signature(
    fixed_prekey_size + x25519_field(mode) + kem_sizes(suite.kem).public_key, suite.signature);
}

SizeRange finish_size(const Suite & suite, HandshakeMode mode)
{
  const std::size_t fixed = kem_sizes(suite.kem).ciphertext + x25519_field(mode) + 2 * mac_size;
  if (!mode.drone_signature) {
    return {fixed, fixed};
  }
  return with_signature(fixed + signature_length_size, suite.signature);
}

std::array<std::uint8_t, 4> prekey_code(const SuiteWireId & suite)
{
  return {suite.kem, suite.kem_param, suite.sig, suite.sig_param};
}

std::optional<KeyMessageType> key_message_type(ByteView message)
{
  if (message.empty() || message[0] < 1 || message[0] > 3) {
    return std::nullopt;
  }
  return KeyMessageType{message[0]};
}

Bytes encode(const PrekeyMessage & prekey, HandshakeMode mode)
{
  return encode_with(prekey, mode, prekey.public_key);
}

Bytes for_transcript(const PrekeyMessage & prekey, HandshakeMode mode, const Digest & key_digest)
{
  return encode_with(prekey, mode, key_digest);
}

std::optional<PrekeyMessage> parse_prekey(ByteView message, const Suite & suite, HandshakeMode mode)
{
  ByteReader in(message);
  if (!take(in, KeyMessageType::prekey)) {
    return std::nullopt;
  }
  PrekeyMessage prekey;
  prekey.key_id = in.id<KeyId>();
  prekey.suite = in.array<4>();
  const std::uint8_t mode_bits = in.u8();
  prekey.former = (mode_bits & former_bit) != 0;
  prekey.mode = mode_bits & static_cast<std::uint8_t>(~former_bit);
  if (mode.hybrid_x25519) {
    prekey.x25519_key = in.array<x25519_size>();
  }
  prekey.public_key = in.bytes(kem_sizes(suite.kem).public_key);
  prekey.signature = in.bytes(in.remaining());
  if (
    !in.ok() || prekey.suite != prekey_code(suite.wire_id) || prekey.mode != mode.to_wire() ||
    !allowed_signature_size(suite.signature, prekey.signature.size()))
  {
    return std::nullopt;
  }
  return prekey;
}

std::optional<std::array<std::uint8_t, 4>> code_of_prekey(ByteView message)
{
  ByteReader in(message);
  if (!take(in, KeyMessageType::prekey)) {
    return std::nullopt;
  }
  in.id<KeyId>();
  const auto code = in.array<4>();
  return in.ok() ? std::optional(code) : std::nullopt;
}

Bytes encode(const RekeyOpening & opening)
{
  Bytes message;
  ByteWriter out(message);
  put(out, KeyMessageType::rekey);
  out.bytes(opening.client_random)
    .id(opening.key_id)
    .u8(opening.suite.kem)
    .u8(opening.suite.kem_param)
    .u8(opening.suite.sig)
    .u8(opening.suite.sig_param)
    .u8(opening.suite.aead)
    .u8(opening.mode)
    .id(opening.session)
    .u8(static_cast<std::uint8_t>(opening.next_epoch));
  return message;
}

std::optional<RekeyOpening> parse_rekey_opening(ByteView message)
{
  ByteReader in(message);
  if (!take(in, KeyMessageType::rekey)) {
    return std::nullopt;
  }
  RekeyOpening opening;
  opening.client_random = in.array<32>();
  opening.key_id = in.id<KeyId>();
  opening.suite = {in.u8(), in.u8(), in.u8(), in.u8(), in.u8()};
  opening.mode = in.u8();
  opening.session = in.id<SessionId>();
  opening.next_epoch = Epoch{in.u8()};
  return in.ok() ? std::optional(opening) : std::nullopt;
}

std::optional<FinishMacs> split_macs(ByteView finish)
{
  if (finish.size() < 2 * mac_size) {
    return std::nullopt;
  }
  const ByteView macs = finish.last(2 * mac_size);
  return FinishMacs{
    finish.first(finish.size() - macs.size()), macs.first(mac_size), macs.last(mac_size)};
}

std::optional<FinishMessage> parse_finish(
  ByteView finish, const Suite & suite, HandshakeMode mode, std::size_t anchor_size)
{
  ByteReader in(finish);
  FinishMessage message;
  if (anchor_size > 0) {
    in.id<AnchorId>();
    message.anchor = in.bytes(anchor_size - AnchorId::size);
  }
  message.ciphertext = in.bytes(kem_sizes(suite.kem).ciphertext);
  if (mode.hybrid_x25519) {
    message.x25519_key = in.array<x25519_size>();
  }
  message.signed_part = finish.first(finish.size() - in.remaining());
  if (mode.drone_signature) {
    message.signature = in.bytes(in.u16());
    if (!allowed_signature_size(suite.signature, message.signature.size())) {
      return std::nullopt;
    }
  }
  message.before_macs = finish.first(finish.size() - in.remaining());
  message.psk_mac = in.bytes(mac_size);
  message.finish_mac = in.bytes(mac_size);
  return in.exhausted() ? std::optional(message) : std::nullopt;
}

Bytes signed_by_gcs(
  const PrekeyMessage & prekey, const GcsId & gcs_id, const Digest & key_digest,
  const Digest & bind)
{
  Bytes message;
  ByteWriter(message)
    .text(prekey_label)
    .bytes(prekey.suite)
    .u8(prekey.mode)
    .id(prekey.key_id)
    .id(gcs_id)
    .bytes(prekey.x25519_key)
    .bytes(key_digest)
    .bytes(bind);
  return message;
}

Bytes signed_by_drone(const Digest & transcript)
{
  Bytes message;
  ByteWriter(message).text(drone_auth_label).bytes(transcript);
  return message;
}

Digest bind_to_hello(ByteView client_hello) { return sha512(client_hello); }

Digest bind_to_session(const DroneId & drone, const SessionId & session, const Digest & transcript)
{
  Bytes input;
  ByteWriter(input).text("ahead").id(drone).id(session).bytes(transcript);
  return sha512(input);
}

}  // namespace pqc_tunnel
