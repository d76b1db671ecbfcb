// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__IDENTITY__DRONE_FOLDER_HPP_
#define PQC_TUNNEL__IDENTITY__DRONE_FOLDER_HPP_

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "config/engine_config.hpp"
#include "protocol/wire/identity.hpp"

namespace pqc_tunnel
{

// A drone that a ground station serves: drones/NAME.drone, and drones/NAME.yaml if its plaintext side differs.
struct RegisteredDrone
{
  DroneRecord record;
  PlaintextConfig plaintext;
};

// A file that can't be used. The other drones are served.
struct UnusableDrone
{
  std::string name;
  Error problem;
  bool revoked = false;  // it is served no longer; others stay as they were
};

struct DroneFolder
{
  std::vector<RegisteredDrone> drones;  // by number, then by name
  std::vector<UnusableDrone> unusable;
};

// The names of the drones that a ground station has records of, sorted.
std::vector<std::string> recorded_drones(const std::filesystem::path & gcs_folder);

// Reads all drones of a ground station's identity. `plaintext` is what they share. Fails only if the folder is no use.
Result<DroneFolder> load_drones(
  const std::filesystem::path & gcs_folder, const PlaintextConfig & plaintext);

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__IDENTITY__DRONE_FOLDER_HPP_
