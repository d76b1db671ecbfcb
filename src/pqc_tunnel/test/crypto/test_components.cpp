// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "crypto/components.hpp"

#include <gtest/gtest.h>

namespace pqc_tunnel
{
namespace
{

const Suite & suite(const char * id) { return *registry().find(id); }

TEST(Components, of_a_suite_are_named_with_what_computes_them)
{
  const auto all = components(suite("cs-mlkem1024-aesgcm-mldsa87"));
  ASSERT_EQ(all.size(), 5u);
  EXPECT_EQ(all[0].algorithm, "ML-KEM-1024");
  EXPECT_EQ(all[0].library, version(implementation(KemAlgorithm::ml_kem_1024)->library));
  EXPECT_EQ(all[1].library, version(implementation(SignatureAlgorithm::ml_dsa_87)->library));
  EXPECT_EQ(all[1].algorithm, "ML-DSA-87");
  EXPECT_EQ(all[2].algorithm, "AES-256-GCM");
  EXPECT_EQ(all[3].algorithm, "SHA-384 and SHA-512");
  EXPECT_EQ(all[3].library.substr(0, 8), "OpenSSL ");
  EXPECT_EQ(components(suite("cs-mlkem768-aesgcm-mldsa65"))[3].algorithm, "SHA-256 and SHA-512");
  EXPECT_EQ(components(suite("cs-mlkem768-ascon128a-mldsa65"))[2].library, "this program");
}

TEST(Components, each_algorithm_is_served_by_one_library_by_name)
{
  const std::string text = serving_text();
  const auto at = [&](const std::string & part) { return text.find(part); };
  EXPECT_EQ(at("Falcon-512") != text.npos, availability(SignatureAlgorithm::falcon_512).available);
  EXPECT_LT(at(version(Library::liboqs) + " serves "), at("FrodoKEM-640-AES"));
  prefer(Library::liboqs);
  EXPECT_EQ(
    serving_text().find(version(Library::liboqs) + " serves ML-KEM-512, ") != text.npos, true);
  prefer(std::nullopt);
}

TEST(Components, outside_of_a_fips_module_are_called_not_validated)
{
  EXPECT_EQ(
    validation_text({{"A", "lib 1"}, {"B", "lib 2"}}),
    "No component is in a FIPS module; not validated: A (lib 1), B (lib 2).");
  EXPECT_EQ(
    validation_text({{"A", "lib 1"}, {"B", "module 2", true}}),
    "In a FIPS module, whose certificate counts: B (module 2); not validated: A (lib 1).");
  EXPECT_EQ(
    validation_text({{"B", "module 2", true}}),
    "In a FIPS module, whose certificate counts: B (module 2).");
  for (const Component & one : components(suite("cs-mlkem1024-aesgcm-mldsa87"))) {
    EXPECT_FALSE(one.in_fips_module) << one.algorithm << ": OpenSSL is not configured for it here";
  }
}

}  // namespace
}  // namespace pqc_tunnel
