// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "settings.hpp"

#include <algorithm>
#include <utility>

#include "base/byte_io.hpp"
#include "crypto/hkdf.hpp"

namespace pqc_tunnel
{
namespace
{

constexpr std::string_view policy_label{"PQM3 policy\0", 12};

std::string level_text(SecurityLevel level) { return std::to_string(static_cast<int>(level)); }

std::string truth(bool value) { return value ? "true" : "false"; }

bool by_wire_id(const Suite * a, const Suite * b) { return a->wire_id < b->wire_id; }

}  // namespace

std::uint8_t HandshakeMode::to_wire() const
{
  return static_cast<std::uint8_t>((hybrid_x25519 ? 1 : 0) | (drone_signature ? 2 : 0));
}

HandshakeMode HandshakeMode::from_wire(std::uint8_t mode)
{
  return {(mode & 1) != 0, (mode & 2) != 0};
}

const char * to_string(AnchorUse use)
{
  return use == AnchorUse::off ? "off" : use == AnchorUse::required ? "required" : "auto";
}

std::optional<AnchorUse> parse_anchor_use(std::string_view text)
{
  for (const AnchorUse use : {AnchorUse::off, AnchorUse::automatic, AnchorUse::required}) {
    if (text == to_string(use)) {
      return use;
    }
  }
  return std::nullopt;
}

SuitePolicy::SuitePolicy(SecurityLevel floor, bool allow_experimental, const Suite * floor_of)
: floor_(floor), floor_of_(floor_of), experimental_(allow_experimental)
{
  for (const Suite & suite : registry().all()) {
    if (suite.level >= floor && (allow_experimental || !suite.experimental)) {
      allowed_.push_back(&suite);
    }
  }
  std::ranges::sort(allowed_, by_wire_id);
}

SuitePolicy::SuitePolicy(std::vector<const Suite *> allowed)
: floor_(SecurityLevel::l5), is_list_(true), allowed_(std::move(allowed))
{
  std::ranges::sort(allowed_, by_wire_id);
  allowed_.erase(std::unique(allowed_.begin(), allowed_.end()), allowed_.end());
  for (const Suite * suite : allowed_) {
    floor_ = std::min(floor_, suite->level);
  }
}

std::string SuitePolicy::floor_text() const
{
  const std::string text = "min_level " + level_text(floor_);
  return floor_of_ == nullptr ? text : text + " (of suite " + std::string(floor_of_->id) + ")";
}

bool SuitePolicy::allows(const Suite & suite) const
{
  return std::ranges::binary_search(allowed_, &suite, by_wire_id);
}

std::string SuitePolicy::objection(const Suite & suite) const
{
  if (allows(suite)) {
    return {};
  }
  if (is_list_) {
    return "allowed_suites does not name it";
  }
  if (suite.level < floor_) {
    return "its level " + level_text(suite.level) + " is below " + floor_text();
  }
  return "it is experimental, and allow_experimental is false";
}

std::string SuitePolicy::description() const
{
  return is_list_ ? "allowed_suites with " + std::to_string(allowed_.size()) +
                      (allowed_.size() == 1 ? " suite" : " suites")
                  : floor_text() + ", allow_experimental " + truth(experimental_);
}

std::optional<SuitePolicy> SuitePolicy::with_hash(const PolicyHash & hash, HandshakeMode mode)
{
  for (const SecurityLevel floor : {SecurityLevel::l1, SecurityLevel::l3, SecurityLevel::l5}) {
    for (const bool experimental : {false, true}) {
      SuitePolicy policy(floor, experimental);
      if (policy.hash(mode) == hash) {
        return policy;
      }
    }
  }
  return std::nullopt;
}

std::string description(const SuitePolicy & suites, HandshakeMode mode)
{
  return suites.description() + ", hybrid_x25519 " + truth(mode.hybrid_x25519) +
         ", drone_signature " + truth(mode.drone_signature);
}

std::string difference(
  const std::optional<SuitePolicy> & theirs, HandshakeMode their_mode, const SuitePolicy & ours,
  HandshakeMode our_mode)
{
  std::string text;
  const auto add = [&text](const std::string & name, bool there, bool here) {
    if (there != here) {
      text += (text.empty() ? "" : "; ") + name + " is " + truth(there) + " there and " +
              truth(here) + " here";
    }
  };
  add("hybrid_x25519", their_mode.hybrid_x25519, our_mode.hybrid_x25519);
  add("drone_signature", their_mode.drone_signature, our_mode.drone_signature);
  if (!theirs || theirs->allowed() != ours.allowed()) {
    text += (text.empty() ? "" : "; ") +
            (theirs ? theirs->description() : "other allowed_suites or another version") +
            " there, " + ours.description() + " here";
  }
  return text;
}

PolicyHash SuitePolicy::hash(HandshakeMode mode) const
{
  Bytes input;
  ByteWriter writer(input);
  writer.text(policy_label).u8(mode.to_wire()).u8(static_cast<std::uint8_t>(floor_));
  for (const Suite * suite : allowed_) {
    const SuiteWireId & id = suite->wire_id;
    writer.u8(id.kem).u8(id.kem_param).u8(id.sig).u8(id.sig_param).u8(id.aead);
  }
  return PolicyHash{sha256(input)};
}

}  // namespace pqc_tunnel
