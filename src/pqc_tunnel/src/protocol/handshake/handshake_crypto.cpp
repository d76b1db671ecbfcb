// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "handshake_crypto.hpp"

#include <chrono>
#include <utility>

#include "base/byte_io.hpp"
#include "crypto/signature.hpp"

namespace pqc_tunnel
{
namespace
{

// The one place where the core looks at a clock: durations of primitives are a measurement, never an input.
template <class Function>
auto timed(Duration & duration, Function && function)
{
  const auto start = std::chrono::steady_clock::now();
  auto result = function();
  duration = std::chrono::steady_clock::now() - start;
  return result;
}

JobFailed unauthenticated(std::string text) { return {JobError::unauthenticated, std::move(text)}; }
JobFailed authenticated(std::string text) { return {JobError::authenticated, std::move(text)}; }
JobFailed unavailable(const Error & error) { return {JobError::unavailable, error.message}; }

// --- Ground station: prekeys ---

PrekeyMessage message_of(const PrekeyPair & pair, bool former = false)
{
  PrekeyMessage message;
  message.key_id = pair.key_id;
  message.suite = prekey_code(pair.suite->wire_id);
  message.mode = pair.mode.to_wire();
  message.former = former;
  message.x25519_key = pair.x25519 ? pair.x25519->public_key : X25519PublicKey{};
  message.public_key = pair.public_key;
  message.signature = pair.signature;
  return message;
}

std::optional<Error> sign_prekey(
  PrekeyPair & pair, const MakePrekey & job, const Digest & bind, RandomSource & random)
{
  const Bytes message = signed_by_gcs(message_of(pair), job.gcs_id, pair.key_digest, bind);
  auto signature = timed(
    pair.sign, [&] { return sign(pair.suite->signature, message, *job.signing_key, random); });
  if (!signature) {
    return signature.error();
  }
  pair.signature = std::move(*signature);
  return std::nullopt;
}

Result<PrekeyPair> make_pair(const MakePrekey & job, RandomSource & random)
{
  PrekeyPair pair;
  pair.suite = job.suite;
  pair.mode = job.mode;
  pair.key_id = job.key_id;
  auto kem = Kem::open(job.suite->kem);
  if (!kem) {
    return tl::make_unexpected(kem.error());
  }
  auto keys = timed(pair.keygen, [&] { return kem->keygen(random); });
  if (!keys) {
    return tl::make_unexpected(keys.error());
  }
  pair.kem_secret_key = std::move(keys->secret_key);
  pair.public_key = std::move(keys->public_key);
  pair.key_digest = sha512(pair.public_key);
  if (job.mode.hybrid_x25519) {
    auto x25519 = x25519_keygen(random);
    if (!x25519) {
      return tl::make_unexpected(x25519.error());
    }
    pair.x25519 = std::move(*x25519);
  }
  if (signs_slowly(job.suite->signature)) {
    if (auto error = sign_prekey(pair, job, Digest{}, random)) {
      return tl::make_unexpected(std::move(*error));
    }
  }
  return pair;
}

JobResult run(const MakePrekey & job, RandomSource & random)
{
  auto pair = make_pair(job, random);
  if (!pair) {
    return unavailable(pair.error());
  }
  return std::move(*pair);
}

JobResult run(IssuePrekey job, RandomSource & random)
{
  IssuedPrekey out;
  out.timing.prepared_ahead = job.made.has_value();
  if (!job.made) {
    auto pair = make_pair(job.keys, random);
    if (!pair) {
      return unavailable(pair.error());
    }
    job.made = std::move(*pair);
  }
  PrekeyPair & pair = *job.made;
  if (!signs_slowly(pair.suite->signature)) {
    if (auto error = sign_prekey(pair, job.keys, job.bind, random)) {
      return unavailable(*error);
    }
  }
  const PrekeyMessage message = message_of(pair, job.former);
  out.message = encode(message, pair.mode);
  out.secret.suite = pair.suite;
  out.secret.key_id = pair.key_id;
  out.secret.in_transcript = for_transcript(message, pair.mode, pair.key_digest);
  out.secret.kem_secret_key = std::move(pair.kem_secret_key);
  out.secret.x25519 = std::move(pair.x25519);
  out.timing.keygen = pair.keygen;
  out.timing.sign = pair.sign;
  return out;
}

// --- Drone ---

JobResult run(const VerifyPrekey & job, RandomSource &)
{
  const auto message = parse_prekey(job.message, *job.suite, job.mode);
  if (!message) {
    return unauthenticated(
      "the ground station's prekey is malformed for " + std::string(job.suite->id));
  }
  const Digest key_digest = sha512(message->public_key);
  const Digest bind = signs_slowly(job.suite->signature) ? Digest{} : job.bind;
  const Bytes covered = signed_by_gcs(*message, job.gcs_id, key_digest, bind);
  VerifiedPrekey out;
  const bool genuine = timed(out.verify, [&] {
    return verify(job.suite->signature, covered, message->signature, *job.gcs_public_key);
  });
  if (!genuine) {
    return authenticated("the ground station's signature is invalid");
  }
  out.suite = job.suite;
  out.key_id = message->key_id;
  out.former = message->former;
  out.x25519_key = message->x25519_key;
  out.public_key.assign(message->public_key.begin(), message->public_key.end());
  out.in_transcript = for_transcript(*message, job.mode, key_digest);
  return out;
}

// Hashes the parts of the key exchange that both ends know.
class Transcript
{
public:
  Transcript(ByteView opening, ByteView prekey) { hash_.update(opening).update(prekey); }

