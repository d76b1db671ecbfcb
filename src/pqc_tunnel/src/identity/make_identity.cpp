// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <set>
#include <system_error>
#include <utility>

#include "anchor_files.hpp"
#include "config/config.hpp"
#include "drone_folder.hpp"
#include "identity_files.hpp"
#include "identity_layout.hpp"
#include "key_file.hpp"
#include "make_anchor.hpp"
#include "make_keys.hpp"
#include "workshop.hpp"

namespace pqc_tunnel
{

namespace
{

namespace fs = std::filesystem;

Result<void> move_secrets(Moves & moves, const fs::path & from, const fs::path & to)
{
  if (auto made = ensure_folder(to.parent_path()); !made) {
    return made;
  }
  return moves.move(from, to);
}

Result<void> check_names(const fs::path & out, const std::vector<std::string> & names)
{
  if (names.empty()) {
    return fail(ErrorCode::invalid_argument, "At least one drone must be named.");
  }
  std::set<std::string> seen;
  for (const auto & name : names) {
    if (!is_drone_name(name)) {
      return fail(
        ErrorCode::invalid_argument, "\"" + name +
                                       "\" is no name for a drone: it may hold only "
                                       "small letters, digits and underscores, and not be gcs.");
    }
    if (!seen.insert(name).second) {
      return fail(ErrorCode::invalid_argument, "The drone " + name + " is named twice.");
    }
    if (is_there(out / name)) {
      return refuse_to_overwrite(out / name);
    }
  }
  return {};
}

// The numbers of a ground station's drones.
std::set<std::uint16_t> numbers_in(const fs::path & gcs_folder)
{
  std::set<std::uint16_t> numbers;
  for (const std::string & name : recorded_drones(gcs_folder)) {
    if (const auto record = load_drone_record(gcs_folder, name)) {
      numbers.insert(record->number);
    }
  }
  return numbers;
}

template <class Id>
Id random_id(RandomSource & random)
{
  Id id;
  random.fill(id.bytes);
  return id;
}

Result<PublicKeys> make_gcs(
  const fs::path & folder, const GcsId & id, const std::vector<SignatureAlgorithm> & signatures,
  RandomSource & random, const Progress & progress)
{
  for (const fs::path & made : {folder, signing_folder(folder), records_folder(folder)}) {
    if (const auto result = make_secret_folder(made); !result) {
      return tl::make_unexpected(result.error());
    }
  }
  const KeyFile identity{KeyFileKind::gcs_identity, {}, to_owner(id), {}};
  if (const auto written = write_key_file(gcs_identity_path(folder), identity); !written) {
    return tl::make_unexpected(written.error());
  }
  PublicKeys keys;
  for (const SignatureAlgorithm algorithm : signatures) {
    progress("gcs: " + std::string(display_name(algorithm)));
    auto key = make_signing_key(folder, algorithm, to_owner(id), random);
    if (!key) {
      return tl::make_unexpected(key.error());
    }
    keys[algorithm] = std::move(*key);
  }
  if (const auto written = write_public_keys(gcs_public_folder(folder), keys, to_owner(id));
      !written) {
    return tl::make_unexpected(written.error());
  }
  return keys;
}

// Makes the drone's folder, and its record for the ground station.
Result<DroneRecord> make_drone(
  const fs::path & folder, const std::string & name, const GcsId & gcs_id,
  const PublicKeys & gcs_keys, const std::vector<SignatureAlgorithm> & signatures,
  RandomSource & random, const Progress & progress)
{
  DroneRecord record;
  record.name = name;
  record.id = random_id<DroneId>(random);
  random.fill(record.psk.span());
  progress(name + ": identity");
  for (const fs::path & made : {folder, signing_folder(folder)}) {
    if (const auto result = make_secret_folder(made); !result) {
      return tl::make_unexpected(result.error());
    }
  }
  auto written = write_key_file(
    drone_identity_path(folder), encode_drone_identity(name, record.id, record.psk, gcs_id));
  if (written) {
    written = write_public_keys(known_gcs_folder(folder), gcs_keys, to_owner(gcs_id));
  }
  if (!written) {
    return tl::make_unexpected(written.error());
  }
  for (const SignatureAlgorithm algorithm : signatures) {
    progress(name + ": " + std::string(display_name(algorithm)));
    auto key = make_signing_key(folder, algorithm, to_owner(record.id), random);
    if (!key) {
      return tl::make_unexpected(key.error());
    }
    record.drone_keys[algorithm] = std::move(*key);
  }
  return record;
}

std::uint16_t take_free_number(std::set<std::uint16_t> & taken)
{
  std::uint16_t number = 0;
  while (!taken.insert(number).second) {
    ++number;
  }
  return number;
}

// Makes the folders of the drones in the workshop, and their records in a folder. `taken`: the numbers of other drones.
Result<void> make_drones(
  const Workshop & workshop, const fs::path & records, const GcsId & gcs_id,
  const PublicKeys & gcs_keys, const IdentityPlan & plan, std::set<std::uint16_t> taken,
  RandomSource & random, const Progress & progress)
{
  for (const auto & name : plan.drones) {
    auto record =
      make_drone(workshop / name, name, gcs_id, gcs_keys, plan.drone_signatures, random, progress);
    if (!record) {
      return tl::make_unexpected(record.error());
    }
    record->number = take_free_number(taken);
    auto written = write_key_file(records / (name + ".drone"), encode_drone_record(*record));
    if (!written) {
      return written;
    }
  }
  return {};
}

}  // namespace

Result<void> make_identities(
  const fs::path & out, const IdentityPlan & plan, RandomSource & random, const Progress & progress)
{
  if (auto named = check_names(out, plan.drones); !named) {
    return named;
  }
  if (plan.signatures.empty()) {
    return fail(
      ErrorCode::invalid_argument, "The ground station needs at least one signature algorithm.");
  }
  if (is_there(out / "gcs")) {
    return fail(
      ErrorCode::invalid_argument,
      (out / "gcs").string() +
        " is there already; add-drone adds to it, and keys are never overwritten.");
  }
  const auto workshop = Workshop::open(out);
  if (!workshop) {
    return tl::make_unexpected(workshop.error());
  }
  const auto id = random_id<GcsId>(random);
  const auto keys = make_gcs(*workshop / "gcs", id, plan.signatures, random, progress);
  if (!keys) {
    return tl::make_unexpected(keys.error());
  }
  auto made = make_drones(
    *workshop, records_folder(*workshop / "gcs"), id, *keys, plan, {}, random, progress);
  if (made && plan.anchor.kem) {
    AnchorMaker maker(*workshop / "gcs", id, plan.anchor, random, progress);
    made = maker.make_last_resort();
    for (std::size_t i = 0; made && i < plan.drones.size(); ++i) {
      const std::string & name = plan.drones[i];
      made = maker.supply(*workshop / name, one_time_folder(*workshop / "gcs", name), name, {});
    }
  }
  Moves moves;
  for (std::size_t i = 0; made && i < plan.drones.size(); ++i) {
    made = moves.move(*workshop / plan.drones[i], out / plan.drones[i]);
  }
  if (made) {
    made = moves.move(*workshop / "gcs", out / "gcs");
  }
  if (made) {
    moves.keep();
  }
  return made;
}

Result<void> add_drones(
  const fs::path & out, const IdentityPlan & plan, RandomSource & random, const Progress & progress)
{
  if (auto named = check_names(out, plan.drones); !named) {
    return named;
  }
  for (const auto & name : plan.drones) {
    for (const fs::path & old :
         {record_path(out / "gcs", name), one_time_folder(out / "gcs", name)}) {
      if (is_there(old)) {
        return refuse_to_overwrite(old);
      }
    }
  }
  const auto gcs = load_gcs_identity(out / "gcs");
  if (!gcs) {
    return tl::make_unexpected(gcs.error());
  }
  const auto keys = load_gcs_public_keys(out / "gcs", gcs->id);
  if (!keys) {
    return tl::make_unexpected(keys.error());
  }
  const auto workshop = Workshop::open(out);
  if (!workshop) {
    return tl::make_unexpected(workshop.error());
  }
  const fs::path records = *workshop / "gcs";
  auto made = make_secret_folder(records);
  if (made) {
    made = make_drones(
      *workshop, records, gcs->id, *keys, plan, numbers_in(out / "gcs"), random, progress);
  }
  const fs::path secrets = *workshop / "one_time";
  if (made && plan.anchor.kem) {
    AnchorMaker maker(out / "gcs", gcs->id, plan.anchor, random, progress);
    made = maker.make_last_resort();
    for (std::size_t i = 0; made && i < plan.drones.size(); ++i) {
      const std::string & name = plan.drones[i];
      made = maker.supply(*workshop / name, secrets / name, name, {});
    }
  }
  Moves moves;
  for (std::size_t i = 0; made && i < plan.drones.size(); ++i) {
    const std::string & name = plan.drones[i];
    if (is_there(secrets / name)) {
      made = move_secrets(moves, secrets / name, one_time_folder(out / "gcs", name));
    }
  }
  // The records last: a drone without one is nothing to the ground station.
  for (std::size_t i = 0; made && i < plan.drones.size(); ++i) {
    made = moves.move(*workshop / plan.drones[i], out / plan.drones[i]);
  }
  for (std::size_t i = 0; made && i < plan.drones.size(); ++i) {
    const std::string & name = plan.drones[i];
    made = moves.move(records / (name + ".drone"), record_path(out / "gcs", name));
  }
  if (made) {
    moves.keep();
  }
  return made;
}

}  // namespace pqc_tunnel
