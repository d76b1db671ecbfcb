// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "pqc_tunnel/protocol/key_schedule.hpp"

#include <gtest/gtest.h>

#include <set>

#include "pqc_tunnel/crypto/signature.hpp"
#include "protocol/epoch_keys.hpp"
#include "protocol/handshake_client.hpp"
#include "protocol/handshake_server.hpp"
#include "support/identities.hpp"
#include "support/reference_schedule.hpp"

namespace pqc_tunnel::test
{
namespace
{

Bytes filled(std::size_t size, std::uint8_t value) { return Bytes(size, value); }

Digest digest_of(std::uint8_t value)
{
  Digest digest;
  digest.fill(value);
  return digest;
}

Key32 key_of(std::uint8_t value)
{
  std::array<std::uint8_t, 32> bytes;
  bytes.fill(value);
  return Key32(bytes);
}

PskKeys psk_keys() { return PskKeys::derive(key_of(0x05)); }

TEST(KeySchedule, derives_the_mac_keys_from_the_psk_as_the_protocol_page_specifies)
{
  const PskKeys keys = psk_keys();
  const ReferenceSchedule expected(filled(32, 0x05));
  EXPECT_EQ(copy(keys.hello.view()), expected.hello_key);
  EXPECT_EQ(copy(keys.retry.view()), expected.retry_key);
  EXPECT_EQ(copy(keys.server_hello.view()), expected.server_hello_key);
  EXPECT_EQ(copy(keys.finish.view()), expected.finish_key);
}

TEST(KeySchedule, derives_everything_of_a_session_as_the_protocol_page_specifies)
{
  struct Case
  {
    AeadAlgorithm aead;
    std::size_t key_size;
    std::size_t iv_size;
  };
  const Case cases[] = {
    {AeadAlgorithm::aes_256_gcm, 32, 12},
    {AeadAlgorithm::chacha20_poly1305, 32, 12},
    {AeadAlgorithm::ascon_128a, 16, 16},
    {AeadAlgorithm::ascon_aead128, 16, 16},
  };
  const Key32 resumption = key_of(0x33);
  const Bytes kem_secret = filled(64, 0x44);  // HQC's shared secrets have 64 bytes
  const Bytes x25519 = filled(32, 0x55);
  for (const bool hybrid : {false, true}) {
    for (const bool rekey : {false, true}) {
      ReferenceSchedule expected(filled(32, 0x05));
      expected.agree(
        kem_secret, hybrid ? x25519 : Bytes{},
        rekey ? std::optional(filled(32, 0x33)) : std::nullopt);
      const SecretBytes kem = SecretBytes::copy_of(kem_secret);
      const SecretBytes classical = SecretBytes::copy_of(x25519);
      const HandshakeSecrets secrets(
        psk_keys(), rekey ? &resumption : nullptr, kem, hybrid ? &classical : nullptr);
      const Digest th2 = digest_of(2);
      const Digest th3 = digest_of(3);
      const Bytes c2 = copy(th2);
      const Bytes c3 = copy(th3);
      EXPECT_EQ(copy(secrets.drone_finish_key(th2).view()), expected.of("fin d", c2, 32));
      EXPECT_EQ(copy(secrets.gcs_finish_key(th2).view()), expected.of("fin g", c2, 32));
      for (const Case & c : cases) {
        const SessionSecrets made = secrets.session_secrets(c.aead, th3);
        EXPECT_EQ(copy(made.drone_to_gcs_key.view()), expected.of("d2g key", c3, c.key_size));
        EXPECT_EQ(copy(made.gcs_to_drone_key.view()), expected.of("g2d key", c3, c.key_size));
        EXPECT_EQ(copy(made.drone_to_gcs_iv.view()), expected.of("d2g iv", c3, c.iv_size));
        EXPECT_EQ(copy(made.gcs_to_drone_iv.view()), expected.of("g2d iv", c3, c.iv_size));
        EXPECT_EQ(copy(made.session.bytes), expected.of("sid", c3, 8));
        EXPECT_EQ(copy(made.resumption.view()), expected.of("rms", c3, 32));
        EXPECT_EQ(copy(made.transcript_tag), filled(16, 3));
      }
    }
  }
}

TEST(KeySchedule, derives_different_bytes_for_each_purpose_and_direction)
{
  const SecretBytes kem = SecretBytes::copy_of(filled(32, 0x44));
  const HandshakeSecrets secrets(psk_keys(), nullptr, kem, nullptr);
  const auto made = secrets.session_secrets(AeadAlgorithm::aes_256_gcm, digest_of(3));
  const PskKeys psk = psk_keys();
  const std::set<Bytes> all = {
    copy(psk.hello.view()),
    copy(psk.retry.view()),
    copy(psk.server_hello.view()),
    copy(psk.finish.view()),
    copy(psk.derived.view()),
    copy(secrets.drone_finish_key(digest_of(3)).view()),
    copy(made.resumption.view()),
    copy(secrets.gcs_finish_key(digest_of(3)).view()),
    copy(made.drone_to_gcs_iv.view()),
    copy(made.drone_to_gcs_key.view()),
    copy(made.gcs_to_drone_iv.view()),
    copy(made.gcs_to_drone_key.view()),
  };
  EXPECT_EQ(all.size(), 12u);
}

// A whole handshake, run message by message, with everything that the page prescribes worked out beside it.
class Transcript : public testing::TestWithParam<std::tuple<bool, bool, bool, bool>>
{
protected:
  Transcript() : random_(11) {}

