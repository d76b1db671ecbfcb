// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "crypto/self_test.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "support/deterministic_random.hpp"

namespace pqc_tunnel
{
namespace
{

const Suite & suite(std::string_view id) { return *registry().find(id); }

SelfTestReport tested(const std::vector<const Suite *> & suites)
{
  test::DeterministicRandom random(1);
  return run_self_test(random, SelfTestSelection::of(suites));
}

TEST(SelfTest, passes_for_the_fast_suites_and_reports_the_duration_of_each_test)
{
  const auto report = tested(
    {&suite("cs-mlkem512-aesgcm-falcon512"), &suite("cs-mlkem768-chacha20poly1305-mldsa65"),
     &suite("cs-mlkem1024-ascon128a-mldsa87"), &suite("cs-hqc128-asconaead128-mldsa44"),
     &suite("cs-frodokem640aes-aesgcm-sphincs128f")});
  Duration sum{};
  for (const auto & result : report.results) {
    EXPECT_TRUE(result.passed) << result.algorithm << ": " << result.reason;
    EXPECT_TRUE(result.reason.empty());
    EXPECT_GT(result.duration, Duration{});
    sum += result.duration;
  }
  EXPECT_TRUE(report.passed());
  EXPECT_EQ(report.duration, sum);
}

TEST(SelfTest, tests_each_algorithm_in_use_once)
{
  const auto report =
    tested({&suite("cs-mlkem768-aesgcm-mldsa65"), &suite("cs-mlkem768-chacha20poly1305-mldsa65")});
  std::vector<std::string> names;
  for (const auto & result : report.results) {
    names.push_back(result.algorithm);
  }
  const std::vector<std::string> expected = {
    "SHA-512, HMAC and HKDF", "AES-256-GCM", "ChaCha20-Poly1305", "ML-KEM-768", "ML-DSA-65"};
  EXPECT_EQ(names, expected);
}

TEST(SelfTest, selection_of_everything_names_every_algorithm)
{
  const auto selection = SelfTestSelection::all();
  EXPECT_EQ(selection.kems.size(), 12u);
  EXPECT_EQ(selection.signatures.size(), 11u);
  EXPECT_EQ(selection.aeads.size(), 4u);
}

TEST(SelfTest, a_failed_algorithm_makes_its_suites_unavailable_with_the_reason)
{
  SelfTestReport report;
  report.results = {
    {"ML-KEM-768", false, "both ends came to different secrets", Duration{}},
    {"ML-DSA-65", true, "", Duration{}}};
  EXPECT_FALSE(report.passed());
  const auto hit = report.availability(suite("cs-mlkem768-aesgcm-mldsa65"));
  EXPECT_FALSE(hit.available);
  EXPECT_EQ(hit.reason, "ML-KEM-768 failed its self-test: both ends came to different secrets");
  EXPECT_TRUE(report.availability(suite("cs-mlkem1024-aesgcm-mldsa87")).available);
  EXPECT_TRUE(report.availability(suite("cs-frodokem976aes-aesgcm-mldsa65")).available);
}

TEST(SelfTest, a_failed_hash_makes_every_suite_unavailable)
{
  SelfTestReport report;
  report.results = {
    {"SHA-512, HMAC and HKDF", false, "SHA-512 did not give the known answer", Duration{}}};
  EXPECT_TRUE(std::ranges::none_of(
    registry().all(), [&](const Suite & each) { return report.availability(each).available; }));
}

}  // namespace
}  // namespace pqc_tunnel
