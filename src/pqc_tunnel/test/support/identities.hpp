// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef SUPPORT__IDENTITIES_HPP_
#define SUPPORT__IDENTITIES_HPP_

#include <random>
#include <vector>

#include "crypto/random.hpp"
#include "crypto/suites/suite.hpp"
#include "protocol/wire/identity.hpp"

namespace pqc_tunnel::test
{

// Repeatable randomness; fit for tests and nothing else.
class SeededRandom final : public RandomSource
{
public:
  explicit SeededRandom(std::uint64_t seed) : engine_(seed) {}
  void fill(MutableBytes out) override
  {
    for (auto & byte : out) {
      byte = static_cast<std::uint8_t>(engine_());
    }
  }
  double uniform() { return std::uniform_real_distribution<double>(0, 1)(engine_); }

private:
  std::mt19937_64 engine_;
};

const Suite & suite(std::string_view id);

// Key pairs for a GCS and its drones, as `pqc identity` would make them, for the signature algorithms of some suites.
struct Identities
{
  GcsIdentity gcs;
  PublicKeys gcs_keys;
  SigningKeys drone_signing_keys;  // one set for all drones is enough here
  PublicKeys drone_keys;

  // The keys of an algorithm are made once in a process.
  static const Identities & for_signature(SignatureAlgorithm algorithm);
  static Identities for_signatures(const std::vector<SignatureAlgorithm> & algorithms);

  // A copy of the GCS's part, a drone's part, and the GCS's record of that drone; `number` identifies the drone.
  GcsIdentity gcs_part() const;
  DroneIdentity drone_part(std::uint8_t number = 1) const;
  DroneRecord record(std::uint8_t number = 1) const;
};

}  // namespace pqc_tunnel::test

#endif  // SUPPORT__IDENTITIES_HPP_
