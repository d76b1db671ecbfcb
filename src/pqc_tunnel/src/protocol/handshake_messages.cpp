// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "pqc_tunnel/protocol/handshake_messages.hpp"

#include <algorithm>
#include <utility>

#include "base/byte_io.hpp"

namespace pqc_tunnel
{
namespace
{

constexpr std::size_t length_size = 4;  // in front of a message on the stream

void append_header(Bytes & body, MessageType type, std::uint16_t flags = 0)
{
  ByteWriter(body)
    .bytes(handshake_magic)
    .u8(static_cast<std::uint8_t>(type))
    .u8(protocol_version)
    .u16(flags);
}

Bytes begin(MessageType type)
{
  Bytes body;
  append_header(body, type);
  return body;
}

// Consumes the common header; the flags if it is a message of that type and version.
std::optional<std::uint16_t> take_header(ByteReader & in, MessageType type)
{
  const bool magic = in.array<4>() == handshake_magic;
  const bool same_type = in.u8() == static_cast<std::uint8_t>(type);
  const bool same_version = in.u8() == protocol_version;
  const std::uint16_t flags = in.u16();
  if (!in.ok() || !magic || !same_type || !same_version) {
    return std::nullopt;
  }
  return flags;
}

// Only ServerHello has a flag; anything else set is a message of a protocol we don't speak.
bool take_plain_header(ByteReader & in, MessageType type)
{
  const auto flags = take_header(in, type);
  return flags && *flags == 0;
}

// Of a ServerHello: before its public key, and without that and the signature.
constexpr std::size_t before_public_key =
  message_header_size + 32 + 1 + KeyId::size + x25519_size + 4;
constexpr std::size_t server_hello_fixed_size = before_public_key + 4 + mac_size;

bool allowed_signature_size(SignatureAlgorithm algorithm, std::size_t size)
{
  return size > 0 && size <= signature_sizes(algorithm).signature_max &&
         (signature_sizes(algorithm).variable || size == signature_sizes(algorithm).signature_max);
}

}  // namespace

SizeRange server_hello_size(const Suite & suite)
{
  const std::size_t fixed = server_hello_fixed_size + kem_sizes(suite.kem).public_key;
  const auto signature = signature_sizes(suite.signature);
  return {
    fixed + (signature.variable ? 1 : signature.signature_max), fixed + signature.signature_max};
}

SizeRange client_finish_size(const Suite & suite, bool drone_signs)
{
  const std::size_t fixed =
    message_header_size + 4 + kem_sizes(suite.kem).ciphertext + x25519_size + 4 + 2 * mac_size;
  if (!drone_signs) {
    return {fixed, fixed};
  }
  const auto signature = signature_sizes(suite.signature);
  return {
    fixed + (signature.variable ? 1 : signature.signature_max), fixed + signature.signature_max};
}

Bytes encode(const ClientHello & hello)
{
  Bytes body = begin(MessageType::client_hello);
  ByteWriter(body)
    .id(hello.drone_id)
    .bytes(hello.client_random)
    .u8(hello.suite.kem)
    .u8(hello.suite.kem_param)
    .u8(hello.suite.sig)
    .u8(hello.suite.sig_param)
    .u8(hello.suite.aead)
    .u8(hello.mode)
    .id(hello.previous_session)
    .u8(static_cast<std::uint8_t>(hello.previous_epoch))
    .u8(static_cast<std::uint8_t>(hello.next_epoch))
    .u8(hello.reason)
    .id(hello.policy_hash)
    .bytes(hello.challenge);
  return body;
}

Bytes encode_hello_retry(const Random32 & challenge)
{
  Bytes body = begin(MessageType::hello_retry);
  ByteWriter(body).bytes(challenge);
  return body;
}

namespace
{

void append(Bytes & body, const ServerHello & hello, ByteView key_field)
{
  append_header(body, MessageType::server_hello, hello.signed_ahead ? flag_signed_ahead : 0);
  ByteWriter(body)
    .bytes(hello.server_random)
    .u8(hello.mode)
    .id(hello.key_id)
    .bytes(hello.x25519_key)
    .u32(static_cast<std::uint32_t>(hello.public_key.size()))
    .bytes(key_field)
    .u32(static_cast<std::uint32_t>(hello.signature.size()))
    .bytes(hello.signature);
}

}  // namespace

Bytes encode(const ServerHello & hello)
{
  Bytes body;
  append(body, hello, hello.public_key);
  return body;
}

Bytes encode_for_transcript(const ServerHello & hello, const Digest & public_key_digest)
{
  Bytes body;
  append(body, hello, public_key_digest);
  return body;
}

ServerHelloDraft::ServerHelloDraft(const ServerHello & hello, const Digest & public_key_digest)
: key_size_(hello.public_key.size()), key_digest_(public_key_digest)
{
  const std::size_t size = server_hello_fixed_size + key_size_ + hello.signature.size();
  message_.reserve(length_size + size);
  ByteWriter(message_).u32(static_cast<std::uint32_t>(size));
  append(message_, hello, hello.public_key);
  message_.resize(length_size + size);
}

void ServerHelloDraft::set_random(const Random32 & random)
{
  std::ranges::copy(random, message_.begin() + length_size + message_header_size);
}

Bytes ServerHelloDraft::for_transcript() const
{
  const ByteView body = without_mac(ByteView(message_).subspan(length_size));
  Bytes digested;
  ByteWriter(digested)
    .bytes(body.first(before_public_key))
    .bytes(key_digest_)
    .bytes(body.subspan(before_public_key + key_size_));
  return digested;
}

Bytes ServerHelloDraft::finish(const Mac & mac) &&
{
  std::ranges::copy(mac, message_.end() - mac_size);
  return std::move(message_);
}

Bytes encode_client_finish_head(
  ByteView ciphertext, const std::array<std::uint8_t, x25519_size> & key)
{
  Bytes body = begin(MessageType::client_finish);
  ByteWriter(body).u32(static_cast<std::uint32_t>(ciphertext.size())).bytes(ciphertext).bytes(key);
  return body;
}

void append_client_finish_signature(Bytes & message, ByteView signature)
{
  ByteWriter(message).u32(static_cast<std::uint32_t>(signature.size())).bytes(signature);
}

Bytes encode_server_finish() { return begin(MessageType::server_finish); }

Bytes encode_reject(RejectReason reason)
{
  Bytes body = begin(MessageType::reject);
  ByteWriter(body).u8(static_cast<std::uint8_t>(reason));
  return body;
}

std::optional<MessageType> message_type(ByteView body)
{
  ByteReader in(body);
  const bool magic = in.array<4>() == handshake_magic;
  const std::uint8_t type = in.u8();
  if (
    !in.ok() || !magic || type < static_cast<std::uint8_t>(MessageType::client_hello) ||
    type > static_cast<std::uint8_t>(MessageType::reject))
  {
    return std::nullopt;
  }
  return MessageType{type};
}

std::optional<ClientHello> parse_client_hello(ByteView body)
{
  ByteReader in(body);
  if (body.size() != client_hello_size || !take_plain_header(in, MessageType::client_hello)) {
    return std::nullopt;
  }
  ClientHello hello;
  hello.drone_id = in.id<DroneId>();
  hello.client_random = in.array<32>();
  hello.suite = {in.u8(), in.u8(), in.u8(), in.u8(), in.u8()};
  hello.mode = in.u8();
  hello.previous_session = in.id<SessionId>();
  hello.previous_epoch = Epoch{in.u8()};
  hello.next_epoch = Epoch{in.u8()};
  hello.reason = in.u8();
  hello.policy_hash = in.id<PolicyHash>();
  hello.challenge = in.array<32>();
  return hello;
}

std::optional<Random32> parse_hello_retry(ByteView body)
{
  ByteReader in(body);
  if (body.size() != hello_retry_size || !take_plain_header(in, MessageType::hello_retry)) {
    return std::nullopt;
  }
  return in.array<32>();
}

std::optional<ServerHello> parse_server_hello(ByteView body, const Suite & suite)
{
  ByteReader in(body);
  const auto flags = take_header(in, MessageType::server_hello);
  if (!flags || (*flags & ~flag_signed_ahead) != 0) {
    return std::nullopt;
  }
  ServerHello hello;
  hello.signed_ahead = *flags == flag_signed_ahead;
  hello.server_random = in.array<32>();
  hello.mode = in.u8();
  hello.key_id = in.id<KeyId>();
  hello.x25519_key = in.array<x25519_size>();
  hello.public_key = in.bytes(in.u32());
  hello.signature = in.bytes(in.u32());
  in.bytes(mac_size);
  if (
    !in.exhausted() || hello.public_key.size() != kem_sizes(suite.kem).public_key ||
    !allowed_signature_size(suite.signature, hello.signature.size()))
  {
    return std::nullopt;
  }
  return hello;
}

std::optional<ClientFinish> parse_client_finish(
  ByteView body, const Suite & suite, bool drone_signs)
{
  ByteReader in(body);
  if (!take_plain_header(in, MessageType::client_finish)) {
    return std::nullopt;
  }
  ClientFinish finish;
  finish.ciphertext = in.bytes(in.u32());
  finish.x25519_key = in.array<x25519_size>();
  finish.signed_size = body.size() - in.remaining();
  finish.signature = in.bytes(in.u32());
  finish.psk_mac = in.bytes(mac_size);
  finish.finish_mac = in.bytes(mac_size);
  const bool signature_fits = drone_signs
                                ? allowed_signature_size(suite.signature, finish.signature.size())
                                : finish.signature.empty();
  if (
    !in.exhausted() || finish.ciphertext.size() != kem_sizes(suite.kem).ciphertext ||
    !signature_fits)
  {
    return std::nullopt;
  }
  return finish;
}

bool parse_server_finish(ByteView body)
{
  ByteReader in(body);
  return body.size() == server_finish_size && take_plain_header(in, MessageType::server_finish);
}

std::optional<RejectReason> parse_reject(ByteView body)
{
  ByteReader in(body);
  if (body.size() != reject_size || !take_plain_header(in, MessageType::reject)) {
    return std::nullopt;
  }
  const std::uint8_t reason = in.u8();
  if (
    reason < static_cast<std::uint8_t>(RejectReason::failed) ||
    reason > static_cast<std::uint8_t>(RejectReason::session_unknown))
  {
    return std::nullopt;
  }
  return RejectReason{reason};
}

ByteView mac_of(ByteView body) { return body.last(mac_size); }
ByteView without_mac(ByteView body) { return body.first(body.size() - mac_size); }

Bytes with_length(ByteView body)
{
  Bytes framed;
  framed.reserve(length_size + body.size());
  ByteWriter(framed).u32(static_cast<std::uint32_t>(body.size())).bytes(body);
  return framed;
}

}  // namespace pqc_tunnel
