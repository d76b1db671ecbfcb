// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "signature.hpp"

#include <memory>
#include <string>

#include "primitives.hpp"

namespace pqc_tunnel
{
namespace
{

std::unique_ptr<SignaturePrimitive> open(SignatureAlgorithm algorithm)
{
  const Implementation * const serving = implementation(algorithm);
  return serving == nullptr ? nullptr : make_signature(*serving);
}

tl::unexpected<Error> unavailable(SignatureAlgorithm algorithm)
{
  return fail(ErrorCode::unavailable, availability(algorithm).reason);
}

tl::unexpected<Error> failed(SignatureAlgorithm algorithm, const char * operation)
{
  return fail(
    ErrorCode::internal, std::string(display_name(algorithm)) + " failed at " + operation);
}

}  // namespace

Result<SigningKeyPair> generate_signing_key(
  SignatureAlgorithm algorithm, RandomSource & random) noexcept
{
  const auto primitive = open(algorithm);
  if (!primitive) {
    return unavailable(algorithm);
  }
  const SignatureSizes & sizes = signature_sizes(algorithm);
  SigningKeyPair pair{Bytes(sizes.public_key), SecretBytes(sizes.secret_key)};
  if (!primitive->keygen(pair.public_key, pair.secret_key.span(), random)) {
    return failed(algorithm, "key generation");
  }
  return pair;
}

Result<Bytes> sign(
  SignatureAlgorithm algorithm, ByteView message, const SecretBytes & secret_key,
  RandomSource & random) noexcept
{
  const auto primitive = open(algorithm);
  if (!primitive) {
    return unavailable(algorithm);
  }
  const SignatureSizes & sizes = signature_sizes(algorithm);
  if (secret_key.size() != sizes.secret_key) {
    return fail(
      ErrorCode::invalid_argument, "the signing key is not of the size that " +
                                     std::string(display_name(algorithm)) + " prescribes");
  }
  Bytes signature(sizes.signature_max);
  const std::size_t size = primitive->sign(signature, message, secret_key.view(), random);
  if (size == 0) {
    return failed(algorithm, "signing");
  }
  signature.resize(size);
  return signature;
}

bool verify(
  SignatureAlgorithm algorithm, ByteView message, ByteView signature, ByteView public_key) noexcept
{
  const auto primitive = open(algorithm);
  const SignatureSizes & sizes = signature_sizes(algorithm);
  return primitive && public_key.size() == sizes.public_key && !signature.empty() &&
         signature.size() <= sizes.signature_max &&
         (sizes.variable || signature.size() == sizes.signature_max) &&
         primitive->verify(message, signature, public_key);
}

}  // namespace pqc_tunnel
