// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "algorithm_table.hpp"

#include <openssl/evp.h>

namespace pqc_tunnel
{
namespace
{

using enum SecurityLevel;
using enum Revision;

constexpr std::string_view fips_203 = "FIPS 203";
constexpr std::string_view fips_204 = "FIPS 204";
constexpr std::string_view fips_205 = "FIPS 205 (SLH-DSA, pure)";
constexpr std::string_view hqc_round_4 = "HQC, NIST round 4 (2023)";
constexpr std::string_view hqc_2025 = "HQC, draft of 2025";
constexpr std::string_view mceliece_round_4 = "Classic McEliece, NIST round 4 (2022)";
constexpr std::string_view frodo_unsalted = "FrodoKEM, NIST round 3 (= eFrodoKEM of ISO)";
constexpr std::string_view falcon_round_3 = "Falcon, NIST round 3 (2020)";
constexpr std::string_view sphincs_round_3 = "SPHINCS+ 3.1, simple";

using Implementations = std::array<Implementation, 2>;

constexpr Implementations by_liboqs(const char * name, const char * former_name = nullptr)
{
  return {{{Library::liboqs, name}, {Library::liboqs, former_name}}};
}

// OpenSSL first (docs/decisions/0093).
constexpr Implementations by_both(const char * openssl_name, const char * liboqs_name)
{
  return {{{Library::openssl, openssl_name}, {Library::liboqs, liboqs_name}}};
}

// One row each. Sizes: public key, secret key, ciphertext, shared secret.
// clang-format off
constexpr KemSpec kems[] = {
  {KemAlgorithm::ml_kem_512, "mlkem512", "ML-KEM-512", KemFamily::ml_kem, l1, {1, 1},
   fips_203, {800, 1632, 768, 32}, by_both("ML-KEM-512", "ML-KEM-512")},
  {KemAlgorithm::ml_kem_768, "mlkem768", "ML-KEM-768", KemFamily::ml_kem, l3, {1, 2},
   fips_203, {1184, 2400, 1088, 32}, by_both("ML-KEM-768", "ML-KEM-768")},
  {KemAlgorithm::ml_kem_1024, "mlkem1024", "ML-KEM-1024", KemFamily::ml_kem, l5, {1, 3},
   fips_203, {1568, 3168, 1568, 32}, by_both("ML-KEM-1024", "ML-KEM-1024")},
  {KemAlgorithm::hqc_128, "hqc128", "HQC-128", KemFamily::hqc, l1, {2, 1},
   hqc_round_4, {2249, 2305, 4433, 64}, by_liboqs("HQC-128"), former, "HQC-1"},
  {KemAlgorithm::hqc_192, "hqc192", "HQC-192", KemFamily::hqc, l3, {2, 2},
   hqc_round_4, {4522, 4586, 8978, 64}, by_liboqs("HQC-192"), former, "HQC-3"},
  {KemAlgorithm::hqc_256, "hqc256", "HQC-256", KemFamily::hqc, l5, {2, 3},
   hqc_round_4, {7245, 7317, 14421, 64}, by_liboqs("HQC-256"), former, "HQC-5"},
  {KemAlgorithm::classic_mceliece_348864, "classicmceliece348864", "Classic McEliece 348864", KemFamily::classic_mceliece, l1, {3, 1},
   mceliece_round_4, {261120, 6492, 96, 32}, by_liboqs("Classic-McEliece-348864")},
  {KemAlgorithm::classic_mceliece_460896, "classicmceliece460896", "Classic McEliece 460896", KemFamily::classic_mceliece, l3, {3, 2},
   mceliece_round_4, {524160, 13608, 156, 32}, by_liboqs("Classic-McEliece-460896")},
  {KemAlgorithm::classic_mceliece_8192128, "classicmceliece8192128", "Classic McEliece 8192128", KemFamily::classic_mceliece, l5, {3, 3},
   mceliece_round_4, {1357824, 14120, 208, 32}, by_liboqs("Classic-McEliece-8192128")},
  {KemAlgorithm::frodokem_640_aes, "frodokem640aes", "FrodoKEM-640-AES", KemFamily::frodokem, l1, {4, 1},
   frodo_unsalted, {9616, 19888, 9720, 16}, by_liboqs("eFrodoKEM-640-AES", "FrodoKEM-640-AES")},
  {KemAlgorithm::frodokem_976_aes, "frodokem976aes", "FrodoKEM-976-AES", KemFamily::frodokem, l3, {4, 2},
   frodo_unsalted, {15632, 31296, 15744, 24}, by_liboqs("eFrodoKEM-976-AES", "FrodoKEM-976-AES")},
  {KemAlgorithm::frodokem_1344_aes, "frodokem1344aes", "FrodoKEM-1344-AES", KemFamily::frodokem, l5, {4, 3},
   frodo_unsalted, {21520, 43088, 21632, 32}, by_liboqs("eFrodoKEM-1344-AES", "FrodoKEM-1344-AES")},
  {KemAlgorithm::hqc_1, "hqc1", "HQC-1", KemFamily::hqc, l1, {2, 0x11},
   hqc_2025, {2241, 2321, 4433, 32}, by_liboqs("HQC-1"), present},
  {KemAlgorithm::hqc_3, "hqc3", "HQC-3", KemFamily::hqc, l3, {2, 0x12},
   hqc_2025, {4514, 4602, 8978, 32}, by_liboqs("HQC-3"), present},
  {KemAlgorithm::hqc_5, "hqc5", "HQC-5", KemFamily::hqc, l5, {2, 0x13},
   hqc_2025, {7237, 7333, 14421, 32}, by_liboqs("HQC-5"), present},
};

// Sizes: public key, secret key, signature, and whether signatures may be shorter.
constexpr SignatureSpec signatures[] = {
  {SignatureAlgorithm::ml_dsa_44, "mldsa44", "ML-DSA-44", SignatureFamily::ml_dsa, l1, {1, 1},
   fips_204, {1312, 2560, 2420, false}, by_both("ML-DSA-44", "ML-DSA-44")},
  {SignatureAlgorithm::ml_dsa_65, "mldsa65", "ML-DSA-65", SignatureFamily::ml_dsa, l3, {1, 2},
   fips_204, {1952, 4032, 3309, false}, by_both("ML-DSA-65", "ML-DSA-65")},
  {SignatureAlgorithm::ml_dsa_87, "mldsa87", "ML-DSA-87", SignatureFamily::ml_dsa, l5, {1, 3},
   fips_204, {2592, 4896, 4627, false}, by_both("ML-DSA-87", "ML-DSA-87")},
  {SignatureAlgorithm::falcon_512, "falcon512", "Falcon-512", SignatureFamily::falcon, l1, {2, 1},
   falcon_round_3, {897, 1281, 752, true}, by_liboqs("Falcon-512")},
  {SignatureAlgorithm::falcon_1024, "falcon1024", "Falcon-1024", SignatureFamily::falcon, l5, {2, 3},
   falcon_round_3, {1793, 2305, 1462, true}, by_liboqs("Falcon-1024")},
  {SignatureAlgorithm::sphincs_128s, "sphincs128s", "SPHINCS+-128s", SignatureFamily::sphincs, l1, {3, 1},
   sphincs_round_3, {32, 64, 7856, false}, by_liboqs("SPHINCS+-SHA2-128s-simple"), former, "SLH-DSA-128s"},
  {SignatureAlgorithm::sphincs_192s, "sphincs192s", "SPHINCS+-192s", SignatureFamily::sphincs, l3, {3, 2},
   sphincs_round_3, {48, 96, 16224, false}, by_liboqs("SPHINCS+-SHA2-192s-simple"), former, "SLH-DSA-192s"},
  {SignatureAlgorithm::sphincs_256s, "sphincs256s", "SPHINCS+-256s", SignatureFamily::sphincs, l5, {3, 3},
   sphincs_round_3, {64, 128, 29792, false}, by_liboqs("SPHINCS+-SHA2-256s-simple"), former, "SLH-DSA-256s"},
  {SignatureAlgorithm::sphincs_128f, "sphincs128f", "SPHINCS+-128f", SignatureFamily::sphincs, l1, {4, 1},
   sphincs_round_3, {32, 64, 17088, false}, by_liboqs("SPHINCS+-SHA2-128f-simple"), former, "SLH-DSA-128f"},
  {SignatureAlgorithm::sphincs_192f, "sphincs192f", "SPHINCS+-192f", SignatureFamily::sphincs, l3, {4, 2},
   sphincs_round_3, {48, 96, 35664, false}, by_liboqs("SPHINCS+-SHA2-192f-simple"), former, "SLH-DSA-192f"},
  {SignatureAlgorithm::sphincs_256f, "sphincs256f", "SPHINCS+-256f", SignatureFamily::sphincs, l5, {4, 3},
   sphincs_round_3, {64, 128, 49856, false}, by_liboqs("SPHINCS+-SHA2-256f-simple"), former, "SLH-DSA-256f"},
  {SignatureAlgorithm::slh_dsa_128s, "slhdsa128s", "SLH-DSA-128s", SignatureFamily::slh_dsa, l1, {3, 0x11},
   fips_205, {32, 64, 7856, false}, by_both("SLH-DSA-SHA2-128s", "SLH_DSA_PURE_SHA2_128S"), present},
  {SignatureAlgorithm::slh_dsa_192s, "slhdsa192s", "SLH-DSA-192s", SignatureFamily::slh_dsa, l3, {3, 0x12},
   fips_205, {48, 96, 16224, false}, by_both("SLH-DSA-SHA2-192s", "SLH_DSA_PURE_SHA2_192S"), present},
  {SignatureAlgorithm::slh_dsa_256s, "slhdsa256s", "SLH-DSA-256s", SignatureFamily::slh_dsa, l5, {3, 0x13},
   fips_205, {64, 128, 29792, false}, by_both("SLH-DSA-SHA2-256s", "SLH_DSA_PURE_SHA2_256S"), present},
  {SignatureAlgorithm::slh_dsa_128f, "slhdsa128f", "SLH-DSA-128f", SignatureFamily::slh_dsa, l1, {4, 0x11},
   fips_205, {32, 64, 17088, false}, by_both("SLH-DSA-SHA2-128f", "SLH_DSA_PURE_SHA2_128F"), present},
  {SignatureAlgorithm::slh_dsa_192f, "slhdsa192f", "SLH-DSA-192f", SignatureFamily::slh_dsa, l3, {4, 0x12},
   fips_205, {48, 96, 35664, false}, by_both("SLH-DSA-SHA2-192f", "SLH_DSA_PURE_SHA2_192F"), present},
  {SignatureAlgorithm::slh_dsa_256f, "slhdsa256f", "SLH-DSA-256f", SignatureFamily::slh_dsa, l5, {4, 0x13},
   fips_205, {64, 128, 49856, false}, by_both("SLH-DSA-SHA2-256f", "SLH_DSA_PURE_SHA2_256F"), present},
};
// clang-format on

// Wycheproof aes_gcm_test, case 101
constexpr AeadAnswer answer_of_aes_256 = {
  "cdccfe3f46d782ef47df4e72f0c02d9c7f774def970d23486f11a57f54247f17",
  "376187894605a8d45e30de51",
  "956846a209e087ed",
  "e28e0e9f9d22463ac0e42639b530f42102fded75",
  "feca44952447015b5df1f456df8ca4bb4eee2ce2",
  "082e91924deeb77880e1b1c84f9b8d30"};
// Wycheproof chacha20_poly1305_test, case 43
constexpr AeadAnswer answer_of_chacha20 = {
  "cdccfe3f46d782ef47df4e72f0c02d9c7f774def970d23486f11a57f54247f17",
  "376187894605a8d45e30de51",
  "956846a209e087ed",
  "e28e0e9f9d22463ac0e42639b530f42102fded75",
  "14f707c446988a4903775ec7acec6da114d43112",
  "987d4b147c490d43d376a198cab383f0"};
// NIST LWC known answers of Ascon-128a
constexpr AeadAnswer answer_of_ascon_128a = {
  "000102030405060708090a0b0c0d0e0f",
  "000102030405060708090a0b0c0d0e0f",
  "00010203040506070809",
  "000102030405060708090a0b0c0d0e0f101112",
  "89a046eba7f23493680e947185ee4b044b30b0",
  "dda833d1c6305254de4d69048afcb2d0"};
// Known answers of the Ascon team for SP 800-232
constexpr AeadAnswer answer_of_ascon_aead128 = {
  "000102030405060708090a0b0c0d0e0f",
  "000102030405060708090a0b0c0d0e0f",
  "00010203040506070809",
  "000102030405060708090a0b0c0d0e0f101112",
  "f2f44b081312f3f8c13e843f0adbb84d30b7a2",
  "cfd84b5c030740dc4f117dc37a1d9468"};

using enum AeadAlgorithm;

constexpr AeadSpec aeads[] = {
  {aes_256_gcm, "aesgcm", "AES-256-GCM", 1, EVP_aes_256_gcm, 32, 12, 0, true, only,
   answer_of_aes_256},
  {chacha20_poly1305, "chacha20poly1305", "ChaCha20-Poly1305", 2, EVP_chacha20_poly1305, 32, 12, 1,
   true, only, answer_of_chacha20},
  {ascon_128a, "ascon128a", "Ascon-128a", 3, nullptr, 16, 16, 2, true, former,
   answer_of_ascon_128a},
  {ascon_aead128, "asconaead128", "Ascon-AEAD128", 4, nullptr, 16, 16, 2, false, only,
   answer_of_ascon_aead128},
};

}  // namespace

constinit const std::span<const KemSpec> kem_specs = kems;
constinit const std::span<const SignatureSpec> signature_specs = signatures;
constinit const std::span<const AeadSpec> aead_specs = aeads;

}  // namespace pqc_tunnel
