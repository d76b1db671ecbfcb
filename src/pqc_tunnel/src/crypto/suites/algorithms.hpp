// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__CRYPTO__SUITES__ALGORITHMS_HPP_
#define PQC_TUNNEL__CRYPTO__SUITES__ALGORITHMS_HPP_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace pqc_tunnel
{

/// Key-encapsulation mechanisms.
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
  hqc_1,  ///< of 2025, as the next; hqc_128 to hqc_256 are of 2023
  hqc_3,
  hqc_5,
};

/// Signature algorithms.
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
  slh_dsa_128s,
  slh_dsa_192s,
  slh_dsa_256s,
  slh_dsa_128f,
  slh_dsa_192f,
  slh_dsa_256f,
};

/// Authenticated ciphers.
enum class AeadAlgorithm : std::uint8_t
{
  aes_256_gcm,
  chacha20_poly1305,
  ascon_128a,     ///< version 1.2, as submitted to NIST; 128-bit key
  ascon_aead128,  ///< NIST SP 800-232; 128-bit key
};

/// Families of key-encapsulation mechanisms.
enum class KemFamily : std::uint8_t
{
  ml_kem,
  hqc,
  classic_mceliece,
  frodokem,
};

/// The hard problem under a key exchange. Whoever solves one of them may soon solve the others of its family.
enum class Problem : std::uint8_t
{
  structured_lattices,
  plain_lattices,
  goppa_codes,
  quasi_cyclic_codes,
  curves,  ///< classical: a quantum computer solves it
};

/// The names of a problem in the status and in pqc_msgs/Layer.
struct ProblemNames
{
  std::string_view family;  ///< lattices, codes or curves
  std::string_view form;    ///< structured, plain, goppa, quasi_cyclic or x25519
};

/// Families of signature algorithms.
enum class SignatureFamily : std::uint8_t
{
  ml_dsa,
  falcon,
  sphincs,
  slh_dsa,
};

/// NIST security category of KEM and signature; ML-DSA-44 has category 2 and counts as level 1. Ascon has keys of 128
/// bits at every level.
enum class SecurityLevel : std::uint8_t
{
  l1 = 1,
  l3 = 3,
  l5 = 5,
};

/// Sizes in bytes.
struct KemSizes
{
  std::size_t public_key;
  std::size_t secret_key;
  std::size_t ciphertext;
  std::size_t shared_secret;
  friend bool operator==(const KemSizes &, const KemSizes &) = default;
};

/// Sizes in bytes.
struct SignatureSizes
{
  std::size_t public_key;
  std::size_t secret_key;
  std::size_t signature_max;
  /// Signatures may be shorter than signature_max (Falcon); otherwise they have exactly that size.
  bool variable;
  friend bool operator==(const SignatureSizes &, const SignatureSizes &) = default;
};

/// The libraries that compute KEMs and signatures.
enum class Library : std::uint8_t
{
  openssl,  ///< from version 3.5 on
  liboqs,
};

/// An algorithm in a library.
struct Implementation
{
  Library library;
  const char * name;  ///< that the library has for it
};

/// Whether a library offers an algorithm in this process.
struct AlgorithmAvailability
{
  bool available;
  std::string reason;  ///< one sentence; empty if available
};

/// Family and parameter set on the wire. The high nibble of the parameter is the revision of the
/// specification, because revisions (HQC of 2023 and 2025, SPHINCS+ and SLH-DSA) do not interoperate.
struct WireCode
{
  std::uint8_t family;
  std::uint8_t parameter;
  friend bool operator==(const WireCode &, const WireCode &) = default;
};

/// All algorithms of the suite table, in its order. Any thread.
std::span<const KemAlgorithm> all_kems();
/// All algorithms of the suite table, in its order. Any thread.
std::span<const SignatureAlgorithm> all_signatures();
/// All algorithms of the suite table, in its order. Any thread.
std::span<const AeadAlgorithm> all_aeads();

/// @name Tokens
/// The name of an algorithm in suite ids: mlkem768, falcon512, ascon128a.
/// @{
std::string_view token(KemAlgorithm algorithm);
std::string_view token(SignatureAlgorithm algorithm);
std::string_view token(AeadAlgorithm algorithm);
/// @}

/// @name Display names
/// The name of an algorithm for people: ML-KEM-768, Falcon-512, Ascon-128a.
/// @{
std::string_view display_name(KemAlgorithm algorithm);
std::string_view display_name(SignatureAlgorithm algorithm);
std::string_view display_name(AeadAlgorithm algorithm);
/// @}

/// @name Sizes in bytes
/// A nonce has the size of the IV.
/// @{
std::size_t key_size(AeadAlgorithm algorithm);
std::size_t iv_size(AeadAlgorithm algorithm);
/// @}

/// @name Family and level
/// @{
KemFamily family(KemAlgorithm algorithm);
SignatureFamily family(SignatureAlgorithm algorithm);
SecurityLevel level(KemAlgorithm algorithm);
Problem problem(KemAlgorithm algorithm);
const ProblemNames & names(Problem problem);
SecurityLevel level(SignatureAlgorithm algorithm);
/// @}

/// Signing takes so long that it is done ahead of time.
bool signs_slowly(SignatureAlgorithm algorithm);

/// @name What is on the wire and in files
/// A revision of a specification is an algorithm of its own; specification() is its document.
/// @{
const KemSizes & kem_sizes(KemAlgorithm algorithm);
const SignatureSizes & signature_sizes(SignatureAlgorithm algorithm);
WireCode wire_code(KemAlgorithm algorithm);
WireCode wire_code(SignatureAlgorithm algorithm);
std::uint8_t wire_code(AeadAlgorithm algorithm);
std::string_view specification(KemAlgorithm algorithm);
std::string_view specification(SignatureAlgorithm algorithm);
/// @}

/// @name What the libraries offer in this process
/// They are asked once, at first use. All libraries take and make the same keys and texts. Any thread.
/// @{
const AlgorithmAvailability & availability(KemAlgorithm algorithm);
const AlgorithmAvailability & availability(SignatureAlgorithm algorithm);
/// The one that serves; null if there is none.
const Implementation * implementation(KemAlgorithm algorithm);
const Implementation * implementation(SignatureAlgorithm algorithm);
/// Name and version, as "OpenSSL 3.5.4".
std::string version(Library library);
/// Lets a library serve what it offers, before the order of the table; nothing: the order of the table again.
void prefer(std::optional<Library> library);
/// @}

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__CRYPTO__SUITES__ALGORITHMS_HPP_
