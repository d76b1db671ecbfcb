// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "crypto/hkdf.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "support/death_test.hpp"
#include "support/hex.hpp"
#include "support/known_answers/vector_file.hpp"

namespace pqc_tunnel
{
namespace
{

using test::from_hex;
using test::read_vectors;

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

struct HashCase
{
  Hash hash;
  const char * name;
};

class EveryHash : public testing::TestWithParam<HashCase>
{
protected:
  Hash hash() const { return GetParam().hash; }
  std::string file(const std::string & stem) const
  {
    return vectors(stem + "_" + GetParam().name + ".txt");
  }
  Bytes whole(ByteView key, ByteView message) const
  {
    Bytes mac(hash_size(hash()));
    Hmac(hash(), key).update(message).finish(mac);
    return mac;
  }
};

TEST_P(EveryHash, of_an_hmac_agrees_with_wycheproof)
{
  for (const auto & record : read_vectors(file("hmac"))) {
    const Bytes tag = record.bytes("tag");
    Bytes mac = whole(record.bytes("key"), record.bytes("msg"));
    mac.resize(std::min(mac.size(), tag.size()));
    EXPECT_EQ(constant_time_equal(mac, tag), record.text("kind").starts_with("valid"))
      << record.text("id");
  }
}

TEST_P(EveryHash, of_an_hmac_is_cut_to_32_bytes_and_takes_pieces)
{
  const Bytes key(40, 7);
  Bytes expected = whole(key, bytes_of("one two"));
  expected.resize(32);
  EXPECT_EQ(to_bytes(hmac(hash(), key, {bytes_of("one "), {}, bytes_of("two")})), expected);
}

TEST_P(EveryHash, of_an_hmac_can_be_used_again_and_again)
{
  const Bytes key(32, 9);
  Hmac mac(hash(), key);
  for (int i = 0; i < 3; ++i) {
    for (const std::string_view message : {"first", "", "second"}) {
      Bytes out(hash_size(hash()));
      mac.update(bytes_of(message)).finish(out);
      EXPECT_EQ(out, whole(key, bytes_of(message)));
    }
  }
}

TEST_P(EveryHash, of_hkdf_agrees_with_wycheproof)
{
  for (const auto & record : read_vectors(file("hkdf"))) {
    const auto size = std::stoul(record.text("size_decimal"));
    if (size > 255 * hash_size(hash())) {
      EXPECT_TRUE(record.text("kind").starts_with("invalid"));
      continue;
    }
    const auto key = hkdf_extract(hash(), record.bytes("salt"), record.bytes("ikm"));
    Bytes output(size);
    hkdf_expand(hash(), key.view(), record.bytes("info"), output);
    EXPECT_EQ(output, record.bytes("okm")) << record.text("id");
  }
}

TEST_P(EveryHash, of_hkdf_ends_the_process_for_more_output_than_rfc_5869_allows)
{
  die_in_a_new_program();
  Bytes output(255 * hash_size(hash()) + 1);
  EXPECT_DEATH(hkdf_expand(hash(), Bytes(32), {}, output), "more than 255 blocks");
}

INSTANTIATE_TEST_SUITE_P(
  Hashes, EveryHash,
  testing::Values(HashCase{Hash::sha256, "sha256"}, HashCase{Hash::sha384, "sha384"}),
  [](const auto & hash_case) { return std::string(hash_case.param.name); });

TEST(Hmac, takes_an_empty_key)
{
  EXPECT_EQ(
    to_bytes(hmac(Hash::sha256, {}, {})),
    from_hex("b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"));
}

}  // namespace
}  // namespace pqc_tunnel
