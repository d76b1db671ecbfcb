// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "handshake_crypto.hpp"

#include <algorithm>
#include <chrono>

#include "base/byte_io.hpp"
#include "pqc_tunnel/crypto/signature.hpp"

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

Digest digest(ByteView bytes)
{
  Sha512 hash;
  hash.update(bytes);
  return hash.digest();
}

using X25519PublicKey = std::array<std::uint8_t, x25519_size>;

// "PQM2 gcs prekey\0" ‖ suite[0:4] ‖ mode ‖ key_id ‖ gcs_id ‖ x25519_pk ‖ H(pk) ‖ bind
Bytes signed_hello(
  const Suite & suite, HandshakeMode mode, const KeyId & key_id, const GcsId & gcs_id,
  const X25519PublicKey & x25519_key, const Digest & public_key_digest, const Digest & bind)
{
  Bytes message;
  ByteWriter(message)
    .text(prekey_label)
    .u8(suite.wire_id.kem)
    .u8(suite.wire_id.kem_param)
    .u8(suite.wire_id.sig)
    .u8(suite.wire_id.sig_param)
    .u8(mode.to_wire())
    .id(key_id)
    .id(gcs_id)
    .bytes(x25519_key)
    .bytes(public_key_digest)
    .bytes(bind);
  return message;
}

Bytes signed_by_drone(const Digest & transcript)
{
  Bytes message;
  ByteWriter(message).text(drone_auth_label).bytes(transcript);
  return message;
}

X25519PublicKey public_key_of(const std::optional<X25519KeyPair> & pair)
{
  return pair ? pair->public_key : X25519PublicKey{};
}

// H(ClientHello) of the hello being answered: the last one in the transcript.
Digest hello_digest(ByteView transcript) { return digest(transcript.last(client_hello_size)); }

// Keys that are not bound to the digest of a ClientHello serve any drone: they were signed ahead.
Result<EphemeralKeys> make_keys(
  const Suite & suite, HandshakeMode mode, const KeyId & key_id, const GcsId & gcs_id,
  const SecretBytes & signing_key, const std::optional<Digest> & bind, RandomSource & random)
{
  EphemeralKeys keys;
  keys.suite = &suite;
  keys.mode = mode;
  keys.key_id = key_id;
  auto kem = Kem::open(suite.kem);
  if (!kem) {
    return tl::make_unexpected(kem.error());
  }
  auto pair = timed(keys.keygen, [&] { return kem->keygen(random); });
  if (!pair) {
    return tl::make_unexpected(pair.error());
  }
  keys.kem_secret_key = std::move(pair->secret_key);
  if (mode.hybrid_x25519) {
    auto x25519 = x25519_keygen(random);
    if (!x25519) {
      return tl::make_unexpected(x25519.error());
    }
    keys.x25519 = std::move(*x25519);
  }
  const Digest public_key_digest = digest(pair->public_key);
  ServerHello hello;
  hello.signed_ahead = !bind.has_value();
  hello.mode = mode.to_wire();
  hello.key_id = key_id;
  hello.x25519_key = public_key_of(keys.x25519);
  hello.public_key = pair->public_key;
  const Bytes message = signed_hello(
    suite, mode, key_id, gcs_id, hello.x25519_key, public_key_digest, bind.value_or(Digest{}));
  auto signature =
    timed(keys.sign, [&] { return sign(suite.signature, message, signing_key, random); });
  if (!signature) {
    return tl::make_unexpected(signature.error());
  }
  hello.signature = *signature;
  keys.hello = ServerHelloDraft(hello, public_key_digest);
  return keys;
}

JobResult run(const PrepareHello & job, RandomSource & random)
{
  auto keys =
    make_keys(*job.suite, job.mode, job.key_id, job.gcs_id, *job.signing_key, std::nullopt, random);
  if (!keys) {
    return unavailable(keys.error());
  }
  return std::move(*keys);
}

