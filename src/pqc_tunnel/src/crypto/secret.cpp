// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "secret.hpp"

#include <openssl/crypto.h>

#include <algorithm>
#include <atomic>
#include <new>
#include <utility>

namespace pqc_tunnel
{

void cleanse(MutableBytes bytes) noexcept { OPENSSL_cleanse(bytes.data(), bytes.size()); }

namespace
{

constexpr std::size_t largest_small_secret = 1024;
std::atomic<std::size_t> room_for_large = 0;  // bytes of the secure heap; 0 without one

bool has_locked_room(std::size_t size)
{
  return room_for_large != 0 &&
         (size <= largest_small_secret || CRYPTO_secure_used() + size <= room_for_large);
}

void * allocate(std::size_t size)
{
  void * const locked = has_locked_room(size) ? OPENSSL_secure_zalloc(size) : nullptr;
  return locked == nullptr ? OPENSSL_zalloc(size) : locked;
}

}  // namespace

bool reserve_locked_memory(std::size_t bytes)
{
  constexpr std::size_t smallest_piece = 32;
  const int reserved = CRYPTO_secure_malloc_init(bytes, smallest_piece);
  room_for_large = reserved == 0 ? 0 : bytes - bytes / 8;
  return reserved == 1;
}

bool constant_time_equal(ByteView a, ByteView b) noexcept
{
  return a.size() == b.size() && (a.empty() || CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0);
}

// Allocates from the secure heap of OpenSSL, if the process has one: locked in memory and left out of core files. When it
// is full, or has room only for smaller secrets, from the ordinary heap.
SecretBytes::SecretBytes(std::size_t size) : size_(size)
{
  if (size == 0) {
    return;
  }
  void * memory = allocate(size);
  if (memory == nullptr) {
    throw std::bad_alloc();
  }
  data_ = static_cast<std::uint8_t *>(memory);
}

SecretBytes SecretBytes::copy_of(ByteView bytes)
{
  SecretBytes copy(bytes.size());
  std::ranges::copy(bytes, copy.data_);
  return copy;
}

SecretBytes::SecretBytes(SecretBytes && other) noexcept
: data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0))
{
}

SecretBytes & SecretBytes::operator=(SecretBytes && other) noexcept
{
  if (this != &other) {
    clear();
    data_ = std::exchange(other.data_, nullptr);
    size_ = std::exchange(other.size_, 0);
  }
  return *this;
}

SecretBytes::~SecretBytes() { clear(); }

void SecretBytes::clear() noexcept
{
  OPENSSL_secure_clear_free(data_, size_);
  data_ = nullptr;
  size_ = 0;
}

}  // namespace pqc_tunnel
