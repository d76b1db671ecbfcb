// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__HANDSHAKE_MESSAGES_HPP_
#define PQC_TUNNEL__PROTOCOL__HANDSHAKE_MESSAGES_HPP_

#include <array>
#include <cstdint>
#include <optional>

#include "pqc_tunnel/base/bytes.hpp"
#include "pqc_tunnel/base/ids.hpp"
#include "pqc_tunnel/crypto/suite.hpp"
#include "pqc_tunnel/protocol/constants.hpp"
#include "pqc_tunnel/protocol/key_schedule.hpp"

namespace pqc_tunnel
{

/// The type of a handshake message. Messages here are without their length prefix. Encoders leave the MAC to
/// the caller, who knows what it covers; parsers check every length against the suite and ignore MACs. Any
/// thread.
enum class MessageType : std::uint8_t
{
  client_hello = 1,
  hello_retry = 2,
  server_hello = 3,
  client_finish = 4,
  server_finish = 5,
  reject = 6,
};

/// Flag of a ServerHello whose signature was made ahead and binds no ClientHello.
inline constexpr std::uint16_t flag_signed_ahead = 1;

/// 32 random bytes.
using Random32 = std::array<std::uint8_t, 32>;

/// The first message, from the drone.
struct ClientHello
{
  DroneId drone_id;
  Random32 client_random = {};
  SuiteWireId suite = {};
  std::uint8_t mode = 0;
  SessionId previous_session;  ///< zero unless this is a rekey
  Epoch previous_epoch{};
  Epoch next_epoch{};
  std::uint8_t reason = 0;
  PolicyHash policy_hash;
  Random32 challenge = {};  ///< zero unless the GCS sent a HelloRetry
};

/// The ground station's ephemeral keys and their signature.
struct ServerHello
{
  bool signed_ahead = false;
  Random32 server_random = {};
  std::uint8_t mode = 0;
  KeyId key_id;
  std::array<std::uint8_t, x25519_size> x25519_key = {};
  ByteView public_key;  ///< points into the parsed message
  ByteView signature;
};

/// The drone's encapsulation and its proof of the keys.
struct ClientFinish
{
  ByteView ciphertext;
  std::array<std::uint8_t, x25519_size> x25519_key = {};
  ByteView signature;  ///< empty without mutual signatures
  ByteView psk_mac;
  ByteView finish_mac;
  std::size_t signed_size = 0;  ///< bytes before the signature's length: what the drone signs
};

/// Why the GCS rejects a handshake; sent only to a drone that has proved the PSK. Failures of MAC, signature
/// and decapsulation are not distinguished.
enum class RejectReason : std::uint8_t
{
  failed = 1,
  policy_mismatch = 2,
  suite_refused = 3,
  busy = 4,
  session_unknown = 5,  ///< the GCS does not know the session to rekey
};

/// Sizes in bytes.
inline constexpr std::size_t message_header_size = 8;
inline constexpr std::size_t client_hello_size = message_header_size + 89 + 32 + mac_size;
inline constexpr std::size_t hello_retry_size = message_header_size + 32 + mac_size;
inline constexpr std::size_t server_finish_size = message_header_size + mac_size;
inline constexpr std::size_t reject_size = message_header_size + 1 + mac_size;

/// Smallest and largest size of a message in bytes; equal if the signature has a fixed size.
struct SizeRange
{
  std::size_t min;
  std::size_t max;
  bool contains(std::size_t size) const { return min <= size && size <= max; }
};
/// The sizes of a ServerHello of a suite.
SizeRange server_hello_size(const Suite & suite);
/// The sizes of a ClientFinish of a suite.
SizeRange client_finish_size(const Suite & suite, bool drone_signs);

/// Encodes a message without its MAC.
Bytes encode(const ClientHello & hello);
/// Encodes a message without its MAC.
Bytes encode_hello_retry(const Random32 & challenge);
/// Encodes a message without its MAC.
Bytes encode(const ServerHello & hello);
/// The form of a ServerHello in MACs and transcripts: with H(pk) in place of the public key, which may be a
/// megabyte long and is hashed once.
Bytes encode_for_transcript(const ServerHello & hello, const Digest & public_key_digest);

/// A ServerHello prepared ahead, without its random value and MAC. Copying a McEliece key takes longer than
/// the rest of the answer to a ClientHello.
class ServerHelloDraft
{
public:
  ServerHelloDraft() = default;
  ServerHelloDraft(const ServerHello & hello, const Digest & public_key_digest);

  /// Sets the random value of the message.
  void set_random(const Random32 & random);
  /// The form in MACs and transcripts, like encode_for_transcript().
  Bytes for_transcript() const;
  /// The message for the stream, with length and MAC.
  Bytes finish(const Mac & mac) &&;

private:
  Bytes message_;  ///< complete, the MAC zeros
  std::size_t key_size_ = 0;
  Digest key_digest_ = {};
};

/// Encodes the part of a ClientFinish that the drone signs.
Bytes encode_client_finish_head(
  ByteView ciphertext, const std::array<std::uint8_t, x25519_size> & key);
/// Appends the signature with its length.
void append_client_finish_signature(Bytes & message, ByteView signature);
/// Encodes a message without its MAC.
Bytes encode_server_finish();
/// Encodes a message without its MAC.
Bytes encode_reject(RejectReason reason);

/// The type of a message; nothing if magic, version or type is unknown.
std::optional<MessageType> message_type(ByteView body);
/// @name Parsers
/// Nothing if a size or field is invalid. Views in the result point into `body`.
/// @{
std::optional<ClientHello> parse_client_hello(ByteView body);
std::optional<Random32> parse_hello_retry(ByteView body);
std::optional<ServerHello> parse_server_hello(ByteView body, const Suite & suite);
std::optional<ClientFinish> parse_client_finish(
  ByteView body, const Suite & suite, bool drone_signs);
bool parse_server_finish(ByteView body);
std::optional<RejectReason> parse_reject(ByteView body);
/// @}

/// The MAC of a message: its last 32 bytes.
ByteView mac_of(ByteView body);
/// The message without its MAC.
ByteView without_mac(ByteView body);

/// "u32 length ‖ body", as sent on the stream.
Bytes with_length(ByteView body);

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__HANDSHAKE_MESSAGES_HPP_
