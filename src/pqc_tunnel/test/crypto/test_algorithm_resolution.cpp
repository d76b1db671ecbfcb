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

// A library as a table of what it offers.
template <class Sizes>
struct Library
{
  std::map<std::string, Sizes> algorithms;

  std::optional<Sizes> operator()(const Revision<Sizes> & revision) const
  {
    const auto found = algorithms.find(revision.oqs_name);
    return found != algorithms.end() ? std::optional(found->second) : std::nullopt;
  }
};

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

TEST(AlgorithmResolution, selects_the_revision_that_the_library_offers)
{
  const Library<KemSizes> with_2023{{{"HQC-128", {2249, 2305, 4433, 64}}}};
  const Library<KemSizes> with_2025{{{"HQC-1", {2241, 2321, 4433, 32}}}};
  const auto older = resolve(spec(KemAlgorithm::hqc_128), with_2023, "a library");
  const auto newer = resolve(spec(KemAlgorithm::hqc_128), with_2025, "a library");
  EXPECT_TRUE(older.availability.available);
  EXPECT_TRUE(newer.availability.available);
  EXPECT_STREQ(newer.revision->oqs_name, "HQC-1");
  EXPECT_EQ(newer.revision->sizes.shared_secret, 32u);
}

TEST(AlgorithmResolution, revisions_that_do_not_understand_each_other_differ_on_the_wire)
{
  const Library<SignatureSizes> sphincs{{{"SPHINCS+-SHA2-128s-simple", {32, 64, 7856, false}}}};
  const Library<SignatureSizes> slh_dsa{{{"SLH_DSA_PURE_SHA2_128S", {32, 64, 7856, false}}}};
  const auto old_code = resolve(spec(SignatureAlgorithm::sphincs_128s), sphincs, "").wire_code;
  const auto new_code = resolve(spec(SignatureAlgorithm::sphincs_128s), slh_dsa, "").wire_code;
  EXPECT_EQ(old_code.family, new_code.family);
  EXPECT_NE(old_code.parameter, new_code.parameter);
}

TEST(AlgorithmResolution, a_name_with_a_new_meaning_is_recognized_by_its_sizes)
{
  const KemSizes unsalted = {9616, 19888, 9720, 16};
  const KemSizes salted = {9616, 19888, 9752, 16};
  const auto resolved = [](const Library<KemSizes> & library) {
    return resolve(spec(KemAlgorithm::frodokem_640_aes), library, "");
  };
  const auto first = resolved({{{"FrodoKEM-640-AES", unsalted}}});
  const auto renamed = resolved({{{"FrodoKEM-640-AES", salted}, {"eFrodoKEM-640-AES", unsalted}}});
  const auto only_salted = resolved({{{"FrodoKEM-640-AES", salted}}});
  EXPECT_STREQ(renamed.revision->oqs_name, "eFrodoKEM-640-AES");
  EXPECT_EQ(first.wire_code, renamed.wire_code);
  EXPECT_EQ(only_salted.revision->sizes.ciphertext, 9752u);
  EXPECT_NE(first.wire_code, only_salted.wire_code);
}

TEST(AlgorithmResolution, a_missing_algorithm_is_unavailable_with_a_reason)
{
  const auto missing = resolve(spec(KemAlgorithm::hqc_128), Library<KemSizes>{}, "liboqs 9");
  EXPECT_FALSE(missing.availability.available);
  EXPECT_EQ(missing.availability.reason, "liboqs 9 was built without HQC-128 or HQC-1");
  EXPECT_EQ(missing.revision->sizes.public_key, 2249u);
}

TEST(AlgorithmResolution, unknown_sizes_make_an_algorithm_unavailable)
{
  const Library<KemSizes> odd{{{"ML-KEM-768", {1, 2, 3, 4}}}};
  const auto resolved = resolve(spec(KemAlgorithm::ml_kem_768), odd, "liboqs 9");
  EXPECT_FALSE(resolved.availability.available);
  EXPECT_EQ(
    resolved.availability.reason,
    "liboqs 9 offers ML-KEM-768 in a revision of other sizes than are known here");
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
