// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "hello_messages.hpp"

#include <algorithm>

#include "base/byte_io.hpp"

namespace pqc_tunnel
{
namespace
{

constexpr std::uint8_t hello_form = 0x80;
constexpr std::size_t header_size = 2;

Bytes begin(HelloType type)
{
  Bytes message;
  ByteWriter(message)
    .u8(static_cast<std::uint8_t>(hello_form | static_cast<std::uint8_t>(type)))
    .u8(protocol_version);
  return message;
}

ByteReader body(ByteView frame) { return ByteReader(frame.subspan(header_size)); }

}  // namespace

Bytes encode(const ClientHello & hello)
{
  Bytes message = begin(HelloType::client_hello);
  ByteWriter(message)
    .id(hello.drone_id)
    .bytes(hello.client_random)
    .u8(hello.suite.kem)
    .u8(hello.suite.kem_param)
    .u8(hello.suite.sig)
    .u8(hello.suite.sig_param)
    .u8(hello.suite.aead)
    .u8(hello.mode)
    .id(hello.policy_hash)
    .id(hello.former)
    .bytes(hello.challenge);
  return message;
}

Bytes encode_hello_retry(const Random32 & challenge)
{
  Bytes message = begin(HelloType::hello_retry);
  ByteWriter(message).bytes(challenge);
  return message;
}

Bytes encode_reject(RejectReason reason)
{
  Bytes message = begin(HelloType::reject);
  ByteWriter(message).u8(static_cast<std::uint8_t>(reason));
  return message;
}

std::optional<HelloType> hello_type(ByteView frame)
{
  if (frame.size() < header_size || frame[1] != protocol_version) {
    return std::nullopt;
  }
  switch (frame[0]) {
    case hello_form | static_cast<std::uint8_t>(HelloType::client_hello):
      return frame.size() == client_hello_size ? std::optional(HelloType::client_hello)
                                               : std::nullopt;
    case hello_form | static_cast<std::uint8_t>(HelloType::hello_retry):
      return frame.size() == hello_retry_size ? std::optional(HelloType::hello_retry)
                                              : std::nullopt;
    case hello_form | static_cast<std::uint8_t>(HelloType::reject):
      return frame.size() == reject_size ? std::optional(HelloType::reject) : std::nullopt;
    default:
      return std::nullopt;
  }
}

std::optional<OtherVersion> other_version(ByteView frame)
{
  constexpr std::uint8_t client_hello =
    hello_form | static_cast<std::uint8_t>(HelloType::client_hello);
  constexpr std::uint8_t last = hello_form | static_cast<std::uint8_t>(HelloType::reject);
  if (
    frame.size() < header_size || frame[0] < client_hello || frame[0] > last ||
    frame[1] == protocol_version)
  {
    return std::nullopt;
  }
  OtherVersion other{frame[1], std::nullopt};
  if (frame[0] == client_hello && frame.size() >= header_size + DroneId::size) {
    other.drone = body(frame).id<DroneId>();
  }
  return other;
}

ClientHello parse_client_hello(ByteView frame)
{
  ByteReader in = body(frame);
  ClientHello hello;
  hello.drone_id = in.id<DroneId>();
  hello.client_random = in.array<32>();
  hello.suite = {in.u8(), in.u8(), in.u8(), in.u8(), in.u8()};
  hello.mode = in.u8();
  hello.policy_hash = in.id<PolicyHash>();
  hello.former = in.id<FormerId>();
  hello.challenge = in.array<32>();
  return hello;
}

Random32 parse_hello_retry(ByteView frame) { return body(frame).array<32>(); }

std::optional<RejectReason> parse_reject(ByteView frame)
{
  const std::uint8_t reason = body(frame).u8();
  if (
    reason < static_cast<std::uint8_t>(RejectReason::failed) ||
    reason > static_cast<std::uint8_t>(RejectReason::busy))
  {
    return std::nullopt;
  }
  return RejectReason{reason};
}

ByteView mac_of(ByteView message) { return message.last(mac_size); }
ByteView without_mac(ByteView message) { return message.first(message.size() - mac_size); }

void append_mac(Bytes & message, const PskKeys & psk, const SecretBytes & key, ByteView before)
{
  const Mac mac = hmac(psk.hash, key.view(), {before, message});
  message.insert(message.end(), mac.begin(), mac.end());
}

bool mac_holds(ByteView message, const PskKeys & psk, const SecretBytes & key, ByteView before)
{
  return constant_time_equal(
    hmac(psk.hash, key.view(), {before, without_mac(message)}), mac_of(message));
}

}  // namespace pqc_tunnel
