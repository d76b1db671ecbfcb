// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "crypto/kem.hpp"
#include "crypto/signature.hpp"
#include "support/deterministic_random.hpp"
#include "support/known_answers/served.hpp"

// Where OpenSSL and liboqs both have an algorithm, keys and texts of one are those of the other.

namespace pqc_tunnel
{
namespace
{

using test::DeterministicRandom;
using test::ServedBy;

constexpr Library libraries[] = {Library::openssl, Library::liboqs};

template <class Algorithm>
class BothLibraries : public testing::TestWithParam<Algorithm>
{
protected:
  void SetUp() override
  {
    for (const Library library : libraries) {
      const ServedBy by(test::Served<Algorithm>{this->GetParam(), library});
      if (!by.reason().empty()) {
        GTEST_SKIP() << by.reason();
      }
    }
  }
  void TearDown() override { prefer(std::nullopt); }
};

template <class Algorithm>
std::vector<Algorithm> of_both(std::span<const Algorithm> algorithms)
{
  std::vector<Algorithm> found;
  for (const Algorithm algorithm : algorithms) {
    if (spec(algorithm).implementations[0].library == Library::openssl) {
      found.push_back(algorithm);
    }
  }
  return found;
}

template <class Algorithm>
std::string test_name(const testing::TestParamInfo<Algorithm> & info)
{
  return std::string(token(info.param));
}

class KemOfBoth : public BothLibraries<KemAlgorithm>
{
};

TEST_P(KemOfBoth, makes_the_same_keys_of_the_same_random_bytes)
{
  std::vector<KemKeyPair> pairs;
  for (const Library library : libraries) {
    prefer(library);
    DeterministicRandom random(1);
    pairs.push_back(Kem::open(GetParam())->keygen(random).value());
  }
  EXPECT_EQ(pairs[0].public_key, pairs[1].public_key);
  EXPECT_TRUE(constant_time_equal(pairs[0].secret_key.view(), pairs[1].secret_key.view()));
}

TEST_P(KemOfBoth, opens_with_the_key_of_one_what_the_other_encapsulated)
{
  DeterministicRandom random(2);
  for (const Library maker : libraries) {
    for (const Library sender : libraries) {
      for (const Library receiver : libraries) {
        prefer(maker);
        const auto pair = Kem::open(GetParam())->keygen(random);
        prefer(sender);
        auto sent = Kem::open(GetParam())->encapsulate(pair->public_key, random);
        prefer(receiver);
        const Kem kem = Kem::open(GetParam()).value();
        const auto received = kem.decapsulate(sent->ciphertext, pair->secret_key);
        EXPECT_TRUE(constant_time_equal(received->view(), sent->shared_secret.view()));

        // What is rejected gives the same secret at both, too.
        sent->ciphertext.front() ^= 1;
        const auto rejected = kem.decapsulate(sent->ciphertext, pair->secret_key);
        prefer(sender);
        const auto also = Kem::open(GetParam())->decapsulate(sent->ciphertext, pair->secret_key);
        EXPECT_TRUE(constant_time_equal(rejected->view(), also->view()));
        EXPECT_FALSE(constant_time_equal(rejected->view(), sent->shared_secret.view()));
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
  All, KemOfBoth, testing::ValuesIn(of_both(all_kems())), test_name<KemAlgorithm>);

class SignatureOfBoth : public BothLibraries<SignatureAlgorithm>
{
};

TEST_P(SignatureOfBoth, makes_the_same_keys_and_signatures_of_the_same_random_bytes)
{
  const Bytes message(64, 0x5a);
  std::vector<SigningKeyPair> pairs;
  std::vector<Bytes> signatures;
  for (const Library library : libraries) {
    prefer(library);
    DeterministicRandom random(1);
    pairs.push_back(generate_signing_key(GetParam(), random).value());
    signatures.push_back(sign(GetParam(), message, pairs.back().secret_key, random).value());
  }
  EXPECT_EQ(pairs[0].public_key, pairs[1].public_key);
  EXPECT_TRUE(constant_time_equal(pairs[0].secret_key.view(), pairs[1].secret_key.view()));
  EXPECT_EQ(signatures[0], signatures[1]);
}

TEST_P(SignatureOfBoth, verifies_in_one_what_the_other_signed_with_the_key_of_either)
{
  DeterministicRandom random(2);
  Bytes message(64, 0x5a);
  for (const Library maker : libraries) {
    prefer(maker);
    const auto pair = generate_signing_key(GetParam(), random);
    for (const Library signer : libraries) {
      prefer(signer);
      const auto signature = sign(GetParam(), message, pair->secret_key, random);
      ASSERT_TRUE(signature) << signature.error().message;
      for (const Library verifier : libraries) {
        prefer(verifier);
        EXPECT_TRUE(verify(GetParam(), message, *signature, pair->public_key));
        message.front() ^= 1;
        EXPECT_FALSE(verify(GetParam(), message, *signature, pair->public_key));
        message.front() ^= 1;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
  All, SignatureOfBoth, testing::ValuesIn(of_both(all_signatures())),
  test_name<SignatureAlgorithm>);

}  // namespace
}  // namespace pqc_tunnel
