// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "protocol/wire/key_schedule.hpp"

#include <gtest/gtest.h>

#include <set>

#include "crypto/signature.hpp"
#include "protocol/handshake/handshake_crypto.hpp"
#include "protocol/handshake/hello_messages.hpp"
#include "protocol/rekey/ratchet.hpp"
#include "protocol/session/epoch_keys.hpp"
#include "support/identities.hpp"
#include "support/known_answers/reference_schedule.hpp"

namespace pqc_tunnel::test
{
namespace
{

Bytes filled(std::size_t size, std::uint8_t value) { return Bytes(size, value); }

template <class Array>
Array array_of(std::uint8_t value)
{
  Array array;
  array.fill(value);
  return array;
}

Psk psk() { return Psk(array_of<std::array<std::uint8_t, 32>>(0x05)); }
ReferenceHash reference(Hash hash)
{
  return hash == Hash::sha384 ? ReferenceHash::sha384 : ReferenceHash::sha256;
}
std::size_t size_of(Hash hash) { return hash == Hash::sha384 ? 48 : 32; }

struct Cipher
{
  AeadAlgorithm aead;
  std::size_t key_size;
  std::size_t iv_size;
};
constexpr Cipher ciphers[] = {
  {AeadAlgorithm::aes_256_gcm, 32, 12},
  {AeadAlgorithm::chacha20_poly1305, 32, 12},
  {AeadAlgorithm::ascon_128a, 16, 16},
  {AeadAlgorithm::ascon_aead128, 16, 16},
};

Bytes id_bytes(FrameKeyId id)
{
  const auto number = static_cast<std::uint32_t>(id);
  return {
    static_cast<std::uint8_t>(number >> 16), static_cast<std::uint8_t>(number >> 8),
    static_cast<std::uint8_t>(number)};
}

Bytes of_22_bits(Bytes bytes)
{
  bytes[0] &= 0x3f;
  return bytes;
}

class KeySchedule : public testing::TestWithParam<Hash>
{
protected:
  Hash hash() const { return GetParam(); }
  std::size_t n() const { return size_of(hash()); }
  PskKeys keys() const { return PskKeys::derive(psk(), hash()); }
  ReferenceSchedule expected() const { return {reference(hash()), filled(32, 0x05)}; }

