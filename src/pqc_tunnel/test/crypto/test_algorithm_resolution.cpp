// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>

#include "crypto/algorithm_resolution.hpp"
#include "crypto/kem.hpp"
#include "crypto/suites/suite.hpp"

namespace pqc_tunnel
{
namespace
{

// What libraries offer, as sizes by name; what both have is called alike here.
template <class Sizes>
using Offered = std::map<std::string, Sizes>;

template <class Algorithm, class Sizes>
Resolved resolved(Algorithm algorithm, const Offered<Sizes> & offered)
{
  const auto offer = [&](const Implementation & one) {
    const auto found = offered.find(one.name);
    return found == offered.end()                   ? Offer::nothing
           : found->second == spec(algorithm).sizes ? Offer::fits
                                                    : Offer::other_sizes;
  };
  return resolve(spec(algorithm), offer, [](Library library) {
    return std::string(library == Library::openssl ? "OpenSSL 3.9" : "liboqs 9");
  });
}

TEST(AlgorithmResolution, tables_are_in_the_order_of_their_enumerations)
{
  const auto expect_in_order = [](const auto & specs) {
    for (std::size_t i = 0; i < specs.size(); ++i) {
      EXPECT_EQ(static_cast<std::size_t>(specs[i].algorithm), i);
    }
  };
  expect_in_order(kem_specs);
  expect_in_order(signature_specs);
  expect_in_order(aead_specs);
}

TEST(AlgorithmResolution, openssl_serves_what_both_libraries_have)
{
  const Offered<KemSizes> both{{"ML-KEM-768", {1184, 2400, 1088, 32}}};
  const auto ml_kem = resolved(KemAlgorithm::ml_kem_768, both);
  ASSERT_EQ(ml_kem.implementations.size(), 2u);
  EXPECT_EQ(ml_kem.implementations[0]->library, Library::openssl);
  EXPECT_EQ(ml_kem.implementations[1]->library, Library::liboqs);
  EXPECT_TRUE(ml_kem.availability.available);
}

TEST(AlgorithmResolution, liboqs_serves_what_openssl_lacks)
{
  const Offered<SignatureSizes> one{{"SLH_DSA_PURE_SHA2_128S", {32, 64, 7856, false}}};
  const auto slh_dsa = resolved(SignatureAlgorithm::slh_dsa_128s, one);
  ASSERT_EQ(slh_dsa.implementations.size(), 1u);
  EXPECT_EQ(slh_dsa.implementations[0]->library, Library::liboqs);
}

TEST(AlgorithmResolution, a_revision_serves_no_other)
{
  const Offered<KemSizes> of_2025{{"HQC-1", {2241, 2321, 4433, 32}}};
  EXPECT_TRUE(resolved(KemAlgorithm::hqc_1, of_2025).availability.available);
  const auto former = resolved(KemAlgorithm::hqc_128, of_2025);
  EXPECT_FALSE(former.availability.available);
  EXPECT_EQ(former.availability.reason, "liboqs 9 has no HQC-128; HQC-1 has replaced it");
  EXPECT_NE(wire_code(KemAlgorithm::hqc_1), wire_code(KemAlgorithm::hqc_128));
  EXPECT_NE(
    wire_code(SignatureAlgorithm::slh_dsa_128s), wire_code(SignatureAlgorithm::sphincs_128s));
}

TEST(AlgorithmResolution, a_name_with_a_new_meaning_is_recognized_by_its_sizes)
{
  const KemSizes unsalted = {9616, 19888, 9720, 16};
  const KemSizes salted = {9616, 19888, 9752, 16};
  const auto first = resolved<KemAlgorithm, KemSizes>(
    KemAlgorithm::frodokem_640_aes, {{"FrodoKEM-640-AES", unsalted}});
  const auto renamed = resolved<KemAlgorithm, KemSizes>(
    KemAlgorithm::frodokem_640_aes,
    {{"FrodoKEM-640-AES", salted}, {"eFrodoKEM-640-AES", unsalted}});
  const auto only_salted = resolved<KemAlgorithm, KemSizes>(
    KemAlgorithm::frodokem_640_aes, {{"FrodoKEM-640-AES", salted}});
  EXPECT_STREQ(first.implementations.at(0)->name, "FrodoKEM-640-AES");
  EXPECT_STREQ(renamed.implementations.at(0)->name, "eFrodoKEM-640-AES");
  EXPECT_EQ(renamed.implementations.size(), 1u);
  EXPECT_EQ(
    only_salted.availability.reason,
    "liboqs 9 has no eFrodoKEM-640-AES, and liboqs 9 has another revision of FrodoKEM-640-AES");
}

TEST(AlgorithmResolution, a_missing_algorithm_is_unavailable_with_a_reason)
{
  const auto missing = resolved(SignatureAlgorithm::slh_dsa_128s, Offered<SignatureSizes>{});
  EXPECT_FALSE(missing.availability.available);
  EXPECT_EQ(
    missing.availability.reason,
    "OpenSSL 3.9 has no SLH-DSA-SHA2-128s, and liboqs 9 has no SLH_DSA_PURE_SHA2_128S");
}

TEST(AlgorithmResolution, the_serving_library_can_be_chosen_where_both_have_an_algorithm)
{
  const auto serving = [] { return implementation(KemAlgorithm::ml_kem_768)->library; };
  const Library first = serving();
  prefer(Library::liboqs);
  EXPECT_EQ(serving(), Library::liboqs);
  prefer(Library::openssl);
  EXPECT_EQ(serving(), first) << "that of the table, or the only one";
  prefer(std::nullopt);
  EXPECT_EQ(serving(), first);
}

TEST(AlgorithmResolution, the_registry_has_a_reason_exactly_for_unavailable_algorithms)
{
  for (const auto & suite : registry().all()) {
    const auto availability = registry().availability(suite);
    EXPECT_EQ(availability.reason.empty(), availability.available) << suite.id;
  }
}

TEST(AlgorithmResolution, opening_agrees_with_availability)
{
  for (const auto algorithm : all_kems()) {
    const auto kem = Kem::open(algorithm);
    EXPECT_EQ(kem.has_value(), availability(algorithm).available) << display_name(algorithm);
    if (!kem) {
      EXPECT_EQ(kem.error().code, ErrorCode::unavailable);
      EXPECT_EQ(kem.error().message, availability(algorithm).reason);
    }
  }
}

}  // namespace
}  // namespace pqc_tunnel
