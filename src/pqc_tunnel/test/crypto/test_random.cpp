// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "crypto/random.hpp"

#include <gtest/gtest.h>
#include <oqs/oqs.h>

#include <array>
#include <set>
#include <thread>

#include "crypto/oqs_random.hpp"
#include "support/death_test.hpp"
#include "support/deterministic_random.hpp"
#include "support/hex.hpp"
#include "support/known_answers/nist_random.hpp"

namespace pqc_tunnel
{
namespace
{

using test::DeterministicRandom;
using Block = std::array<std::uint8_t, 32>;

Block drawn_by_oqs()
{
  Block block;
  OQS_randombytes(block.data(), block.size());
  return block;
}

Block drawn_from(RandomSource & source)
{
  Block block;
  source.fill(block);
  return block;
}

TEST(SystemRandom, does_not_repeat_itself)
{
  SystemRandom random;
  std::set<Block> seen;
  for (int i = 0; i < 1000; ++i) {
    EXPECT_TRUE(seen.insert(drawn_from(random)).second);
  }
}

TEST(SystemRandom, fills_large_and_empty_buffers)
{
  SystemRandom random;
  Bytes large(1 << 20);
  random.fill(large);
  EXPECT_NE(Bytes(large.end() - 64, large.end()), Bytes(64));
  random.fill({});
}

TEST(DeterministicRandom, repeats_itself_whatever_the_pieces)
{
  DeterministicRandom one(42), same(42), other(43);
  Bytes whole(200), pieces(200);
  one.fill(whole);
  for (std::size_t at = 0; at < 200; at += 40) {
    same.fill(MutableBytes(pieces).subspan(at, 40));
  }
  EXPECT_EQ(whole, pieces);
  other.fill(pieces);
  EXPECT_NE(whole, pieces);
}

TEST(ScopedRandom, gives_oqs_the_bytes_of_its_source)
{
  DeterministicRandom source(1), same(1);
  const ScopedRandom scope(source);
  EXPECT_EQ(drawn_by_oqs(), drawn_from(same));
}

TEST(ScopedRandom, nests)
{
  DeterministicRandom outer(1), inner(2), same_outer(1), same_inner(2);
  const ScopedRandom outer_scope(outer);
  {
    const ScopedRandom inner_scope(inner);
    EXPECT_EQ(drawn_by_oqs(), drawn_from(same_inner));
  }
  EXPECT_EQ(drawn_by_oqs(), drawn_from(same_outer));
}

TEST(ScopedRandom, is_a_matter_of_one_thread)
{
  DeterministicRandom ours(1), theirs(2), same_ours(1), same_theirs(2);
  const ScopedRandom scope(ours);
  Block in_thread;
  std::thread([&] {
    const ScopedRandom thread_scope(theirs);
    in_thread = drawn_by_oqs();
  }).join();
  EXPECT_EQ(in_thread, drawn_from(same_theirs));
  EXPECT_EQ(drawn_by_oqs(), drawn_from(same_ours));
}

TEST(ScopedRandom, drawing_without_one_ends_the_process)
{
  die_in_a_new_program();
  EXPECT_DEATH(
    {
      initialize_oqs();
      drawn_by_oqs();
    },
    "randomness where none was granted");
}

TEST(NistDrbg, gives_the_first_seed_of_every_nist_response_file)
{
  Bytes entropy(48);
  for (std::size_t i = 0; i < entropy.size(); ++i) {
    entropy[i] = static_cast<std::uint8_t>(i);
  }
  test::NistDrbg drbg(entropy);
  Bytes seed(48);
  drbg.fill(seed);
  EXPECT_EQ(
    test::to_hex(seed),
    "061550234D158C5EC95595FE04EF7A25767F2E24CC2BC479D09D86DC9ABCFDE7"
    "056A8C266F9EF97ED08541DBD2E1FFA1");
}

}  // namespace
}  // namespace pqc_tunnel
