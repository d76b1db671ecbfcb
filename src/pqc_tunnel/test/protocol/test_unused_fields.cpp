// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "base/byte_io.hpp"
#include "pqc_tunnel/crypto/signature.hpp"
#include "protocol/handshake_crypto.hpp"
#include "support/identities.hpp"
#include "support/reference_schedule.hpp"

// Fields that a mode does not use must be zero, even from a peer with the keys: each message has one encoding.

namespace pqc_tunnel::test
{
namespace
{

using X25519Key = std::array<std::uint8_t, 32>;

class UnusedX25519 : public testing::Test
{
protected:
  // A ServerHello of the plain mode, genuine but for what stands in the place of the X25519 key.
  Bytes server_hello(const X25519Key & x25519)
  {
    ServerHello hello;
    hello.x25519_key = x25519;
    hello.public_key = kem_.public_key;
    const auto & id = suite_.wire_id;
    const Bytes signed_bytes = text(std::string("PQM2 gcs prekey\0", 16)) +
                               Bytes{id.kem, id.kem_param, id.sig, id.sig_param, 0} + Bytes(16, 0) +
                               Bytes(32, 0x47) + copy(x25519) + reference_sha512(kem_.public_key) +
                               reference_sha512(client_hello_);
    const Bytes signature =
      sign(suite_.signature, signed_bytes, *ids_.gcs.signing_keys.begin()->second, random_).value();
    hello.signature = signature;
    const Bytes body = encode(hello);
    return body + reference_hmac(
                    copy(psk_->server_hello.view()),
                    client_hello_ + encode_for_transcript(hello, key_digest_));
  }
  JobResult answer(const Bytes & server_hello)
  {
    return run_job(
      AnswerServerHello{
        &suite_,
        {},
        ids_.gcs.id,
        ids_.gcs_keys.begin()->second,
        nullptr,
        psk_,
        nullptr,
        client_hello_,
        server_hello},
      random_);
  }
  // A ClientFinish of the plain mode, genuine but for what stands in the place of the X25519 key.
  JobResult complete(const Bytes & server_hello, const X25519Key & x25519)
  {
    const auto encapsulation =
      Kem::open(suite_.kem).value().encapsulate(kem_.public_key, random_).value();
    Bytes body = encode_client_finish_head(encapsulation.ciphertext, x25519);
    append_client_finish_signature(body, {});
    Sha512 transcript;
    transcript.update(client_hello_)
      .update(encode_for_transcript(*parse_server_hello(server_hello, suite_), key_digest_))
      .update(mac_of(server_hello));
    const Digest th2 = Sha512(transcript).update(body).digest();
    const HandshakeSecrets secrets(*psk_, nullptr, encapsulation.shared_secret, nullptr);
    body = body + reference_hmac(copy(psk_->finish.view()), copy(th2)) +
           reference_hmac(copy(secrets.drone_finish_key(th2).view()), copy(th2));
    return run_job(
      CompleteHandshake{
        &suite_,
        {},
        nullptr,
        psk_,
        nullptr,
        std::move(transcript),
        SecretBytes::copy_of(kem_.secret_key.view()),
        std::nullopt,
        body},
      random_);
  }

  static X25519Key something()
  {
    X25519Key key = {};
    key[31] = 1;
    return key;
  }

  const Suite & suite_ = suite("cs-mlkem512-aesgcm-mldsa44");
  const Identities & ids_ = Identities::for_signature(SignatureAlgorithm::ml_dsa_44);
  SeededRandom random_{1};
  KemKeyPair kem_ = Kem::open(suite_.kem).value().keygen(random_).value();
  const Digest key_digest_ = Sha512().update(kem_.public_key).digest();
  SharedPskKeys psk_ = std::make_shared<const PskKeys>(PskKeys::derive(Psk()));
  Bytes client_hello_ = Bytes(client_hello_size, 0x11);
};

TEST_F(UnusedX25519, of_the_ground_station_must_be_zero)
{
  EXPECT_TRUE(std::holds_alternative<ServerHelloAnswered>(answer(server_hello({}))));
  const JobResult refused = answer(server_hello(something()));
  ASSERT_TRUE(std::holds_alternative<JobFailed>(refused));
  EXPECT_EQ(std::get<JobFailed>(refused).error, JobError::authenticated);
}

TEST_F(UnusedX25519, of_the_drone_must_be_zero)
{
  const Bytes hello = server_hello({});
  EXPECT_TRUE(std::holds_alternative<HandshakeComplete>(complete(hello, {})));
  const JobResult refused = complete(hello, something());
  ASSERT_TRUE(std::holds_alternative<JobFailed>(refused));
  EXPECT_EQ(std::get<JobFailed>(refused).error, JobError::authenticated);
}

}  // namespace
}  // namespace pqc_tunnel::test