  template <class Of>
  void expect_directions(
    const EpochSecrets & made, const Cipher & c, const Bytes & context, Of && of)
  {
    EXPECT_EQ(copy(made.drone_to_gcs_key.view()), of("d2g key", context, c.key_size));
    EXPECT_EQ(copy(made.gcs_to_drone_key.view()), of("g2d key", context, c.key_size));
    EXPECT_EQ(copy(made.drone_to_gcs_iv.view()), of("d2g iv", context, c.iv_size));
    EXPECT_EQ(copy(made.gcs_to_drone_iv.view()), of("g2d iv", context, c.iv_size));
    EXPECT_EQ(id_bytes(made.drone_to_gcs_id), of_22_bits(of("d2g id", context, 3)));
    EXPECT_EQ(id_bytes(made.gcs_to_drone_id), of_22_bits(of("g2d id", context, 3)));
  }
};

TEST_P(KeySchedule, derives_the_keys_of_the_psk_as_the_protocol_page_specifies)
{
  const PskKeys made = keys();
  EXPECT_EQ(copy(made.hello.view()), expected().hello_key);
  EXPECT_EQ(copy(made.retry.view()), expected().retry_key);
  EXPECT_EQ(copy(made.finish.view()), expected().finish_key);
  EXPECT_EQ(copy(made.boot.view()), expected().boot);
}

TEST(Ciphers, each_one_is_tested_here)
{
  EXPECT_TRUE(std::ranges::equal(ciphers, all_aeads(), {}, &Cipher::aead));
}

TEST_P(KeySchedule, derives_boot_keys_as_the_protocol_page_specifies)
{
  const auto random = array_of<Random32>(0x11);
  const auto challenge = array_of<Random32>(0x22);
  const Bytes secret = expected().boot_secret(copy(random), copy(challenge));
  for (const Cipher & c : ciphers) {
    expect_directions(
      boot_secrets(keys(), c.aead, random, challenge), c, {},
      [&](const std::string & label, const Bytes & context, std::size_t size) {
        return reference_expand_label(reference(hash()), secret, label, context, size);
      });
  }
}

TEST_P(KeySchedule, derives_everything_of_an_epoch_as_the_protocol_page_specifies)
{
  const Bytes kem_secret = filled(64, 0x44);  // HQC's shared secrets have 64 bytes
  const Bytes x25519 = filled(32, 0x55);
  for (const bool hybrid : {false, true}) {
    for (const bool rekey : {false, true}) {
      const Bytes resumption = filled(rekey ? 48 : 0, 0x33);
      ReferenceSchedule schedule = expected();
      schedule.agree(
        kem_secret, hybrid ? x25519 : Bytes{}, rekey ? std::optional(resumption) : std::nullopt);
      const SecretBytes kem = SecretBytes::copy_of(kem_secret);
      const SecretBytes classical = SecretBytes::copy_of(x25519);
      const ResumedSecret resumed =
        rekey ? ResumedSecret::of_rekey(keys(), SecretBytes::copy_of(resumption))
              : ResumedSecret::of_session(keys(), {}, {});
      const HandshakeSecrets secrets(resumed, kem, hybrid ? &classical : nullptr);
      const auto th2 = array_of<Digest>(2);
      const auto th3 = array_of<Digest>(3);
      EXPECT_EQ(copy(secrets.drone_finish_key(th2).view()), schedule.of("fin d", copy(th2), n()));
      EXPECT_EQ(copy(secrets.gcs_finish_key(th2).view()), schedule.of("fin g", copy(th2), n()));
      for (const Cipher & c : ciphers) {
        const EpochSecrets made = secrets.epoch_secrets(c.aead, th3);
        expect_directions(
          made, c, copy(th3),
          [&](const std::string & label, const Bytes & context, std::size_t size) {
            return schedule.of(label, context, size);
          });
        EXPECT_EQ(copy(made.session.bytes), schedule.of("sid", copy(th3), 8));
        EXPECT_EQ(copy(made.resumption.view()), schedule.of("rms", copy(th3), n()));
        EXPECT_EQ(made.transcript, th3);
      }
    }
  }
}

TEST_P(KeySchedule, mixes_anchor_and_former_session_into_a_new_one_as_the_protocol_page_specifies)
{
  const Bytes kem_secret = filled(32, 0x44);
  const Bytes anchor = filled(32, 0x66);
  for (const std::size_t former_size : {std::size_t{0}, std::size_t{32}, std::size_t{48}}) {
    for (const bool anchored : {false, true}) {
      if (!anchored && former_size == 0) {
        continue;
      }
      const Bytes former = filled(former_size, 0x33);
      const std::uint8_t size = anchored ? 32 : 0;
      ReferenceSchedule schedule = expected();
      schedule.agree(
        kem_secret, {},
        Bytes{0, size} + (anchored ? anchor : Bytes{}) +
          Bytes{0, static_cast<std::uint8_t>(former_size)} + former);
      const ResumedSecret resumed = ResumedSecret::of_session(
        keys(), anchored ? SecretBytes::copy_of(anchor) : SecretBytes(),
        SecretBytes::copy_of(former));
      const HandshakeSecrets secrets(resumed, SecretBytes::copy_of(kem_secret), nullptr);
      const auto th2 = array_of<Digest>(2);
      EXPECT_EQ(copy(secrets.drone_finish_key(th2).view()), schedule.of("fin d", copy(th2), n()));
    }
  }
}

TEST_P(KeySchedule, names_a_former_session_as_the_protocol_page_specifies)
{
  const Bytes former = filled(n(), 0x33);
  const Hash hash_here = GetParam();
  EXPECT_EQ(
    copy(former_id(hash_here, SecretBytes::copy_of(former)).bytes),
    reference_expand_label(reference(hash_here), former, "former", {}, 8));
}

TEST_P(KeySchedule, derives_different_bytes_for_each_purpose_and_direction)
{
  const HandshakeSecrets secrets(
    ResumedSecret::of_session(keys(), {}, {}), SecretBytes::copy_of(filled(32, 0x44)), nullptr);
  const auto th3 = array_of<Digest>(3);
  const EpochSecrets made = secrets.epoch_secrets(AeadAlgorithm::aes_256_gcm, th3);
  const PskKeys of_psk = keys();
  const SecretBytes finish_drone = secrets.drone_finish_key(th3);
  const SecretBytes finish_gcs = secrets.gcs_finish_key(th3);
  std::set<Bytes> all;
  for (const SecretBytes * secret :
       {&of_psk.hello, &of_psk.retry, &of_psk.finish, &of_psk.boot, &of_psk.derived, &finish_drone,
        &finish_gcs, &made.resumption, &made.drone_to_gcs_iv, &made.gcs_to_drone_iv,
        &made.drone_to_gcs_key, &made.gcs_to_drone_key})
  {
    all.insert(copy(secret->view().first(12)));
  }
  EXPECT_EQ(all.size(), 12u);
}

INSTANTIATE_TEST_SUITE_P(
  EveryHash, KeySchedule, testing::Values(Hash::sha256, Hash::sha384),
  [](const auto & test) { return test.param == Hash::sha384 ? "sha384" : "sha256"; });

TEST(HashOfASuite, is_sha384_at_level_5_whatever_the_revision)
{
  for (const Suite & suite : registry().all()) {
    EXPECT_EQ(
      hash_of(suite.wire_id), suite.level == SecurityLevel::l5 ? Hash::sha384 : Hash::sha256);
  }
  EXPECT_EQ(hash_of({99, 0x23, 0, 0, 0}), Hash::sha384);
  EXPECT_EQ(hash_of({99, 0x22, 0, 0, 0}), Hash::sha256);
}

// A whole exchange, job by job, with everything that the page prescribes worked out beside it.
class Transcript : public testing::TestWithParam<std::tuple<bool, bool, bool, bool>>
{
protected:
  bool hybrid() const { return std::get<0>(GetParam()); }
  bool mutual() const { return std::get<1>(GetParam()); }
  bool rekey() const { return std::get<2>(GetParam()); }
  HandshakeMode mode() const { return {hybrid(), mutual()}; }
  const Suite & of() const
  {
    return suite(
      std::get<3>(GetParam()) ? "cs-mlkem1024-chacha20poly1305-mldsa87"
                              : "cs-mlkem512-chacha20poly1305-mldsa44");
  }

