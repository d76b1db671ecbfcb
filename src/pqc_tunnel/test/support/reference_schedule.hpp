// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef SUPPORT__REFERENCE_SCHEDULE_HPP_
#define SUPPORT__REFERENCE_SCHEDULE_HPP_

#include <optional>
#include <string>

#include "pqc_tunnel/base/bytes.hpp"

namespace pqc_tunnel::test
{

// The key schedule once more, written from the protocol's page and RFC 5869 over nothing but OpenSSL's HMAC and
// SHA-512, to check the product's against.

Bytes operator+(const Bytes & a, const Bytes & b);
Bytes text(const std::string & ascii);
Bytes copy(ByteView bytes);

Bytes reference_hmac(const Bytes & key, const Bytes & message);  // HMAC-SHA256
Bytes reference_sha512(const Bytes & message);
Bytes reference_expand(const Bytes & key, const Bytes & info, std::size_t size);  // RFC 5869
// EL(s, label, ctx, L)
Bytes reference_expand_label(
  const Bytes & secret, const std::string & label, const Bytes & context, std::size_t size);

struct ReferenceSchedule
{
  Bytes hello_key, retry_key, server_hello_key, finish_key;  // k_ch, k_hr, k_sh, k_cf
  Bytes handshake_secret;                                    // HS

  explicit ReferenceSchedule(const Bytes & psk);
  // x25519 is empty unless hybrid; `resumption` is nothing for a new session.
  void agree(
    const Bytes & kem_secret, const Bytes & x25519, const std::optional<Bytes> & resumption);
  Bytes of(const std::string & label, const Bytes & context, std::size_t size) const
  {
    return reference_expand_label(handshake_secret, label, context, size);
  }

private:
  Bytes early_secret_;
};

// The plaintext of a datagram sealed with AES-256-GCM or ChaCha20-Poly1305 under that key, IV and the nonce that the
// datagram's own header prescribes; nothing if the tag does not hold.
std::optional<Bytes> reference_open(
  const Bytes & datagram, bool chacha, const Bytes & key, const Bytes & iv);

}  // namespace pqc_tunnel::test

#endif  // SUPPORT__REFERENCE_SCHEDULE_HPP_
