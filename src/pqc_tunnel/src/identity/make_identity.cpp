// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <set>
#include <system_error>
#include <utility>

#include "anchor_files.hpp"
#include "crypto/signature.hpp"
#include "identity_files.hpp"
#include "identity_layout.hpp"
#include "key_file.hpp"
#include "make_anchor.hpp"
#include "net/sockets.hpp"
#include "os/file_descriptor.hpp"

namespace pqc_tunnel
{

namespace
{

namespace fs = std::filesystem;

constexpr std::size_t max_name = 64;

bool is_there(const fs::path & path)
{
  std::error_code ignored;
  return fs::exists(fs::symlink_status(path, ignored));
}

// A temporary folder for a set of folders until it is complete; the destructor deletes the rest.
class Workshop
{
public:
  static Result<Workshop> open(const fs::path & out)
  {
    Workshop workshop;
    for (fs::path folder = out; !folder.empty() && !is_there(folder); folder = folder.parent_path())
    {
      workshop.new_around_.push_back(folder);
    }
    std::error_code error;
    fs::create_directories(out, error);
    std::string pattern = (out / ".new-XXXXXX").string();
    if (!error && ::mkdtemp(pattern.data()) == nullptr) {
      error = std::error_code(errno, std::generic_category());
    }
    if (error) {
      return fail(
        ErrorCode::unavailable,
        "Nothing can be made in the folder " + out.string() + ": " + error.message() + ".");
    }
    workshop.inside_ = pattern;
    return workshop;
  }
  Workshop(Workshop && other) noexcept
  : inside_(std::exchange(other.inside_, {})), new_around_(std::exchange(other.new_around_, {}))
  {
  }
  Workshop & operator=(Workshop &&) = delete;
  ~Workshop()
  {
    std::error_code ignored;
    if (!inside_.empty()) {
      fs::remove_all(inside_, ignored);
    }
    for (const fs::path & folder : new_around_) {
      fs::remove(folder, ignored);  // if it is empty
    }
  }

  fs::path operator/(const std::string & name) const { return inside_ / name; }

private:
  Workshop() = default;

  fs::path inside_;
  std::vector<fs::path> new_around_;  // the folders around it that were made, too, from the inside
};

// Moves finished files and folders to their places, all or none: the destructor deletes them there, unless they are kept.
class Moves
{
public:
  Moves() = default;
  ~Moves()
  {
    std::error_code ignored;
    for (const fs::path & place : done_) {
      fs::remove_all(place, ignored);
    }
  }
  Moves(const Moves &) = delete;
  Moves & operator=(const Moves &) = delete;

  // The place must be free.
  Result<void> move(const fs::path & from, const fs::path & to)
  {
    if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) != 0) {
      return fail(
        ErrorCode::unavailable, to.string() + " can't be made: " + error_text(errno) + ".");
    }
    done_.push_back(to);
    return {};
  }
  void keep() { done_.clear(); }

private:
  std::vector<fs::path> done_;
};

Result<void> move_secrets(Moves & moves, const fs::path & from, const fs::path & to)
{
  if (auto made = ensure_folder(to.parent_path()); !made) {
    return made;
  }
  return moves.move(from, to);
}

tl::unexpected<Error> refuse_to_overwrite(const fs::path & path)
{
  return fail(
    ErrorCode::invalid_argument, path.string() + " is there already; keys are never overwritten.");
}

Result<void> check_names(const fs::path & out, const std::vector<std::string> & names)
{
  if (names.empty()) {
    return fail(ErrorCode::invalid_argument, "At least one drone must be named.");
  }
  std::set<std::string> seen;
  for (const auto & name : names) {
    const bool plain =
      !name.empty() && name.size() <= max_name && std::all_of(name.begin(), name.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
      });
    if (!plain || name == "gcs") {
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

template <class Id>
Id random_id(RandomSource & random)
{
  Id id;
  random.fill(id.bytes);
  return id;
}

// A signing key in folder/signing, and its public key.
Result<std::shared_ptr<const Bytes>> make_signing_key(
  const fs::path & folder, SignatureAlgorithm algorithm, const OwnerId & owner,
  RandomSource & random)
{
  auto pair = generate_signing_key(algorithm, random);
  if (!pair) {
    return tl::make_unexpected(pair.error());
  }
  const KeyFile file{
    KeyFileKind::signing_key, wire_code(algorithm), owner, std::move(pair->secret_key)};
  if (const auto written = write_key_file(signing_key_path(folder, algorithm), file); !written) {
    return tl::make_unexpected(written.error());
  }
  return std::make_shared<const Bytes>(std::move(pair->public_key));
}

Result<void> write_public_keys(
  const fs::path & folder, const PublicKeys & keys, const OwnerId & owner)
{
  if (auto made = make_secret_folder(folder); !made) {
    return made;
  }
  for (const auto & [algorithm, key] : keys) {
    const KeyFile file{
      KeyFileKind::public_key, wire_code(algorithm), owner, SecretBytes::copy_of(*key)};
    if (auto written = write_key_file(public_key_path(folder, algorithm), file); !written) {
      return written;
    }
  }
  return {};
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

// Makes the folders of the drones in the workshop, and their records in a folder.
Result<void> make_drones(
  const Workshop & workshop, const fs::path & records, const GcsId & gcs_id,
  const PublicKeys & gcs_keys, const IdentityPlan & plan, RandomSource & random,
  const Progress & progress)
{
  for (const auto & name : plan.drones) {
    const auto record =
      make_drone(workshop / name, name, gcs_id, gcs_keys, plan.drone_signatures, random, progress);
    if (!record) {
      return tl::make_unexpected(record.error());
    }
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
  auto made =
    make_drones(*workshop, records_folder(*workshop / "gcs"), id, *keys, plan, random, progress);
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
    made = make_drones(*workshop, records, gcs->id, *keys, plan, random, progress);
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
