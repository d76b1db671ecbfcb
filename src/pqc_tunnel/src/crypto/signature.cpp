// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "signature.hpp"

#include <oqs/oqs.h>

#include <memory>
#include <string>

#include "oqs_random.hpp"

namespace pqc_tunnel
{
namespace
{

using Handle = std::unique_ptr<OQS_SIG, decltype(&OQS_SIG_free)>;

Handle open(SignatureAlgorithm algorithm)
{
  OQS_SIG * handle = availability(algorithm).available ? OQS_SIG_new(oqs_name(algorithm)) : nullptr;
  return {handle, &OQS_SIG_free};
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
  const auto handle = open(algorithm);
  if (!handle) {
    return unavailable(algorithm);
  }
  SigningKeyPair pair{Bytes(handle->length_public_key), SecretBytes(handle->length_secret_key)};
  const ScopedRandom scope(random);
  if (
    OQS_SIG_keypair(handle.get(), pair.public_key.data(), pair.secret_key.span().data()) !=
    OQS_SUCCESS)
  {
    return failed(algorithm, "key generation");
  }
  return pair;
}

Result<Bytes> sign(
  SignatureAlgorithm algorithm, ByteView message, const SecretBytes & secret_key,
  RandomSource & random) noexcept
{
  const auto handle = open(algorithm);
  if (!handle) {
    return unavailable(algorithm);
  }
  if (secret_key.size() != handle->length_secret_key) {
    return fail(
      ErrorCode::invalid_argument, "the signing key is not of the size that " +
                                     std::string(display_name(algorithm)) + " prescribes");
  }
  Bytes signature(handle->length_signature);
  std::size_t size = 0;
  const ScopedRandom scope(random);
  if (
    OQS_SIG_sign(
      handle.get(), signature.data(), &size, message.data(), message.size(),
      secret_key.view().data()) != OQS_SUCCESS)
  {
    return failed(algorithm, "signing");
  }
  signature.resize(size);
  return signature;
}

bool verify(
  SignatureAlgorithm algorithm, ByteView message, ByteView signature, ByteView public_key) noexcept
{
  const auto handle = open(algorithm);
  const auto & sizes = signature_sizes(algorithm);
  if (
    !handle || public_key.size() != sizes.public_key || signature.empty() ||
    signature.size() > sizes.signature_max ||
    (!sizes.variable && signature.size() != sizes.signature_max))
  {
    return false;
  }
  return OQS_SIG_verify(
           handle.get(), message.data(), message.size(), signature.data(), signature.size(),
           public_key.data()) == OQS_SUCCESS;
}

}  // namespace pqc_tunnel
