// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__CRYPTO__SELF_TEST_HPP_
#define PQC_TUNNEL__CRYPTO__SELF_TEST_HPP_

#include <string>
#include <vector>

#include "pqc_tunnel/base/time.hpp"
#include "pqc_tunnel/crypto/random.hpp"
#include "pqc_tunnel/crypto/suite.hpp"

namespace pqc_tunnel
{

// Which algorithms to test. Testing all takes seconds, nearly all of them McEliece key generation
// and SPHINCS+-s signing, so a process tests what it is going to use.
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
  Duration duration;   // what the test cost
};

struct SelfTestReport
{
  std::vector<SelfTestResult> results;
  Duration duration{};

  bool passed() const;
  // The registry's answer, or the reason why one of the suite's algorithms failed its test.
  // Untested ones pass.
  AlgorithmAvailability availability(const Suite & suite) const;
};

// Makes a key pair and goes through a round trip (and a refused forgery) with each KEM and
// signature, checks each AEAD, SHA-512, HMAC and HKDF against a known answer. Blocks; McEliece
// needs a stack of 16 MiB.
SelfTestReport run_self_test(RandomSource & random, const SelfTestSelection & selection);

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__CRYPTO__SELF_TEST_HPP_
