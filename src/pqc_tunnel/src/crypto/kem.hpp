// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__CRYPTO__KEM_HPP_
#define PQC_TUNNEL__CRYPTO__KEM_HPP_

#include <cstddef>
#include <memory>

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "crypto/suites/algorithms.hpp"
#include "random.hpp"
#include "secret.hpp"

namespace pqc_tunnel
{

class KemPrimitive;

/// A key pair of a KEM.
struct KemKeyPair
{
  Bytes public_key;
  SecretBytes secret_key;
};

/// The result of Kem::encapsulate().
struct Encapsulation
{
  Bytes ciphertext;
  SecretBytes shared_secret;
};

/// Stack of a thread that calls any Kem: Classic McEliece keeps up to 16 MiB there.
inline constexpr std::size_t kem_stack_bytes = std::size_t{32} << 20;

/// One key-encapsulation mechanism of the library that serves it. Never throws. Not thread-safe: one thread at a time. The keygen of
/// Classic McEliece takes up to seconds.
class Kem
{
public:
  /// Opens an algorithm. Error `unavailable` with the reason if no library offers it.
  static Result<Kem> open(KemAlgorithm algorithm) noexcept;

  /// Makes a key pair.
  Result<KemKeyPair> keygen(RandomSource & random) const noexcept;
  /// Makes a shared secret and its ciphertext for a public key. Error `invalid_argument` if the key has the
  /// wrong size.
  Result<Encapsulation> encapsulate(ByteView public_key, RandomSource & random) const noexcept;
  /// Recovers the shared secret. Error `invalid_argument` if a size is wrong. A forged ciphertext of the right
  /// size gives an unrelated secret, not an error (implicit rejection); but HQC of round 4 gives the error `internal`.
  Result<SecretBytes> decapsulate(
    ByteView ciphertext, const SecretBytes & secret_key) const noexcept;

  KemAlgorithm algorithm() const { return algorithm_; }

  Kem(Kem &&) noexcept;
  Kem & operator=(Kem &&) noexcept;
  ~Kem();

private:
  Kem(KemAlgorithm algorithm, std::unique_ptr<KemPrimitive> primitive) noexcept;

  KemAlgorithm algorithm_;
  std::unique_ptr<KemPrimitive> primitive_;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__CRYPTO__KEM_HPP_