  bool hybrid() const { return std::get<0>(GetParam()); }
  bool mutual() const { return std::get<1>(GetParam()); }
  bool ahead() const { return std::get<2>(GetParam()); }
  bool rekey() const { return std::get<3>(GetParam()); }
  HandshakeMode mode() const { return {hybrid(), mutual()}; }

  template <class T>
  T run(Job job)
  {
    return std::get<T>(run_job(std::move(job), random_));
  }

  // What the GCS and the drone sign, from the page.
  Bytes gcs_signs(const ServerHello & hello, const Bytes & client_hello) const
  {
    const auto & id = suite_.wire_id;
    const Bytes bind = ahead() ? filled(64, 0) : reference_sha512(client_hello);
    return text(std::string("PQM2 gcs prekey\0", 16)) +
           Bytes{id.kem, id.kem_param, id.sig, id.sig_param, hello.mode} +
           copy(hello.key_id.bytes) + filled(32, 0x47) + copy(hello.x25519_key) +
           reference_sha512(copy(hello.public_key)) + bind;
  }

  const Suite & suite_ = suite("cs-mlkem512-chacha20poly1305-mldsa44");
  const Identities & ids_ = Identities::for_signature(SignatureAlgorithm::ml_dsa_44);
  SeededRandom random_;
};

// A ServerHello with H(pk) in the place of its public key.
Bytes digested(ByteView server_hello)
{
  const std::size_t key_at = 8 + 32 + 1 + 16 + 32 + 4;
  const std::size_t key_size = kem_sizes(KemAlgorithm::ml_kem_512).public_key;
  return copy(server_hello.first(key_at)) +
         reference_sha512(copy(server_hello.subspan(key_at, key_size))) +
         copy(server_hello.subspan(key_at + key_size));
}

TEST_P(Transcript, macs_signatures_and_keys_are_those_of_the_page)
{
  const auto psk = std::make_shared<const PskKeys>(psk_keys());
  const auto resumption = rekey() ? std::make_shared<const Key32>(key_of(0x33)) : nullptr;
  ReferenceSchedule expected(filled(32, 0x05));
  const Bytes gcs_key = *ids_.gcs_keys.begin()->second;
  const Bytes drone_key = *ids_.drone_keys.begin()->second;
  const auto signing_key = ids_.gcs.signing_keys.begin()->second;

  // Hello, retry, hello again: the first two messages join the transcript.
  HandshakeClient::Config config;
  config.suite = &suite_;
  config.mode = mode();
  config.psk = psk;
  HandshakeClient client(std::move(config), random_);
  HandshakeServer server;
  const Bytes hello1 = std::get<Bytes>(client.start());
  server.handle_stream(hello1);
  const Bytes retry = std::get<Bytes>(server.challenge(*psk, random_));
  const Bytes hello2 = std::get<Bytes>(client.handle_stream(retry));
  server.handle_stream(hello2);
  const auto body = [](const Bytes & framed) { return Bytes(framed.begin() + 4, framed.end()); };
  const Bytes ch1 = body(hello1);
  const Bytes hr = body(retry);
  const Bytes ch2 = body(hello2);
  EXPECT_EQ(copy(mac_of(ch1)), reference_hmac(expected.hello_key, copy(without_mac(ch1))));
  EXPECT_EQ(copy(mac_of(ch2)), reference_hmac(expected.hello_key, copy(without_mac(ch2))));
  const Bytes challenge = copy(*parse_hello_retry(hr));
  EXPECT_EQ(copy(mac_of(hr)), reference_hmac(expected.retry_key, ch1 + challenge));
  EXPECT_EQ(copy(parse_client_hello(ch2)->challenge), challenge);

  // ServerHello
  std::optional<EphemeralKeys> prepared;
  if (ahead()) {
    prepared =
      run<EphemeralKeys>(PrepareHello{&suite_, mode(), ids_.gcs.id, KeyId{{9}}, signing_key});
  }
  auto made = run<ServerHelloMade>(MakeServerHello{
    &suite_, mode(), ids_.gcs.id, KeyId{{9}}, signing_key, psk, ch1 + hr + ch2, Random32{},
    std::move(prepared)});
  const Bytes sh = body(made.message);
  EXPECT_EQ(
    copy(mac_of(sh)),
    reference_hmac(expected.server_hello_key, ch1 + hr + ch2 + copy(without_mac(digested(sh)))));
  const auto parsed = parse_server_hello(sh, suite_);
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->signed_ahead, ahead());
  EXPECT_EQ(parsed->x25519_key == decltype(parsed->x25519_key){}, !hybrid());
  EXPECT_TRUE(verify(suite_.signature, gcs_signs(*parsed, ch2), parsed->signature, gcs_key));

