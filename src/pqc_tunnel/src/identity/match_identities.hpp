// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__IDENTITY__MATCH_IDENTITIES_HPP_
#define PQC_TUNNEL__IDENTITY__MATCH_IDENTITIES_HPP_

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "protocol/wire/identity.hpp"

namespace pqc_tunnel
{

// Returns what keeps the identities of a drone and of a ground station, given as folders in either order, from working
// together, as sentences without secrets; none if they match. Blocks for seconds if the drone signs with SPHINCS+.
Result<std::vector<std::string>> match_identities(
  const std::filesystem::path & a, const std::filesystem::path & b);

// Twelve digits that a person compares at both ends: they are equal if the ends share PSK, ids and the ground station's
// public keys. They tell nothing about the PSK.
std::string short_code(
  const DroneId & drone, const GcsId & gcs, const Psk & psk, const PublicKeys & gcs_keys);

// True if the folder is that of a drone or of a ground station.
bool is_drone_identity(const std::filesystem::path & folder);
bool is_gcs_identity(const std::filesystem::path & folder);

// Says how many one-time keys a drone and its ground station have left; empty if the drone has no anchor.
std::string one_time_keys_left(const std::filesystem::path & a, const std::filesystem::path & b);

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__IDENTITY__MATCH_IDENTITIES_HPP_
