// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "kem.hpp"

#include <oqs/oqs.h>

#include <string>

#include "oqs_random.hpp"

namespace pqc_tunnel
{
namespace
{

tl::unexpected<Error> wrong_size(KemAlgorithm algorithm, const char * what)
{
  return fail(
    ErrorCode::invalid_argument, std::string(what) + " is not of the size that " +
                                   std::string(display_name(algorithm)) + " prescribes");
}

tl::unexpected<Error> failed(KemAlgorithm algorithm, const char * operation)
{
  return fail(
    ErrorCode::internal, std::string(display_name(algorithm)) + " failed at " + operation);
}

}  // namespace

void Kem::Free::operator()(OQS_KEM * kem) const noexcept { OQS_KEM_free(kem); }

Result<Kem> Kem::open(KemAlgorithm algorithm) noexcept
{
  const auto & offered = availability(algorithm);
  if (!offered.available) {
    return fail(ErrorCode::unavailable, offered.reason);
  }
  OQS_KEM * kem = OQS_KEM_new(oqs_name(algorithm));
  if (kem == nullptr) {
    return failed(algorithm, "opening");
  }
  return Kem(algorithm, kem);
}

Result<KemKeyPair> Kem::keygen(RandomSource & random) const noexcept
{
  KemKeyPair pair{Bytes(kem_->length_public_key), SecretBytes(kem_->length_secret_key)};
  const ScopedRandom scope(random);
  if (
    OQS_KEM_keypair(kem_.get(), pair.public_key.data(), pair.secret_key.span().data()) !=
    OQS_SUCCESS)
  {
    return failed(algorithm_, "key generation");
  }
  return pair;
}

Result<Encapsulation> Kem::encapsulate(ByteView public_key, RandomSource & random) const noexcept
{
  if (public_key.size() != kem_->length_public_key) {
    return wrong_size(algorithm_, "the public key");
  }
  Encapsulation out{Bytes(kem_->length_ciphertext), SecretBytes(kem_->length_shared_secret)};
  const ScopedRandom scope(random);
  if (
    OQS_KEM_encaps(
      kem_.get(), out.ciphertext.data(), out.shared_secret.span().data(), public_key.data()) !=
    OQS_SUCCESS)
  {
    return fail(
      ErrorCode::invalid_argument,
      std::string(display_name(algorithm_)) + " refuses the public key");
  }
  return out;
}

Result<SecretBytes> Kem::decapsulate(
  ByteView ciphertext, const SecretBytes & secret_key) const noexcept
{
  if (ciphertext.size() != kem_->length_ciphertext) {
    return wrong_size(algorithm_, "the ciphertext");
  }
  if (secret_key.size() != kem_->length_secret_key) {
    return wrong_size(algorithm_, "the secret key");
  }
  SecretBytes secret(kem_->length_shared_secret);
  if (
    OQS_KEM_decaps(kem_.get(), secret.span().data(), ciphertext.data(), secret_key.view().data()) !=
    OQS_SUCCESS)
  {
    return failed(algorithm_, "decapsulation");
  }
  return secret;
}

}  // namespace pqc_tunnel
