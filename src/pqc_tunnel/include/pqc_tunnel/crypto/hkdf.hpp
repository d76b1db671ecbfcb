// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__CRYPTO__HKDF_HPP_
#define PQC_TUNNEL__CRYPTO__HKDF_HPP_

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>

#include "pqc_tunnel/base/bytes.hpp"
#include "pqc_tunnel/crypto/secret.hpp"

struct evp_mac_ctx_st;
struct evp_md_ctx_st;

namespace pqc_tunnel
{

inline constexpr std::size_t sha256_size = 32;
inline constexpr std::size_t sha512_size = 64;
inline constexpr std::size_t hkdf_max_output = 255 * sha256_size;

std::array<std::uint8_t, sha256_size> sha256(ByteView bytes) noexcept;
std::array<std::uint8_t, sha512_size> sha512(ByteView bytes) noexcept;

// SHA-512 over bytes that come piece by piece. A copy goes on from where the original stands.
class Sha512
{
public:
  Sha512() noexcept;
  Sha512(const Sha512 & other) noexcept;
  Sha512 & operator=(const Sha512 & other) noexcept;
  Sha512(Sha512 &&) noexcept = default;
  Sha512 & operator=(Sha512 &&) noexcept = default;
  ~Sha512() = default;

  Sha512 & update(ByteView bytes) noexcept;
  // Of everything so far; hashing can go on.
  std::array<std::uint8_t, sha512_size> digest() const noexcept;

private:
  struct Free
  {
    void operator()(evp_md_ctx_st * context) const noexcept;
  };
  std::unique_ptr<evp_md_ctx_st, Free> context_;
};

// HMAC-SHA256 under one key, for any number of messages one after the other.
class HmacSha256
{
public:
  explicit HmacSha256(ByteView key) noexcept;

  HmacSha256 & update(ByteView bytes) noexcept;
  // The MAC of the message, and a fresh start for the next one.
  void finish(std::span<std::uint8_t, sha256_size> mac) noexcept;

private:
  struct Free
  {
    void operator()(evp_mac_ctx_st * context) const noexcept;
  };
  std::unique_ptr<evp_mac_ctx_st, Free> context_;
};

// HMAC-SHA256 of the pieces, one after the other.
std::array<std::uint8_t, sha256_size> hmac_sha256(
  ByteView key, std::initializer_list<ByteView> message) noexcept;

// RFC 5869 with SHA-256. Output of expand: at most hkdf_max_output bytes.
SecretArray<32> hkdf_extract(ByteView salt, ByteView input) noexcept;
void hkdf_expand(ByteView key, ByteView info, MutableBytes out) noexcept;

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__CRYPTO__HKDF_HPP_
