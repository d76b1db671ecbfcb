// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "pqc_tunnel/core/secret.hpp"

#include <openssl/crypto.h>

#include <algorithm>
#include <utility>

namespace pqc_tunnel
{

void cleanse(MutableBytes bytes) noexcept { OPENSSL_cleanse(bytes.data(), bytes.size()); }

bool constant_time_equal(ByteView a, ByteView b) noexcept
{
  return a.size() == b.size() && (a.empty() || CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0);
}

SecretBytes::SecretBytes(std::size_t size)
: data_(size > 0 ? std::make_unique<std::uint8_t[]>(size) : nullptr), size_(size)
{
}

SecretBytes SecretBytes::copy_of(ByteView bytes)
{
  SecretBytes copy(bytes.size());
  std::ranges::copy(bytes, copy.data_.get());
  return copy;
}

SecretBytes::SecretBytes(SecretBytes && other) noexcept
: data_(std::move(other.data_)), size_(std::exchange(other.size_, 0))
{
}

SecretBytes & SecretBytes::operator=(SecretBytes && other) noexcept
{
  if (this != &other) {
    clear();
    data_ = std::move(other.data_);
    size_ = std::exchange(other.size_, 0);
  }
  return *this;
}

SecretBytes::~SecretBytes() { clear(); }

void SecretBytes::clear() noexcept
{
  cleanse(span());
  data_.reset();
  size_ = 0;
}

}  // namespace pqc_tunnel
