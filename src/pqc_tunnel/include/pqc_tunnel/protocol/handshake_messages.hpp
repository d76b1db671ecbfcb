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

// The messages of the handshake, each as it is between the length prefixes. Encoders leave the MACs to the caller
// (append_mac), because only the caller knows what they cover; parsers check every length against the suite and never
// look at MACs.

enum class MessageType : std::uint8_t
{
  client_hello = 1,
  hello_retry = 2,
  server_hello = 3,
  client_finish = 4,
  server_finish = 5,
  reject = 6,
};

inline constexpr std::uint16_t flag_signed_ahead =
  1;  // ServerHello: its signature binds no ClientHello

using Random32 = std::array<std::uint8_t, 32>;

struct ClientHello
{
  DroneId drone_id;
  Random32 client_random = {};
  SuiteWireId suite = {};
  std::uint8_t mode = 0;
  SessionId previous_session;  // zero unless this is a rekey
  Epoch previous_epoch{};
  Epoch next_epoch{};
  std::uint8_t reason = 0;
  PolicyHash policy_hash;
  Random32 challenge = {};  // zero until the GCS asked for one
};

struct ServerHello
{
  bool signed_ahead = false;
  Random32 server_random = {};
  std::uint8_t mode = 0;
  KeyId key_id;
  std::array<std::uint8_t, x25519_size> x25519_key = {};
  ByteView public_key;  // into the parsed message
  ByteView signature;
};

struct ClientFinish
{
  ByteView ciphertext;
  std::array<std::uint8_t, x25519_size> x25519_key = {};
  ByteView signature;  // empty without mutual signatures
  ByteView psk_mac;
  ByteView finish_mac;
  std::size_t signed_size = 0;  // bytes before the signature's length: what the drone signs
};

// Why the GCS refuses, told to a drone that has proved itself. Failures of MAC, signature and decapsulation look alike.
enum class RejectReason : std::uint8_t
{
  failed = 1,
  policy_mismatch = 2,
  suite_refused = 3,
  busy = 4,
  session_unknown = 5,  // the session to rekey is not known here (any more)
};

inline constexpr std::size_t message_header_size = 8;
inline constexpr std::size_t client_hello_size = message_header_size + 89 + 32 + mac_size;
inline constexpr std::size_t hello_retry_size = message_header_size + 32 + mac_size;
inline constexpr std::size_t server_finish_size = message_header_size + mac_size;
inline constexpr std::size_t reject_size = message_header_size + 1 + mac_size;

// Bounds on what a suite's messages may measure; equal where the signature's size is fixed.
struct SizeRange
{
  std::size_t min;
  std::size_t max;
  bool contains(std::size_t size) const { return min <= size && size <= max; }
};
SizeRange server_hello_size(const Suite & suite);
SizeRange client_finish_size(const Suite & suite, bool drone_signs);

Bytes encode(const ClientHello & hello);
Bytes encode_hello_retry(const Random32 & challenge);
Bytes encode(const ServerHello & hello);
// How a ServerHello stands in MACs and transcripts: with H(pk) in the place of the public key, which
// may be a megabyte long and is hashed once.
Bytes encode_for_transcript(const ServerHello & hello, const Digest & public_key_digest);

// A ServerHello as it goes on the stream, but for what is known last. Moving a McEliece key about
// takes longer than the rest of the answer to a ClientHello, so it is put in its place ahead.
class ServerHelloDraft
{
public:
  ServerHelloDraft() = default;
  ServerHelloDraft(const ServerHello & hello, const Digest & public_key_digest);

  void set_random(const Random32 & random);
  // What its MAC and transcripts take, as by encode_for_transcript.
  Bytes for_transcript() const;
  // The message, length in front and MAC behind.
  Bytes finish(const Mac & mac) &&;

private:
  Bytes message_;  // complete, the MAC zeros
  std::size_t key_size_ = 0;
  Digest key_digest_ = {};
};

Bytes encode_client_finish_head(
  ByteView ciphertext, const std::array<std::uint8_t, x25519_size> & key);
void append_client_finish_signature(Bytes & message, ByteView signature);
Bytes encode_server_finish();
Bytes encode_reject(RejectReason reason);

std::optional<MessageType> message_type(ByteView body);
std::optional<ClientHello> parse_client_hello(ByteView body);
std::optional<Random32> parse_hello_retry(ByteView body);
std::optional<ServerHello> parse_server_hello(ByteView body, const Suite & suite);
std::optional<ClientFinish> parse_client_finish(
  ByteView body, const Suite & suite, bool drone_signs);
bool parse_server_finish(ByteView body);
std::optional<RejectReason> parse_reject(ByteView body);

// The last 32 bytes of a message that ends in a MAC, and everything before.
ByteView mac_of(ByteView body);
ByteView without_mac(ByteView body);

// "u32 length ‖ body", as it goes on the stream.
Bytes with_length(ByteView body);

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__HANDSHAKE_MESSAGES_HPP_
