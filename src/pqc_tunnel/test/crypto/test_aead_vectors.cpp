// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>

#include "crypto/aead.hpp"
#include "support/known_answers/vector_file.hpp"

namespace pqc_tunnel
{
namespace
{

using test::read_vectors;
using Tag = std::array<std::uint8_t, aead_tag_size>;

std::string vectors(const std::string & file)
{
  return std::string(PQC_TUNNEL_TEST_VECTORS) + "/" + file;
}

Tag to_tag(ByteView bytes)
{
  Tag tag = {};
  std::ranges::copy(bytes, tag.begin());
  return tag;
}

void check_wycheproof(AeadAlgorithm algorithm, const std::string & file)
{
  for (const auto & record : read_vectors(vectors(file))) {
    SCOPED_TRACE(file + " case " + record.text("id") + ", " + record.text("kind"));
    const bool valid = record.text("kind").starts_with("valid");
    const Bytes nonce = record.bytes("iv");
    const Bytes aad = record.bytes("aad");
    const Bytes plaintext = record.bytes("msg");
    const Tag expected_tag = to_tag(record.bytes("tag"));
    auto key = AeadKey::create(algorithm, record.bytes("key"));

    Bytes text = record.bytes("ct");
    EXPECT_EQ(key.open_in_place(nonce, aad, text, expected_tag), valid);
    EXPECT_EQ(text, valid ? plaintext : Bytes(text.size()));

    if (valid) {
      text = plaintext;
      Tag tag;
      key.seal_in_place(nonce, aad, text, tag);
      EXPECT_EQ(text, record.bytes("ct"));
      EXPECT_EQ(tag, expected_tag);
    }
  }
}

void check_lwc(AeadAlgorithm algorithm, const std::string & file)
{
  Bytes key_bytes;
  Bytes nonce;
  int count = 0;
  for (const auto & record : read_vectors(vectors(file))) {
    SCOPED_TRACE(file + " count " + std::to_string(++count));
    if (record.has("key")) {
      key_bytes = record.bytes("key");
      nonce = record.bytes("nonce");
    }
    const Bytes plaintext = record.bytes("pt");
    const Bytes aad = record.bytes("ad");
    auto key = AeadKey::create(algorithm, key_bytes);
    Bytes text = plaintext;
    Tag tag;
    key.seal_in_place(nonce, aad, text, tag);
    Bytes sealed = text;
    sealed.insert(sealed.end(), tag.begin(), tag.end());
    EXPECT_EQ(sealed, record.bytes("ct"));
    EXPECT_TRUE(key.open_in_place(nonce, aad, text, tag));
    EXPECT_EQ(text, plaintext);
  }
  EXPECT_EQ(count, 1089);
}

const std::map<AeadAlgorithm, std::string> files_of_wycheproof = {
  {AeadAlgorithm::aes_256_gcm, "aes_256_gcm.txt"},
  {AeadAlgorithm::chacha20_poly1305, "chacha20_poly1305.txt"},
  {AeadAlgorithm::ascon_128a, "ascon_128a.txt"},
  {AeadAlgorithm::ascon_aead128, "ascon_aead128.txt"}};

TEST(AeadVectors, every_aead_agrees_with_wycheproof)
{
  for (const AeadAlgorithm algorithm : all_aeads()) {
    check_wycheproof(algorithm, files_of_wycheproof.at(algorithm));
  }
}

TEST(AeadVectors, ascon_128a_agrees_with_the_nist_lwc_known_answers)
{
  check_lwc(AeadAlgorithm::ascon_128a, "ascon_128a_lwc.txt");
}

TEST(AeadVectors, ascon_aead128_agrees_with_the_ascon_teams_known_answers)
{
  check_lwc(AeadAlgorithm::ascon_aead128, "ascon_aead128_lwc.txt");
}

}  // namespace
}  // namespace pqc_tunnel
