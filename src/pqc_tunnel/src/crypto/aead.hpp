// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__CRYPTO__AEAD_HPP_
#define PQC_TUNNEL__CRYPTO__AEAD_HPP_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/bytes.hpp"
#include "crypto/suites/algorithms.hpp"
#include "secret.hpp"

struct evp_cipher_ctx_st;

namespace pqc_tunnel
{

/// Tag size in bytes, of every algorithm.
inline constexpr std::size_t aead_tag_size = 16;

/// Returns what computes this algorithm in this process, as "libsodium 1.0.18"; empty: OpenSSL.
std::string library_of(AeadAlgorithm algorithm);

/// Returns whether the processor has instructions for AES-GCM. Without them ChaCha20-Poly1305 is several times faster, and
/// no table of AES lies in memory that others share.
bool processor_has_aes();

/// One AEAD key, for sealing and opening. The key schedule runs once, in create(); each packet only sets its
/// nonce. Nothing allocates after create(). Not thread-safe: one thread at a time. A moved-from key can only
/// be destroyed or assigned to. A key or nonce of the wrong size breaks the contract and ends the process.
class AeadKey
{
public:
  /// Makes a key from key_size(algorithm) bytes.
  static AeadKey create(AeadAlgorithm algorithm, ByteView key) noexcept;

  AeadKey(AeadKey &&) noexcept = default;
  AeadKey & operator=(AeadKey &&) noexcept = default;
  ~AeadKey() = default;

  AeadAlgorithm algorithm() const { return algorithm_; }
  std::size_t nonce_size() const { return iv_size_; }

  /// Encrypts `text` in place and writes its tag. `aad` is authenticated, not encrypted. The caller must never
  /// use a nonce twice.
  void seal_in_place(
    ByteView nonce, ByteView aad, MutableBytes text,
    std::span<std::uint8_t, aead_tag_size> tag) noexcept;

  /// Decrypts `text` in place. Returns false, with `text` zeroed, if the tag is wrong.
  bool open_in_place(
    ByteView nonce, ByteView aad, MutableBytes text,
    std::span<const std::uint8_t, aead_tag_size> tag) noexcept;

private:
  struct FreeContext
  {
    void operator()(evp_cipher_ctx_st * context) const noexcept;
  };
  using Context = std::unique_ptr<evp_cipher_ctx_st, FreeContext>;

  explicit AeadKey(AeadAlgorithm algorithm) noexcept
  : algorithm_(algorithm), iv_size_(iv_size(algorithm))
  {
  }

  AeadAlgorithm algorithm_;
  std::size_t iv_size_;  ///< in bytes
  Context context_;      ///< of OpenSSL, where it does the work; it zeroes the key when freed
  SecretBytes key_;      ///< elsewhere: of Ascon, or expanded for libsodium
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__CRYPTO__AEAD_HPP_
