// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__CRYPTO__ALGORITHMS_HPP_
#define PQC_TUNNEL__CRYPTO__ALGORITHMS_HPP_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace pqc_tunnel
{

enum class KemAlgorithm : std::uint8_t
{
  ml_kem_512,
  ml_kem_768,
  ml_kem_1024,
  hqc_128,
  hqc_192,
  hqc_256,
  classic_mceliece_348864,
  classic_mceliece_460896,
  classic_mceliece_8192128,
  frodokem_640_aes,
  frodokem_976_aes,
  frodokem_1344_aes,
};

enum class SignatureAlgorithm : std::uint8_t
{
  ml_dsa_44,
  ml_dsa_65,
  ml_dsa_87,
  falcon_512,
  falcon_1024,
  sphincs_128s,
  sphincs_192s,
  sphincs_256s,
  sphincs_128f,
  sphincs_192f,
  sphincs_256f,
};

enum class AeadAlgorithm : std::uint8_t
{
  aes_256_gcm,
  chacha20_poly1305,
  ascon_128a,     // version 1.2, as submitted to NIST; 128-bit key
  ascon_aead128,  // NIST SP 800-232; 128-bit key
};

enum class KemFamily : std::uint8_t
{
  ml_kem,
  hqc,
  classic_mceliece,
  frodokem,
};

enum class SignatureFamily : std::uint8_t
{
  ml_dsa,
  falcon,
  sphincs,
};

// NIST security category of KEM and signature. (Ascon's keys are 128 bits at every level.)
enum class SecurityLevel : std::uint8_t
{
  l1 = 1,
  l3 = 3,
  l5 = 5,
};

// Bytes.
struct KemSizes
{
  std::size_t public_key;
  std::size_t secret_key;
  std::size_t ciphertext;
  std::size_t shared_secret;
  friend bool operator==(const KemSizes &, const KemSizes &) = default;
};

// Bytes. `variable` signatures (Falcon) may be shorter than the maximum, all others have exactly
// that size.
struct SignatureSizes
{
  std::size_t public_key;
  std::size_t secret_key;
  std::size_t signature_max;
  bool variable;
  friend bool operator==(const SignatureSizes &, const SignatureSizes &) = default;
};

struct AlgorithmAvailability
{
  bool available;
  std::string reason;  // one sentence; empty if available
};

// Family and parameter set on the wire. The parameter names the revision of the specification, too:
// in its high nibble, because HQC of 2023 and of 2025 (SPHINCS+ and SLH-DSA, …) do not understand
// each other.
struct WireCode
{
  std::uint8_t family;
  std::uint8_t parameter;
  friend bool operator==(const WireCode &, const WireCode &) = default;
};

std::span<const KemAlgorithm> all_kems();
std::span<const SignatureAlgorithm> all_signatures();
std::span<const AeadAlgorithm> all_aeads();

// As in suite ids: mlkem768, falcon512, ascon128a.
std::string_view token(KemAlgorithm algorithm);
std::string_view token(SignatureAlgorithm algorithm);
std::string_view token(AeadAlgorithm algorithm);

// For people: ML-KEM-768, Falcon-512, Ascon-128a.
std::string_view display_name(KemAlgorithm algorithm);
std::string_view display_name(SignatureAlgorithm algorithm);
std::string_view display_name(AeadAlgorithm algorithm);

KemFamily family(KemAlgorithm algorithm);
SignatureFamily family(SignatureAlgorithm algorithm);
SecurityLevel level(KemAlgorithm algorithm);
SecurityLevel level(SignatureAlgorithm algorithm);

// What follows depends on the revision that the liboqs in this process offers, found out once at
// first use; where it offers none, the values are those of the first revision. Any thread.
const KemSizes & kem_sizes(KemAlgorithm algorithm);
const SignatureSizes & signature_sizes(SignatureAlgorithm algorithm);
WireCode wire_code(KemAlgorithm algorithm);
WireCode wire_code(SignatureAlgorithm algorithm);
std::uint8_t wire_code(AeadAlgorithm algorithm);
const AlgorithmAvailability & availability(KemAlgorithm algorithm);
const AlgorithmAvailability & availability(SignatureAlgorithm algorithm);
// The name to open it by in liboqs, and the specification that name stands for there.
const char * oqs_name(KemAlgorithm algorithm);
const char * oqs_name(SignatureAlgorithm algorithm);
std::string_view specification(KemAlgorithm algorithm);
std::string_view specification(SignatureAlgorithm algorithm);

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__CRYPTO__ALGORITHMS_HPP_
