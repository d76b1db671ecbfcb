// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "support/known_answers/reference_schedule.hpp"

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

const EVP_MD * algorithm(ReferenceHash hash)
{
  return hash == ReferenceHash::sha384 ? EVP_sha384() : EVP_sha256();
}

}  // namespace

Bytes operator+(const Bytes & a, const Bytes & b)
{
  Bytes sum = a;
  sum.insert(sum.end(), b.begin(), b.end());
  return sum;
}

Bytes text(const std::string & ascii) { return Bytes(ascii.begin(), ascii.end()); }

Bytes copy(ByteView bytes) { return Bytes(bytes.begin(), bytes.end()); }

std::size_t reference_size(ReferenceHash hash) { return hash == ReferenceHash::sha384 ? 48 : 32; }

Bytes reference_hmac(ReferenceHash hash, const Bytes & key, const Bytes & message)
{
  Bytes mac(reference_size(hash));
  unsigned size = 0;
  HMAC(
    algorithm(hash), key.data(), static_cast<int>(key.size()), message.data(), message.size(),
    mac.data(), &size);
  return mac;
}

Bytes reference_mac(ReferenceHash hash, const Bytes & key, const Bytes & message)
{
  Bytes mac = reference_hmac(hash, key, message);
  mac.resize(32);
  return mac;
}

Bytes reference_sha512(const Bytes & message)
{
  Bytes digest(64);
  EVP_Digest(message.data(), message.size(), digest.data(), nullptr, EVP_sha512(), nullptr);
  return digest;
}

Bytes reference_expand_label(
  ReferenceHash hash, const Bytes & secret, const std::string & label, const Bytes & context,
  std::size_t size)
{
  const Bytes name = text("pqm3 " + label);
  const Bytes info = u16(size) + u8(name.size()) + name + u8(context.size()) + context;
  Bytes output;
  Bytes block;
  for (std::uint8_t counter = 1; output.size() < size; ++counter) {
    block = reference_hmac(hash, secret, block + info + Bytes{counter});
    output = output + block;
  }
  output.resize(size);
  return output;
}

ReferenceSchedule::ReferenceSchedule(ReferenceHash which, const Bytes & psk)
: hash(which), early_secret_(reference_hmac(which, Bytes(reference_size(which), 0), psk))
{
  const std::size_t n = reference_size(hash);
  hello_key = reference_expand_label(hash, early_secret_, "ch", {}, n);
  retry_key = reference_expand_label(hash, early_secret_, "hr", {}, n);
  finish_key = reference_expand_label(hash, early_secret_, "cf", {}, n);
  boot = reference_expand_label(hash, early_secret_, "boot", {}, n);
}

void ReferenceSchedule::resume(const std::optional<Bytes> & resumption)
{
  const std::size_t n = reference_size(hash);
  resumed_secret = reference_hmac(
    hash, reference_expand_label(hash, early_secret_, "derived", {}, n),
    resumption.value_or(Bytes(n, 0)));
}

void ReferenceSchedule::extract(const Bytes & input)
{
  handshake_secret = reference_hmac(
    hash, reference_expand_label(hash, resumed_secret, "derived", {}, reference_size(hash)), input);
}

void ReferenceSchedule::agree(
  const Bytes & kem_secret, const Bytes & x25519, const std::optional<Bytes> & resumption)
{
  resume(resumption);
  extract(u16(kem_secret.size()) + kem_secret + u16(x25519.size()) + x25519);
}

void ReferenceSchedule::ratchet(
  const Bytes & resumption, const Bytes & drone_random, const Bytes & gcs_random)
{
  resume(resumption);
  extract(text("ratchet") + drone_random + gcs_random);
}

Bytes ReferenceSchedule::boot_secret(const Bytes & client_random, const Bytes & challenge) const
{
  return reference_hmac(hash, boot, client_random + challenge);
}

std::optional<Bytes> reference_open(
  const Bytes & datagram, bool chacha, const Bytes & key, const Bytes & iv, std::uint8_t epoch)
{
  // zeros ‖ epoch ‖ sequence
  Bytes nonce(iv.size() - 9, 0);
  nonce.push_back(epoch);
  nonce.resize(iv.size() - 3, 0);
  nonce.insert(nonce.end(), datagram.begin() + 3, datagram.begin() + 6);
  for (std::size_t i = 0; i < nonce.size(); ++i) {
    nonce[i] ^= iv[i];
  }

  const std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)> context(
    EVP_CIPHER_CTX_new(), &EVP_CIPHER_CTX_free);
  const int text_size = static_cast<int>(datagram.size()) - 22;
  Bytes tag(datagram.end() - 16, datagram.end());
  Bytes plaintext(static_cast<std::size_t>(text_size) + 1);
  int written = 0;
  const EVP_CIPHER * cipher = chacha ? EVP_chacha20_poly1305() : EVP_aes_256_gcm();
  const bool ok =
    EVP_DecryptInit_ex(context.get(), cipher, nullptr, key.data(), nonce.data()) == 1 &&
    EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_SET_TAG, 16, tag.data()) == 1 &&
    EVP_DecryptUpdate(context.get(), nullptr, &written, datagram.data(), 6) == 1 &&
    EVP_DecryptUpdate(context.get(), plaintext.data(), &written, datagram.data() + 6, text_size) ==
      1 &&
    EVP_DecryptFinal_ex(context.get(), plaintext.data() + text_size, &written) == 1;
  if (!ok) {
    return std::nullopt;
  }
  plaintext.resize(static_cast<std::size_t>(text_size));
  return plaintext;
}

}  // namespace pqc_tunnel::test
