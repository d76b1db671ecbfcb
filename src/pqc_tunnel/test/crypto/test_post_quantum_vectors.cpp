// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cctype>
#include <string>

#include "pqc_tunnel/crypto/kem.hpp"
#include "pqc_tunnel/crypto/signature.hpp"
#include "support/given_random.hpp"
#include "support/vector_file.hpp"

namespace pqc_tunnel
{
namespace
{

using test::GivenRandom;
using test::read_vectors;

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
  return read_vectors(
    std::string(PQC_TUNNEL_TEST_VECTORS) + "/" + file_stem(algorithm) + "_" + operation + ".txt");
}

template <class Algorithm>
std::string test_name(const testing::TestParamInfo<Algorithm> & info)
{
  return std::string(token(info.param));
}

class MlKemVectors : public testing::TestWithParam<KemAlgorithm>
{
};

TEST_P(MlKemVectors, key_generation_agrees_with_wycheproof)
{
  const auto kem = Kem::open(GetParam());
  ASSERT_TRUE(kem);
  for (const auto & record : vectors(GetParam(), "keygen")) {
    GivenRandom seed(record.bytes("seed"));
    const auto pair = kem->keygen(seed);
    ASSERT_TRUE(pair);
    EXPECT_EQ(seed.remaining(), 0u);
    EXPECT_EQ(pair->public_key, record.bytes("ek")) << record.text("id");
    EXPECT_TRUE(constant_time_equal(pair->secret_key.view(), record.bytes("dk")));
  }
}

TEST_P(MlKemVectors, encapsulation_agrees_with_wycheproof)
{
  const auto kem = Kem::open(GetParam());
  ASSERT_TRUE(kem);
  for (const auto & record : vectors(GetParam(), "encaps")) {
    SCOPED_TRACE("case " + record.text("id") + ", " + record.text("kind"));
    GivenRandom message(record.bytes("m"));
    const auto sent = kem->encapsulate(record.bytes("ek"), message);
    ASSERT_EQ(sent.has_value(), record.text("kind").starts_with("valid"));
    if (sent) {
      EXPECT_EQ(sent->ciphertext, record.bytes("c"));
      EXPECT_TRUE(constant_time_equal(sent->shared_secret.view(), record.bytes("K")));
    } else {
      EXPECT_EQ(sent.error().code, ErrorCode::invalid_argument);
    }
  }
}

TEST_P(MlKemVectors, decapsulation_agrees_with_wycheproof)
{
  const auto kem = Kem::open(GetParam());
  ASSERT_TRUE(kem);
  for (const auto & record : vectors(GetParam(), "decaps")) {
    SCOPED_TRACE("case " + record.text("id") + ", " + record.text("kind"));
    const Bytes seed_bytes = record.bytes("seed");
    if (seed_bytes.size() != 64) {
      EXPECT_TRUE(record.text("kind").starts_with("invalid"));
      continue;
    }
    GivenRandom seed(seed_bytes);
    const auto pair = kem->keygen(seed);
    ASSERT_TRUE(pair);
    const auto received = kem->decapsulate(record.bytes("c"), pair->secret_key);
    ASSERT_EQ(received.has_value(), record.text("kind").starts_with("valid"));
    if (received) {
      EXPECT_EQ(pair->public_key, record.bytes("ek"));
      EXPECT_TRUE(constant_time_equal(received->view(), record.bytes("K")));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
  All, MlKemVectors,
  testing::Values(KemAlgorithm::ml_kem_512, KemAlgorithm::ml_kem_768, KemAlgorithm::ml_kem_1024),
  test_name<KemAlgorithm>);

class MlDsaVectors : public testing::TestWithParam<SignatureAlgorithm>
{
};

TEST_P(MlDsaVectors, keys_and_signatures_agree_with_wycheproof)
{
  for (const auto & record : vectors(GetParam(), "sign")) {
    SCOPED_TRACE("case " + record.text("id") + ", " + record.text("kind"));
    GivenRandom seed(record.bytes("seed"));
    const auto pair = generate_signing_key(GetParam(), seed);
    ASSERT_TRUE(pair);
    EXPECT_EQ(pair->public_key, record.bytes("pk"));
    GivenRandom hedge(record.bytes("rnd"));
    const auto signature = sign(GetParam(), record.bytes("msg"), pair->secret_key, hedge);
    ASSERT_TRUE(signature);
    EXPECT_EQ(*signature, record.bytes("sig"));
  }
}

TEST_P(MlDsaVectors, verification_agrees_with_wycheproof)
{
  for (const auto & record : vectors(GetParam(), "verify")) {
    EXPECT_EQ(
      verify(GetParam(), record.bytes("msg"), record.bytes("sig"), record.bytes("pk")),
      record.text("kind").starts_with("valid"))
      << record.text("id") << " " << record.text("kind");
  }
}

INSTANTIATE_TEST_SUITE_P(
  All, MlDsaVectors,
  testing::Values(
    SignatureAlgorithm::ml_dsa_44, SignatureAlgorithm::ml_dsa_65, SignatureAlgorithm::ml_dsa_87),
  test_name<SignatureAlgorithm>);

}  // namespace
}  // namespace pqc_tunnel