JobResult run(MakeServerHello job, RandomSource & random)
{
  const bool ahead = job.prepared.has_value();
  auto made = ahead ? Result<EphemeralKeys>(std::move(*job.prepared))
                    : make_keys(
                        *job.suite, job.mode, job.key_id, job.gcs_id, *job.signing_key,
                        hello_digest(job.transcript), random);
  if (!made) {
    return unavailable(made.error());
  }
  EphemeralKeys & keys = *made;
  keys.hello.set_random(job.server_random);

  ServerHelloMade out;
  const Bytes digested = keys.hello.for_transcript();
  const Mac mac = hmac_sha256(job.psk->server_hello.view(), {job.transcript, digested});
  out.message = std::move(keys.hello).finish(mac);
  out.transcript.update(job.transcript).update(digested).update(mac);
  out.kem_secret_key = std::move(keys.kem_secret_key);
  out.x25519 = std::move(keys.x25519);
  out.timing.keygen = keys.keygen;
  out.timing.sign = keys.sign;
  out.timing.prepared_ahead = ahead;
  return out;
}

JobResult run(AnswerServerHello job, RandomSource & random)
{
  const Suite & suite = *job.suite;
  const auto hello = parse_server_hello(job.server_hello, suite);
  if (!hello) {
    return unauthenticated("the ground station's hello is malformed for " + std::string(suite.id));
  }
  const Digest public_key_digest = digest(hello->public_key);
  const Bytes digested = encode_for_transcript(*hello, public_key_digest);
  const Mac expected = hmac_sha256(job.psk->server_hello.view(), {job.transcript, digested});
  if (!constant_time_equal(expected, mac_of(job.server_hello))) {
    return unauthenticated("the ground station's hello does not prove the shared key");
  }
  if (hello->mode != job.mode.to_wire()) {
    return authenticated("the ground station answered in another key exchange mode");
  }
  if (!job.mode.hybrid_x25519 && hello->x25519_key != X25519PublicKey{}) {
    return authenticated("the ground station offers an X25519 key that was not requested");
  }

  ServerHelloAnswered out;
  out.key_id = hello->key_id;
  const Digest bind = hello->signed_ahead ? Digest{} : hello_digest(job.transcript);
  const Bytes signed_message = signed_hello(
    suite, job.mode, hello->key_id, job.gcs_id, hello->x25519_key, public_key_digest, bind);
  const bool genuine = timed(out.timing.verify, [&] {
    return verify(suite.signature, signed_message, hello->signature, *job.gcs_public_key);
  });
  if (!genuine) {
    return authenticated("the ground station's signature is invalid");
  }

  auto kem = Kem::open(suite.kem);
  if (!kem) {
    return unavailable(kem.error());
  }
  auto encapsulation =
    timed(out.timing.encapsulate, [&] { return kem->encapsulate(hello->public_key, random); });
  if (!encapsulation) {
    return authenticated(
      "the ground station's key can't be used: " + encapsulation.error().message);
  }

  X25519PublicKey x25519_key = {};
  std::optional<SecretBytes> x25519_secret;
  if (job.mode.hybrid_x25519) {
    auto own = x25519_keygen(random);
    if (!own) {
      return unavailable(own.error());
    }
    auto shared = x25519_shared_secret(*own, hello->x25519_key);
    if (!shared) {
      return authenticated("the ground station's X25519 key is refused: " + shared.error().message);
    }
    x25519_key = own->public_key;
    x25519_secret = std::move(*shared);
  }

  out.message = encode_client_finish_head(encapsulation->ciphertext, x25519_key);
  Sha512 transcript;
  transcript.update(job.transcript).update(digested).update(mac_of(job.server_hello));

  Bytes signature;
  if (job.mode.drone_signature) {
    Sha512 so_far = transcript;
    so_far.update(out.message);
    auto made = timed(out.timing.sign, [&] {
      return sign(
        suite.signature, signed_by_drone(so_far.digest()), *job.drone_signing_key, random);
    });
    if (!made) {
      return unavailable(made.error());
    }
    signature = std::move(*made);
  }
  append_client_finish_signature(out.message, signature);

  transcript.update(out.message);
  const Digest th2 = Sha512(transcript).digest();
  const HandshakeSecrets secrets(
    *job.psk, job.resumption.get(), encapsulation->shared_secret,
    x25519_secret ? &*x25519_secret : nullptr);
  const std::size_t before_macs = out.message.size();
  ByteWriter(out.message)
    .bytes(hmac_sha256(job.psk->finish.view(), {th2}))
    .bytes(hmac_sha256(secrets.drone_finish_key(th2).view(), {th2}));
  transcript.update(ByteView(out.message).subspan(before_macs));

  out.th3 = transcript.digest();
  out.gcs_finish_key = secrets.gcs_finish_key(th2);
  out.secrets = secrets.session_secrets(suite.aead, out.th3);
  return out;
}

