// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__CRYPTO__PRIMITIVES_HPP_
#define PQC_TUNNEL__CRYPTO__PRIMITIVES_HPP_

#include <cstddef>
#include <memory>

#include "algorithm_resolution.hpp"
#include "base/bytes.hpp"
#include "crypto/suites/algorithms.hpp"
#include "random.hpp"

namespace pqc_tunnel
{

// KEMs and signatures as a library computes them. The caller has checked all sizes. A function returns false, or no size,
// if the library refuses.

class KemPrimitive
{
public:
  virtual ~KemPrimitive() = default;
  virtual bool keygen(
    MutableBytes public_key, MutableBytes secret_key, RandomSource & random) const = 0;
  virtual bool encapsulate(
    MutableBytes ciphertext, MutableBytes shared_secret, ByteView public_key,
    RandomSource & random) const = 0;
  virtual bool decapsulate(
    MutableBytes shared_secret, ByteView ciphertext, ByteView secret_key) const = 0;
};

class SignaturePrimitive
{
public:
  virtual ~SignaturePrimitive() = default;
  virtual bool keygen(
    MutableBytes public_key, MutableBytes secret_key, RandomSource & random) const = 0;
  // Returns the size of the signature, which may be less than that of the buffer.
  virtual std::size_t sign(
    MutableBytes signature, ByteView message, ByteView secret_key, RandomSource & random) const = 0;
  virtual bool verify(ByteView message, ByteView signature, ByteView public_key) const = 0;
};

// What the libraries have under a name, compared with the sizes of the table.
Offer offer(const Implementation & implementation, const KemSizes & sizes);
Offer offer(const Implementation & implementation, const SignatureSizes & sizes);

// Null if the library does not offer it after all.
std::unique_ptr<KemPrimitive> make_kem(const Implementation & implementation);
std::unique_ptr<SignaturePrimitive> make_signature(const Implementation & implementation);

// Of OpenSSL alone.
bool openssl_has(const char * name, bool signature);
std::unique_ptr<KemPrimitive> make_openssl_kem(const char * name);
std::unique_ptr<SignaturePrimitive> make_openssl_signature(const char * name);

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__CRYPTO__PRIMITIVES_HPP_
