// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__CRYPTO__SUITES__SUITE_HPP_
#define PQC_TUNNEL__CRYPTO__SUITES__SUITE_HPP_

#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "algorithms.hpp"

namespace pqc_tunnel
{

/// The five bytes that name a suite in a ClientHello; the first four are in every frame's header.
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

/// The table that a suite belongs to.
enum class SuiteSet : std::uint8_t
{
  paper,     ///< the 72 suites of the PQC-MAV paper
  extended,  ///< further suites with FrodoKEM, HQC of 2025, SPHINCS+-f, SLH-DSA and Ascon-AEAD128
};

/// One cipher suite: KEM and signature of one security level, and an AEAD.
struct Suite
{
  std::string_view id;  ///< cs-{kem}-{aead}-{signature}
  /// With SPHINCS+, the spelling of earlier papers (…128fsha2); else empty.
  std::string_view other_id;
  KemAlgorithm kem;
  SignatureAlgorithm signature;
  AeadAlgorithm aead;
  SecurityLevel level;
  int tier;           ///< position in the order of the policy; lower is lighter
  bool experimental;  ///< with HQC; chosen only if the configuration allows it
  SuiteSet set;
  SuiteWireId wire_id;
};

/// The table of all suites. It never changes; pointers to its suites stay valid for the life of the process.
/// Any thread.
class SuiteRegistry
{
public:
  SuiteRegistry(const SuiteRegistry &) = delete;
  SuiteRegistry & operator=(const SuiteRegistry &) = delete;

  /// All suites, those of the paper first.
  std::span<const Suite> all() const { return suites_; }
  /// The 72 suites of the paper.
  std::span<const Suite> paper() const { return all().first(paper_count_); }

  /// Returns null if no suite has this id, in either spelling.
  const Suite * find(std::string_view id) const;
  /// Returns null if no suite has this code.
  const Suite * find(const SuiteWireId & wire_id) const;

  /// Whether the libraries offer the algorithms of the suite in this process, with the reason if not.
  AlgorithmAvailability availability(const Suite & suite) const;

private:
  friend const SuiteRegistry & registry();
  SuiteRegistry();

  std::vector<std::string> ids_;
  std::vector<Suite> suites_;
  std::size_t paper_count_ = 0;
  std::vector<std::pair<SuiteWireId, const Suite *>> by_wire_id_;  ///< sorted
};

/// The table of all suites, built at first use. Any thread.
const SuiteRegistry & registry();

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__CRYPTO__SUITES__SUITE_HPP_
