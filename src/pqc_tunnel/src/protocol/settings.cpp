// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "settings.hpp"

#include <algorithm>
#include <utility>

#include "base/byte_io.hpp"
#include "pqc_tunnel/crypto/hkdf.hpp"

namespace pqc_tunnel
{
namespace
{

constexpr std::string_view policy_label{"PQM2 policy\0", 12};

bool by_wire_id(const Suite * a, const Suite * b) { return a->wire_id < b->wire_id; }

}  // namespace

std::uint8_t HandshakeMode::to_wire() const
{
  return static_cast<std::uint8_t>((hybrid_x25519 ? 1 : 0) | (drone_signature ? 2 : 0));
}

SuitePolicy::SuitePolicy(SecurityLevel floor, bool allow_experimental) : floor_(floor)
{
  for (const Suite & suite : registry().all()) {
    if (suite.level >= floor && (allow_experimental || !suite.experimental)) {
      allowed_.push_back(&suite);
    }
  }
  std::ranges::sort(allowed_, by_wire_id);
}

SuitePolicy::SuitePolicy(std::vector<const Suite *> allowed)
: floor_(SecurityLevel::l5), allowed_(std::move(allowed))
{
  std::ranges::sort(allowed_, by_wire_id);
  allowed_.erase(std::unique(allowed_.begin(), allowed_.end()), allowed_.end());
  for (const Suite * suite : allowed_) {
    floor_ = std::min(floor_, suite->level);
  }
}

bool SuitePolicy::allows(const Suite & suite) const
{
  return std::ranges::binary_search(allowed_, &suite, by_wire_id);
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