  // ClientFinish
  const auto answered = run<ServerHelloAnswered>(AnswerServerHello{
    &suite_, mode(), ids_.gcs.id, ids_.gcs_keys.begin()->second,
    mutual() ? ids_.drone_signing_keys.begin()->second : nullptr, psk, resumption, ch1 + hr + ch2,
    sh});
  const Bytes cf = answered.message;
  const auto finish = parse_client_finish(cf, suite_, mutual());
  ASSERT_TRUE(finish);
  const SecretBytes kem_secret =
    Kem::open(suite_.kem).value().decapsulate(finish->ciphertext, made.kem_secret_key).value();
  const Bytes x25519 =
    hybrid() ? copy(x25519_shared_secret(*made.x25519, finish->x25519_key).value().view())
             : Bytes{};
  expected.agree(
    copy(kem_secret.view()), x25519, rekey() ? std::optional(filled(32, 0x33)) : std::nullopt);
  const Bytes before = ch1 + hr + ch2 + digested(sh);
  const Bytes th2 = reference_sha512(before + copy(ByteView(cf).first(cf.size() - 64)));
  const Bytes th3 = reference_sha512(before + cf);
  EXPECT_EQ(copy(finish->psk_mac), reference_hmac(expected.finish_key, th2));
  EXPECT_EQ(copy(finish->finish_mac), reference_hmac(expected.of("fin d", th2, 32), th2));
  if (mutual()) {
    const Bytes signed_bytes =
      text(std::string("PQM2 drone auth\0", 16)) +
      reference_sha512(before + copy(ByteView(cf).first(finish->signed_size)));
    EXPECT_TRUE(verify(suite_.signature, signed_bytes, finish->signature, drone_key));
  }

  // ServerFinish, and keys that an independent AEAD opens datagrams with.
  auto complete = run<HandshakeComplete>(CompleteHandshake{
    &suite_, mode(), mutual() ? ids_.drone_keys.begin()->second : nullptr, psk, resumption,
    std::move(made.transcript), std::move(made.kem_secret_key), std::move(made.x25519), cf});
  EXPECT_EQ(copy(mac_of(complete.message)), reference_hmac(expected.of("fin g", th2, 32), th3));
  EXPECT_EQ(copy(complete.secrets.session.bytes), expected.of("sid", th3, 8));
  EpochKeys gcs(
    suite_, complete.secrets.session, Epoch{0xb7}, Role::gcs, std::move(complete.secrets), 64,
    Instant{});
  for (std::size_t size = 0; size < 300; ++size) {
    Bytes frame(size + 38, 0x5a);
    ASSERT_TRUE(gcs.seal(FrameType::data, frame));
    const auto opened =
      reference_open(frame, true, expected.of("g2d key", th3, 32), expected.of("g2d iv", th3, 12));
    ASSERT_TRUE(opened) << size;
    EXPECT_EQ(*opened, filled(size, 0x5a));
  }
}

std::string name_of(const testing::TestParamInfo<Transcript::ParamType> & info)
{
  std::string name = std::get<0>(info.param) ? "hybrid" : "plain";
  name += std::get<1>(info.param) ? "_mutual" : "_psk";
  name += std::get<2>(info.param) ? "_ahead" : "_live";
  return name + (std::get<3>(info.param) ? "_rekey" : "_first");
}

INSTANTIATE_TEST_SUITE_P(
  EveryMode, Transcript,
  testing::Combine(testing::Bool(), testing::Bool(), testing::Bool(), testing::Bool()), name_of);

}  // namespace
}  // namespace pqc_tunnel::test
