// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "kem.hpp"

#include <string>
#include <utility>

#include "primitives.hpp"

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

Kem::Kem(KemAlgorithm algorithm, std::unique_ptr<KemPrimitive> primitive) noexcept
: algorithm_(algorithm), primitive_(std::move(primitive))
{
}
Kem::Kem(Kem &&) noexcept = default;
Kem & Kem::operator=(Kem &&) noexcept = default;
Kem::~Kem() = default;

Result<Kem> Kem::open(KemAlgorithm algorithm) noexcept
{
  const Implementation * const serving = implementation(algorithm);
  if (serving == nullptr) {
    return fail(ErrorCode::unavailable, availability(algorithm).reason);
  }
  auto primitive = make_kem(*serving);
  if (!primitive) {
    return failed(algorithm, "opening");
  }
  return Kem(algorithm, std::move(primitive));
}

Result<KemKeyPair> Kem::keygen(RandomSource & random) const noexcept
{
  const KemSizes & sizes = kem_sizes(algorithm_);
  KemKeyPair pair{Bytes(sizes.public_key), SecretBytes(sizes.secret_key)};
  if (!primitive_->keygen(pair.public_key, pair.secret_key.span(), random)) {
    return failed(algorithm_, "key generation");
  }
  return pair;
}

Result<Encapsulation> Kem::encapsulate(ByteView public_key, RandomSource & random) const noexcept
{
  const KemSizes & sizes = kem_sizes(algorithm_);
  if (public_key.size() != sizes.public_key) {
    return wrong_size(algorithm_, "the public key");
  }
  Encapsulation out{Bytes(sizes.ciphertext), SecretBytes(sizes.shared_secret)};
  if (!primitive_->encapsulate(out.ciphertext, out.shared_secret.span(), public_key, random)) {
    return fail(
      ErrorCode::invalid_argument,
      std::string(display_name(algorithm_)) + " refuses the public key");
  }
  return out;
}

Result<SecretBytes> Kem::decapsulate(
  ByteView ciphertext, const SecretBytes & secret_key) const noexcept
{
  const KemSizes & sizes = kem_sizes(algorithm_);
  if (ciphertext.size() != sizes.ciphertext) {
    return wrong_size(algorithm_, "the ciphertext");
  }
  if (secret_key.size() != sizes.secret_key) {
    return wrong_size(algorithm_, "the secret key");
  }
  SecretBytes secret(sizes.shared_secret);
  if (!primitive_->decapsulate(secret.span(), ciphertext, secret_key.view())) {
    return failed(algorithm_, "decapsulation");
  }
  return secret;
}

}  // namespace pqc_tunnel