JobResult run(CompleteHandshake job, RandomSource &)
{
  const Suite & suite = *job.suite;
  const auto finish = parse_client_finish(job.client_finish, suite, job.mode.drone_signature);
  if (!finish) {
    return unauthenticated("the drone's finish is malformed for " + std::string(suite.id));
  }
  const ByteView body(job.client_finish);
  const ByteView before_macs = body.first(body.size() - 2 * mac_size);

  Sha512 through_key = job.transcript;
  through_key.update(body.first(finish->signed_size));
  Sha512 transcript = job.transcript;
  transcript.update(before_macs);
  const Digest th2 = Sha512(transcript).digest();
  // The PSK's MAC is checked first: a stranger never costs a decapsulation.
  if (!constant_time_equal(hmac_sha256(job.psk->finish.view(), {th2}), finish->psk_mac)) {
    return unauthenticated("the drone's finish does not prove the shared key");
  }

  if (!job.mode.hybrid_x25519 && finish->x25519_key != X25519PublicKey{}) {
    return authenticated("the drone sends an X25519 key that was not requested");
  }

  HandshakeComplete out;
  if (job.mode.drone_signature) {
    const Bytes message = signed_by_drone(through_key.digest());
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
    return kem->decapsulate(finish->ciphertext, job.kem_secret_key);
  });
  if (!shared) {
    return authenticated("the drone's ciphertext can't be used: " + shared.error().message);
  }
  std::optional<SecretBytes> x25519_secret;
  if (job.mode.hybrid_x25519) {
    auto agreed = x25519_shared_secret(*job.x25519, finish->x25519_key);
    if (!agreed) {
      return authenticated("the drone's X25519 key is refused: " + agreed.error().message);
    }
    x25519_secret = std::move(*agreed);
  }

  const HandshakeSecrets secrets(
    *job.psk, job.resumption.get(), *shared, x25519_secret ? &*x25519_secret : nullptr);
  const Mac expected = hmac_sha256(secrets.drone_finish_key(th2).view(), {th2});
  if (!constant_time_equal(expected, finish->finish_mac)) {
    // The PSK's MAC does not cover these bytes: an attacker on the network can change them, and must not be able to
    // blacklist a suite that way.
    return unauthenticated("the drone's finish does not confirm the key");
  }

  transcript.update(body.last(2 * mac_size));
  const Digest th3 = transcript.digest();
  out.message = encode_server_finish();
  ByteWriter(out.message).bytes(hmac_sha256(secrets.gcs_finish_key(th2).view(), {th3}));
  out.secrets = secrets.session_secrets(suite.aead, th3);
  return out;
}

}  // namespace

JobResult run_job(Job job, RandomSource & random)
{
  return std::visit(
    [&random](auto & alternative) { return run(std::move(alternative), random); }, job);
}

}  // namespace pqc_tunnel
