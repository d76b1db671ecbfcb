// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "self_test.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <string>
#include <utility>

#include "crypto/aead.hpp"
#include "crypto/hkdf.hpp"
#include "crypto/kem.hpp"
#include "crypto/suites/algorithm_table.hpp"
#include "self_test_answers.hpp"
#include "signature_self_test.hpp"

namespace pqc_tunnel
{
namespace
{

constexpr const char * symmetric_name = "SHA-512, HMAC and HKDF";

// Each test returns the reason of its failure, or nothing.

std::string test(KemAlgorithm algorithm, RandomSource & random)
{
  const auto kem = Kem::open(algorithm);
  if (!kem) {
    return kem.error().message;
  }
  const auto pair = kem->keygen(random);
  if (!pair) {
    return pair.error().message;
  }
  auto sent = kem->encapsulate(pair->public_key, random);
  if (!sent) {
    return sent.error().message;
  }
  const auto received = kem->decapsulate(sent->ciphertext, pair->secret_key);
  if (!received) {
    return received.error().message;
  }
  if (!constant_time_equal(received->view(), sent->shared_secret.view())) {
    return "both ends came to different secrets";
  }
  sent->ciphertext.front() ^= 1;
  const auto forged = kem->decapsulate(sent->ciphertext, pair->secret_key);
  if (forged && constant_time_equal(forged->view(), sent->shared_secret.view())) {
    return "a forged ciphertext gave the genuine secret";
  }
  return "";
}

std::string test(SignatureAlgorithm algorithm, RandomSource & random)
{
  return test_signature(algorithm, random);
}

std::string test(AeadAlgorithm algorithm, RandomSource &)
{
  const AeadAnswer & answer = spec(algorithm).answer;
  const Bytes nonce = from_hex(answer.nonce);
  const Bytes aad = from_hex(answer.aad);
  const Bytes plaintext = from_hex(answer.plaintext);
  auto key = AeadKey::create(algorithm, from_hex(answer.key));

  Bytes text = plaintext;
  std::array<std::uint8_t, aead_tag_size> tag = {};
  key.seal_in_place(nonce, aad, text, tag);
  if (text != from_hex(answer.ciphertext) || !constant_time_equal(tag, from_hex(answer.tag))) {
    return "sealing did not give the known answer";
  }
  if (!key.open_in_place(nonce, aad, text, tag) || text != plaintext) {
    return "opening did not give the plaintext back";
  }
  tag.front() ^= 1;
  if (key.open_in_place(nonce, aad, text, tag)) {
    return "a wrong tag was accepted";
  }
  return "";
}

std::string test_symmetric()
{
  const std::array<std::uint8_t, 3> abc = {'a', 'b', 'c'};
  if (!constant_time_equal(sha512(abc), from_hex(sha512_of_abc))) {
    return "SHA-512 did not give the known answer";
  }
  const auto key = hkdf_extract(Hash::sha256, from_hex(hkdf_salt), from_hex(hkdf_input));
  Bytes output(hkdf_output.size() / 2);
  hkdf_expand(Hash::sha256, key.view(), from_hex(hkdf_info), output);
  if (output != from_hex(hkdf_output)) {
    return "HKDF did not give the known answer";
  }
  return "";
}

template <class Function>
void run(SelfTestReport & report, std::string_view name, Function && function)
{
  // Durations are a measurement, never an input.
  const auto start = std::chrono::steady_clock::now();
  std::string reason = function();
  const Duration duration = std::chrono::steady_clock::now() - start;
  report.results.push_back({std::string(name), reason.empty(), std::move(reason), duration});
  report.duration += duration;
}

template <class Algorithm>
void include(std::vector<Algorithm> & list, Algorithm algorithm)
{
  if (std::ranges::find(list, algorithm) == list.end()) {
    list.push_back(algorithm);
  }
}

template <class Algorithm>
std::vector<Algorithm> to_vector(std::span<const Algorithm> algorithms)
{
  return {algorithms.begin(), algorithms.end()};
}

}  // namespace

SelfTestSelection SelfTestSelection::all()
{
  return {to_vector(all_kems()), to_vector(all_signatures()), to_vector(all_aeads())};
}

SelfTestSelection SelfTestSelection::of(std::span<const Suite * const> suites)
{
  SelfTestSelection selection;
  for (const Suite * suite : suites) {
    include(selection.kems, suite->kem);
    include(selection.signatures, suite->signature);
    include(selection.aeads, suite->aead);
  }
  return selection;
}

bool SelfTestReport::passed() const
{
  return std::ranges::all_of(results, &SelfTestResult::passed);
}

AlgorithmAvailability SelfTestReport::availability(const Suite & suite) const
{
  auto registered = registry().availability(suite);
  if (!registered.available) {
    return registered;
  }
  const std::string_view used[] = {
    display_name(suite.kem), display_name(suite.signature), display_name(suite.aead),
    symmetric_name};
  for (const auto & result : results) {
    if (!result.passed && std::ranges::find(used, result.algorithm) != std::end(used)) {
      return {false, result.algorithm + " failed its self-test: " + result.reason};
    }
  }
  return registered;
}

SelfTestReport run_self_test(RandomSource & random, const SelfTestSelection & selection)
{
  SelfTestReport report;
  run(report, symmetric_name, [] { return test_symmetric(); });
  const auto run_each = [&](const auto & algorithms) {
    for (const auto algorithm : algorithms) {
      run(report, display_name(algorithm), [&] { return test(algorithm, random); });
    }
  };
  run_each(selection.aeads);
  run_each(selection.kems);
  run_each(selection.signatures);
  return report;
}

}  // namespace pqc_tunnel
