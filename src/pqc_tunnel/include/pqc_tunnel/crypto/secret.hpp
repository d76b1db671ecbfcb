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

#include "pqc_tunnel/base/bytes.hpp"

namespace pqc_tunnel
{

// Overwrites with zeros in a way no optimiser removes.
void cleanse(MutableBytes bytes) noexcept;

// Reserves memory for this process's SecretBytes that is never swapped out nor written to a core
// file; a power of two. Once, before any of them is made. False if the system would not lock it:
// the memory is used all the same.
bool reserve_locked_memory(std::size_t bytes);

// True if both are of one length and equal. Time depends on the lengths only.
bool constant_time_equal(ByteView a, ByteView b) noexcept;

// Secret bytes of a length known at run time. Moves, never copies; zeroed when destroyed, assigned
// over or moved from. In locked memory, if some was reserved. It can't be printed, nor compared with ==.
class SecretBytes
{
public:
  SecretBytes() = default;
  explicit SecretBytes(std::size_t size);  // zeros
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

  void clear() noexcept;

  bool operator==(const SecretBytes &) const = delete;

private:
  std::uint8_t * data_ = nullptr;
  std::size_t size_ = 0;
};

// The same for a length known at compile time, without a heap allocation. Starts as zeros; so is
// what was moved from.
template <std::size_t N>
class SecretArray
{
public:
  SecretArray() = default;
  explicit SecretArray(std::span<const std::uint8_t, N> bytes)
  {
    std::copy(bytes.begin(), bytes.end(), bytes_.begin());
  }

  SecretArray(SecretArray && other) noexcept : bytes_(other.bytes_) { cleanse(other.bytes_); }
  SecretArray & operator=(SecretArray && other) noexcept
  {
    if (this != &other) {
      bytes_ = other.bytes_;
      cleanse(other.bytes_);
    }
    return *this;
  }
  SecretArray(const SecretArray &) = delete;
  SecretArray & operator=(const SecretArray &) = delete;
  ~SecretArray() { cleanse(bytes_); }

  std::span<const std::uint8_t, N> view() const { return bytes_; }
  std::span<std::uint8_t, N> span() { return bytes_; }
  static constexpr std::size_t size() { return N; }

  bool operator==(const SecretArray &) const = delete;

private:
  std::array<std::uint8_t, N> bytes_ = {};
};

std::ostream & operator<<(std::ostream &, const SecretBytes &) = delete;
template <std::size_t N>
std::ostream & operator<<(std::ostream &, const SecretArray<N> &) = delete;

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__CRYPTO__SECRET_HPP_
