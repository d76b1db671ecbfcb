// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "primitives.hpp"

#include <oqs/oqs.h>

#include <utility>

#include "oqs_random.hpp"

namespace pqc_tunnel
{
namespace
{

using KemHandle = std::unique_ptr<OQS_KEM, decltype(&OQS_KEM_free)>;
using SignatureHandle = std::unique_ptr<OQS_SIG, decltype(&OQS_SIG_free)>;

KemHandle open_kem(const char * name)
{
  initialize_oqs();
  return {OQS_KEM_new(name), &OQS_KEM_free};
}

SignatureHandle open_signature(const char * name)
{
  initialize_oqs();
  return {OQS_SIG_new(name), &OQS_SIG_free};
}

class OqsKem final : public KemPrimitive
{
public:
  explicit OqsKem(KemHandle handle) : handle_(std::move(handle)) {}

  bool keygen(
    MutableBytes public_key, MutableBytes secret_key, RandomSource & random) const override
  {
    const ScopedRandom scope(random);
    return OQS_KEM_keypair(handle_.get(), public_key.data(), secret_key.data()) == OQS_SUCCESS;
  }

  bool encapsulate(
    MutableBytes ciphertext, MutableBytes shared_secret, ByteView public_key,
    RandomSource & random) const override
  {
    const ScopedRandom scope(random);
    return OQS_KEM_encaps(
             handle_.get(), ciphertext.data(), shared_secret.data(), public_key.data()) ==
           OQS_SUCCESS;
  }

  bool decapsulate(
    MutableBytes shared_secret, ByteView ciphertext, ByteView secret_key) const override
  {
    return OQS_KEM_decaps(
             handle_.get(), shared_secret.data(), ciphertext.data(), secret_key.data()) ==
           OQS_SUCCESS;
  }

private:
  KemHandle handle_;
};

class OqsSignature final : public SignaturePrimitive
{
public:
  explicit OqsSignature(SignatureHandle handle) : handle_(std::move(handle)) {}

  bool keygen(
    MutableBytes public_key, MutableBytes secret_key, RandomSource & random) const override
  {
    const ScopedRandom scope(random);
    return OQS_SIG_keypair(handle_.get(), public_key.data(), secret_key.data()) == OQS_SUCCESS;
  }

  std::size_t sign(
    MutableBytes signature, ByteView message, ByteView secret_key,
    RandomSource & random) const override
  {
    const ScopedRandom scope(random);
    std::size_t size = 0;
    const bool done = OQS_SIG_sign(
                        handle_.get(), signature.data(), &size, message.data(), message.size(),
                        secret_key.data()) == OQS_SUCCESS;
    return done ? size : 0;
  }

  bool verify(ByteView message, ByteView signature, ByteView public_key) const override
  {
    return OQS_SIG_verify(
             handle_.get(), message.data(), message.size(), signature.data(), signature.size(),
             public_key.data()) == OQS_SUCCESS;
  }

private:
  SignatureHandle handle_;
};

Offer compared(bool equal) { return equal ? Offer::fits : Offer::other_sizes; }

// OpenSSL's names are those of the standards: there is one revision of each.
Offer offer_of_openssl(const char * name, bool signature)
{
  return openssl_has(name, signature) ? Offer::fits : Offer::nothing;
}

}  // namespace

Offer offer(const Implementation & implementation, const KemSizes & sizes)
{
  if (implementation.library == Library::openssl) {
    return offer_of_openssl(implementation.name, false);
  }
  const auto kem = open_kem(implementation.name);
  return !kem ? Offer::nothing
              : compared(
                  KemSizes{
                    kem->length_public_key, kem->length_secret_key, kem->length_ciphertext,
                    kem->length_shared_secret} == sizes);
}

Offer offer(const Implementation & implementation, const SignatureSizes & sizes)
{
  if (implementation.library == Library::openssl) {
    return offer_of_openssl(implementation.name, true);
  }
  const auto signature = open_signature(implementation.name);
  return !signature ? Offer::nothing
                    : compared(
                        SignatureSizes{
                          signature->length_public_key, signature->length_secret_key,
                          signature->length_signature, sizes.variable} == sizes);
}

std::unique_ptr<KemPrimitive> make_kem(const Implementation & implementation)
{
  if (implementation.library == Library::openssl) {
    return make_openssl_kem(implementation.name);
  }
  auto kem = open_kem(implementation.name);
  return kem ? std::make_unique<OqsKem>(std::move(kem)) : nullptr;
}

std::unique_ptr<SignaturePrimitive> make_signature(const Implementation & implementation)
{
  if (implementation.library == Library::openssl) {
    return make_openssl_signature(implementation.name);
  }
  auto signature = open_signature(implementation.name);
  return signature ? std::make_unique<OqsSignature>(std::move(signature)) : nullptr;
}

}  // namespace pqc_tunnel
