// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__CRYPTO__HKDF_HPP_
#define PQC_TUNNEL__CRYPTO__HKDF_HPP_

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>

#include "base/bytes.hpp"
#include "secret.hpp"

struct evp_mac_ctx_st;
struct evp_md_ctx_st;

namespace pqc_tunnel
{

/// Size of a SHA-256 digest in bytes.
inline constexpr std::size_t sha256_size = 32;
/// Size of a SHA-512 digest in bytes.
inline constexpr std::size_t sha512_size = 64;
/// The hash of HMAC and HKDF.
enum class Hash : std::uint8_t
{
  sha256,
  sha384,
};

/// Size of a digest in bytes.
constexpr std::size_t hash_size(Hash hash) { return hash == Hash::sha384 ? 48 : 32; }

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

/// HMAC (RFC 2104) under one key, for any number of messages in turn. One thread at a time.
class Hmac
{
public:
  Hmac(Hash hash, ByteView key) noexcept;

  /// Appends a piece of the message.
  Hmac & update(ByteView bytes) noexcept;
  /// Writes the MAC of the message, hash_size() bytes, and starts the next message.
  void finish(MutableBytes mac) noexcept;

private:
  struct Free
  {
    void operator()(evp_mac_ctx_st * context) const noexcept;
  };
  Hash hash_;
  std::unique_ptr<evp_mac_ctx_st, Free> context_;
};

/// The first 32 bytes of the HMAC of the concatenated pieces. Any thread.
std::array<std::uint8_t, 32> hmac(
  Hash hash, ByteView key, std::initializer_list<ByteView> message) noexcept;

/// HKDF-Extract (RFC 5869): hash_size() bytes. Any thread.
SecretBytes hkdf_extract(Hash hash, ByteView salt, ByteView input);
/// HKDF-Expand (RFC 5869). Fills `out`, at most 255 * hash_size() bytes. Any thread.
void hkdf_expand(Hash hash, ByteView key, ByteView info, MutableBytes out);

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__CRYPTO__HKDF_HPP_
