// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "drone_folder.hpp"

#include <algorithm>
#include <system_error>
#include <tuple>
#include <utility>

#include "config/config.hpp"
#include "identity_files.hpp"
#include "identity_layout.hpp"
#include "key_file.hpp"
#include "renew_identity.hpp"

namespace pqc_tunnel
{

namespace
{

namespace fs = std::filesystem;

Result<RegisteredDrone> load_drone(
  const fs::path & folder, const std::string & name, const PlaintextConfig & plaintext)
{
  if (!is_drone_name(name)) {
    return fail(
      ErrorCode::invalid_argument,
      record_path(folder, name).string() +
        " is no drone's: a name may hold only small letters, digits and underscores.");
  }
  auto record = load_drone_record(folder, name);
  if (!record) {
    return tl::make_unexpected(record.error());
  }
  auto side =
    plaintext_of_drone(plaintext, name, record->number, drone_settings_path(folder, name));
  if (!side) {
    return tl::make_unexpected(side.error());
  }
  return RegisteredDrone{std::move(*record), std::move(*side)};
}

// Two drones can't have one id, nor one port.
std::string conflict(const RegisteredDrone & one, const RegisteredDrone & other)
{
  if (one.record.id == other.record.id) {
    return "The drones " + other.record.name + " and " + one.record.name +
           " have the same id: make keys of its own for " + one.record.name + ".";
  }
  if (one.plaintext.bind.port != 0 && one.plaintext.bind.port == other.plaintext.bind.port) {
    return "The plaintext_port of " + one.record.name + " is " +
           std::to_string(one.plaintext.bind.port) + ", which " + other.record.name +
           " has already: give it another one in drones/" + one.record.name + ".yaml.";
  }
  return {};
}

}  // namespace

std::vector<std::string> recorded_drones(const fs::path & gcs_folder)
{
  std::vector<std::string> names;
  std::error_code error;
  for (auto entry = fs::directory_iterator(records_folder(gcs_folder), error);
       !error && entry != fs::directory_iterator(); entry.increment(error))
  {
    if (entry->path().extension() == ".drone") {
      names.push_back(entry->path().stem().string());
    }
  }
  std::ranges::sort(names);
  return names;
}

Result<DroneFolder> load_drones(const fs::path & gcs_folder, const PlaintextConfig & plaintext)
{
  if (const auto closed = check_secret_folder(records_folder(gcs_folder)); !closed) {
    return tl::make_unexpected(closed.error());
  }
  DroneFolder folder;
  std::vector<RegisteredDrone> loaded;
  for (const std::string & name : recorded_drones(gcs_folder)) {
    auto drone = load_drone(gcs_folder, name, plaintext);
    if (!drone) {
      folder.unusable.push_back({name, drone.error()});
    } else if (is_revoked(gcs_folder, drone->record.id)) {
      folder.unusable.push_back(
        {name,
         {ErrorCode::invalid_argument, record_path(gcs_folder, name).string() +
                                         " is of a drone that was revoked: make new keys for it."},
         true});
    } else {
      loaded.push_back(std::move(*drone));
    }
  }
  std::ranges::sort(loaded, {}, [](const RegisteredDrone & drone) {
    return std::tie(drone.record.number, drone.record.name);
  });
  for (RegisteredDrone & drone : loaded) {
    std::string problem;
    for (auto other = folder.drones.begin(); problem.empty() && other != folder.drones.end();
         ++other) {
      problem = conflict(drone, *other);
    }
    if (problem.empty()) {
      folder.drones.push_back(std::move(drone));
    } else {
      folder.unusable.push_back(
        {drone.record.name, {ErrorCode::invalid_argument, std::move(problem)}});
    }
  }
  return folder;
}

}  // namespace pqc_tunnel
