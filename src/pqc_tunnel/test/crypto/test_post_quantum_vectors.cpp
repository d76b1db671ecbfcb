// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <oqs/oqs.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <memory>
#include <span>
#include <string>

#include "crypto/hkdf.hpp"
#include "crypto/kem.hpp"
#include "crypto/oqs_random.hpp"
#include "crypto/signature.hpp"
#include "support/hex.hpp"
#include "support/known_answers/given_random.hpp"
#include "support/known_answers/served.hpp"
#include "support/known_answers/vector_file.hpp"

// The files have the SHA-256 of each key, ciphertext or signature that is only compared.

namespace pqc_tunnel
{
namespace
{

using test::from_hex;
using test::GivenRandom;
using test::VectorRecord;

// "ml_kem_768" from "ML-KEM-768"
template <class Algorithm>
std::string file_stem(Algorithm algorithm)
{
  std::string stem(display_name(algorithm));
  for (auto & letter : stem) {
    letter = letter == '-' ? '_' : static_cast<char>(std::tolower(letter));
  }
  return stem;
}

template <class Algorithm>
auto vectors(Algorithm algorithm, const std::string & operation)
{
  return test::read_vectors(
    std::string(PQC_TUNNEL_UNPACKED_VECTORS) + "/" + file_stem(algorithm) + "_" + operation +
    ".txt");
}

constexpr KemAlgorithm ml_kems[] = {
  KemAlgorithm::ml_kem_512, KemAlgorithm::ml_kem_768, KemAlgorithm::ml_kem_1024};
constexpr SignatureAlgorithm ml_dsas[] = {
  SignatureAlgorithm::ml_dsa_44, SignatureAlgorithm::ml_dsa_65, SignatureAlgorithm::ml_dsa_87};
constexpr SignatureAlgorithm slh_dsas[] = {
  SignatureAlgorithm::slh_dsa_128s, SignatureAlgorithm::slh_dsa_192s,
  SignatureAlgorithm::slh_dsa_256s, SignatureAlgorithm::slh_dsa_128f,
  SignatureAlgorithm::slh_dsa_192f, SignatureAlgorithm::slh_dsa_256f};

// Each test with each library that has the algorithm.
template <class Algorithm>
class Vectors : public testing::TestWithParam<test::Served<Algorithm>>
{
protected:
  void SetUp() override
  {
    if (!by_.reason().empty()) {
      GTEST_SKIP() << by_.reason();
    }
  }

  Algorithm algorithm() const { return this->GetParam().algorithm; }
  bool by_openssl() const { return this->GetParam().library == Library::openssl; }

private:
  const test::ServedBy by_{this->GetParam()};
};

bool is_valid(const VectorRecord & record) { return record.text("kind").starts_with("valid"); }

std::string trace(const VectorRecord & record)
{
  return record.text("id") + ", " + record.text("kind");
}

Bytes digest(ByteView bytes)
{
  const auto hash = sha256(bytes);
  return {hash.begin(), hash.end()};
}

Bytes shake128(ByteView input, std::size_t size)
{
  Bytes output(size);
  EVP_MD_CTX * const context = EVP_MD_CTX_new();
  EVP_DigestInit_ex(context, EVP_shake128(), nullptr);
  EVP_DigestUpdate(context, input.data(), input.size());
  EVP_DigestFinalXOF(context, output.data(), output.size());
  EVP_MD_CTX_free(context);
  return output;
}

// The bytes of a generator, and a hash of all results, as the accumulated tests of CCTV prescribe.
class Accumulated
{
public:
  explicit Accumulated(std::size_t bytes) : random_(shake128({}, bytes)) {}

  Bytes draw(std::size_t size)
  {
    const auto begin = random_.begin() + static_cast<std::ptrdiff_t>(used_);
    used_ += size;
    return {begin, begin + static_cast<std::ptrdiff_t>(size)};
  }
  void add(ByteView result) { results_.insert(results_.end(), result.begin(), result.end()); }
  Bytes hash() const { return shake128(results_, 32); }

private:
  Bytes random_;
  std::size_t used_ = 0;
  Bytes results_;
};

class MlKemVectors : public Vectors<KemAlgorithm>
{
protected:
  Result<KemKeyPair> pair_of(const Bytes & seed) const
  {
    GivenRandom random(seed);
    auto pair = kem_.keygen(random);
    EXPECT_EQ(random.remaining(), 0u);
    return pair;
  }

