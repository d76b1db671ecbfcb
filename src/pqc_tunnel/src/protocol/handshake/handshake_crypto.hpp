// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__HANDSHAKE__HANDSHAKE_CRYPTO_HPP_
#define PQC_TUNNEL__PROTOCOL__HANDSHAKE__HANDSHAKE_CRYPTO_HPP_

#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "base/bytes.hpp"
#include "base/ids.hpp"
#include "crypto/kem.hpp"
#include "crypto/random.hpp"
#include "crypto/x25519.hpp"
#include "key_messages.hpp"
#include "protocol/session/settings.hpp"
#include "protocol/session/snapshot.hpp"
#include "protocol/wire/key_schedule.hpp"

namespace pqc_tunnel
{

// The heavy steps of a key exchange as values: everything that runs a public-key primitive or hashes a megabyte. The
// state machines emit them, a worker thread runs them, the results come back as events.

using SharedSecretBytes = std::shared_ptr<const SecretBytes>;

// GCS: ephemeral keys, not yet bound to a drone. Signed already if the algorithm signs slowly.
struct PrekeyPair
{
  const Suite * suite = nullptr;
  HandshakeMode mode;
  KeyId key_id;
  SecretBytes kem_secret_key;
  std::optional<X25519KeyPair> x25519;  // hybrid mode
  Bytes public_key;
  Digest key_digest = {};
  Bytes signature;
  Duration keygen{};
  Duration sign{};
};

// GCS: make ephemeral keys ahead of time.
struct MakePrekey
{
  const Suite * suite;
  HandshakeMode mode;
  GcsId gcs_id;
  KeyId key_id;
  SharedSecretBytes signing_key;
};

// GCS: bind ephemeral keys, new ones if none were made ahead, and sign them.
struct IssuePrekey
{
  MakePrekey keys;
  std::optional<PrekeyPair> made;
  Digest bind;
  bool former = false;  // new session: the rms of a former one is mixed in
};

// A GCS keeps this of a prekey that a drone has, and uses it once.
struct PrekeySecret
{
  const Suite * suite = nullptr;
  KeyId key_id;
  SecretBytes kem_secret_key;
  std::optional<X25519KeyPair> x25519;
  Bytes in_transcript;
};

struct IssuedPrekey
{
  PrekeySecret secret;
  Bytes message;
  HandshakeTiming timing;
};

// Drone: check a prekey.
struct VerifyPrekey
{
  const Suite * suite;
  HandshakeMode mode;
  GcsId gcs_id;
  std::shared_ptr<const Bytes> gcs_public_key;
  Digest bind;
  Bytes message;
};

// Drone: a genuine prekey.
struct VerifiedPrekey
{
  const Suite * suite = nullptr;
  KeyId key_id;
  X25519PublicKey x25519_key = {};
  Bytes public_key;
  Bytes in_transcript;
  bool former = false;
  Duration verify{};
};

// Drone: encapsulate and prove the keys.
struct MakeFinish
{
  const Suite * suite;
  HandshakeMode mode;
  SharedPskKeys psk;
  Resumption resumption;                // none for a new session
  SharedSecretBytes drone_signing_key;  // mutual mode, else null
  Bytes opening;
  VerifiedPrekey prekey;
  Instant begun = {};
  // New sessions only.
  std::shared_ptr<AnchorKeys> anchor = nullptr;  // null: none
  AnchorChoice anchor_choice = AnchorChoice::one_time_first;
  Resumption former = {};  // the rms that is mixed in
};

struct FinishMade
{
  Bytes finish;
  Mac confirmation = {};  // what CONFIRM must carry
  EpochSecrets secrets;
  HandshakeTiming timing;
  std::optional<AnchorKind> anchor;
};

// GCS: check a Finish, decapsulate.
struct CompleteFinish
{
  const Suite * suite;
  HandshakeMode mode;
  SharedPskKeys psk;
  Resumption resumption;
  std::shared_ptr<const Bytes> drone_public_key;  // mutual mode, else null
  Bytes opening;
  PrekeySecret prekey;
  Bytes finish;
  Instant begun = {};
  // New sessions only.
  bool anchored = false;
  std::shared_ptr<AnchorSecrets> anchor = nullptr;  // null: none is known
  Resumption former = {};
};

struct FinishCompleted
{
  Mac confirmation = {};
  EpochSecrets secrets;
  HandshakeTiming timing;
  std::optional<AnchorKind> anchor;
};

// Drone: take a key of the anchor, and encapsulate to it.
struct UseAnchor
{
  std::shared_ptr<AnchorKeys> anchor;
  AnchorChoice choice;
  SecurityLevel level;
};

// GCS: decapsulate from a one-time key of the anchor, and erase it.
struct OpenOneTimeKey
{
  std::shared_ptr<AnchorSecrets> anchor;  // null: none is known
  Bytes message;                          // id and ciphertext
};

// Either end: erase keys where they are stored.
struct EraseKeys
{
  std::shared_ptr<KeyStore> store;
};
struct KeysErased
{
};

// A secret that both ends share by the anchor.
struct AnchorSecret
{
  AnchorKind kind;
  Bytes message;  // drone: id and ciphertext
  SecretBytes secret;
};

enum class JobError : std::uint8_t
{
  unauthenticated,  // a PSK MAC does not hold, or the message is malformed
  authenticated,    // the PSK holds but a signature, key or finish does not
  unavailable,      // the primitive can't run here
  unknown_anchor,   // the PSK holds, but the key of the anchor is not known here or was used
  unusable_anchor,  // the PSK holds, but keys of the anchor can't be read or erased here
};

struct JobFailed
{
  JobError error;
  std::string text;  // for the log; never sent
};

using Job = std::variant<
  MakePrekey, IssuePrekey, VerifyPrekey, MakeFinish, CompleteFinish, UseAnchor, OpenOneTimeKey,
  EraseKeys>;
using JobResult = std::variant<
  PrekeyPair, IssuedPrekey, VerifiedPrekey, FinishMade, FinishCompleted, AnchorSecret, KeysErased,
  JobFailed>;

// Runs one job to its end. Blocks (a McEliece key generation takes seconds and needs a 16 MiB stack); any thread.
JobResult run_job(Job job, RandomSource & random);

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__HANDSHAKE__HANDSHAKE_CRYPTO_HPP_
