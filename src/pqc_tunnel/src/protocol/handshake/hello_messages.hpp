// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__HANDSHAKE__HELLO_MESSAGES_HPP_
#define PQC_TUNNEL__PROTOCOL__HANDSHAKE__HELLO_MESSAGES_HPP_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/bytes.hpp"
#include "base/ids.hpp"
#include "crypto/suites/suite.hpp"
#include "protocol/wire/key_schedule.hpp"

namespace pqc_tunnel
{

// Hello frames: what travels in clear before there are keys. Encoders leave the MAC to the caller, who knows what it
// covers; parsers check the length and ignore the MAC, which is the last 32 bytes.

enum class HelloType : std::uint8_t
{
  client_hello = 1,
  hello_retry = 2,
  reject = 3,
};

// The first frame of a new session, from the drone.
struct ClientHello
{
  DroneId drone_id;
  Random32 client_random = {};
  SuiteWireId suite = {};
  std::uint8_t mode = 0;  // HandshakeMode, and anchor_bit if the Finish names a key of the anchor
  PolicyHash policy_hash;
  FormerId former;          // the rms that the drone still has
  Random32 challenge = {};  // zero in the first one
};

inline constexpr std::uint8_t anchor_bit = 4;
inline bool is_anchored(const ClientHello & hello) { return (hello.mode & anchor_bit) != 0; }

// Why the GCS rejects a session; sent only to a drone that has proved the PSK and its address.
enum class RejectReason : std::uint8_t
{
  failed = 1,
  policy_mismatch = 2,
  suite_refused = 3,
  busy = 4,
};

inline constexpr std::size_t client_hello_size = 152;
inline constexpr std::size_t hello_retry_size = 66;
inline constexpr std::size_t reject_size = 35;

Bytes encode(const ClientHello & hello);
Bytes encode_hello_retry(const Random32 & challenge);
Bytes encode_reject(RejectReason reason);

// The type of a hello frame; nothing if it is unknown, of another version or of the wrong length.
std::optional<HelloType> hello_type(ByteView frame);
// All that is the same in every version of the protocol: the version of a hello frame, if it is another one than that here,
// and the drone's id in a ClientHello.
struct OtherVersion
{
  std::uint8_t version;
  std::optional<DroneId> drone;
};
std::optional<OtherVersion> other_version(ByteView frame);

// The frame has the type already.
ClientHello parse_client_hello(ByteView frame);
Random32 parse_hello_retry(ByteView frame);
std::optional<RejectReason> parse_reject(ByteView frame);

ByteView mac_of(ByteView message);
ByteView without_mac(ByteView message);

// Appends the MAC of all pieces and the message itself.
void append_mac(
  Bytes & message, const PskKeys & psk, const SecretBytes & key, ByteView before = {});
bool mac_holds(
  ByteView message, const PskKeys & psk, const SecretBytes & key, ByteView before = {});

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__HANDSHAKE__HELLO_MESSAGES_HPP_