  Kem kem_ = Kem::open(algorithm()).value();
};

TEST_P(MlKemVectors, key_generation_gives_the_known_answers)
{
  for (const auto & record : vectors(algorithm(), "keygen")) {
    SCOPED_TRACE(trace(record));
    const auto pair = pair_of(record.bytes("seed"));
    ASSERT_TRUE(pair);
    EXPECT_EQ(digest(pair->public_key), record.bytes("ek"));
    EXPECT_EQ(digest(pair->secret_key.view()), record.bytes("dk"));
  }
}

TEST_P(MlKemVectors, encapsulation_gives_the_known_answers_and_refuses_bad_keys)
{
  for (const auto & record : vectors(algorithm(), "encaps")) {
    SCOPED_TRACE(trace(record));
    GivenRandom message(record.bytes("m"));
    const auto sent = kem_.encapsulate(record.bytes("ek"), message);
    ASSERT_EQ(sent.has_value(), is_valid(record));
    if (sent) {
      EXPECT_EQ(digest(sent->ciphertext), record.bytes("c"));
      EXPECT_TRUE(constant_time_equal(sent->shared_secret.view(), record.bytes("K")));
    } else {
      EXPECT_EQ(sent.error().code, ErrorCode::invalid_argument);
    }
  }
}

TEST_P(MlKemVectors, decapsulation_gives_the_known_answers_and_refuses_bad_keys)
{
  constexpr std::size_t seed_size = 64;
  for (const auto & record : vectors(algorithm(), "decaps")) {
    SCOPED_TRACE(trace(record));
    if (record.has("seed") && record.bytes("seed").size() != seed_size) {
      EXPECT_FALSE(is_valid(record));
      continue;
    }
    const SecretBytes key = record.has("seed")
                              ? std::move(pair_of(record.bytes("seed"))->secret_key)
                              : SecretBytes::copy_of(record.bytes("dk"));
    const auto received = kem_.decapsulate(record.bytes("c"), key);
    ASSERT_EQ(received.has_value(), is_valid(record));
    if (received) {
      EXPECT_TRUE(constant_time_equal(received->view(), record.bytes("K")));
    }
  }
}

// The accumulated hashes that CCTV has are those of a draft: its keys lack the last change of FIPS 203.
TEST_P(MlKemVectors, ten_thousand_exchanges_give_the_accumulated_hash_of_go)
{
  if (algorithm() != KemAlgorithm::ml_kem_768) {
    GTEST_SKIP() << "Go has one of ML-KEM-768";
  }
  constexpr std::size_t rounds = 10'000;
  const std::size_t ciphertext = kem_sizes(algorithm()).ciphertext;
  Accumulated all(rounds * (96 + ciphertext));
  for (std::size_t i = 0; i < rounds; ++i) {
    GivenRandom seed(all.draw(64));
    const auto pair = kem_.keygen(seed);
    GivenRandom message(all.draw(32));
    const auto sent = kem_.encapsulate(pair->public_key, message);
    const auto received = kem_.decapsulate(sent->ciphertext, pair->secret_key);
    ASSERT_TRUE(constant_time_equal(received->view(), sent->shared_secret.view()));
    const auto rejected = kem_.decapsulate(all.draw(ciphertext), pair->secret_key);
    all.add(pair->public_key);
    all.add(sent->ciphertext);
    all.add(sent->shared_secret.view());
    all.add(rejected->view());
  }
  EXPECT_EQ(
    all.hash(), from_hex("8a518cc63da366322a8e7a818c7a0d63483cb3528d34a4cf42f35d5ad73f22fc"));
}

INSTANTIATE_TEST_SUITE_P(
  All, MlKemVectors, testing::ValuesIn(test::served(std::span<const KemAlgorithm>(ml_kems))),
  test::name_of_served<KemAlgorithm>);

class MlDsaVectors : public Vectors<SignatureAlgorithm>
{
protected:
  // The tunnel uses no context string: liboqs itself is called with one.
  Result<Bytes> sign_with(
    const Bytes & context, const Bytes & message, const SecretBytes & key, RandomSource & hedge)
  {
    if (context.empty()) {
      return sign(algorithm(), message, key, hedge);
    }
    const ScopedRandom scope(hedge);
    Bytes signature(handle_->length_signature);
    std::size_t size = 0;
    if (
      key.size() != handle_->length_secret_key ||
      OQS_SIG_sign_with_ctx_str(
        handle_.get(), signature.data(), &size, message.data(), message.size(), context.data(),
        context.size(), key.view().data()) != OQS_SUCCESS)
    {
      return fail(ErrorCode::invalid_argument, "refused");
    }
    return signature;
  }
  bool verify_with(
    const Bytes & context, const Bytes & message, const Bytes & signature, const Bytes & key)
  {
    if (context.empty()) {
      return verify(algorithm(), message, signature, key);
    }
    return OQS_SIG_verify_with_ctx_str(
             handle_.get(), message.data(), message.size(), signature.data(), signature.size(),
             context.data(), context.size(), key.data()) == OQS_SUCCESS;
  }

