// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "crypto/suites/suite.hpp"

namespace pqc_tunnel
{
namespace
{

std::map<SecurityLevel, int> count_by_level(std::span<const Suite> suites)
{
  std::map<SecurityLevel, int> counts;
  for (const auto & suite : suites) {
    ++counts[suite.level];
  }
  return counts;
}

TEST(SuiteRegistry, paper_set_has_72_suites_27_18_27_by_level)
{
  const auto paper = registry().paper();
  EXPECT_EQ(paper.size(), 72u);
  const std::map<SecurityLevel, int> expected = {
    {SecurityLevel::l1, 27}, {SecurityLevel::l3, 18}, {SecurityLevel::l5, 27}};
  EXPECT_EQ(count_by_level(paper), expected);
}

bool is_present(const Suite & suite)
{
  const std::string id(suite.id);
  return id.starts_with("cs-hqc1-") || id.starts_with("cs-hqc3-") || id.starts_with("cs-hqc5-") ||
         id.find("slhdsa") != std::string::npos;
}

TEST(SuiteRegistry, every_level_matched_combination_of_algorithms_that_fit_is_there_once)
{
  // 4 KEM families × (4, 3, 4 signatures) × 4 AEADs; with HQC of 2025 × (4, 3, 4) and 3 KEMs × 2 SLH-DSA × 3 AEADs.
  const std::map<SecurityLevel, int> expected = {
    {SecurityLevel::l1, 64 + 12 + 18},
    {SecurityLevel::l3, 48 + 9 + 18},
    {SecurityLevel::l5, 64 + 12 + 18}};
  EXPECT_EQ(count_by_level(registry().all()), expected);

  std::set<std::tuple<KemAlgorithm, SignatureAlgorithm, AeadAlgorithm>> combinations;
  for (const auto & suite : registry().all()) {
    combinations.emplace(suite.kem, suite.signature, suite.aead);
  }
  EXPECT_EQ(combinations.size(), registry().all().size());
}

TEST(SuiteRegistry, no_suite_has_a_present_revision_beside_a_former_one)
{
  std::size_t present = 0;
  for (const auto & suite : registry().all()) {
    const std::string id(suite.id);
    const bool former = family(suite.signature) == SignatureFamily::sphincs ||
                        suite.aead == AeadAlgorithm::ascon_128a || id.find("hqc128") != id.npos ||
                        id.find("hqc192") != id.npos || id.find("hqc256") != id.npos;
    EXPECT_FALSE(is_present(suite) && former) << id;
    present += is_present(suite) ? 1 : 0;
  }
  EXPECT_EQ(present, 87u);
}

TEST(SuiteRegistry, revisions_have_codes_of_their_own)
{
  const SuiteWireId former = registry().find("cs-hqc192-aesgcm-sphincs192s")->wire_id;
  const SuiteWireId present = registry().find("cs-hqc3-aesgcm-slhdsa192s")->wire_id;
  EXPECT_EQ(former, (SuiteWireId{2, 0x02, 3, 0x02, 1}));
  EXPECT_EQ(present, (SuiteWireId{2, 0x12, 3, 0x12, 1}));
}

TEST(SuiteRegistry, kem_and_signature_are_of_the_suites_level)
{
  for (const auto & suite : registry().all()) {
    EXPECT_EQ(level(suite.kem), suite.level) << suite.id;
    EXPECT_EQ(level(suite.signature), suite.level) << suite.id;
  }
}

TEST(SuiteRegistry, paper_set_holds_no_frodo_no_fast_sphincs_and_no_ascon_aead128)
{
  for (const auto & suite : registry().all()) {
    const std::string id(suite.id);
    const bool extension = id.find("frodo") != std::string::npos ||
                           (id.find("sphincs") != std::string::npos && id.ends_with("f")) ||
                           id.find("asconaead128") != std::string::npos || is_present(suite);
    EXPECT_EQ(suite.set, extension ? SuiteSet::extended : SuiteSet::paper) << id;
  }
  EXPECT_TRUE(std::ranges::all_of(
    registry().paper(), [](const Suite & suite) { return suite.set == SuiteSet::paper; }));
}

TEST(SuiteRegistry, ids_and_wire_ids_are_unique_and_found_again)
{
  std::set<std::string_view> ids;
  std::set<SuiteWireId> wire_ids;
  for (const auto & suite : registry().all()) {
    EXPECT_TRUE(ids.insert(suite.id).second) << suite.id;
    EXPECT_TRUE(wire_ids.insert(suite.wire_id).second) << suite.id;
    EXPECT_EQ(registry().find(suite.id), &suite);
    EXPECT_EQ(registry().find(suite.wire_id), &suite);
  }
}

TEST(SuiteRegistry, ids_read_kem_aead_signature)
{
  const Suite * suite = registry().find("cs-mlkem768-aesgcm-mldsa65");
  ASSERT_NE(suite, nullptr);
  EXPECT_EQ(suite->kem, KemAlgorithm::ml_kem_768);
  EXPECT_EQ(suite->aead, AeadAlgorithm::aes_256_gcm);
  EXPECT_EQ(suite->signature, SignatureAlgorithm::ml_dsa_65);
  for (const auto * id :
       {"cs-hqc128-chacha20poly1305-falcon512", "cs-classicmceliece348864-ascon128a-sphincs128s",
        "cs-classicmceliece8192128-aesgcm-sphincs256s",
        "cs-frodokem640aes-asconaead128-sphincs128f", "cs-mlkem1024-aesgcm-falcon1024",
        "cs-hqc192-ascon128a-sphincs192s"})
  {
    EXPECT_NE(registry().find(id), nullptr) << id;
  }
}

TEST(SuiteRegistry, understands_the_other_spelling_of_sphincs)
{
  EXPECT_EQ(
    registry().find("cs-mlkem512-aesgcm-sphincs128fsha2"),
    registry().find("cs-mlkem512-aesgcm-sphincs128f"));
  const auto * const small = registry().find("cs-mlkem1024-aesgcm-sphincs256s");
  EXPECT_EQ(registry().find("cs-mlkem1024-aesgcm-sphincs256ssha2"), small);
  EXPECT_EQ(small->other_id, "cs-mlkem1024-aesgcm-sphincs256ssha2");
  EXPECT_EQ(registry().find("cs-mlkem768-aesgcm-mldsa65")->other_id, "");
}

TEST(SuiteRegistry, an_unknown_suite_is_not_found)
{
  for (const auto * id :
       {"", "cs-", "cs-mlkem768-aesgcm-mldsa44", "cs-mlkem768-aesgcm-falcon512",
        "cs-mlkem768-aesgcm-mldsa65 ", "CS-MLKEM768-AESGCM-MLDSA65", "cs-mlkem768-mldsa65-aesgcm",
        "cs-mlkem768-aesgcm-mldsa65sha2", "cs-mlkem512-aesgcm-sphincs128"})
  {
    EXPECT_EQ(registry().find(std::string_view(id)), nullptr) << id;
  }
  EXPECT_EQ(registry().find(SuiteWireId{}), nullptr);
  EXPECT_EQ(registry().find(SuiteWireId{255, 255, 255, 255, 255}), nullptr);
  SuiteWireId crossed = registry().find("cs-mlkem512-aesgcm-mldsa44")->wire_id;
  crossed.sig_param = registry().find("cs-mlkem1024-aesgcm-mldsa87")->wire_id.sig_param;
  EXPECT_EQ(registry().find(crossed), nullptr);
}

TEST(SuiteRegistry, tiers_follow_level_family_and_aead)
{
  const std::map<std::string, int> expected = {
    {"cs-mlkem512-aesgcm-mldsa44", 0},
    {"cs-mlkem512-chacha20poly1305-falcon512", 1},
    {"cs-mlkem512-ascon128a-mldsa44", 2},
    {"cs-frodokem640aes-asconaead128-mldsa44", 4},
    {"cs-hqc128-aesgcm-mldsa44", 3},
    {"cs-classicmceliece348864-aesgcm-sphincs128s", 5},
    {"cs-mlkem768-aesgcm-mldsa65", 10},
    {"cs-frodokem976aes-aesgcm-mldsa65", 12},
    {"cs-hqc192-chacha20poly1305-mldsa65", 14},
    {"cs-classicmceliece460896-ascon128a-mldsa65", 17},
    {"cs-mlkem1024-aesgcm-falcon1024", 20},
    {"cs-classicmceliece8192128-ascon128a-sphincs256s", 27}};
  for (const auto & [id, tier] : expected) {
    ASSERT_NE(registry().find(id), nullptr) << id;
    EXPECT_EQ(registry().find(id)->tier, tier) << id;
  }
}

TEST(SuiteRegistry, exactly_the_hqc_suites_are_experimental)
{
  for (const auto & suite : registry().all()) {
    EXPECT_EQ(suite.experimental, suite.id.starts_with("cs-hqc")) << suite.id;
  }
}

TEST(SuiteRegistry, is_built_once)
{
  EXPECT_EQ(&registry(), &registry());
  EXPECT_EQ(registry().all().data(), registry().paper().data());
}

}  // namespace
}  // namespace pqc_tunnel
