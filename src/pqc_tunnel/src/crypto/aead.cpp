// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "aead.hpp"

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include <algorithm>
#include <array>

#include "ascon.hpp"
#include "base/contract.hpp"
#include "crypto/suites/algorithm_table.hpp"

namespace pqc_tunnel
{
namespace
{

constexpr const char * cipher_failed = "OpenSSL's AEAD failed";

AsconVariant ascon_variant(AeadAlgorithm algorithm)
{
  return algorithm == AeadAlgorithm::ascon_128a ? AsconVariant::ascon_128a
                                                : AsconVariant::ascon_aead128;
}

using TagParameter = std::array<OSSL_PARAM, 2>;

// Cheaper for each datagram than EVP_CIPHER_CTX_ctrl().
TagParameter tag_parameter(std::uint8_t * tag)
{
  return {
    OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, tag, aead_tag_size),
    OSSL_PARAM_construct_end()};
}

void openssl_seal(
  EVP_CIPHER_CTX * context, ByteView nonce, ByteView aad, MutableBytes text,
  std::span<std::uint8_t, aead_tag_size> tag)
{
  int written = 0;
  bool good = EVP_EncryptInit_ex(context, nullptr, nullptr, nullptr, nonce.data()) == 1;
  if (!aad.empty()) {
    good = good && EVP_EncryptUpdate(
                     context, nullptr, &written, aad.data(), static_cast<int>(aad.size())) == 1;
  }
  if (!text.empty()) {
    good =
      good && EVP_EncryptUpdate(
                context, text.data(), &written, text.data(), static_cast<int>(text.size())) == 1;
  }
  std::uint8_t rest[EVP_MAX_BLOCK_LENGTH];  // both are stream ciphers: nothing is left over
  TagParameter result = tag_parameter(tag.data());
  good = good && EVP_EncryptFinal_ex(context, rest, &written) == 1 &&
         EVP_CIPHER_CTX_get_params(context, result.data()) == 1;
  require(good, cipher_failed);
}

bool openssl_open(
  EVP_CIPHER_CTX * context, ByteView nonce, ByteView aad, MutableBytes text,
  std::span<const std::uint8_t, aead_tag_size> tag)
{
  std::uint8_t expected[aead_tag_size];
  std::ranges::copy(tag, expected);
  int written = 0;
  const TagParameter expectation = tag_parameter(expected);
  bool good = EVP_DecryptInit_ex2(context, nullptr, nullptr, nonce.data(), expectation.data()) == 1;
  if (!aad.empty()) {
    good = good && EVP_DecryptUpdate(
                     context, nullptr, &written, aad.data(), static_cast<int>(aad.size())) == 1;
  }
  if (!text.empty()) {
    good =
      good && EVP_DecryptUpdate(
                context, text.data(), &written, text.data(), static_cast<int>(text.size())) == 1;
  }
  std::uint8_t rest[EVP_MAX_BLOCK_LENGTH];
  if (good && EVP_DecryptFinal_ex(context, rest, &written) == 1) {
    return true;
  }
  cleanse(text);
  return false;
}

}  // namespace

void AeadKey::FreeContext::operator()(evp_cipher_ctx_st * context) const noexcept
{
  EVP_CIPHER_CTX_free(context);
}

AeadKey AeadKey::create(AeadAlgorithm algorithm, ByteView key) noexcept
{
  require(key.size() == key_size(algorithm), "an AEAD key is of the wrong size");
  AeadKey out(algorithm);
  if (const auto cipher = spec(algorithm).cipher) {
    out.seal_.reset(EVP_CIPHER_CTX_new());
    out.open_.reset(EVP_CIPHER_CTX_new());
    require(
      out.seal_ && out.open_ &&
        EVP_EncryptInit_ex(out.seal_.get(), cipher(), nullptr, key.data(), nullptr) == 1 &&
        EVP_DecryptInit_ex(out.open_.get(), cipher(), nullptr, key.data(), nullptr) == 1,
      cipher_failed);
  } else {
    std::ranges::copy(key, out.ascon_key_.span().begin());
  }
  return out;
}

void AeadKey::seal_in_place(
  ByteView nonce, ByteView aad, MutableBytes text,
  std::span<std::uint8_t, aead_tag_size> tag) noexcept
{
  require(nonce.size() == iv_size_, "an AEAD nonce is of the wrong size");
  if (seal_) {
    openssl_seal(seal_.get(), nonce, aad, text, tag);
  } else {
    ascon_seal(
      ascon_variant(algorithm_), ascon_key_.view(), nonce.first<ascon_nonce_size>(), aad, text,
      tag);
  }
}

bool AeadKey::open_in_place(
  ByteView nonce, ByteView aad, MutableBytes text,
  std::span<const std::uint8_t, aead_tag_size> tag) noexcept
{
  require(nonce.size() == iv_size_, "an AEAD nonce is of the wrong size");
  if (open_) {
    return openssl_open(open_.get(), nonce, aad, text, tag);
  }
  return ascon_open(
    ascon_variant(algorithm_), ascon_key_.view(), nonce.first<ascon_nonce_size>(), aad, text, tag);
}

}  // namespace pqc_tunnel