  const std::unique_ptr<OQS_SIG, decltype(&OQS_SIG_free)> handle_{
    OQS_SIG_new(std::string(display_name(algorithm())).c_str()), &OQS_SIG_free};
};

TEST_P(MlDsaVectors, key_generation_gives_the_known_answers)
{
  for (const auto & record : vectors(algorithm(), "keygen")) {
    SCOPED_TRACE(trace(record));
    GivenRandom seed(record.bytes("seed"));
    const auto pair = generate_signing_key(algorithm(), seed);
    ASSERT_TRUE(pair);
    EXPECT_EQ(digest(pair->public_key), record.bytes("pk"));
    EXPECT_EQ(digest(pair->secret_key.view()), record.bytes("sk"));
  }
}

TEST_P(MlDsaVectors, signing_gives_the_known_answers_and_refuses_bad_keys)
{
  constexpr std::size_t seed_size = 32;
  for (const auto & record : vectors(algorithm(), "sign")) {
    SCOPED_TRACE(trace(record));
    SecretBytes key;
    if (record.has("sk")) {
      key = SecretBytes::copy_of(record.bytes("sk"));
    } else if (const Bytes given = record.bytes("seed"); given.size() == seed_size) {
      GivenRandom seed(given);
      key = std::move(generate_signing_key(algorithm(), seed)->secret_key);
    }
    if (by_openssl() && !record.bytes("ctx").empty()) {
      continue;  // it is called for the tunnel only
    }
    GivenRandom hedge(record.bytes("rnd"));
    const auto signature = sign_with(record.bytes("ctx"), record.bytes("msg"), key, hedge);
    if (record.text("kind") == "invalid InvalidPrivateKey") {
      continue;  // of a right size but out of range: FIPS 204 has no check for a signer's own key
    }
    ASSERT_EQ(signature.has_value(), is_valid(record));
    if (signature) {
      EXPECT_EQ(digest(*signature), record.bytes("sig"));
    }
  }
}

TEST_P(MlDsaVectors, verification_gives_the_known_answers)
{
  for (const auto & record : vectors(algorithm(), "verify")) {
    if (by_openssl() && !record.bytes("ctx").empty()) {
      continue;
    }
    EXPECT_EQ(
      verify_with(
        record.bytes("ctx"), record.bytes("msg"), record.bytes("sig"), record.bytes("pk")),
      is_valid(record))
      << trace(record);
  }
}

TEST_P(MlDsaVectors, a_hundred_signatures_give_the_accumulated_hash_of_cctv)
{
  constexpr std::size_t rounds = 100;
  const std::map<SignatureAlgorithm, const char *> known = {
    {SignatureAlgorithm::ml_dsa_44,
     "d51148e1f9f4fa1a723a6cf42e25f2a99eb5c1b378b3d2dbbd561b1203beeae4"},
    {SignatureAlgorithm::ml_dsa_65,
     "8358a1843220194417cadbc2651295cd8fc65125b5a5c1a239a16dc8b57ca199"},
    {SignatureAlgorithm::ml_dsa_87,
     "8c3ad714777622b8f21ce31bb35f71394f23bc0fcf3c78ace5d608990f3b061b"}};
  Accumulated all(rounds * 32);
  for (std::size_t i = 0; i < rounds; ++i) {
    GivenRandom seed(all.draw(32));
    const auto pair = generate_signing_key(algorithm(), seed);
    ASSERT_TRUE(pair);
    GivenRandom no_hedge(Bytes(32));
    const auto signature = sign(algorithm(), {}, pair->secret_key, no_hedge);
    ASSERT_TRUE(signature);
    EXPECT_TRUE(verify(algorithm(), {}, *signature, pair->public_key));
    all.add(pair->public_key);
    all.add(*signature);
  }
  EXPECT_EQ(all.hash(), from_hex(known.at(algorithm())));
}

INSTANTIATE_TEST_SUITE_P(
  All, MlDsaVectors, testing::ValuesIn(test::served(std::span<const SignatureAlgorithm>(ml_dsas))),
  test::name_of_served<SignatureAlgorithm>);

class SlhDsaVectors : public Vectors<SignatureAlgorithm>
{
};

TEST_P(SlhDsaVectors, key_generation_gives_the_known_answers)
{
  for (const auto & record : vectors(algorithm(), "keygen")) {
    SCOPED_TRACE(trace(record));
    GivenRandom seed(record.bytes("seed"));
    const auto pair = generate_signing_key(algorithm(), seed);
    ASSERT_TRUE(pair);
    EXPECT_EQ(pair->public_key, record.bytes("pk"));
    EXPECT_EQ(digest(pair->secret_key.view()), record.bytes("sk"));
  }
}

TEST_P(SlhDsaVectors, signing_gives_the_known_answers)
{
  for (const auto & record : vectors(algorithm(), "sign")) {
    SCOPED_TRACE(trace(record));
    const SecretBytes key = SecretBytes::copy_of(record.bytes("sk"));
    GivenRandom random(record.bytes("rnd"));
    const auto signature = sign(algorithm(), record.bytes("msg"), key, random);
    ASSERT_TRUE(signature);
    EXPECT_EQ(digest(*signature), record.bytes("sig"));
    const ByteView public_key = key.view().last(key.size() / 2);
    EXPECT_TRUE(verify(algorithm(), record.bytes("msg"), *signature, public_key));
  }
}

INSTANTIATE_TEST_SUITE_P(
  All, SlhDsaVectors,
  testing::ValuesIn(test::served(std::span<const SignatureAlgorithm>(slh_dsas))),
  test::name_of_served<SignatureAlgorithm>);

}  // namespace
}  // namespace pqc_tunnel
