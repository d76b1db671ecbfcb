// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "pqc_tunnel/crypto/hkdf.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "support/hex.hpp"
#include "support/vector_file.hpp"

namespace pqc_tunnel
{
namespace
{

using test::from_hex;
using test::read_vectors;

ByteView bytes_of(std::string_view text)
{
  return {reinterpret_cast<const std::uint8_t *>(text.data()), text.size()};
}

std::string vectors(const std::string & file)
{
  return std::string(PQC_TUNNEL_TEST_VECTORS) + "/" + file;
}

template <class Array>
Bytes to_bytes(const Array & array)
{
  return {array.begin(), array.end()};
}

TEST(Sha2, gives_the_answers_of_fips_180)
{
  EXPECT_EQ(
    to_bytes(sha256(bytes_of("abc"))),
    from_hex("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
  EXPECT_EQ(
    to_bytes(sha256({})),
    from_hex("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"));
  EXPECT_EQ(
    to_bytes(sha512(bytes_of("abc"))),
    from_hex("ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
             "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"));
  EXPECT_EQ(
    to_bytes(sha512({})),
    from_hex("cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce"
             "47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e"));
}

TEST(Sha512, pieces_hash_like_the_whole)
{
  const std::string text(1000, 'x');
  Sha512 hash;
  for (std::size_t at = 0; at < text.size(); at += 37) {
    hash.update(bytes_of(text.substr(at, 37)));
  }
  EXPECT_EQ(hash.digest(), sha512(bytes_of(text)));
  EXPECT_EQ(Sha512().digest(), sha512({}));
}

TEST(Sha512, digest_does_not_end_the_hash)
{
  Sha512 hash;
  hash.update(bytes_of("ab"));
  EXPECT_EQ(hash.digest(), sha512(bytes_of("ab")));
  EXPECT_EQ(hash.digest(), sha512(bytes_of("ab")));
  hash.update(bytes_of("c"));
  EXPECT_EQ(hash.digest(), sha512(bytes_of("abc")));
}

TEST(Sha512, a_copy_is_independent)
{
  Sha512 hash;
  hash.update(bytes_of("ab"));
  Sha512 copy = hash;
  copy.update(bytes_of("x"));
  hash.update(bytes_of("c"));
  EXPECT_EQ(hash.digest(), sha512(bytes_of("abc")));
  EXPECT_EQ(copy.digest(), sha512(bytes_of("abx")));
  copy = hash;
  EXPECT_EQ(copy.digest(), sha512(bytes_of("abc")));
}

TEST(HmacSha256, agrees_with_wycheproof)
{
  for (const auto & record : read_vectors(vectors("hmac_sha256.txt"))) {
    const auto mac = hmac_sha256(record.bytes("key"), {record.bytes("msg")});
    EXPECT_EQ(
      constant_time_equal(mac, record.bytes("tag")), record.text("kind").starts_with("valid"))
      << record.text("id");
  }
}

TEST(HmacSha256, pieces_are_authenticated_like_the_whole)
{
  const Bytes key(40, 7);
  EXPECT_EQ(
    hmac_sha256(key, {bytes_of("one "), {}, bytes_of("two")}),
    hmac_sha256(key, {bytes_of("one two")}));
}

TEST(HmacSha256, can_be_used_again_and_again)
{
  const Bytes key(32, 9);
  HmacSha256 hmac(key);
  for (int i = 0; i < 3; ++i) {
    for (const std::string_view message : {"first", "", "second"}) {
      std::array<std::uint8_t, sha256_size> mac;
      hmac.update(bytes_of(message)).finish(mac);
      EXPECT_EQ(mac, hmac_sha256(key, {bytes_of(message)}));
    }
  }
}

TEST(HmacSha256, takes_an_empty_key)
{
  EXPECT_EQ(
    to_bytes(hmac_sha256({}, {})),
    from_hex("b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"));
}

TEST(Hkdf, agrees_with_wycheproof)
{
  for (const auto & record : read_vectors(vectors("hkdf_sha256.txt"))) {
    const auto size = std::stoul(record.text("size_decimal"));
    if (size > hkdf_max_output) {
      EXPECT_TRUE(record.text("kind").starts_with("invalid"));
      continue;
    }
    const auto key = hkdf_extract(record.bytes("salt"), record.bytes("ikm"));
    Bytes output(size);
    hkdf_expand(key.view(), record.bytes("info"), output);
    EXPECT_EQ(output, record.bytes("okm")) << record.text("id");
  }
}

TEST(Hkdf, more_output_than_rfc_5869_allows_ends_the_process)
{
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  Bytes output(hkdf_max_output + 1);
  EXPECT_DEATH(hkdf_expand(Bytes(32), {}, output), "more than 8,160 bytes");
}

}  // namespace
}  // namespace pqc_tunnel