  template <class T>
  T run(Job job)
  {
    return std::get<T>(run_job(std::move(job), random_));
  }

  SeededRandom random_{11};
};

TEST_P(Transcript, macs_signatures_and_keys_are_those_of_the_page)
{
  const Suite & suite = of();
  const Identities & ids = Identities::for_signature(suite.signature);
  const auto psk_keys = std::make_shared<const PskKeySet>(PskKeySet::derive(psk()));
  const ReferenceHash hash = reference(hash_of(suite.wire_id));
  ReferenceSchedule expected(hash, filled(32, 0x05));
  const Bytes resumption = filled(rekey() ? 32 : 0, 0x33);

  Bytes opening;
  if (rekey()) {
    RekeyOpening about;
    about.suite = suite.wire_id;
    opening = encode(about);
  } else {
    ClientHello hello;
    hello.suite = suite.wire_id;
    opening = encode(hello);
    append_mac(opening, psk_keys->of(suite.wire_id), psk_keys->of(suite.wire_id).hello);
    EXPECT_EQ(
      copy(mac_of(opening)), reference_mac(hash, expected.hello_key, copy(without_mac(opening))));
  }

  // Prekey
  const Digest bind = bind_to_hello(opening);
  EXPECT_EQ(copy(bind), reference_sha512(opening));
  auto issued = run<IssuedPrekey>(IssuePrekey{
    MakePrekey{&suite, mode(), ids.gcs.id, KeyId{{9}}, ids.gcs.signing_keys.begin()->second},
    std::nullopt, bind});
  const auto prekey = parse_prekey(issued.message, suite, mode());
  ASSERT_TRUE(prekey);
  const auto & id = suite.wire_id;
  const Bytes covered = text(std::string("PQM3 prekey\0", 12)) +
                        Bytes{id.kem, id.kem_param, id.sig, id.sig_param, prekey->mode} +
                        copy(prekey->key_id.bytes) + copy(ids.gcs.id.bytes) +
                        copy(prekey->x25519_key) + reference_sha512(copy(prekey->public_key)) +
                        copy(bind);
  EXPECT_TRUE(verify(suite.signature, covered, prekey->signature, *ids.gcs_keys.begin()->second));
  const std::size_t key_at = 1 + 16 + 4 + 1 + (hybrid() ? 32u : 0u);
  const ByteView sent(issued.message);
  const Bytes digested = copy(sent.first(key_at)) + reference_sha512(copy(prekey->public_key)) +
                         copy(sent.subspan(key_at + kem_sizes(suite.kem).public_key));

  // Finish
  auto verified = run<VerifiedPrekey>(
    VerifyPrekey{&suite, mode(), ids.gcs.id, ids.gcs_keys.begin()->second, bind, issued.message});
  const auto made = run<FinishMade>(MakeFinish{
    &suite,
    mode(),
    psk_keys,
    {SecretBytes::copy_of(resumption), {}},
    mutual() ? ids.drone_signing_keys.begin()->second : nullptr,
    opening,
    std::move(verified)});
  const auto finish = parse_finish(made.finish, suite, mode());
  ASSERT_TRUE(finish);
  const SecretBytes kem_secret = Kem::open(suite.kem)
                                   .value()
                                   .decapsulate(finish->ciphertext, issued.secret.kem_secret_key)
                                   .value();
  const Bytes x25519 =
    hybrid() ? copy(x25519_shared_secret(*issued.secret.x25519, finish->x25519_key).value().view())
             : Bytes{};
  expected.agree(
    copy(kem_secret.view()), x25519, rekey() ? std::optional(resumption) : std::nullopt);
  const Bytes before = opening + digested;
  const Bytes th2 = reference_sha512(before + copy(finish->before_macs));
  const Bytes th3 = reference_sha512(before + made.finish);
  const std::size_t n = reference_size(hash);
  EXPECT_EQ(copy(finish->psk_mac), reference_mac(hash, expected.finish_key, th2));
  EXPECT_EQ(copy(finish->finish_mac), reference_mac(hash, expected.of("fin d", th2, n), th2));
  if (mutual()) {
    const Bytes signed_bytes = text(std::string("PQM3 drone auth\0", 16)) +
                               reference_sha512(before + copy(finish->signed_part));
    EXPECT_TRUE(
      verify(suite.signature, signed_bytes, finish->signature, *ids.drone_keys.begin()->second));
  }

  // CONFIRM, and keys that an independent AEAD opens datagrams with.
  auto completed = run<FinishCompleted>(CompleteFinish{
    &suite,
    mode(),
    psk_keys,
    {SecretBytes::copy_of(resumption), {}},
    mutual() ? ids.drone_keys.begin()->second : nullptr,
    opening,
    std::move(issued.secret),
    made.finish});
  EXPECT_EQ(copy(completed.confirmation), reference_mac(hash, expected.of("fin g", th2, n), th3));
  EXPECT_EQ(completed.confirmation, made.confirmation);
  EXPECT_EQ(copy(completed.secrets.session.bytes), expected.of("sid", th3, 8));
  EpochKeys gcs(
    EpochName{&suite, completed.secrets.session, Epoch{0xb7}}, Role::gcs,
    std::move(completed.secrets), TunnelSettings{}, Instant{}, std::make_shared<PeerClock>());
  for (std::size_t size = 0; size < 300; ++size) {
    Bytes frame(size + 25, 0x5a);
    ASSERT_TRUE(gcs.seal(FrameKind::stream, frame, Instant{std::chrono::seconds(1025)}));
    const auto opened = reference_open(
      frame, true, expected.of("g2d key", th3, 32), expected.of("g2d iv", th3, 12), 0xb7);
    ASSERT_TRUE(opened) << size;
    EXPECT_EQ(*opened, (filled(size, 0x5a) + Bytes{0, 64, 3}));  // the time, and the kind
    EXPECT_EQ(frame[0] >> 6, 1);
    EXPECT_EQ(
      of_22_bits(Bytes(frame.begin(), frame.begin() + 3)),
      of_22_bits(expected.of("g2d id", th3, 3)));
  }
}

std::string name_of(const testing::TestParamInfo<Transcript::ParamType> & info)
{
  std::string name = std::get<0>(info.param) ? "hybrid" : "plain";
  name += std::get<1>(info.param) ? "_mutual" : "_psk";
  name += std::get<2>(info.param) ? "_rekey" : "_first";
  return name + (std::get<3>(info.param) ? "_sha384" : "_sha256");
}

INSTANTIATE_TEST_SUITE_P(
  EveryMode, Transcript,
  testing::Combine(testing::Bool(), testing::Bool(), testing::Bool(), testing::Bool()), name_of);

void expect_ratchet_of_the_page(const Suite & of, const Bytes & anchor, const Bytes & secret)
{
  const ReferenceHash hash = reference(hash_of(of.wire_id));
  const std::size_t n = reference_size(hash);
  const PskKeySet keys = PskKeySet::derive(psk());
  EpochSecrets live_secrets = boot_secrets(keys.sha256, of.aead, {}, {});
  const Bytes rms = filled(48, 0x33);
  live_secrets.resumption = SecretBytes::copy_of(rms);
  const EpochKeys live(
    EpochName{&of, SessionId{{1, 2, 3}}, Epoch{4}}, Role::drone, std::move(live_secrets),
    TunnelSettings{}, Instant{}, std::make_shared<PeerClock>());
  const Ratchet ratchet{Epoch{5}, array_of<Random32>(0x11), {}, anchor};
  const auto answer = array_of<Random32>(0x22);
  const SecretBytes shared = SecretBytes::copy_of(secret);
  const Bytes said = copy(live.id().bytes) + Bytes{5} + copy(ratchet.random) + anchor;

  ReferenceSchedule expected(hash, filled(32, 0x05));
  const auto mac_of = [&](const char * label, const Bytes & text) {
    const Bytes key = reference_expand_label(hash, expected.resumed_secret, label, {}, n);
    return reference_mac(hash, key, text);
  };
  expected.ratchet(rms, copy(ratchet.random), copy(answer));
  EXPECT_EQ(copy(ratchet_mac(keys, live, ratchet)), mac_of("rat d", said));
  if (!anchor.empty()) {
    const Bytes mixed = Bytes{0, 32} + secret + Bytes{0, 48} + rms;
    expected.ratchet(mixed, copy(ratchet.random), copy(answer));
  }
  EXPECT_EQ(
    copy(ratchet_ok_mac(keys, live, ratchet, answer, shared)),
    mac_of("rat g", said + copy(answer)));
  const EpochSecrets made = ratchet_secrets(keys, live, ratchet, answer, shared);
  const Bytes th3 = reference_sha512(text("ratchet") + said + copy(answer));
  EXPECT_EQ(copy(made.transcript), th3);
  EXPECT_EQ(copy(made.drone_to_gcs_key.view()), expected.of("d2g key", th3, 32));
  EXPECT_EQ(copy(made.resumption.view()), expected.of("rms", th3, n));
}

TEST(Ratchet, macs_and_keys_are_those_of_the_page_with_and_without_a_one_time_key)
{
  for (const char * id : {"cs-mlkem512-aesgcm-mldsa44", "cs-mlkem1024-aesgcm-mldsa87"}) {
    expect_ratchet_of_the_page(suite(id), {}, {});
    expect_ratchet_of_the_page(suite(id), filled(4 + 156, 0x77), filled(32, 0x66));
  }
}

TEST(PrekeySentAhead, is_bound_to_drone_session_and_its_transcript)
{
  const DroneId drone{{1}};
  const SessionId session{{2}};
  const auto transcript = array_of<Digest>(3);
  EXPECT_EQ(
    copy(bind_to_session(drone, session, transcript)),
    reference_sha512(text("ahead") + copy(drone.bytes) + copy(session.bytes) + copy(transcript)));
}

}  // namespace
}  // namespace pqc_tunnel::test
