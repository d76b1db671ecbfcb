// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__CRYPTO__X25519_HPP_
#define PQC_TUNNEL__CRYPTO__X25519_HPP_

#include <array>
#include <cstdint>

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "random.hpp"
#include "secret.hpp"

namespace pqc_tunnel
{

struct X25519KeyPair
{
  std::array<std::uint8_t, 32> public_key = {};
  SecretBytes secret_key;  // 32 bytes
};

// RFC 7748. Neither throws; any thread.
Result<X25519KeyPair> x25519_keygen(RandomSource & random) noexcept;

// Error `invalid_argument` if the peer's key is not 32 bytes long, `authentication` if the shared secret is all zero (the
// peer's key is a point of small order).
Result<SecretBytes> x25519_shared_secret(const X25519KeyPair & own, ByteView peer_key) noexcept;

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__CRYPTO__X25519_HPP_
