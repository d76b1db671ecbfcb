// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "aead.hpp"

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#ifdef PQC_TUNNEL_SODIUM
#include <sodium.h>
#endif
#if defined(__aarch64__) || defined(__arm__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
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

// Encrypts or decrypts up to the tag. `expectation`: the tag that is expected, to decrypt.
bool openssl_run(
  EVP_CIPHER_CTX * context, ByteView nonce, ByteView aad, MutableBytes text,
  const OSSL_PARAM * expectation)
{
  int written = 0;
  const auto update = [&](std::uint8_t * out, ByteView in) {
    return in.empty() ||
           EVP_CipherUpdate(context, out, &written, in.data(), static_cast<int>(in.size())) == 1;
  };
  const int encrypts = expectation == nullptr ? 1 : 0;
  std::uint8_t rest[EVP_MAX_BLOCK_LENGTH];  // both are stream ciphers: nothing is left over
  return EVP_CipherInit_ex2(context, nullptr, nullptr, nonce.data(), encrypts, expectation) == 1 &&
         update(nullptr, aad) && update(text.data(), text) &&
         EVP_CipherFinal_ex(context, rest, &written) == 1;
}

#ifdef PQC_TUNNEL_SODIUM

// libsodium needs a fraction of OpenSSL's code for a datagram, which matters while the caches are cold. It has AES-GCM only
// for processors that compute AES. Where OpenSSL must be validated (FIPS), it does everything.
bool is_for_sodium(AeadAlgorithm algorithm)
{
  static const bool fit = ::sodium_init() >= 0 && ::crypto_aead_aes256gcm_is_available() == 1 &&
                          EVP_default_properties_is_fips_enabled(nullptr) == 0;
  return fit && algorithm == AeadAlgorithm::aes_256_gcm;
}

crypto_aead_aes256gcm_state * expanded(SecretBytes & key)
{
  return reinterpret_cast<crypto_aead_aes256gcm_state *>(key.span().data());
}

// Its arguments must not be null, those of no bytes neither.
std::uint8_t * address_of(MutableBytes text)
{
  static std::uint8_t nothing;
  return text.empty() ? &nothing : text.data();
}

#endif

}  // namespace

void AeadKey::FreeContext::operator()(evp_cipher_ctx_st * context) const noexcept
{
  EVP_CIPHER_CTX_free(context);
}

bool processor_has_aes()
{
#if defined(__x86_64__) || defined(__i386__)
  return __builtin_cpu_supports("aes") != 0 && __builtin_cpu_supports("pclmul") != 0;
#elif defined(__aarch64__)
  const unsigned long both = HWCAP_AES | HWCAP_PMULL;
  return (::getauxval(AT_HWCAP) & both) == both;
#elif defined(__arm__)
  const unsigned long both = HWCAP2_AES | HWCAP2_PMULL;
  return (::getauxval(AT_HWCAP2) & both) == both;
#else
  return false;
#endif
}

std::string library_of(AeadAlgorithm algorithm)
{
  if (spec(algorithm).cipher == nullptr) {
    return "this program";
  }
#ifdef PQC_TUNNEL_SODIUM
  if (is_for_sodium(algorithm)) {
    return std::string("libsodium ") + ::sodium_version_string();
  }
#endif
  return "";
}

AeadKey AeadKey::create(AeadAlgorithm algorithm, ByteView key) noexcept
{
  require(key.size() == key_size(algorithm), "an AEAD key is of the wrong size");
  AeadKey out(algorithm);
  if (!spec(algorithm).cipher) {
    out.key_ = SecretBytes::copy_of(key);
    return out;
  }
#ifdef PQC_TUNNEL_SODIUM
  if (is_for_sodium(algorithm)) {
    out.key_ = SecretBytes(sizeof(crypto_aead_aes256gcm_state));
    ::crypto_aead_aes256gcm_beforenm(expanded(out.key_), key.data());
    return out;
  }
#endif
  out.context_.reset(EVP_CIPHER_CTX_new());
  require(
    out.context_ &&
      EVP_EncryptInit_ex(
        out.context_.get(), spec(algorithm).cipher(), nullptr, key.data(), nullptr) == 1,
    cipher_failed);
  return out;
}

[[gnu::hot]] void AeadKey::seal_in_place(
  ByteView nonce, ByteView aad, MutableBytes text,
  std::span<std::uint8_t, aead_tag_size> tag) noexcept
{
  require(nonce.size() == iv_size_, "an AEAD nonce is of the wrong size");
  if (context_) {
    TagParameter result = tag_parameter(tag.data());
    require(
      openssl_run(context_.get(), nonce, aad, text, nullptr) &&
        EVP_CIPHER_CTX_get_params(context_.get(), result.data()) == 1,
      cipher_failed);
    return;
  }
#ifdef PQC_TUNNEL_SODIUM
  if (algorithm_ == AeadAlgorithm::aes_256_gcm) {
    std::uint8_t * const bytes = address_of(text);
    ::crypto_aead_aes256gcm_encrypt_detached_afternm(
      bytes, tag.data(), nullptr, bytes, text.size(), aad.data(), aad.size(), nullptr, nonce.data(),
      expanded(key_));
    return;
  }
#endif
  ascon_seal(
    ascon_variant(algorithm_), key_.view().first<ascon_key_size>(), nonce.first<ascon_nonce_size>(),
    aad, text, tag);
}

[[gnu::hot]] bool AeadKey::open_in_place(
  ByteView nonce, ByteView aad, MutableBytes text,
  std::span<const std::uint8_t, aead_tag_size> tag) noexcept
{
  require(nonce.size() == iv_size_, "an AEAD nonce is of the wrong size");
  bool good = false;
  if (context_) {
    std::array<std::uint8_t, aead_tag_size> expected;
    std::ranges::copy(tag, expected.begin());
    good = openssl_run(context_.get(), nonce, aad, text, tag_parameter(expected.data()).data());
  }
#ifdef PQC_TUNNEL_SODIUM
  else if (algorithm_ == AeadAlgorithm::aes_256_gcm)
  {
    std::uint8_t * const bytes = address_of(text);
    good = ::crypto_aead_aes256gcm_decrypt_detached_afternm(
             bytes, nullptr, bytes, text.size(), tag.data(), aad.data(), aad.size(), nonce.data(),
             expanded(key_)) == 0;
  }
#endif
  else
  {
    good = ascon_open(
      ascon_variant(algorithm_), key_.view().first<ascon_key_size>(),
      nonce.first<ascon_nonce_size>(), aad, text, tag);
  }
  if (!good) {
    cleanse(text);
  }
  return good;
}

}  // namespace pqc_tunnel
