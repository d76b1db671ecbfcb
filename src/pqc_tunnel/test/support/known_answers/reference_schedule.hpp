// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef SUPPORT__KNOWN_ANSWERS__REFERENCE_SCHEDULE_HPP_
#define SUPPORT__KNOWN_ANSWERS__REFERENCE_SCHEDULE_HPP_

#include <optional>
#include <string>

#include "base/bytes.hpp"

namespace pqc_tunnel::test
{

// The key schedule once more, written from the protocol's page and RFC 5869 over nothing but OpenSSL's HMAC and
// SHA-512, to check the product's against.

Bytes operator+(const Bytes & a, const Bytes & b);
Bytes text(const std::string & ascii);
Bytes copy(ByteView bytes);

enum class ReferenceHash
{
  sha256,
  sha384,
};
std::size_t reference_size(ReferenceHash hash);  // N

// The whole HMAC, N bytes.
Bytes reference_hmac(ReferenceHash hash, const Bytes & key, const Bytes & message);
Bytes reference_mac(ReferenceHash hash, const Bytes & key, const Bytes & message);  // cut to 32
Bytes reference_sha512(const Bytes & message);
// EL(s, label, ctx, L)
Bytes reference_expand_label(
  ReferenceHash hash, const Bytes & secret, const std::string & label, const Bytes & context,
  std::size_t size);

struct ReferenceSchedule
{
  ReferenceHash hash;
  Bytes hello_key, retry_key, finish_key, boot;  // k_ch, k_hr, k_cf and the seed of the boot keys
  Bytes resumed_secret;                          // RS
  Bytes handshake_secret;                        // HS

  ReferenceSchedule(ReferenceHash hash, const Bytes & psk);
  // x25519 is empty unless hybrid; `resumption` is nothing for a new session.
  void agree(
    const Bytes & kem_secret, const Bytes & x25519, const std::optional<Bytes> & resumption);
  void ratchet(const Bytes & resumption, const Bytes & drone_random, const Bytes & gcs_random);
  Bytes boot_secret(const Bytes & client_random, const Bytes & challenge) const;  // BK
  Bytes of(const std::string & label, const Bytes & context, std::size_t size) const
  {
    return reference_expand_label(hash, handshake_secret, label, context, size);
  }

private:
  void resume(const std::optional<Bytes> & resumption);
  void extract(const Bytes & input);

  Bytes early_secret_;
};

// The payload and the kind of a frame sealed with AES-256-GCM or ChaCha20-Poly1305 under that key and IV; nothing if the
// tag does not hold. The sequence number is the one that travels.
std::optional<Bytes> reference_open(
  const Bytes & datagram, bool chacha, const Bytes & key, const Bytes & iv, std::uint8_t epoch);

}  // namespace pqc_tunnel::test

#endif  // SUPPORT__KNOWN_ANSWERS__REFERENCE_SCHEDULE_HPP_
