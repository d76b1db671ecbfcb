// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "aead.hpp"

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#ifdef PQC_TUNNEL_SODIUM
#include <sodium.h>
#endif

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

constexpr bool is_ascon(AeadAlgorithm algorithm)
{
  return algorithm == AeadAlgorithm::ascon_128a || algorithm == AeadAlgorithm::ascon_aead128;
}

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

#ifdef PQC_TUNNEL_SODIUM

// libsodium needs a fraction of OpenSSL's code for a datagram, which matters where the caches are cold. It has AES-GCM only
// for processors that compute it. Where OpenSSL must be validated (FIPS), it does everything.
bool sodium_is_fit()
{
  static const bool fit = ::sodium_init() >= 0 && ::crypto_aead_aes256gcm_is_available() == 1 &&
                          EVP_default_properties_is_fips_enabled(nullptr) == 0;
  return fit;
}

const crypto_aead_aes256gcm_state * aes_state(const SecretBytes & key)
{
  return reinterpret_cast<const crypto_aead_aes256gcm_state *>(key.view().data());
}

SecretBytes sodium_key(AeadAlgorithm algorithm, ByteView key)
{
  if (algorithm == AeadAlgorithm::chacha20_poly1305) {
    return SecretBytes::copy_of(key);
  }
  SecretBytes state(sizeof(crypto_aead_aes256gcm_state));
  ::crypto_aead_aes256gcm_beforenm(
    reinterpret_cast<crypto_aead_aes256gcm_state *>(state.span().data()), key.data());
  return state;
}

void sodium_seal(
  AeadAlgorithm algorithm, const SecretBytes & key, ByteView nonce, ByteView aad, MutableBytes text,
  std::span<std::uint8_t, aead_tag_size> tag)
{
  if (algorithm == AeadAlgorithm::chacha20_poly1305) {
    ::crypto_aead_chacha20poly1305_ietf_encrypt_detached(
      text.data(), tag.data(), nullptr, text.data(), text.size(), aad.data(), aad.size(), nullptr,
      nonce.data(), key.view().data());
  } else {
    ::crypto_aead_aes256gcm_encrypt_detached_afternm(
      text.data(), tag.data(), nullptr, text.data(), text.size(), aad.data(), aad.size(), nullptr,
      nonce.data(), aes_state(key));
  }
}

bool sodium_open(
  AeadAlgorithm algorithm, const SecretBytes & key, ByteView nonce, ByteView aad, MutableBytes text,
  std::span<const std::uint8_t, aead_tag_size> tag)
{
  const int result =
    algorithm == AeadAlgorithm::chacha20_poly1305
      ? ::crypto_aead_chacha20poly1305_ietf_decrypt_detached(
          text.data(), nullptr, text.data(), text.size(), tag.data(), aad.data(), aad.size(),
          nonce.data(), key.view().data())
      : ::crypto_aead_aes256gcm_decrypt_detached_afternm(
          text.data(), nullptr, text.data(), text.size(), tag.data(), aad.data(), aad.size(),
          nonce.data(), aes_state(key));
  if (result != 0) {
    cleanse(text);
  }
  return result == 0;
}

#endif

}  // namespace

void AeadKey::FreeContext::operator()(evp_cipher_ctx_st * context) const noexcept
{
  EVP_CIPHER_CTX_free(context);
}

AeadKey AeadKey::create(AeadAlgorithm algorithm, ByteView key) noexcept
{
  require(key.size() == key_size(algorithm), "an AEAD key is of the wrong size");
  AeadKey out(algorithm);
  if (is_ascon(algorithm)) {
    out.key_ = SecretBytes::copy_of(key);
    return out;
  }
#ifdef PQC_TUNNEL_SODIUM
  if (sodium_is_fit()) {
    out.key_ = sodium_key(algorithm, key);
    return out;
  }
#endif
  const EVP_CIPHER * cipher = spec(algorithm).cipher();
  out.seal_.reset(EVP_CIPHER_CTX_new());
  out.open_.reset(EVP_CIPHER_CTX_new());
  require(
    out.seal_ && out.open_ &&
      EVP_EncryptInit_ex(out.seal_.get(), cipher, nullptr, key.data(), nullptr) == 1 &&
      EVP_DecryptInit_ex(out.open_.get(), cipher, nullptr, key.data(), nullptr) == 1,
    cipher_failed);
  return out;
}

void AeadKey::seal_in_place(
  ByteView nonce, ByteView aad, MutableBytes text,
  std::span<std::uint8_t, aead_tag_size> tag) noexcept
{
  require(nonce.size() == iv_size_, "an AEAD nonce is of the wrong size");
  if (seal_) {
    openssl_seal(seal_.get(), nonce, aad, text, tag);
    return;
  }
#ifdef PQC_TUNNEL_SODIUM
  if (!is_ascon(algorithm_)) {
    sodium_seal(algorithm_, key_, nonce, aad, text, tag);
    return;
  }
#endif
  ascon_seal(
    ascon_variant(algorithm_), key_.view().first<ascon_key_size>(), nonce.first<ascon_nonce_size>(),
    aad, text, tag);
}

bool AeadKey::open_in_place(
  ByteView nonce, ByteView aad, MutableBytes text,
  std::span<const std::uint8_t, aead_tag_size> tag) noexcept
{
  require(nonce.size() == iv_size_, "an AEAD nonce is of the wrong size");
  if (open_) {
    return openssl_open(open_.get(), nonce, aad, text, tag);
  }
#ifdef PQC_TUNNEL_SODIUM
  if (!is_ascon(algorithm_)) {
    return sodium_open(algorithm_, key_, nonce, aad, text, tag);
  }
#endif
  return ascon_open(
    ascon_variant(algorithm_), key_.view().first<ascon_key_size>(), nonce.first<ascon_nonce_size>(),
    aad, text, tag);
}

}  // namespace pqc_tunnel
