// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "crypto/x25519.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>

#include "support/deterministic_random.hpp"
#include "support/known_answers/given_random.hpp"
#include "support/known_answers/vector_file.hpp"

namespace pqc_tunnel
{
namespace
{

X25519KeyPair pair_of(const Bytes & secret_key)
{
  test::GivenRandom random(secret_key);
  return std::move(*x25519_keygen(random));
}

TEST(X25519, agrees_with_wycheproof_and_refuses_an_all_zero_secret)
{
  int refused = 0;
  for (const auto & record :
       test::read_vectors(std::string(PQC_TUNNEL_TEST_VECTORS) + "/x25519.txt")) {
    SCOPED_TRACE("case " + record.text("id") + ", " + record.text("kind"));
    const auto secret =
      x25519_shared_secret(pair_of(record.bytes("private")), record.bytes("public"));
    if (record.text("kind").find("ZeroSharedSecret") != std::string::npos) {
      ASSERT_FALSE(secret.has_value());
      EXPECT_EQ(secret.error().code, ErrorCode::authentication);
      ++refused;
    } else {
      ASSERT_TRUE(secret.has_value());
      EXPECT_TRUE(std::ranges::equal(secret->view(), record.bytes("shared")));
    }
  }
  EXPECT_GT(refused, 20);
}

TEST(X25519, public_key_is_the_secret_times_the_base_point)
{
  test::DeterministicRandom random(2);
  const auto pair = x25519_keygen(random);
  ASSERT_TRUE(pair);
  Bytes base_point(32);
  base_point[0] = 9;  // RFC 7748, section 4.1
  const auto product = x25519_shared_secret(*pair, base_point);
  ASSERT_TRUE(product);
  EXPECT_TRUE(std::ranges::equal(product->view(), pair->public_key));
}

TEST(X25519, both_ends_agree)
{
  test::DeterministicRandom random(1);
  const auto ours = x25519_keygen(random);
  const auto theirs = x25519_keygen(random);
  ASSERT_TRUE(ours && theirs);
  EXPECT_NE(ours->public_key, theirs->public_key);
  const auto one = x25519_shared_secret(*ours, theirs->public_key);
  const auto other = x25519_shared_secret(*theirs, ours->public_key);
  ASSERT_TRUE(one && other);
  EXPECT_TRUE(constant_time_equal(one->view(), other->view()));
}

TEST(X25519, a_key_of_the_wrong_size_is_refused)
{
  test::DeterministicRandom random(1);
  const auto pair = x25519_keygen(random);
  for (const std::size_t size : {0u, 31u, 33u, 64u}) {
    const auto secret = x25519_shared_secret(*pair, Bytes(size, 9));
    ASSERT_FALSE(secret.has_value());
    EXPECT_EQ(secret.error().code, ErrorCode::invalid_argument);
  }
}

}  // namespace
}  // namespace pqc_tunnel
