// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__CRYPTO__SELF_TEST__SELF_TEST_HPP_
#define PQC_TUNNEL__CRYPTO__SELF_TEST__SELF_TEST_HPP_

#include <string>
#include <vector>

#include "base/time.hpp"
#include "crypto/random.hpp"
#include "crypto/suites/suite.hpp"

namespace pqc_tunnel
{

// The algorithms to test. Testing all takes seconds, mostly for McEliece key generation and SPHINCS+-s signing, so a
// process tests only those that it uses.
struct SelfTestSelection
{
  std::vector<KemAlgorithm> kems;
  std::vector<SignatureAlgorithm> signatures;
  std::vector<AeadAlgorithm> aeads;

  static SelfTestSelection all();
  static SelfTestSelection of(std::span<const Suite * const> suites);
};

struct SelfTestResult
{
  std::string algorithm;  // display name
  bool passed;
  std::string reason;  // one sentence; empty if passed
  Duration duration;   // of the test
};

struct SelfTestReport
{
  std::vector<SelfTestResult> results;
  Duration duration{};

  bool passed() const;
  // The availability in the registry, or the reason of an algorithm that failed its test. Untested algorithms pass.
  AlgorithmAvailability availability(const Suite & suite) const;
};

// Tests each KEM and signature with a new key pair, a round trip and forgeries that must be rejected, and each AEAD,
// SHA-512, HMAC and HKDF with a known answer. Blocks; McEliece needs a stack of 16 MiB.
SelfTestReport run_self_test(RandomSource & random, const SelfTestSelection & selection);

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__CRYPTO__SELF_TEST__SELF_TEST_HPP_
