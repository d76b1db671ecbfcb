// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__HANDSHAKE_CRYPTO_HPP_
#define PQC_TUNNEL__PROTOCOL__HANDSHAKE_CRYPTO_HPP_

#include <array>
#include <memory>
#include <optional>
#include <variant>

#include "crypto/x25519.hpp"
#include "pqc_tunnel/base/bytes.hpp"
#include "pqc_tunnel/base/ids.hpp"
#include "pqc_tunnel/crypto/hkdf.hpp"
#include "pqc_tunnel/crypto/kem.hpp"
#include "pqc_tunnel/crypto/random.hpp"
#include "pqc_tunnel/protocol/handshake_messages.hpp"
#include "pqc_tunnel/protocol/key_schedule.hpp"
#include "settings.hpp"
#include "snapshot.hpp"

namespace pqc_tunnel
{

// The heavy steps of a handshake as values: everything that runs a public-key primitive or hashes a megabyte. The
// state machines emit them, a worker thread runs them, the results come back as events.

using SharedSecretBytes = std::shared_ptr<const SecretBytes>;
using SharedPskKeys = std::shared_ptr<const PskKeys>;
using SharedKey32 = std::shared_ptr<const Key32>;

// GCS: ephemeral keys for one handshake, and the hello that offers them.
struct EphemeralKeys
{
  const Suite * suite = nullptr;
  HandshakeMode mode;
  KeyId key_id;
  SecretBytes kem_secret_key;
  std::optional<X25519KeyPair> x25519;  // hybrid mode
  ServerHelloDraft hello;
  Duration keygen{};
  Duration sign{};
};

// GCS, ahead of time: make and sign ephemeral keys before a ClientHello asks for them.
struct PrepareHello
{
  const Suite * suite;
  HandshakeMode mode;
  GcsId gcs_id;
  KeyId key_id;
  SharedSecretBytes signing_key;
};

// GCS: answer a ClientHello, from keys made ahead if there are any.
struct MakeServerHello
{
  const Suite * suite;
  HandshakeMode mode;
  GcsId gcs_id;
  KeyId key_id;
  SharedSecretBytes signing_key;
  SharedPskKeys psk;
  Bytes
    transcript;  // every message so far; the hello to answer is its last client_hello_size bytes
  Random32 server_random;
  std::optional<EphemeralKeys> prepared;
};

struct ServerHelloMade
{
  Bytes message;      // as it goes on the stream
  Sha512 transcript;  // through the ServerHello
  SecretBytes kem_secret_key;
  std::optional<X25519KeyPair> x25519;
  HandshakeTiming timing;
};

// Drone: check a ServerHello, encapsulate, finish.
struct AnswerServerHello
{
  const Suite * suite;
  HandshakeMode mode;
  GcsId gcs_id;
  std::shared_ptr<const Bytes> gcs_public_key;
  SharedSecretBytes drone_signing_key;  // mutual mode, else null
  SharedPskKeys psk;
  SharedKey32 resumption;  // null for a new session
  Bytes transcript;        // every message before the ServerHello
  Bytes server_hello;
};

struct ServerHelloAnswered
{
  Bytes message;
  KeyId key_id;
  Key32 gcs_finish_key;
  Digest th3;
  SessionSecrets secrets;
  HandshakeTiming timing;
};

// GCS: check a ClientFinish, decapsulate, finish.
struct CompleteHandshake
{
  const Suite * suite;
  HandshakeMode mode;
  std::shared_ptr<const Bytes> drone_public_key;  // mutual mode, else null
  SharedPskKeys psk;
  SharedKey32 resumption;
  Sha512 transcript;
  SecretBytes kem_secret_key;
  std::optional<X25519KeyPair> x25519;
  Bytes client_finish;
};

struct HandshakeComplete
{
  Bytes message;
  SessionSecrets secrets;
  HandshakeTiming timing;
};

enum class JobError : std::uint8_t
{
  unauthenticated,  // a PSK MAC does not hold or the message is malformed: a stranger, or noise
  authenticated,    // the PSK holds but a signature, key or finish does not
  unavailable,      // the primitive can't run here
};

struct JobFailed
{
  JobError error;
  std::string text;  // for the log; never sent
};

using Job = std::variant<PrepareHello, MakeServerHello, AnswerServerHello, CompleteHandshake>;
using JobResult =
  std::variant<EphemeralKeys, ServerHelloMade, ServerHelloAnswered, HandshakeComplete, JobFailed>;

// Runs one job to its end. Blocks (a McEliece key generation takes seconds and needs a 16 MiB stack); any thread.
JobResult run_job(Job job, RandomSource & random);

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__HANDSHAKE_CRYPTO_HPP_
