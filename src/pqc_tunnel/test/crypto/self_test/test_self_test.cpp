// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "crypto/self_test/self_test.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "crypto/self_test/signature_self_test.hpp"
#include "support/deterministic_random.hpp"
#include "support/known_answers/vector_file.hpp"

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
  EXPECT_TRUE(std::ranges::equal(selection.kems, all_kems()));
  EXPECT_TRUE(std::ranges::equal(selection.signatures, all_signatures()));
  EXPECT_TRUE(std::ranges::equal(selection.aeads, all_aeads()));
}

// What the self-test of an ML-DSA says about a verifier.
class SelfTestOfMlDsa : public testing::TestWithParam<SignatureAlgorithm>
{
protected:
  static std::string judge(const Verifier & verifier)
  {
    test::DeterministicRandom random(1);
    return test_signature(GetParam(), random, verifier);
  }
};

TEST_P(SelfTestOfMlDsa, passes_a_sound_verifier) { EXPECT_EQ(judge(verify), ""); }

TEST_P(SelfTestOfMlDsa, finds_a_verifier_that_refuses_or_accepts_everything)
{
  EXPECT_EQ(judge([](auto...) { return false; }), "a genuine signature was refused");
  EXPECT_EQ(judge([](auto...) { return true; }), "an altered signature was accepted");
}

TEST_P(SelfTestOfMlDsa, finds_a_verifier_that_forgets_the_message)
{
  Bytes first;
  const auto forgetful = [&](auto algorithm, ByteView message, auto signature, auto key) {
    if (first.empty()) {
      first.assign(message.begin(), message.end());
    }
    return verify(algorithm, first, signature, key);
  };
  EXPECT_EQ(judge(forgetful), "a signature of another message was accepted");
}

// A verifier that decodes hints which FIPS 204 refuses: it brings them into the right form first.
class LenientVerifier
{
public:
  enum class Lenience
  {
    order,
    repetition,
  };
  explicit LenientVerifier(Lenience lenience) : lenience_(lenience) {}

  bool operator()(
    SignatureAlgorithm algorithm, ByteView message, ByteView signature, ByteView key) const
  {
    const std::size_t polynomials = algorithm == SignatureAlgorithm::ml_dsa_44   ? 4
                                    : algorithm == SignatureAlgorithm::ml_dsa_65 ? 6
                                                                                 : 8;
    const std::size_t most = algorithm == SignatureAlgorithm::ml_dsa_44   ? 80
                             : algorithm == SignatureAlgorithm::ml_dsa_65 ? 55
                                                                          : 75;
    const std::size_t start = signature.size() - most - polynomials;
    Bytes mended(signature.begin(), signature.begin() + static_cast<std::ptrdiff_t>(start));
    Bytes indices;
    Bytes ends;
    std::size_t begin = 0;
    for (const std::size_t end : signature.last(polynomials)) {
      if (end < begin || end > most) {
        return false;
      }
      const ByteView own = signature.subspan(start + begin, end - begin);
      Bytes hints(own.begin(), own.end());
      if (lenience_ == Lenience::order) {
        std::ranges::sort(hints);
      } else {
        hints.erase(std::unique(hints.begin(), hints.end()), hints.end());
      }
      indices.insert(indices.end(), hints.begin(), hints.end());
      ends.push_back(static_cast<std::uint8_t>(indices.size()));
      begin = end;
    }
    indices.resize(most);
    mended.insert(mended.end(), indices.begin(), indices.end());
    mended.insert(mended.end(), ends.begin(), ends.end());
    return verify(algorithm, message, mended, key);
  }

private:
  Lenience lenience_;
};

TEST_P(SelfTestOfMlDsa, finds_a_verifier_that_accepts_malformed_hints)
{
  EXPECT_EQ(
    judge(LenientVerifier(LenientVerifier::Lenience::order)),
    "a signature with hints out of order was accepted");
  EXPECT_EQ(
    judge(LenientVerifier(LenientVerifier::Lenience::repetition)),
    "a signature with a repeated hint was accepted");
}

// As the AVX2 code of liboqs does.
TEST_P(SelfTestOfMlDsa, finds_a_verifier_without_the_bound_on_z)
{
  const std::string parameter_set(std::string(display_name(GetParam())).substr(7));
  const auto vectors = test::read_vectors(
    std::string(PQC_TUNNEL_UNPACKED_VECTORS) + "/ml_dsa_" + parameter_set + "_verify.txt");
  const auto boundless = [&](auto algorithm, ByteView message, ByteView signature, ByteView key) {
    return verify(algorithm, message, signature, key) ||
           std::ranges::any_of(vectors, [&](const test::VectorRecord & record) {
             return record.text("kind").ends_with("InfinityNormViolation") &&
                    std::ranges::equal(record.bytes("sig"), signature) &&
                    std::ranges::equal(record.bytes("msg"), message) &&
                    std::ranges::equal(record.bytes("pk"), key);
           });
  };
  EXPECT_EQ(judge(boundless), "a signature with a vector that is too long was accepted");
}

INSTANTIATE_TEST_SUITE_P(
  All, SelfTestOfMlDsa,
  testing::Values(
    SignatureAlgorithm::ml_dsa_44, SignatureAlgorithm::ml_dsa_65, SignatureAlgorithm::ml_dsa_87),
  [](const auto & info) { return std::string(token(info.param)); });

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
