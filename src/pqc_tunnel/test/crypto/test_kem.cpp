// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "crypto/kem.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <utility>

#include "support/deterministic_random.hpp"
#include "support/known_answers/served.hpp"
#include "support/large_stack.hpp"

namespace pqc_tunnel
{
namespace
{

using test::DeterministicRandom;

// One key pair per algorithm serves all checks: Classic McEliece takes seconds to make one.
void check_kem(KemAlgorithm algorithm)
{
  const auto & sizes = kem_sizes(algorithm);
  auto opened = Kem::open(algorithm);
  ASSERT_TRUE(opened) << opened.error().message;
  const Kem kem = std::move(*opened);
  DeterministicRandom random(7);
  const auto pair = kem.keygen(random);
  ASSERT_TRUE(pair) << pair.error().message;
  EXPECT_EQ(pair->public_key.size(), sizes.public_key);
  EXPECT_EQ(pair->secret_key.size(), sizes.secret_key);

  const auto sent = kem.encapsulate(pair->public_key, random);
  ASSERT_TRUE(sent) << sent.error().message;
  EXPECT_EQ(sent->ciphertext.size(), sizes.ciphertext);
  EXPECT_EQ(sent->shared_secret.size(), sizes.shared_secret);
  const auto received = kem.decapsulate(sent->ciphertext, pair->secret_key);
  ASSERT_TRUE(received) << received.error().message;
  EXPECT_TRUE(constant_time_equal(received->view(), sent->shared_secret.view()));

  const auto again = kem.encapsulate(pair->public_key, random);
  ASSERT_TRUE(again);
  EXPECT_NE(again->ciphertext, sent->ciphertext) << "encapsulation must be randomised";
  EXPECT_FALSE(constant_time_equal(again->shared_secret.view(), sent->shared_secret.view()));

  for (const std::size_t at : {std::size_t{0}, sizes.ciphertext / 2, sizes.ciphertext - 1}) {
    Bytes forged = sent->ciphertext;
    forged[at] ^= 1;
    const auto secret = kem.decapsulate(forged, pair->secret_key);
    // All but HQC of 2023 reject implicitly, with a secret of no use.
    EXPECT_EQ(secret.has_value(), specification(algorithm) != "HQC, NIST round 4 (2023)");
    if (secret) {
      EXPECT_FALSE(constant_time_equal(secret->view(), sent->shared_secret.view())) << at;
    }
  }

  const auto expect_wrong_size = [](const auto & result) {
    ASSERT_FALSE(result.has_value());
    EXPECT_EQ(result.error().code, ErrorCode::invalid_argument);
  };
  Bytes long_key = pair->public_key;
  long_key.push_back(0);
  expect_wrong_size(kem.encapsulate(long_key, random));
  expect_wrong_size(kem.encapsulate(ByteView(long_key).first(sizes.public_key - 1), random));
  expect_wrong_size(kem.encapsulate({}, random));
  Bytes long_ciphertext = sent->ciphertext;
  long_ciphertext.push_back(0);
  expect_wrong_size(kem.decapsulate(long_ciphertext, pair->secret_key));
  expect_wrong_size(
    kem.decapsulate(ByteView(sent->ciphertext).first(sizes.ciphertext - 1), pair->secret_key));
  expect_wrong_size(kem.decapsulate({}, pair->secret_key));
  expect_wrong_size(kem.decapsulate(sent->ciphertext, SecretBytes(sizes.secret_key - 1)));
  expect_wrong_size(kem.decapsulate(sent->ciphertext, SecretBytes()));
}

class EveryKem : public testing::TestWithParam<test::Served<KemAlgorithm>>
{
protected:
  const test::ServedBy by_{GetParam()};
};

TEST_P(EveryKem, agrees_on_a_secret_and_rejects_malformed_input)
{
  if (!by_.reason().empty()) {
    GTEST_SKIP() << by_.reason();
  }
  test::run_with_large_stack([] { check_kem(GetParam().algorithm); });
}

INSTANTIATE_TEST_SUITE_P(
  All, EveryKem, testing::ValuesIn(test::served(all_kems())), test::name_of_served<KemAlgorithm>);

TEST(Kem, the_same_randomness_makes_the_same_keys)
{
  const auto kem = Kem::open(KemAlgorithm::ml_kem_768);
  ASSERT_TRUE(kem);
  DeterministicRandom one(5), same(5), other(6);
  const auto a = kem->keygen(one);
  const auto b = kem->keygen(same);
  const auto c = kem->keygen(other);
  EXPECT_EQ(a->public_key, b->public_key);
  EXPECT_NE(a->public_key, c->public_key);
}

TEST(Kem, another_key_gives_another_secret)
{
  const auto kem = Kem::open(KemAlgorithm::ml_kem_512);
  ASSERT_TRUE(kem);
  DeterministicRandom random(1);
  const auto ours = kem->keygen(random);
  const auto theirs = kem->keygen(random);
  const auto sent = kem->encapsulate(ours->public_key, random);
  const auto received = kem->decapsulate(sent->ciphertext, theirs->secret_key);
  ASSERT_TRUE(received);
  EXPECT_FALSE(constant_time_equal(received->view(), sent->shared_secret.view()));
}

}  // namespace
}  // namespace pqc_tunnel
