// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "support/reference_schedule.hpp"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <memory>

namespace pqc_tunnel::test
{
namespace
{

Bytes u16(std::size_t value)
{
  return {static_cast<std::uint8_t>(value >> 8), static_cast<std::uint8_t>(value)};
}

Bytes u8(std::size_t value) { return {static_cast<std::uint8_t>(value)}; }

const Bytes zeros32(32, 0);

}  // namespace

Bytes operator+(const Bytes & a, const Bytes & b)
{
  Bytes sum = a;
  sum.insert(sum.end(), b.begin(), b.end());
  return sum;
}

Bytes text(const std::string & ascii) { return Bytes(ascii.begin(), ascii.end()); }

Bytes copy(ByteView bytes) { return Bytes(bytes.begin(), bytes.end()); }

Bytes reference_hmac(const Bytes & key, const Bytes & message)
{
  Bytes mac(32);
  unsigned size = 0;
  HMAC(
    EVP_sha256(), key.data(), static_cast<int>(key.size()), message.data(), message.size(),
    mac.data(), &size);
  return mac;
}

Bytes reference_sha512(const Bytes & message)
{
  Bytes digest(64);
  EVP_Digest(message.data(), message.size(), digest.data(), nullptr, EVP_sha512(), nullptr);
  return digest;
}

Bytes reference_expand(const Bytes & key, const Bytes & info, std::size_t size)
{
  Bytes output;
  Bytes block;
  for (std::uint8_t counter = 1; output.size() < size; ++counter) {
    block = reference_hmac(key, block + info + Bytes{counter});
    output = output + block;
  }
  output.resize(size);
  return output;
}

Bytes reference_expand_label(
  const Bytes & secret, const std::string & label, const Bytes & context, std::size_t size)
{
  const Bytes name = text("pqm2 " + label);
  return reference_expand(
    secret, u16(size) + u8(name.size()) + name + u8(context.size()) + context, size);
}

ReferenceSchedule::ReferenceSchedule(const Bytes & psk)
: early_secret_(reference_hmac(zeros32, psk))
{
  hello_key = reference_expand_label(early_secret_, "ch", {}, 32);
  retry_key = reference_expand_label(early_secret_, "hr", {}, 32);
  server_hello_key = reference_expand_label(early_secret_, "sh", {}, 32);
  finish_key = reference_expand_label(early_secret_, "cf", {}, 32);
}

void ReferenceSchedule::agree(
  const Bytes & kem_secret, const Bytes & x25519, const std::optional<Bytes> & resumption)
{
  const Bytes resumed = reference_hmac(
    reference_expand_label(early_secret_, "derived", {}, 32), resumption.value_or(zeros32));
  handshake_secret = reference_hmac(
    reference_expand_label(resumed, "derived", {}, 32),
    u16(kem_secret.size()) + kem_secret + u16(x25519.size()) + x25519);
}

std::optional<Bytes> reference_open(
  const Bytes & datagram, bool chacha, const Bytes & key, const Bytes & iv)
{
  // zeros ‖ epoch ‖ sequence, from the header
  Bytes nonce(iv.size() - 9, 0);
  nonce.push_back(datagram[21]);
  nonce.insert(nonce.end(), datagram.begin() + 13, datagram.begin() + 21);
  for (std::size_t i = 0; i < nonce.size(); ++i) {
    nonce[i] ^= iv[i];
  }

  const std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)> context(
    EVP_CIPHER_CTX_new(), &EVP_CIPHER_CTX_free);
  const int text_size = static_cast<int>(datagram.size()) - 38;
  Bytes tag(datagram.end() - 16, datagram.end());
  Bytes plaintext(static_cast<std::size_t>(text_size) + 1);
  int written = 0;
  const EVP_CIPHER * cipher = chacha ? EVP_chacha20_poly1305() : EVP_aes_256_gcm();
  const bool ok =
    EVP_DecryptInit_ex(context.get(), cipher, nullptr, key.data(), nonce.data()) == 1 &&
    EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_SET_TAG, 16, tag.data()) == 1 &&
    EVP_DecryptUpdate(context.get(), nullptr, &written, datagram.data(), 22) == 1 &&
    EVP_DecryptUpdate(context.get(), plaintext.data(), &written, datagram.data() + 22, text_size) ==
      1 &&
    EVP_DecryptFinal_ex(context.get(), plaintext.data() + text_size, &written) == 1;
  if (!ok) {
    return std::nullopt;
  }
  plaintext.resize(static_cast<std::size_t>(text_size));
  return plaintext;
}

}  // namespace pqc_tunnel::test
