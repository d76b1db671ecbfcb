// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "make_anchor.hpp"

#include <unistd.h>

#include <algorithm>
#include <map>
#include <optional>
#include <system_error>
#include <utility>

#include "anchor_files.hpp"
#include "crypto/kem.hpp"
#include "os/thread.hpp"

namespace pqc_tunnel
{

namespace
{

namespace fs = std::filesystem;

// A main thread has too small a stack.
Result<KemKeyPair> generate(KemAlgorithm algorithm, RandomSource & random)
{
  std::optional<Result<KemKeyPair>> pair;
  Thread("pqc_keygen", kem_stack_bytes, [&] {
    auto kem = Kem::open(algorithm);
    if (kem) {
      pair = kem->keygen(random);
    } else {
      pair = tl::make_unexpected(std::move(kem.error()));
    }
  }).join();
  return std::move(*pair);
}

std::uint32_t last_number(const fs::path & folder, const std::string & extension)
{
  const auto files = list_anchor_files(folder, extension);
  return files.empty() ? 0 : files.back().number;
}

// Deletes all files of the KEM with this extension but the newest ones.
void keep_newest(
  const fs::path & folder, const std::string & extension, KemAlgorithm kem, std::size_t count)
{
  auto files = list_anchor_files(folder, extension);
  std::erase_if(files, [kem](const AnchorFile & file) { return file.kem != kem; });
  for (std::size_t i = 0; i + count < files.size(); ++i) {
    ::unlink(files[i].path.c_str());
  }
}

}  // namespace

Result<void> ensure_folder(const fs::path & path)
{
  std::error_code error;
  if (fs::is_directory(path, error)) {
    return {};
  }
  if (path.has_parent_path()) {
    if (auto around = ensure_folder(path.parent_path()); !around) {
      return around;
    }
  }
  return make_secret_folder(path);
}

Result<void> AnchorMaker::make_pair(
  const fs::path & secrets, const fs::path & publics, std::uint32_t number)
{
  for (const fs::path & folder : {secrets, publics}) {
    if (auto made = ensure_folder(folder); !made) {
      return made;
    }
  }
  auto pair = generate(*plan_.kem, random_);
  if (!pair) {
    return tl::make_unexpected(pair.error());
  }
  const AnchorFile name{number, *plan_.kem, anchor_id(pair->public_key), {}};
  const KeyFile secret{
    KeyFileKind::anchor_secret_key, wire_code(*plan_.kem), owner_, std::move(pair->secret_key)};
  const KeyFile key{
    KeyFileKind::anchor_public_key, wire_code(*plan_.kem), owner_,
    SecretBytes::copy_of(pair->public_key)};
  // The secret first: a public key without one would cost its drone a handshake.
  auto written = write_key_file(secrets / anchor_file_name(name, ".key"), secret);
  return written ? write_key_file(publics / anchor_file_name(name, ".pub"), key) : written;
}

Result<void> AnchorMaker::make_last_resort()
{
  const fs::path folder = last_resort_folder(gcs_folder_);
  const auto files = list_anchor_files(folder, ".key");
  const bool there = std::ranges::find(files, *plan_.kem, &AnchorFile::kem) != files.end();
  if (there && !plan_.rotate) {
    return {};
  }
  progress_("gcs: " + std::string(display_name(*plan_.kem)) + ", last-resort key of the anchor");
  auto made = make_pair(folder, folder, last_number(folder, ".key") + 1);
  if (made) {
    keep_newest(folder, ".key", *plan_.kem, 2);
    keep_newest(folder, ".pub", *plan_.kem, 1);
  }
  return made;
}

Result<void> AnchorMaker::give_last_resort(const fs::path & drone_folder)
{
  const fs::path to = last_resort_folder(drone_folder);
  if (auto made = ensure_folder(to); !made) {
    return made;
  }
  for (const AnchorFile & file : list_anchor_files(last_resort_folder(gcs_folder_), ".pub")) {
    const fs::path copy = to / file.path.filename();
    std::error_code error;
    if (!fs::exists(copy, error)) {
      const auto key = read_key_file(file.path, KeyFileKind::anchor_public_key);
      if (!key) {
        return tl::make_unexpected(key.error());
      }
      if (auto written = write_key_file(copy, *key); !written) {
        return written;
      }
    }
    keep_newest(to, ".pub", file.kem, 1);
  }
  return {};
}

Result<void> AnchorMaker::supply(
  const fs::path & drone_folder, const fs::path & secrets, const std::string & drone,
  const DroneId & id)
{
  if (auto given = give_last_resort(drone_folder); !given) {
    return given;
  }
  const fs::path publics = one_time_folder(drone_folder);
  std::uint32_t number = std::max(last_number(secrets, ".key"), last_number(publics, ".pub"));
  for (const fs::path & folder : {secrets, publics}) {
    const auto used = read_used(folder, to_owner(id));
    if (!used) {
      return tl::make_unexpected(used.error());
    }
    number = std::max(number, *used);
  }
  if (plan_.one_time > 0) {
    progress_(
      drone + ": " + std::to_string(plan_.one_time) + " one-time keys of " +
      std::string(display_name(*plan_.kem)));
  }
  for (std::size_t i = 0; i < plan_.one_time; ++i) {
    if (auto made = make_pair(secrets, publics, ++number); !made) {
      return made;
    }
    progress_("");
  }
  return {};
}

Result<void> extend_anchor(
  const fs::path & out, const std::vector<std::string> & drones, const AnchorPlan & plan,
  RandomSource & random, const Progress & progress)
{
  const auto gcs = load_gcs_identity(out / "gcs");
  if (!gcs) {
    return tl::make_unexpected(gcs.error());
  }
  std::map<std::string, DroneId> ids;
  for (const std::string & name : drones) {
    const auto drone = load_drone_identity(out / name);
    const auto record = load_drone_record(out / "gcs", name);
    if (!drone || !record) {
      return tl::make_unexpected(drone ? record.error() : drone.error());
    }
    if (drone->id != record->id || drone->gcs_id != gcs->id) {
      return fail(
        ErrorCode::invalid_argument, (out / name).string() + " and " + (out / "gcs").string() +
                                       " do not belong together: the ids differ.");
    }
    ids[name] = drone->id;
  }
  AnchorMaker maker(out / "gcs", gcs->id, plan, random, progress);
  auto made = maker.make_last_resort();
  for (const std::string & name : drones) {
    made =
      made ? maker.supply(out / name, one_time_folder(out / "gcs", name), name, ids[name]) : made;
  }
  return made;
}

}  // namespace pqc_tunnel
