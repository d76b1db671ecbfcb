// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__CRYPTO__ASCON_HPP_
#define PQC_TUNNEL__CRYPTO__ASCON_HPP_

#include <cstddef>
#include <cstdint>
#include <span>

#include "pqc_tunnel/base/bytes.hpp"

namespace pqc_tunnel
{

// The two Ascon AEADs that suites use, in place and in constant time for given lengths. Both run
// the same permutation with the same rates and rounds; initial value, byte order and padding
// differ, and so do all results.
enum class AsconVariant : std::uint8_t
{
  ascon_128a,     // Ascon v1.2, the NIST submission: big-endian
  ascon_aead128,  // NIST SP 800-232: little-endian
};

inline constexpr std::size_t ascon_key_size = 16;
inline constexpr std::size_t ascon_nonce_size = 16;
inline constexpr std::size_t ascon_tag_size = 16;

void ascon_seal(
  AsconVariant variant, std::span<const std::uint8_t, ascon_key_size> key,
  std::span<const std::uint8_t, ascon_nonce_size> nonce, ByteView aad, MutableBytes text,
  std::span<std::uint8_t, ascon_tag_size> tag) noexcept;

// False, with the text zeroed, if the tag does not hold.
bool ascon_open(
  AsconVariant variant, std::span<const std::uint8_t, ascon_key_size> key,
  std::span<const std::uint8_t, ascon_nonce_size> nonce, ByteView aad, MutableBytes text,
  std::span<const std::uint8_t, ascon_tag_size> tag) noexcept;

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__CRYPTO__ASCON_HPP_
