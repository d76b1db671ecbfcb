// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "profiles.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>

#include "config.hpp"
#include "crypto/suites/suite.hpp"

namespace pqc_tunnel
{

namespace
{

using List = std::vector<std::string>;

// CNSA 2.0 (NSA, 2022): ML-KEM-1024, ML-DSA-87, AES-256, SHA-384 or SHA-512. The suite has HKDF and HMAC with SHA-384, and
// SHA-512 for transcripts.
constexpr const char * cnsa2_suite = "cs-mlkem1024-aesgcm-mldsa87";

constexpr const char * suite_without_aes = "cs-mlkem768-chacha20poly1305-mldsa65";

ParameterValues of_cnsa2()
{
  return {
    {"suite", std::string(cnsa2_suite)},
    {"min_level", std::int64_t{5}},
    {"allowed_suites", List{cnsa2_suite}},
    {"allow_experimental", false},
    {"hybrid_x25519", false},
    {"anchor", std::string("off")},
    {"prekey_pool.suites", List()},
  };
}

// Keys rest on lattices, codes and a curve, from the first datagram on.
ParameterValues of_layered()
{
  return {{"hybrid_x25519", true}, {"anchor", std::string("required")}};
}

// Every suite that this machine has.
ParameterValues of_research()
{
  return {{"min_level", std::int64_t{1}}, {"allow_experimental", true}};
}

// The 72 suites of the paper, and its handshake: no curve, no anchor.
ParameterValues of_paper()
{
  List ids;
  for (const Suite & suite : registry().paper()) {
    ids.emplace_back(suite.id);
  }
  return {
    {"min_level", std::int64_t{1}},
    {"allow_experimental", true},
    {"allowed_suites", ids},
    {"hybrid_x25519", false},
    {"anchor", std::string("off")}};
}

using Make = ParameterValues (*)();
const std::map<std::string, Make> & profiles()
{
  static const std::map<std::string, Make> all{
    {"default", [] { return ParameterValues(); }},
    {cnsa2, of_cnsa2},
    {"layered", of_layered},
    {"research", of_research},
    {"paper_2025", of_paper},
  };
  return all;
}

}  // namespace

List profile_names() { return {"default", cnsa2, "layered", "research", "paper_2025"}; }

ParameterValues profile_defaults(const std::string & profile, bool has_aes)
{
  const auto found = profiles().find(profile);
  if (found == profiles().end()) {
    return {};
  }
  ParameterValues values = found->second();
  if (!has_aes) {
    values.emplace("suite", std::string(suite_without_aes));
  }
  return values;
}

std::string profile_of(const ParameterValues & values)
{
  const auto found = values.find("profile");
  const std::string name = found == values.end() ? "" : to_text(found->second);
  return name.empty() || name == "empty" ? "default" : name;
}

std::optional<std::string> apply_refusals(const std::string & profile, ParameterValues & values)
{
  if (profile != cnsa2) {
    return std::nullopt;
  }
  std::string refused;
  for (auto & [name, only] : of_cnsa2()) {
    const auto given = values.find(name);
    if (given == values.end() || given->second == only) {
      continue;
    }
    refused += (refused.empty() ? "" : ", ") + name + " (" + to_text(given->second) + ")";
    given->second = only;
  }
  if (refused.empty()) {
    return std::nullopt;
  }
  return "Profile cnsa2 uses ML-KEM-1024, ML-DSA-87, AES-256-GCM and SHA-384 and refuses all else: "
         "leave out " +
         refused + ".";
}

}  // namespace pqc_tunnel
