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

/// Size of a SHA-256 digest in bytes.
inline constexpr std::size_t sha256_size = 32;
/// Size of a SHA-512 digest in bytes.
inline constexpr std::size_t sha512_size = 64;
/// The longest output of hkdf_expand(), in bytes.
inline constexpr std::size_t hkdf_max_output = 255 * sha256_size;

/// SHA-256 of the bytes (FIPS 180-4). Any thread.
std::array<std::uint8_t, sha256_size> sha256(ByteView bytes) noexcept;
/// SHA-512 of the bytes (FIPS 180-4). Any thread.
std::array<std::uint8_t, sha512_size> sha512(ByteView bytes) noexcept;

/// SHA-512 over a message in pieces. A copy continues from the state of the original. One thread at a time.
class Sha512
{
public:
  Sha512() noexcept;
  Sha512(const Sha512 & other) noexcept;
  Sha512 & operator=(const Sha512 & other) noexcept;
  Sha512(Sha512 &&) noexcept = default;
  Sha512 & operator=(Sha512 &&) noexcept = default;
  ~Sha512() = default;

  /// Appends a piece of the message.
  Sha512 & update(ByteView bytes) noexcept;
  /// The digest of the message so far; update() may follow.
  std::array<std::uint8_t, sha512_size> digest() const noexcept;

private:
  struct Free
  {
    void operator()(evp_md_ctx_st * context) const noexcept;
  };
  std::unique_ptr<evp_md_ctx_st, Free> context_;
};

/// HMAC-SHA256 (RFC 2104) under one key, for any number of messages in turn. One thread at a time.
class HmacSha256
{
public:
  explicit HmacSha256(ByteView key) noexcept;

  /// Appends a piece of the message.
  HmacSha256 & update(ByteView bytes) noexcept;
  /// Writes the MAC of the message and starts the next message.
  void finish(std::span<std::uint8_t, sha256_size> mac) noexcept;

private:
  struct Free
  {
    void operator()(evp_mac_ctx_st * context) const noexcept;
  };
  std::unique_ptr<evp_mac_ctx_st, Free> context_;
};

/// HMAC-SHA256 of the concatenated pieces. Any thread.
std::array<std::uint8_t, sha256_size> hmac_sha256(
  ByteView key, std::initializer_list<ByteView> message) noexcept;

/// HKDF-Extract with SHA-256 (RFC 5869). Any thread.
SecretArray<32> hkdf_extract(ByteView salt, ByteView input) noexcept;
/// HKDF-Expand with SHA-256 (RFC 5869). Fills `out`, at most hkdf_max_output bytes. Any thread.
void hkdf_expand(ByteView key, ByteView info, MutableBytes out) noexcept;

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__CRYPTO__HKDF_HPP_
