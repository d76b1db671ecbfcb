// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "suite.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "algorithm_table.hpp"

namespace pqc_tunnel
{
namespace
{

bool in_paper_set(KemAlgorithm kem, SignatureAlgorithm signature, AeadAlgorithm aead)
{
  const bool fast_sphincs = signature == SignatureAlgorithm::sphincs_128f ||
                            signature == SignatureAlgorithm::sphincs_192f ||
                            signature == SignatureAlgorithm::sphincs_256f;
  return family(kem) != KemFamily::frodokem && !fast_sphincs && spec(aead).in_paper_set &&
         spec(kem).revision != Revision::present && spec(signature).revision != Revision::present;
}

// The policy's order of suites (docs/policy.md).
int tier(KemAlgorithm kem, AeadAlgorithm aead)
{
  int weight = 0;
  switch (level(kem)) {
    case SecurityLevel::l1:
      break;
    case SecurityLevel::l3:
      weight += 10;
      break;
    case SecurityLevel::l5:
      weight += 20;
      break;
  }
  switch (family(kem)) {
    case KemFamily::ml_kem:
      break;
    case KemFamily::frodokem:
      weight += 2;
      break;
    case KemFamily::hqc:
      weight += 3;
      break;
    case KemFamily::classic_mceliece:
      weight += 5;
      break;
  }
  return weight + spec(aead).weight;
}

std::string make_id(KemAlgorithm kem, SignatureAlgorithm signature, AeadAlgorithm aead)
{
  std::string id = "cs-";
  id.append(token(kem)).append("-").append(token(aead)).append("-").append(token(signature));
  return id;
}

// SPHINCS+ ids with the name of their hash; an id without it is their beginning.
std::string make_other_id(const std::string & id, SignatureAlgorithm signature)
{
  return family(signature) == SignatureFamily::sphincs ? id + "sha2" : id;
}

Suite make_suite(
  std::string_view longest_id, std::size_t size, KemAlgorithm kem, SignatureAlgorithm signature,
  AeadAlgorithm aead)
{
  const WireCode kem_code = wire_code(kem);
  const WireCode signature_code = wire_code(signature);
  return {
    .id = longest_id.substr(0, size),
    .other_id = longest_id.size() > size ? longest_id : std::string_view(),
    .kem = kem,
    .signature = signature,
    .aead = aead,
    .level = level(kem),
    .tier = tier(kem, aead),
    .experimental = family(kem) == KemFamily::hqc,
    .set = in_paper_set(kem, signature, aead) ? SuiteSet::paper : SuiteSet::extended,
    .wire_id = {
      kem_code.family, kem_code.parameter, signature_code.family, signature_code.parameter,
      wire_code(aead)}};
}

struct Combination
{
  KemAlgorithm kem;
  SignatureAlgorithm signature;
  AeadAlgorithm aead;
};

bool fit(KemAlgorithm kem, SignatureAlgorithm signature, AeadAlgorithm aead)
{
  const Revision revisions[] = {spec(kem).revision, spec(signature).revision, spec(aead).revision};
  const auto has = [&](Revision one) {
    return std::ranges::find(revisions, one) != std::end(revisions);
  };
  return level(kem) == level(signature) && !(has(Revision::former) && has(Revision::present));
}

std::vector<Combination> combinations_that_fit()
{
  std::vector<Combination> combinations;
  for (const auto kem : all_kems()) {
    for (const auto signature : all_signatures()) {
      for (const auto aead : all_aeads()) {
        if (fit(kem, signature, aead)) {
          combinations.push_back({kem, signature, aead});
        }
      }
    }
  }
  return combinations;
}

}  // namespace

SuiteRegistry::SuiteRegistry()
{
  auto combinations = combinations_that_fit();
  const auto paper_end = std::stable_partition(
    combinations.begin(), combinations.end(),
    [](const Combination & c) { return in_paper_set(c.kem, c.signature, c.aead); });
  paper_count_ = static_cast<std::size_t>(paper_end - combinations.begin());

  ids_.reserve(combinations.size());
  suites_.reserve(combinations.size());
  for (const auto & [kem, signature, aead] : combinations) {
    const std::string id = make_id(kem, signature, aead);
    ids_.push_back(make_other_id(id, signature));
    suites_.push_back(make_suite(ids_.back(), id.size(), kem, signature, aead));
    by_wire_id_.emplace_back(suites_.back().wire_id, &suites_.back());
  }
  std::ranges::sort(by_wire_id_);
}

const Suite * SuiteRegistry::find(std::string_view id) const
{
  const auto found = std::ranges::find_if(suites_, [id](const Suite & suite) {
    return suite.id == id || (!id.empty() && suite.other_id == id);
  });
  return found != suites_.end() ? &*found : nullptr;
}

const Suite * SuiteRegistry::find(const SuiteWireId & wire_id) const
{
  using Entry = std::pair<SuiteWireId, const Suite *>;
  const auto found = std::ranges::lower_bound(by_wire_id_, wire_id, {}, &Entry::first);
  return found != by_wire_id_.end() && found->first == wire_id ? found->second : nullptr;
}

AlgorithmAvailability SuiteRegistry::availability(const Suite & suite) const
{
  const auto & kem = pqc_tunnel::availability(suite.kem);
  return kem.available ? pqc_tunnel::availability(suite.signature) : kem;
}

const SuiteRegistry & registry()
{
  static const SuiteRegistry the_registry;
  return the_registry;
}

}  // namespace pqc_tunnel
