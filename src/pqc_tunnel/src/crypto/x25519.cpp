// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "x25519.hpp"

#include <openssl/evp.h>

#include <cstddef>
#include <memory>

namespace pqc_tunnel
{
namespace
{

constexpr std::size_t size = 32;

using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;
using Context = std::unique_ptr<EVP_PKEY_CTX, decltype(&EVP_PKEY_CTX_free)>;

Key private_key(ByteView bytes)
{
  return {
    EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, nullptr, bytes.data(), bytes.size()),
    &EVP_PKEY_free};
}

tl::unexpected<Error> library_failure() { return fail(ErrorCode::internal, "X25519 failed"); }

}  // namespace

Result<X25519KeyPair> x25519_keygen(RandomSource & random) noexcept
{
  X25519KeyPair pair{.secret_key = SecretBytes(size)};
  random.fill(pair.secret_key.span());
  const Key key = private_key(pair.secret_key.view());
  std::size_t written = size;
  if (
    !key || EVP_PKEY_get_raw_public_key(key.get(), pair.public_key.data(), &written) != 1 ||
    written != size)
  {
    return library_failure();
  }
  return pair;
}

Result<SecretBytes> x25519_shared_secret(const X25519KeyPair & own, ByteView peer_key) noexcept
{
  if (peer_key.size() != size) {
    return fail(ErrorCode::invalid_argument, "an X25519 key has 32 bytes");
  }
  const Key key = private_key(own.secret_key.view());
  const Key peer(
    EVP_PKEY_new_raw_public_key(EVP_PKEY_X25519, nullptr, peer_key.data(), peer_key.size()),
    &EVP_PKEY_free);
  const Context context(key ? EVP_PKEY_CTX_new(key.get(), nullptr) : nullptr, &EVP_PKEY_CTX_free);
  if (!peer || !context || EVP_PKEY_derive_init(context.get()) != 1) {
    return library_failure();
  }
  if (EVP_PKEY_derive_set_peer(context.get(), peer.get()) != 1) {
    return library_failure();
  }
  SecretBytes secret(size);
  std::size_t written = size;
  const std::uint8_t zeros[size] = {};
  // OpenSSL rejects the all-zero result itself; other versions and forks may not.
  if (
    EVP_PKEY_derive(context.get(), secret.span().data(), &written) != 1 || written != size ||
    constant_time_equal(secret.view(), zeros))
  {
    return fail(ErrorCode::authentication, "the X25519 key has small order");
  }
  return secret;
}

}  // namespace pqc_tunnel
