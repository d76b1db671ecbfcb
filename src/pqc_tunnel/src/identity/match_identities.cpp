// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "match_identities.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <set>
#include <system_error>
#include <utility>

#include "anchor_files.hpp"
#include "base/byte_io.hpp"
#include "command_line/words.hpp"
#include "crypto/hkdf.hpp"
#include "crypto/random.hpp"
#include "crypto/signature.hpp"
#include "drone_folder.hpp"
#include "identity_files.hpp"
#include "identity_layout.hpp"

namespace pqc_tunnel
{

namespace
{

namespace fs = std::filesystem;
using Sentences = std::vector<std::string>;

// The ground station signs with its keys; the drone verifies with its copies of the public ones.
void compare_gcs_keys(
  const PublicKeys & at_gcs, const PublicKeys & at_drone, Sentences & differences)
{
  for (const auto & [algorithm, key] : at_gcs) {
    const std::string name(display_name(algorithm));
    const auto copy = at_drone.find(algorithm);
    if (copy == at_drone.end()) {
      differences.push_back("The drone has no public key of the ground station for " + name + ".");
    } else if (*copy->second != *key) {
      differences.push_back(
        "The drone has another public key for " + name + " than the ground station.");
    }
  }
}

bool belong_together(
  SignatureAlgorithm algorithm, const SecretBytes & secret_key, const Bytes & public_key)
{
  SystemRandom random;
  const Bytes message{1, 2, 3};
  const auto signature = sign(algorithm, message, secret_key, random);
  return signature && verify(algorithm, message, *signature, public_key);
}

// The drone signs in mutual mode; the ground station verifies with the keys in its record.
void compare_drone_keys(
  const SigningKeys & at_drone, const PublicKeys & at_gcs, Sentences & differences)
{
  std::set<SignatureAlgorithm> all;
  for (const auto & entry : at_drone) {
    all.insert(entry.first);
  }
  for (const auto & entry : at_gcs) {
    all.insert(entry.first);
  }
  for (const SignatureAlgorithm algorithm : all) {
    const std::string name(display_name(algorithm));
    if (!at_gcs.contains(algorithm)) {
      differences.push_back("The ground station has no public key of the drone for " + name + ".");
    } else if (!at_drone.contains(algorithm)) {
      differences.push_back("The drone has no signing key for " + name + ".");
    } else if (
      availability(algorithm).available &&
      !belong_together(algorithm, *at_drone.at(algorithm), *at_gcs.at(algorithm)))
    {
      differences.push_back(
        "The drone signs with another key of " + name + " than the ground station expects.");
    }
  }
}

// Keys of the anchor that were not used.
std::vector<AnchorFile> unused(
  const fs::path & folder, const std::string & extension, const OwnerId & owner)
{
  auto files = list_anchor_files(folder, extension);
  const auto used = read_used(folder, owner);
  std::erase_if(files, [&](const auto & file) { return !used || file.number <= *used; });
  return files;
}

// The drone encapsulates to public keys whose secrets the ground station must hold.
std::size_t count_without_secret(
  const std::vector<AnchorFile> & at_drone, const fs::path & gcs_folder)
{
  const auto secrets = list_anchor_files(gcs_folder, ".key");
  return static_cast<std::size_t>(std::ranges::count_if(at_drone, [&](const auto & file) {
    return std::ranges::find(secrets, file.id, &AnchorFile::id) == secrets.end();
  }));
}

void compare_anchors(
  const fs::path & drone_folder, const DroneIdentity & drone, const fs::path & gcs_folder,
  Sentences & differences)
{
  const auto last_resort = list_anchor_files(last_resort_folder(drone_folder), ".pub");
  if (count_without_secret(last_resort, last_resort_folder(gcs_folder)) > 0) {
    differences.emplace_back(
      "The ground station has no secret for the drone's last-resort key of the anchor: give the "
      "drone the present one by pqc identity anchor.");
  }
  const auto one_time = unused(one_time_folder(drone_folder), ".pub", to_owner(drone.id));
  const std::size_t missing =
    count_without_secret(one_time, one_time_folder(gcs_folder, drone.name));
  if (missing > 0) {
    differences.push_back(
      "The ground station has no secret for " + std::to_string(missing) + " of the drone's " +
      std::to_string(one_time.size()) + " unused one-time keys of the anchor.");
  }
}

Result<Sentences> match_ends(const fs::path & drone_folder, const fs::path & gcs_folder)
{
  const auto drone = load_drone_identity(drone_folder);
  if (!drone) {
    return tl::make_unexpected(drone.error());
  }
  const auto gcs = load_gcs_identity(gcs_folder);
  if (!gcs) {
    return tl::make_unexpected(gcs.error());
  }
  const auto gcs_keys = load_gcs_public_keys(gcs_folder, gcs->id);
  if (!gcs_keys) {
    return tl::make_unexpected(gcs_keys.error());
  }
  Sentences differences;
  if (drone->gcs_id != gcs->id) {
    differences.emplace_back("The drone belongs to another ground station: the ids differ.");
  }
  compare_gcs_keys(*gcs_keys, drone->gcs_keys, differences);
  const auto known = recorded_drones(gcs_folder);
  if (std::ranges::find(known, drone->name) == known.end()) {
    differences.push_back(
      "The ground station has no record of the drone " + drone->name +
      (known.empty() ? "." : "; it knows " + cli::join(known) + "."));
    return differences;
  }
  const auto record = load_drone_record(gcs_folder, drone->name);
  if (!record) {
    return tl::make_unexpected(record.error());
  }
  if (record->id != drone->id) {
    differences.push_back(
      "The ground station's record of " + drone->name + " is of another drone: the ids differ.");
  }
  if (!constant_time_equal(record->psk.view(), drone->psk.view())) {
    differences.emplace_back("The pre-shared keys differ.");
  }
  compare_drone_keys(drone->signing_keys, record->drone_keys, differences);
  compare_anchors(drone_folder, *drone, gcs_folder, differences);
  return differences;
}

}  // namespace

std::string short_code(
  const DroneId & drone, const GcsId & gcs, const Psk & psk, const PublicKeys & gcs_keys)
{
  Bytes input;
  ByteWriter out(input);
  out.text("PQM3 short code").id(drone).id(gcs);
  for (const auto & [algorithm, key] : gcs_keys) {
    const WireCode code = wire_code(algorithm);
    out.u8(code.family).u8(code.parameter).bytes(sha256(*key));
  }
  const auto mac = hmac(Hash::sha256, psk.view(), {input});
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < sizeof(number); ++i) {
    number = number << 8 | mac[i];
  }
  constexpr std::uint64_t digits = 1'000'000'000'000;
  std::array<char, 24> text{};
  number %= digits;
  std::snprintf(
    text.data(), text.size(), "%04u-%04u-%04u", static_cast<unsigned>(number / 100'000'000),
    static_cast<unsigned>(number / 10'000 % 10'000), static_cast<unsigned>(number % 10'000));
  return text.data();
}

bool is_drone_identity(const fs::path & folder) { return is_there(drone_identity_path(folder)); }

bool is_gcs_identity(const fs::path & folder) { return is_there(gcs_identity_path(folder)); }

std::string one_time_keys_left(const fs::path & a, const fs::path & b)
{
  const fs::path & drone_folder = is_drone_identity(a) ? a : b;
  const fs::path & gcs_folder = is_drone_identity(a) ? b : a;
  const auto drone = load_drone_identity(drone_folder);
  if (!drone || !drone->anchor) {
    return {};
  }
  const OwnerId owner = to_owner(drone->id);
  return "Unused one-time keys of the anchor: " +
         std::to_string(unused(one_time_folder(drone_folder), ".pub", owner).size()) +
         " at the drone, " +
         std::to_string(unused(one_time_folder(gcs_folder, drone->name), ".key", owner).size()) +
         " at the ground station.";
}

Result<Sentences> match_identities(const fs::path & a, const fs::path & b)
{
  for (const fs::path & folder : {a, b}) {
    if (!is_drone_identity(folder) && !is_gcs_identity(folder)) {
      return fail(
        ErrorCode::invalid_argument,
        folder.string() + " is no folder of a drone or ground station, made by pqc identity init.");
    }
  }
  if (is_drone_identity(a) == is_drone_identity(b)) {
    return fail(
      ErrorCode::invalid_argument,
      is_drone_identity(a) ? "Both folders are of drones: compare a drone with its ground station."
                           : "Both folders are of ground stations: compare one with its drone.");
  }
  return is_drone_identity(a) ? match_ends(a, b) : match_ends(b, a);
}

}  // namespace pqc_tunnel