  Digest with(ByteView more) const { return Sha512(hash_).update(more).digest(); }

private:
  Sha512 hash_;
};

// RS of the exchange that a job is about.
template <class Exchange>
ResumedSecret resumed(const Exchange & job, const PskKeys & psk, const SecretBytes & anchor)
{
  return job.resumption.secret.size() > 0
           ? ResumedSecret::of_rekey(psk, job.resumption.secret)
           : ResumedSecret::of_session(psk, anchor, job.former.secret);
}

// What the keys of the exchange depend on: what the secret depends on that they are made from, and what is new.
template <class Exchange>
Layers layers_of(const Exchange & job, const std::optional<AnchorKind> & anchor)
{
  Layers layers = job.resumption.secret.size() > 0 ? job.resumption.layers : job.former.layers;
  add_ephemeral(layers, job.suite->kem, job.begun);
  if (job.mode.hybrid_x25519) {
    add_x25519(layers, job.begun);
  }
  if (anchor) {
    add_anchor(layers, *anchor, job.begun);
  }
  return layers;
}

// The key is noted as used before anything is made with it.
tl::expected<AnchorSecret, JobFailed> use_anchor(const UseAnchor & job, RandomSource & random)
{
  const auto failed = [](const Error & error) {
    return tl::make_unexpected(JobFailed{JobError::unknown_anchor, error.message});
  };
  auto taken = job.anchor->take(job.choice, job.level);
  if (!taken) {
    return failed(taken.error());
  }
  auto kem = Kem::open(taken->kind.kem);
  if (!kem) {
    return failed(kem.error());
  }
  auto made = kem->encapsulate(taken->public_key, random);
  if (!made) {
    return failed(made.error());
  }
  AnchorSecret out{taken->kind, {}, std::move(made->shared_secret)};
  ByteWriter(out.message).id(anchor_id(taken->public_key)).bytes(made->ciphertext);
  return out;
}

JobResult run(const UseAnchor & job, RandomSource & random)
{
  auto secret = use_anchor(job, random);
  return secret ? JobResult(std::move(*secret)) : JobResult(std::move(secret.error()));
}

JobResult run(MakeFinish job, RandomSource & random)
{
  const Suite & suite = *job.suite;
  FinishMade out;
  out.timing.verify = job.prekey.verify;
  SecretBytes anchor_secret;
  if (job.anchor) {
    auto used = use_anchor({job.anchor, job.anchor_choice, suite.level}, random);
    if (!used) {
      return std::move(used.error());
    }
    out.finish = std::move(used->message);
    out.anchor = used->kind;
    anchor_secret = std::move(used->secret);
  }
  auto kem = Kem::open(suite.kem);
  if (!kem) {
    return unavailable(kem.error());
  }
  auto encapsulation =
    timed(out.timing.encapsulate, [&] { return kem->encapsulate(job.prekey.public_key, random); });
  if (!encapsulation) {
    return authenticated(
      "the ground station's key can't be used: " + encapsulation.error().message);
  }
  ByteWriter finish(out.finish);
  finish.bytes(encapsulation->ciphertext);

  std::optional<SecretBytes> x25519_secret;
  if (job.mode.hybrid_x25519) {
    auto own = x25519_keygen(random);
    if (!own) {
      return unavailable(own.error());
    }
    auto shared = x25519_shared_secret(*own, job.prekey.x25519_key);
    if (!shared) {
      return authenticated("the ground station's X25519 key is refused: " + shared.error().message);
    }
    finish.bytes(own->public_key);
    x25519_secret = std::move(*shared);
  }

  const Transcript transcript(job.opening, job.prekey.in_transcript);
  if (job.mode.drone_signature) {
    auto signature = timed(out.timing.sign, [&] {
      return sign(
        suite.signature, signed_by_drone(transcript.with(out.finish)), *job.drone_signing_key,
        random);
    });
    if (!signature) {
      return unavailable(signature.error());
    }
    finish.u16(static_cast<std::uint16_t>(signature->size())).bytes(*signature);
  }

  const PskKeys & psk = job.psk->of(suite.wire_id);
  const Digest th2 = transcript.with(out.finish);
  const HandshakeSecrets secrets(
    resumed(job, psk, anchor_secret), encapsulation->shared_secret,
    x25519_secret ? &*x25519_secret : nullptr);
  finish.bytes(hmac(psk.hash, psk.finish.view(), {th2}))
    .bytes(hmac(psk.hash, secrets.drone_finish_key(th2).view(), {th2}));
  const Digest th3 = transcript.with(out.finish);
  out.confirmation = hmac(psk.hash, secrets.gcs_finish_key(th2).view(), {th3});
  out.secrets = secrets.epoch_secrets(suite.aead, th3);
  out.secrets.layers = layers_of(job, out.anchor);
  return out;
}

// --- Ground station: the end of the exchange ---

Result<SecretBytes> decapsulate_from_anchor(const AnchorSecrets::Found & key, ByteView ciphertext)
{
  auto kem = Kem::open(key.kind.kem);
  if (!kem) {
    return tl::make_unexpected(kem.error());
  }
  return kem->decapsulate(ciphertext, key.secret_key);
}

constexpr const char * unknown_anchor =
  "the drone uses a key of the anchor that is not known here or was used before: the anchor was "
  "replaced or restored from a copy, so update the drone's identity";

JobFailed unusable_anchor(const Error & error)
{
  return {JobError::unusable_anchor, "the anchor can't be used: " + error.message};
}

// The key of the anchor that a Finish or a RATCHET names.
tl::expected<AnchorSecrets::Found, JobFailed> find_anchor(AnchorSecrets * anchor, ByteView message)
{
  const JobFailed unknown{JobError::unknown_anchor, unknown_anchor};
  if (anchor == nullptr) {
    return tl::make_unexpected(unknown);
  }
  auto found = anchor->find(ByteReader(message).id<AnchorId>());
  if (!found) {
    return tl::make_unexpected(
      found.error().code == ErrorCode::unavailable ? unknown : unusable_anchor(found.error()));
  }
  return std::move(*found);
}

JobResult run(const OpenOneTimeKey & job, RandomSource &)
{
  const auto found = find_anchor(job.anchor.get(), job.message);
  if (!found) {
    return found.error();
  }
  const AnchorKind & kind = found->kind;
  if (!kind.one_time || job.message.size() != anchor_size(kind.kem)) {
    return JobFailed{JobError::unknown_anchor, unknown_anchor};
  }
  auto secret = decapsulate_from_anchor(*found, ByteView(job.message).subspan(AnchorId::size));
  if (!secret) {
    return unavailable(secret.error());
  }
  if (auto erased = job.anchor->erase(ByteReader(job.message).id<AnchorId>()); !erased) {
    return unusable_anchor(erased.error());
  }
  return AnchorSecret{kind, {}, std::move(*secret)};
}

// A Finish whose sender has the PSK.
struct ProvedFinish
{
  FinishMessage message;
  Digest th2;
  std::optional<AnchorSecrets::Found> anchor;
};

// The PSK's MAC is checked first: whoever has stolen only the live keys never costs a decapsulation.
tl::expected<ProvedFinish, JobFailed> check_psk_proof(
  const CompleteFinish & job, const PskKeys & psk, const Transcript & transcript)
{
  const auto malformed = [&job] {
    return tl::make_unexpected(
      unauthenticated("the drone's finish is malformed for " + std::string(job.suite->id)));
  };
  const auto parts = split_macs(job.finish);
  if (!parts) {
    return malformed();
  }
  const Digest th2 = transcript.with(parts->before);
  if (!constant_time_equal(hmac(psk.hash, psk.finish.view(), {th2}), parts->psk_mac)) {
    return tl::make_unexpected(unauthenticated("the drone's finish does not prove the shared key"));
  }
  std::optional<AnchorSecrets::Found> anchor;
  if (job.anchored) {
    auto found = find_anchor(job.anchor.get(), job.finish);
    if (!found) {
      return tl::make_unexpected(found.error());
    }
    anchor = std::move(*found);
  }
  const auto message =
    parse_finish(job.finish, *job.suite, job.mode, anchor ? anchor_size(anchor->kind.kem) : 0);
  if (!message) {
    return malformed();
  }
  return ProvedFinish{*message, th2, std::move(anchor)};
}

JobResult run(CompleteFinish job, RandomSource &)
{
  const Suite & suite = *job.suite;
  const PskKeys & psk = job.psk->of(suite.wire_id);
  const Transcript transcript(job.opening, job.prekey.in_transcript);
  const auto proved = check_psk_proof(job, psk, transcript);
  if (!proved) {
    return proved.error();
  }
  const FinishMessage * const finish = &proved->message;
  const Digest & th2 = proved->th2;

  FinishCompleted out;
  SecretBytes anchor_secret;
  if (proved->anchor) {
    auto secret = decapsulate_from_anchor(*proved->anchor, finish->anchor);
    if (!secret) {
      return unavailable(secret.error());
    }
    anchor_secret = std::move(*secret);
    out.anchor = proved->anchor->kind;
  }
  if (job.mode.drone_signature) {
    const Bytes message = signed_by_drone(transcript.with(finish->signed_part));
    const bool genuine = timed(out.timing.verify, [&] {
      return verify(suite.signature, message, finish->signature, *job.drone_public_key);
    });
    if (!genuine) {
      return authenticated("the drone's signature is invalid");
    }
  }

  auto kem = Kem::open(suite.kem);
  if (!kem) {
    return unavailable(kem.error());
  }
  auto shared = timed(out.timing.decapsulate, [&] {
    return kem->decapsulate(finish->ciphertext, job.prekey.kem_secret_key);
  });
  if (!shared) {
    return authenticated("the drone's ciphertext can't be used: " + shared.error().message);
  }
  std::optional<SecretBytes> x25519_secret;
  if (job.mode.hybrid_x25519) {
    auto agreed = x25519_shared_secret(*job.prekey.x25519, finish->x25519_key);
    if (!agreed) {
      return authenticated("the drone's X25519 key is refused: " + agreed.error().message);
    }
    x25519_secret = std::move(*agreed);
  }

  const HandshakeSecrets secrets(
    resumed(job, psk, anchor_secret), *shared, x25519_secret ? &*x25519_secret : nullptr);
  if (!constant_time_equal(
        hmac(psk.hash, secrets.drone_finish_key(th2).view(), {th2}), finish->finish_mac))
  {
    return authenticated("the drone's finish does not confirm the key");
  }
  // Nothing is confirmed while the secret of a one-time key is still there.
  if (out.anchor && out.anchor->one_time) {
    if (auto erased = job.anchor->erase(ByteReader(job.finish).id<AnchorId>()); !erased) {
      return unusable_anchor(erased.error());
    }
  }
  const Digest th3 = transcript.with(job.finish);
  out.confirmation = hmac(psk.hash, secrets.gcs_finish_key(th2).view(), {th3});
  out.secrets = secrets.epoch_secrets(suite.aead, th3);
  out.secrets.layers = layers_of(job, out.anchor);
  return out;
}

}  // namespace

JobResult run(const EraseKeys & job, RandomSource &)
{
  if (auto erased = job.store->erase(); !erased) {
    return JobFailed{JobError::unavailable, std::move(erased.error().message)};
  }
  return KeysErased{};
}

JobResult run_job(Job job, RandomSource & random)
{
  return std::visit(
    [&random](auto & alternative) { return run(std::move(alternative), random); }, job);
}

}  // namespace pqc_tunnel
