// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "pqc_tunnel/crypto/secret.hpp"

#include <openssl/crypto.h>

#include <algorithm>
#include <new>
#include <utility>

namespace pqc_tunnel
{

void cleanse(MutableBytes bytes) noexcept { OPENSSL_cleanse(bytes.data(), bytes.size()); }

bool reserve_locked_memory(std::size_t bytes)
{
  constexpr std::size_t smallest_piece = 32;
  return CRYPTO_secure_malloc_init(bytes, smallest_piece) == 1;
}

bool constant_time_equal(ByteView a, ByteView b) noexcept
{
  return a.size() == b.size() && (a.empty() || CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0);
}

// Allocates from the secure heap of OpenSSL, if the process has one: locked in memory and left out of core files. When it
// is full, from the ordinary heap.
SecretBytes::SecretBytes(std::size_t size) : size_(size)
{
  if (size == 0) {
    return;
  }
  void * memory = OPENSSL_secure_zalloc(size);
  if (memory == nullptr) {
    memory = OPENSSL_zalloc(size);
  }
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
