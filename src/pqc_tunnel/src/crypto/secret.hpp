// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__CRYPTO__SECRET_HPP_
#define PQC_TUNNEL__CRYPTO__SECRET_HPP_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <span>

#include "base/bytes.hpp"

namespace pqc_tunnel
{

/// Overwrites `bytes` with zeros; the compiler cannot remove it. Any thread.
void cleanse(MutableBytes bytes) noexcept;

/// Reserves memory for the secrets of this process that is neither swapped out nor written to core files.
/// `bytes` is a power of two. Call it once, before any secret is made. Returns false if the system does not
/// lock the memory, which is used nevertheless. Secrets of more than 1 KiB leave an eighth of it to smaller ones: many
/// keys made ahead don't force the PSK and what is derived from it into ordinary memory.
bool reserve_locked_memory(std::size_t bytes);

/// Returns true if both have the same length and content. The time depends on the lengths only. Any thread.
bool constant_time_equal(ByteView a, ByteView b) noexcept;

/// Secret bytes of a length known at run time. They move and never copy, are zeroed when destroyed, assigned
/// over or moved from, and lie in locked memory if some is reserved. They cannot be printed or compared with
/// ==.
class SecretBytes
{
public:
  SecretBytes() = default;
  /// Makes `size` zero bytes.
  explicit SecretBytes(std::size_t size);
  static SecretBytes copy_of(ByteView bytes);

  SecretBytes(SecretBytes && other) noexcept;
  SecretBytes & operator=(SecretBytes && other) noexcept;
  SecretBytes(const SecretBytes &) = delete;
  SecretBytes & operator=(const SecretBytes &) = delete;
  ~SecretBytes();

  ByteView view() const { return {data_, size_}; }
  MutableBytes span() { return {data_, size_}; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  /// Zeroes and frees the bytes.
  void clear() noexcept;

  bool operator==(const SecretBytes &) const = delete;

private:
  std::uint8_t * data_ = nullptr;
  std::size_t size_ = 0;
};

/// Secret bytes of a length known at compile time, which lie where SecretBytes do. Zero at first and after a
/// move.
template <std::size_t N>
class SecretArray
{
public:
  SecretArray() = default;
  explicit SecretArray(std::span<const std::uint8_t, N> bytes) : bytes_(SecretBytes::copy_of(bytes))
  {
  }

  std::span<const std::uint8_t, N> view() const
  {
    static constexpr std::array<std::uint8_t, N> zeros = {};
    return (bytes_.empty() ? ByteView(zeros) : bytes_.view()).template first<N>();
  }
  std::span<std::uint8_t, N> span()
  {
    if (bytes_.empty()) {
      bytes_ = SecretBytes(N);
    }
    return bytes_.span().template first<N>();
  }
  static constexpr std::size_t size() { return N; }

  bool operator==(const SecretArray &) const = delete;

private:
  SecretBytes bytes_;
};

std::ostream & operator<<(std::ostream &, const SecretBytes &) = delete;
template <std::size_t N>
std::ostream & operator<<(std::ostream &, const SecretArray<N> &) = delete;

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__CRYPTO__SECRET_HPP_
