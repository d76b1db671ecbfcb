// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "support/identities.hpp"

#include <stdexcept>
#include <utility>

#include "crypto/signature.hpp"

namespace pqc_tunnel::test
{
namespace
{

DroneId drone_id(std::uint8_t number) { return DroneId{{'d', 'r', 'o', 'n', 'e', 0, 0, number}}; }

Psk psk_of(std::uint8_t number)
{
  std::array<std::uint8_t, 32> bytes = {};
  bytes.fill(number);
  return Psk(bytes);
}

}  // namespace

const Suite & suite(std::string_view id)
{
  const Suite * found = registry().find(id);
  if (found == nullptr) {
    throw std::invalid_argument("no suite " + std::string(id));
  }
  return *found;
}

const Identities & Identities::for_signature(SignatureAlgorithm algorithm)
{
  static std::map<SignatureAlgorithm, Identities> made;
  const auto [entry, fresh] = made.try_emplace(algorithm);
  Identities & identities = entry->second;
  if (fresh) {
    SeededRandom random(static_cast<std::uint64_t>(algorithm) + 1);
    identities.gcs.id.bytes.fill(0x47);
    auto gcs = generate_signing_key(algorithm, random).value();
    auto drone = generate_signing_key(algorithm, random).value();
    identities.gcs.signing_keys[algorithm] =
      std::make_shared<const SecretBytes>(std::move(gcs.secret_key));
    identities.gcs_keys[algorithm] = std::make_shared<const Bytes>(std::move(gcs.public_key));
    identities.drone_signing_keys[algorithm] =
      std::make_shared<const SecretBytes>(std::move(drone.secret_key));
    identities.drone_keys[algorithm] = std::make_shared<const Bytes>(std::move(drone.public_key));
  }
  return identities;
}

Identities Identities::for_signatures(const std::vector<SignatureAlgorithm> & algorithms)
{
  Identities merged;
  for (const SignatureAlgorithm algorithm : algorithms) {
    const Identities & one = for_signature(algorithm);
    merged.gcs.id = one.gcs.id;
    merged.gcs.signing_keys.insert(one.gcs.signing_keys.begin(), one.gcs.signing_keys.end());
    merged.gcs_keys.insert(one.gcs_keys.begin(), one.gcs_keys.end());
    merged.drone_signing_keys.insert(one.drone_signing_keys.begin(), one.drone_signing_keys.end());
    merged.drone_keys.insert(one.drone_keys.begin(), one.drone_keys.end());
  }
  return merged;
}

GcsIdentity Identities::gcs_part() const { return {gcs.id, gcs.signing_keys}; }

DroneIdentity Identities::drone_part(std::uint8_t number) const
{
  return {"drone", drone_id(number), psk_of(number), gcs.id, gcs_keys, drone_signing_keys};
}

DroneRecord Identities::record(std::uint8_t number) const
{
  return {"drone " + std::to_string(number), drone_id(number), psk_of(number), drone_keys};
}

}  // namespace pqc_tunnel::test
