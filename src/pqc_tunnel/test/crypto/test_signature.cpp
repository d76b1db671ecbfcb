// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "crypto/signature.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>

#include "support/deterministic_random.hpp"
#include "support/known_answers/served.hpp"

namespace pqc_tunnel
{
namespace
{

using test::DeterministicRandom;

class EverySignature : public testing::TestWithParam<test::Served<SignatureAlgorithm>>
{
protected:
  const test::ServedBy by_{GetParam()};
};

TEST_P(EverySignature, is_accepted_for_its_message_and_key_only)
{
  const auto algorithm = GetParam().algorithm;
  if (!by_.reason().empty()) {
    GTEST_SKIP() << by_.reason();
  }
  const auto & sizes = signature_sizes(algorithm);
  DeterministicRandom random(3);
  const auto pair = generate_signing_key(algorithm, random);
  ASSERT_TRUE(pair) << pair.error().message;
  EXPECT_EQ(pair->public_key.size(), sizes.public_key);
  EXPECT_EQ(pair->secret_key.size(), sizes.secret_key);

  Bytes message(150);
  random.fill(message);
  const auto signature = sign(algorithm, message, pair->secret_key, random);
  ASSERT_TRUE(signature) << signature.error().message;
  EXPECT_LE(signature->size(), sizes.signature_max);
  if (!sizes.variable) {
    EXPECT_EQ(signature->size(), sizes.signature_max);
  }
  const auto accepted = [&](ByteView m, ByteView s, ByteView key) {
    return verify(algorithm, m, s, key);
  };
  EXPECT_TRUE(accepted(message, *signature, pair->public_key));

  for (const std::size_t at : {std::size_t{0}, message.size() / 2, message.size() - 1}) {
    Bytes other = message;
    other[at] ^= 1;
    EXPECT_FALSE(accepted(other, *signature, pair->public_key)) << at;
  }
  EXPECT_FALSE(accepted(ByteView(message).first(149), *signature, pair->public_key));
  EXPECT_FALSE(accepted({}, *signature, pair->public_key));
  for (std::size_t i = 0; i < 16; ++i) {
    Bytes forged = *signature;
    forged[i * (forged.size() - 1) / 15] ^= 0x10;
    EXPECT_FALSE(accepted(message, forged, pair->public_key)) << i;
  }
  Bytes other_key = pair->public_key;
  other_key[other_key.size() / 2] ^= 1;
  EXPECT_FALSE(accepted(message, *signature, other_key));
}

TEST_P(EverySignature, refuses_wrong_sizes)
{
  const auto algorithm = GetParam().algorithm;
  if (!by_.reason().empty()) {
    GTEST_SKIP() << by_.reason();
  }
  const auto & sizes = signature_sizes(algorithm);
  const Bytes message(10);
  const Bytes key(sizes.public_key);
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, sizes.signature_max - 1, sizes.signature_max + 1})
  {
    EXPECT_FALSE(verify(algorithm, message, Bytes(size), key)) << size;
  }
  const Bytes signature(sizes.signature_max);
  EXPECT_FALSE(verify(algorithm, message, signature, key)) << "zeros are no signature";
  EXPECT_FALSE(verify(algorithm, message, signature, Bytes(sizes.public_key - 1)));
  EXPECT_FALSE(verify(algorithm, message, signature, Bytes(sizes.public_key + 1)));
  EXPECT_FALSE(verify(algorithm, message, signature, {}));

  DeterministicRandom random(1);
  for (const std::size_t size : {std::size_t{0}, sizes.secret_key - 1, sizes.secret_key + 1}) {
    const auto result = sign(algorithm, message, SecretBytes(size), random);
    ASSERT_FALSE(result.has_value());
    EXPECT_EQ(result.error().code, ErrorCode::invalid_argument);
  }
}

INSTANTIATE_TEST_SUITE_P(
  All, EverySignature, testing::ValuesIn(test::served(all_signatures())),
  test::name_of_served<SignatureAlgorithm>);

TEST(Signature, an_empty_message_can_be_signed)
{
  DeterministicRandom random(1);
  for (const auto algorithm : {SignatureAlgorithm::ml_dsa_44, SignatureAlgorithm::falcon_512}) {
    const auto pair = generate_signing_key(algorithm, random);
    ASSERT_TRUE(pair);
    const auto signature = sign(algorithm, {}, pair->secret_key, random);
    ASSERT_TRUE(signature);
    EXPECT_TRUE(verify(algorithm, {}, *signature, pair->public_key));
  }
}

TEST(Signature, falcon_signatures_vary_in_length_below_their_maximum)
{
  DeterministicRandom random(1);
  const auto pair = generate_signing_key(SignatureAlgorithm::falcon_512, random);
  ASSERT_TRUE(pair);
  std::size_t shortest = 10'000;
  std::size_t longest = 0;
  for (std::uint8_t i = 0; i < 30; ++i) {
    const Bytes message(1, i);
    const auto signature = sign(SignatureAlgorithm::falcon_512, message, pair->secret_key, random);
    ASSERT_TRUE(signature);
    EXPECT_TRUE(verify(SignatureAlgorithm::falcon_512, message, *signature, pair->public_key));
    shortest = std::min(shortest, signature->size());
    longest = std::max(longest, signature->size());
  }
  EXPECT_LT(shortest, longest);
  EXPECT_LE(longest, signature_sizes(SignatureAlgorithm::falcon_512).signature_max);
}

}  // namespace
}  // namespace pqc_tunnel
