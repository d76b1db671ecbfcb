// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "hkdf.hpp"

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include <algorithm>
#include <string>

#include "base/contract.hpp"

namespace pqc_tunnel
{
namespace
{

constexpr const char * hash_failed = "OpenSSL's SHA-2 failed";
constexpr const char * hmac_failed = "OpenSSL's HMAC failed";

// A non-null pointer even for an empty view: OpenSSL takes null for "no key given".
const std::uint8_t * data_of(ByteView bytes)
{
  static const std::uint8_t nothing = 0;
  return bytes.empty() ? &nothing : bytes.data();
}

template <std::size_t N>
std::array<std::uint8_t, N> digest_of(const EVP_MD * algorithm, ByteView bytes)
{
  std::array<std::uint8_t, N> digest;
  require(
    EVP_Digest(data_of(bytes), bytes.size(), digest.data(), nullptr, algorithm, nullptr) == 1,
    hash_failed);
  return digest;
}

EVP_MAC * hmac_algorithm()
{
  static EVP_MAC * const algorithm = EVP_MAC_fetch(nullptr, "HMAC", nullptr);
  return algorithm;
}

}  // namespace

std::array<std::uint8_t, sha256_size> sha256(ByteView bytes) noexcept
{
  return digest_of<sha256_size>(EVP_sha256(), bytes);
}

std::array<std::uint8_t, sha512_size> sha512(ByteView bytes) noexcept
{
  return digest_of<sha512_size>(EVP_sha512(), bytes);
}

void Sha512::Free::operator()(evp_md_ctx_st * context) const noexcept { EVP_MD_CTX_free(context); }

Sha512::Sha512() noexcept : context_(EVP_MD_CTX_new())
{
  require(context_ && EVP_DigestInit_ex(context_.get(), EVP_sha512(), nullptr) == 1, hash_failed);
}

Sha512::Sha512(const Sha512 & other) noexcept : context_(EVP_MD_CTX_new())
{
  require(context_ && EVP_MD_CTX_copy_ex(context_.get(), other.context_.get()) == 1, hash_failed);
}

Sha512 & Sha512::operator=(const Sha512 & other) noexcept
{
  if (this != &other) {
    *this = Sha512(other);
  }
  return *this;
}

Sha512 & Sha512::update(ByteView bytes) noexcept
{
  require(EVP_DigestUpdate(context_.get(), data_of(bytes), bytes.size()) == 1, hash_failed);
  return *this;
}

std::array<std::uint8_t, sha512_size> Sha512::digest() const noexcept
{
  const Sha512 copy(*this);
  std::array<std::uint8_t, sha512_size> digest;
  require(EVP_DigestFinal_ex(copy.context_.get(), digest.data(), nullptr) == 1, hash_failed);
  return digest;
}

void Hmac::Free::operator()(evp_mac_ctx_st * context) const noexcept { EVP_MAC_CTX_free(context); }

Hmac::Hmac(Hash hash, ByteView key) noexcept
: hash_(hash), context_(EVP_MAC_CTX_new(hmac_algorithm()))
{
  std::string digest = hash == Hash::sha384 ? "SHA384" : "SHA256";
  const OSSL_PARAM parameters[] = {
    OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest.data(), 0),
    OSSL_PARAM_construct_end()};
  require(
    context_ && EVP_MAC_init(context_.get(), data_of(key), key.size(), parameters) == 1,
    hmac_failed);
}

Hmac & Hmac::update(ByteView bytes) noexcept
{
  require(EVP_MAC_update(context_.get(), data_of(bytes), bytes.size()) == 1, hmac_failed);
  return *this;
}

void Hmac::finish(MutableBytes mac) noexcept
{
  std::size_t written = 0;
  require(
    mac.size() == hash_size(hash_) &&
      EVP_MAC_final(context_.get(), mac.data(), &written, mac.size()) == 1 &&
      written == mac.size() && EVP_MAC_init(context_.get(), nullptr, 0, nullptr) == 1,
    hmac_failed);
}

std::array<std::uint8_t, 32> hmac(
  Hash hash, ByteView key, std::initializer_list<ByteView> message) noexcept
{
  Hmac mac(hash, key);
  for (const ByteView piece : message) {
    mac.update(piece);
  }
  std::array<std::uint8_t, 48> whole = {};
  mac.finish(MutableBytes(whole).first(hash_size(hash)));
  std::array<std::uint8_t, 32> cut = {};
  std::copy_n(whole.begin(), cut.size(), cut.begin());
  cleanse(whole);  // a MAC under a secret that later keys are made from
  return cut;
}

SecretBytes hkdf_extract(Hash hash, ByteView salt, ByteView input)
{
  SecretBytes key(hash_size(hash));
  Hmac(hash, salt).update(input).finish(key.span());
  return key;
}

void hkdf_expand(Hash hash, ByteView key, ByteView info, MutableBytes out)
{
  require(out.size() <= 255 * hash_size(hash), "HKDF was asked for more than 255 blocks");
  Hmac mac(hash, key);
  SecretBytes block(hash_size(hash));
  for (std::uint8_t counter = 1; !out.empty(); ++counter) {
    if (counter > 1) {
      mac.update(block.view());
    }
    mac.update(info).update({&counter, 1}).finish(block.span());
    const std::size_t taken = std::min(out.size(), block.size());
    std::copy_n(block.view().begin(), taken, out.begin());
    out = out.subspan(taken);
  }
}

}  // namespace pqc_tunnel
