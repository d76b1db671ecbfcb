// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__CRYPTO__ASCON_HPP_
#define PQC_TUNNEL__CRYPTO__ASCON_HPP_

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/bytes.hpp"

namespace pqc_tunnel
{

// The two Ascon AEADs of the suites, in place and in constant time for given lengths. Both use the same permutation,
// rate and rounds; initial value, byte order and padding differ, so their results differ.
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

// Returns false, with the text zeroed, if the tag is wrong.
bool ascon_open(
  AsconVariant variant, std::span<const std::uint8_t, ascon_key_size> key,
  std::span<const std::uint8_t, ascon_nonce_size> nonce, ByteView aad, MutableBytes text,
  std::span<const std::uint8_t, ascon_tag_size> tag) noexcept;

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__CRYPTO__ASCON_HPP_
