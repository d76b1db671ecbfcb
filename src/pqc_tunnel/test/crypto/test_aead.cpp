// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "crypto/aead.hpp"

#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/provider.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>

#include "crypto/self_test/self_test.hpp"
#include "support/death_test.hpp"
#include "support/deterministic_random.hpp"

namespace pqc_tunnel
{
namespace
{

static_assert(std::is_nothrow_move_constructible_v<AeadKey>);
static_assert(!std::is_copy_constructible_v<AeadKey>);

using Tag = std::array<std::uint8_t, aead_tag_size>;

std::string test_name(const testing::TestParamInfo<AeadAlgorithm> & info)
{
  return std::string(token(info.param));
}

class Aead : public testing::TestWithParam<AeadAlgorithm>
{
protected:
  Bytes random_bytes(std::size_t size)
  {
    Bytes bytes(size);
    random_.fill(bytes);
    return bytes;
  }

  AeadKey new_key() { return AeadKey::create(GetParam(), random_bytes(key_size(GetParam()))); }
  Bytes new_nonce() { return random_bytes(iv_size(GetParam())); }

private:
  test::DeterministicRandom random_{1};
};

TEST_P(Aead, opens_what_it_sealed_whatever_the_lengths)
{
  auto key = new_key();
  for (const std::size_t aad_size : {0u, 1u, 7u, 8u, 15u, 16u, 17u, 22u, 32u}) {
    for (std::size_t size = 0; size <= 70; ++size) {
      const Bytes nonce = new_nonce();
      const Bytes aad = random_bytes(aad_size);
      const Bytes plaintext = random_bytes(size);
      Bytes text = plaintext;
      Tag tag;
      key.seal_in_place(nonce, aad, text, tag);
      if (size >= 16) {
        EXPECT_NE(text, plaintext);
      }
      ASSERT_TRUE(key.open_in_place(nonce, aad, text, tag)) << aad_size << " " << size;
      EXPECT_EQ(text, plaintext);
    }
  }
}

TEST_P(Aead, flipping_any_bit_is_noticed_and_leaves_no_plaintext)
{
  auto key = new_key();
  const Bytes nonce = new_nonce();
  const Bytes aad = random_bytes(22);
  const Bytes plaintext = random_bytes(37);
  Bytes sealed = plaintext;
  Tag tag;
  key.seal_in_place(nonce, aad, sealed, tag);

  const auto expect_refused = [&](ByteView n, ByteView a, Bytes text, const Tag & t) {
    EXPECT_FALSE(key.open_in_place(n, a, text, t));
    EXPECT_EQ(text, Bytes(text.size(), 0));
  };
  const auto each_flip = [](Bytes bytes, auto && check) {
    for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
      bytes[bit / 8] ^= static_cast<std::uint8_t>(1 << bit % 8);
      check(bytes);
      bytes[bit / 8] ^= static_cast<std::uint8_t>(1 << bit % 8);
    }
  };
  each_flip(nonce, [&](const Bytes & n) { expect_refused(n, aad, sealed, tag); });
  each_flip(aad, [&](const Bytes & a) { expect_refused(nonce, a, sealed, tag); });
  each_flip(sealed, [&](const Bytes & s) { expect_refused(nonce, aad, s, tag); });
  each_flip(Bytes(tag.begin(), tag.end()), [&](const Bytes & t) {
    Tag flipped;
    std::ranges::copy(t, flipped.begin());
    expect_refused(nonce, aad, sealed, flipped);
  });
  EXPECT_TRUE(key.open_in_place(nonce, aad, sealed, tag)) << "a refusal must not spoil the key";
  EXPECT_EQ(sealed, plaintext);
}

TEST_P(Aead, truncated_and_moved_boundaries_are_refused)
{
  auto key = new_key();
  const Bytes nonce = new_nonce();
  const Bytes aad = random_bytes(20);
  Bytes sealed = random_bytes(40);
  Tag tag;
  key.seal_in_place(nonce, aad, sealed, tag);

  Bytes shorter(sealed.begin(), sealed.end() - 1);
  EXPECT_FALSE(key.open_in_place(nonce, aad, shorter, tag));
  Bytes longer = sealed;
  longer.push_back(0);
  EXPECT_FALSE(key.open_in_place(nonce, aad, longer, tag));
  Bytes copy = sealed;
  EXPECT_FALSE(key.open_in_place(nonce, ByteView(aad).first(19), copy, tag));
  Bytes longer_aad = aad;
  longer_aad.push_back(sealed.front());
  Bytes tail(sealed.begin() + 1, sealed.end());
  EXPECT_FALSE(key.open_in_place(nonce, longer_aad, tail, tag));
}

TEST_P(Aead, another_key_refuses)
{
  auto key = new_key();
  auto other = new_key();
  const Bytes nonce = new_nonce();
  Bytes text = random_bytes(30);
  Tag tag;
  key.seal_in_place(nonce, {}, text, tag);
  EXPECT_FALSE(other.open_in_place(nonce, {}, text, tag));
}

TEST_P(Aead, result_depends_only_on_the_arguments_of_the_call)
{
  // The key is set up once; earlier packets must leave no trace in later ones.
  const Bytes key_bytes = random_bytes(key_size(GetParam()));
  const Bytes nonce = new_nonce();
  const Bytes aad = random_bytes(22);
  const Bytes plaintext = random_bytes(100);
  auto fresh = AeadKey::create(GetParam(), key_bytes);
  Bytes expected = plaintext;
  Tag expected_tag;
  fresh.seal_in_place(nonce, aad, expected, expected_tag);

  auto used = AeadKey::create(GetParam(), key_bytes);
  for (int i = 0; i < 20; ++i) {
    Bytes other = random_bytes(static_cast<std::size_t>(3 * i));
    Tag tag;
    used.seal_in_place(new_nonce(), ByteView(aad).first(static_cast<std::size_t>(i)), other, tag);
    Bytes junk = random_bytes(50);
    EXPECT_FALSE(used.open_in_place(new_nonce(), aad, junk, tag));
  }
  Bytes text = plaintext;
  Tag tag;
  used.seal_in_place(nonce, aad, text, tag);
  EXPECT_EQ(text, expected);
  EXPECT_EQ(tag, expected_tag);
}

TEST_P(Aead, text_may_lie_anywhere_in_a_larger_buffer)
{
  auto key = new_key();
  const Bytes nonce = new_nonce();
  const Bytes plaintext = random_bytes(61);
  Bytes expected = plaintext;
  Tag expected_tag;
  key.seal_in_place(nonce, {}, expected, expected_tag);
  for (std::size_t offset = 0; offset < 9; ++offset) {
    Bytes frame(offset + plaintext.size() + aead_tag_size + 1, 0xee);
    const auto text = MutableBytes(frame).subspan(offset, plaintext.size());
    const auto tag = MutableBytes(frame).subspan(offset + plaintext.size()).first<aead_tag_size>();
    std::ranges::copy(plaintext, text.begin());
    key.seal_in_place(nonce, {}, text, tag);
    EXPECT_TRUE(std::ranges::equal(text, expected));
    EXPECT_TRUE(std::ranges::equal(tag, expected_tag));
    EXPECT_TRUE(std::all_of(
      frame.begin(), frame.begin() + static_cast<std::ptrdiff_t>(offset),
      [](std::uint8_t byte) { return byte == 0xee; }));
    EXPECT_EQ(frame.back(), 0xee);
    EXPECT_TRUE(key.open_in_place(nonce, {}, text, tag));
    EXPECT_TRUE(std::ranges::equal(text, plaintext));
  }
}

TEST_P(Aead, a_key_can_be_moved)
{
  auto key = new_key();
  const Bytes nonce = new_nonce();
  Bytes text = random_bytes(33);
  const Bytes plaintext = text;
  Tag tag;
  key.seal_in_place(nonce, {}, text, tag);
  AeadKey moved = std::move(key);
  AeadKey assigned = new_key();
  assigned = std::move(moved);
  EXPECT_TRUE(assigned.open_in_place(nonce, {}, text, tag));
  EXPECT_EQ(text, plaintext);
}

TEST_P(Aead, a_key_or_nonce_of_the_wrong_size_ends_the_process)
{
  die_in_a_new_program();
  const std::size_t size = key_size(GetParam());
  EXPECT_DEATH(AeadKey::create(GetParam(), Bytes(size - 1)), "AEAD key is of the wrong size");
  EXPECT_DEATH(AeadKey::create(GetParam(), Bytes(size + 1)), "AEAD key is of the wrong size");
  Tag tag = {};
  EXPECT_DEATH(
    new_key().seal_in_place(Bytes(iv_size(GetParam()) - 1), {}, {}, tag),
    "AEAD nonce is of the wrong size");
  EXPECT_DEATH(
    new_key().open_in_place(Bytes(iv_size(GetParam()) + 1), {}, {}, tag),
    "AEAD nonce is of the wrong size");
}

TEST_P(Aead, passes_its_self_test)
{
  test::DeterministicRandom random(1);
  EXPECT_TRUE(run_self_test(random, {{}, {}, {GetParam()}}).passed());
}

INSTANTIATE_TEST_SUITE_P(EveryAead, Aead, testing::ValuesIn(all_aeads()), test_name);

// Without a validated module OpenSSL then refuses every cipher.
TEST(AeadKey, where_fips_is_demanded_openssl_does_the_work)
{
  if (OSSL_PROVIDER_available(nullptr, "fips") == 1) {
    GTEST_SKIP() << "this machine has a validated module";
  }
  die_in_a_new_program();
  const auto create_in_fips_mode = [] {
    EVP_default_properties_enable_fips(nullptr, 1);
    AeadKey::create(AeadAlgorithm::aes_256_gcm, Bytes(32));
  };
  EXPECT_DEATH(create_in_fips_mode(), "OpenSSL's AEAD failed");
}

TEST(Ascon, the_two_versions_are_different_algorithms)
{
  const Bytes key(16), nonce(16);
  Bytes a(32), b(32);
  Tag tag_a, tag_b;
  AeadKey::create(AeadAlgorithm::ascon_128a, key).seal_in_place(nonce, {}, a, tag_a);
  AeadKey::create(AeadAlgorithm::ascon_aead128, key).seal_in_place(nonce, {}, b, tag_b);
  EXPECT_NE(a, b);
  EXPECT_NE(tag_a, tag_b);
}

}  // namespace
}  // namespace pqc_tunnel
