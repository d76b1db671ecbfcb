// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__CRYPTO__SUITE_HPP_
#define PQC_TUNNEL__CRYPTO__SUITE_HPP_

#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pqc_tunnel/crypto/algorithms.hpp"

namespace pqc_tunnel
{

// The five bytes that name a suite in a ClientHello; the first four are in every frame's header.
struct SuiteWireId
{
  std::uint8_t kem;
  std::uint8_t kem_param;
  std::uint8_t sig;
  std::uint8_t sig_param;
  std::uint8_t aead;
  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy takes the 0 inside <=> for a pointer
  friend auto operator<=>(const SuiteWireId &, const SuiteWireId &) = default;
};

enum class SuiteSet : std::uint8_t
{
  paper,     // the 72 suites of the PQC-MAV paper
  extended,  // FrodoKEM, SPHINCS+-f and Ascon-AEAD128 beside them
};

// One cipher suite: KEM and signature of one security level, and an AEAD.
struct Suite
{
  std::string_view id;  // cs-{kem}-{aead}-{signature}
  KemAlgorithm kem;
  SignatureAlgorithm signature;
  AeadAlgorithm aead;
  SecurityLevel level;
  int tier;           // weight in the policy's order: the lower, the lighter
  bool experimental;  // HQC: never chosen unless allowed
  SuiteSet set;
  SuiteWireId wire_id;
};

// Every suite there is, built once and never changed; pointers to its suites hold for the life of
// the process.
class SuiteRegistry
{
public:
  SuiteRegistry(const SuiteRegistry &) = delete;
  SuiteRegistry & operator=(const SuiteRegistry &) = delete;

  std::span<const Suite> all() const { return suites_; }  // the paper set first
  std::span<const Suite> paper() const { return all().first(paper_count_); }

  // Null if there is no such suite. The spelling sphincs128fsha2 (… 256ssha2) is understood, too.
  const Suite * find(std::string_view id) const;
  const Suite * find(const SuiteWireId & wire_id) const;

  // Whether the liboqs in this process offers the suite's algorithms, and why not.
  AlgorithmAvailability availability(const Suite & suite) const;

private:
  friend const SuiteRegistry & registry();
  SuiteRegistry();

  std::vector<std::string> ids_;
  std::vector<Suite> suites_;
  std::size_t paper_count_ = 0;
  std::vector<std::pair<SuiteWireId, const Suite *>> by_wire_id_;  // sorted
};

const SuiteRegistry & registry();

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__CRYPTO__SUITE_HPP_
