// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "support/known_answers/nist_random.hpp"

#include <openssl/evp.h>

#include <algorithm>
#include <memory>
#include <stdexcept>

namespace pqc_tunnel::test
{
namespace
{

void expect_success(int result)
{
  if (result != 1) {
    throw std::runtime_error("OpenSSL failed");
  }
}

Bytes shake256(ByteView input, std::size_t size)
{
  Bytes out(size);
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(
    EVP_MD_CTX_new(), &EVP_MD_CTX_free);
  expect_success(EVP_DigestInit_ex(context.get(), EVP_shake256(), nullptr));
  expect_success(EVP_DigestUpdate(context.get(), input.data(), input.size()));
  expect_success(EVP_DigestFinalXOF(context.get(), out.data(), out.size()));
  return out;
}

}  // namespace

NistDrbg::NistDrbg(ByteView seed) { update(seed); }

std::array<std::uint8_t, 16> NistDrbg::next_block()
{
  for (auto byte = counter_.rbegin(); byte != counter_.rend() && ++*byte == 0; ++byte) {
  }
  std::array<std::uint8_t, 16> block;
  const std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)> aes(
    EVP_CIPHER_CTX_new(), &EVP_CIPHER_CTX_free);
  int written = 0;
  expect_success(EVP_EncryptInit_ex(aes.get(), EVP_aes_256_ecb(), nullptr, key_.data(), nullptr));
  expect_success(EVP_EncryptUpdate(aes.get(), block.data(), &written, counter_.data(), 16));
  return block;
}

void NistDrbg::update(ByteView provided)
{
  std::array<std::uint8_t, 48> fresh;
  for (std::size_t i = 0; i < 3; ++i) {
    std::ranges::copy(next_block(), fresh.begin() + static_cast<std::ptrdiff_t>(16 * i));
  }
  for (std::size_t i = 0; i < provided.size(); ++i) {
    fresh[i] ^= provided[i];
  }
  std::copy_n(fresh.begin(), 32, key_.begin());
  std::copy_n(fresh.begin() + 32, 16, counter_.begin());
}

void NistDrbg::fill(MutableBytes out)
{
  while (!out.empty()) {
    const auto block = next_block();
    const std::size_t taken = std::min(out.size(), block.size());
    std::copy_n(block.begin(), taken, out.begin());
    out = out.subspan(taken);
  }
  update({});
}

HqcPrng::HqcPrng(ByteView seed, std::uint8_t domain) : seed_(seed.begin(), seed.end())
{
  seed_.push_back(domain);
}

void HqcPrng::fill(MutableBytes out)
{
  if (used_ + out.size() > stream_.size()) {
    // OpenSSL 3.0 can't squeeze on, so the longer stream is made from the start.
    stream_ = shake256(seed_, std::max(2 * stream_.size(), used_ + out.size()));
  }
  std::copy_n(stream_.begin() + static_cast<std::ptrdiff_t>(used_), out.size(), out.begin());
  used_ += out.size();
}

}  // namespace pqc_tunnel::test
