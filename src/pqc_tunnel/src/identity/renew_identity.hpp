// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__IDENTITY__RENEW_IDENTITY_HPP_
#define PQC_TUNNEL__IDENTITY__RENEW_IDENTITY_HPP_

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "crypto/random.hpp"
#include "identity_files.hpp"

namespace pqc_tunnel
{

struct RotationPlan
{
  std::vector<std::string> drones;
  bool signing = false;  // the ground station's signing keys, too: of all drones then
  bool again = false;    // although a drone may not have the keys of the rotation before yet
  std::int64_t now_unix_s = 0;
  std::int64_t former_until_unix_s = 0;  // no session begins with the keys before after that
};

// Replaces the keys of drones in the folders of make_identities(). The keys before stay beside the new ones at both ends,
// until a session with the new ones has shown that both have them. If the drone's folder is not there, makes one with what
// the drone needs. Blocks for seconds if there are keys of SPHINCS+.
Result<void> rotate_keys(
  const std::filesystem::path & out, const RotationPlan & plan, RandomSource & random,
  const Progress & progress);

// Erases the records of drones, and notes that their ids are never served again.
Result<void> revoke_drones(
  const std::filesystem::path & gcs_folder, const std::vector<std::string> & drones);
// Whether a record of this id may be served.
bool is_revoked(const std::filesystem::path & gcs_folder, const DroneId & id);

// No session of these drones begins after that; none: there is no such time.
Result<void> set_expiry(
  const std::filesystem::path & gcs_folder, const std::vector<std::string> & drones,
  std::optional<std::int64_t> unix_s);

// Returns a line for each drone of a ground station: name, number, what compares with the drone's end, and what holds of
// its keys now; of a drone's folder one line, with what compares.
Result<std::string> list_drones(const std::filesystem::path & folder, std::int64_t now_unix_s);

// "2027-01-31", in UTC.
std::string date_text(std::int64_t unix_s);
// The first second after that day.
Result<std::int64_t> end_of_day(const std::string & date);

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__IDENTITY__RENEW_IDENTITY_HPP_
