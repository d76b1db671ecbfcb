// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__IDENTITY__IDENTITY_FILES_HPP_
#define PQC_TUNNEL__IDENTITY__IDENTITY_FILES_HPP_

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "crypto/random.hpp"
#include "protocol/wire/identity.hpp"

namespace pqc_tunnel
{

// Identities on disk, one key per file:
//   gcs/gcs.identity  gcs/signing/<algorithm>.key  gcs/public/<algorithm>.pub
//   gcs/drones/<name>.drone
//   <name>/drone.identity  <name>/gcs/<algorithm>.pub  <name>/signing/<algorithm>.key
// Secret files and their folders must be closed to group and others and belong to the user of this process or to root;
// symbolic links are followed. Every error is one sentence with the path and without contents.

// From a drone's own folder.
Result<DroneIdentity> load_drone_identity(const std::filesystem::path & folder);

// From the ground station's folder.
Result<GcsIdentity> load_gcs_identity(const std::filesystem::path & folder);
Result<DroneRecord> load_drone_record(
  const std::filesystem::path & folder, const std::string & name);
Result<PublicKeys> load_gcs_public_keys(const std::filesystem::path & folder, const GcsId & id);

// Shows a line of progress; an empty one is a step without words.
using Progress = std::function<void(const std::string &)>;

// The keys of the anchor that are to be made.
struct AnchorPlan
{
  std::optional<KemAlgorithm> kem;  // none: nothing
  std::size_t one_time = 16;        // keys for each drone
  bool rotate = false;              // make a new last-resort key
};

struct IdentityPlan
{
  std::vector<std::string> drones;
  std::vector<SignatureAlgorithm> signatures;        // of the ground station
  std::vector<SignatureAlgorithm> drone_signatures;  // of each drone, for mutual mode
  AnchorPlan anchor = {};
};

// Makes out/gcs and out/<name> for every drone, or nothing at all; never overwrites a file. Blocks for seconds
// (SPHINCS+). Calls `progress` with a line for each key.
Result<void> make_identities(
  const std::filesystem::path & out, const IdentityPlan & plan, RandomSource & random,
  const Progress & progress);

// Adds drones to the folders of make_identities(), all or none; ignores `plan.signatures`.
Result<void> add_drones(
  const std::filesystem::path & out, const IdentityPlan & plan, RandomSource & random,
  const Progress & progress);

// Makes keys of the anchor in the folders of make_identities(): the last-resort key if there is none of that level, and
// more one-time keys for these drones.
Result<void> extend_anchor(
  const std::filesystem::path & out, const std::vector<std::string> & drones,
  const AnchorPlan & plan, RandomSource & random, const Progress & progress);

// Describes a file or folder in lines for a person: kind, algorithm, sizes, fingerprints of public parts.
Result<std::string> describe_identity(const std::filesystem::path & path);

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__IDENTITY__IDENTITY_FILES_HPP_
