// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__IDENTITY__MAKE_ANCHOR_HPP_
#define PQC_TUNNEL__IDENTITY__MAKE_ANCHOR_HPP_

#include <filesystem>
#include <string>

#include "identity_files.hpp"
#include "identity_layout.hpp"

namespace pqc_tunnel
{

// Makes a folder for its owner alone, and those around it that are missing.
Result<void> ensure_folder(const std::filesystem::path & path);

// Makes keys of the anchor for one ground station.
class AnchorMaker
{
public:
  AnchorMaker(
    std::filesystem::path gcs_folder, const GcsId & id, const AnchorPlan & plan,
    RandomSource & random, Progress progress)
  : gcs_folder_(std::move(gcs_folder)),
    owner_(to_owner(id)),
    plan_(plan),
    random_(random),
    progress_(std::move(progress))
  {
  }

  // Makes the last-resort key if there is none of that level, or a new one to rotate. The one before stays, for drones that
  // have not got the new one yet; older ones are erased.
  Result<void> make_last_resort();
  // Gives the last-resort key to a drone, and makes one-time keys whose secrets go to `secrets`.
  Result<void> supply(
    const std::filesystem::path & drone_folder, const std::filesystem::path & secrets,
    const std::string & drone, const DroneId & id);

private:
  Result<void> make_pair(
    const std::filesystem::path & secrets, const std::filesystem::path & publics,
    std::uint32_t number);
  Result<void> give_last_resort(const std::filesystem::path & drone_folder);

  std::filesystem::path gcs_folder_;
  OwnerId owner_;
  AnchorPlan plan_;
  RandomSource & random_;
  Progress progress_;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__IDENTITY__MAKE_ANCHOR_HPP_
