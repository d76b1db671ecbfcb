// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "renew_identity.hpp"

#include <fcntl.h>
#include <stdio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <system_error>
#include <utility>

#include "anchor_files.hpp"
#include "base/nearest_name.hpp"
#include "drone_folder.hpp"
#include "identity_layout.hpp"
#include "make_anchor.hpp"
#include "make_keys.hpp"
#include "match_identities.hpp"
#include "net/sockets.hpp"
#include "workshop.hpp"

namespace pqc_tunnel
{

namespace
{

namespace fs = std::filesystem;

constexpr std::int64_t day_s = 86'400;

Result<void> check_recorded(const fs::path & gcs_folder, const std::vector<std::string> & drones)
{
  const auto recorded = recorded_drones(gcs_folder);
  if (drones.empty()) {
    return fail(ErrorCode::invalid_argument, "At least one drone must be named.");
  }
  for (const std::string & name : drones) {
    if (std::ranges::find(recorded, name) == recorded.end()) {
      return fail(
        ErrorCode::invalid_argument, "The identity " + gcs_folder.string() +
                                       " has no record of a drone " + name +
                                       suggestion(name, recorded));
    }
  }
  return {};
}

Result<void> copy_folder(const fs::path & from, const fs::path & to)
{
  std::error_code error;
  if (fs::exists(from, error)) {
    fs::copy(from, to, fs::copy_options::recursive, error);
  }
  if (error) {
    return fail(
      ErrorCode::unavailable, from.string() + " can't be copied: " + error.message() + ".");
  }
  return {};
}

Result<void> move_over(const fs::path & from, const fs::path & to)
{
  const unsigned flags = is_there(to) ? RENAME_EXCHANGE : 0;
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), flags) != 0) {
    return fail(
      ErrorCode::unavailable, to.string() + " can't be replaced: " + error_text(errno) + ".");
  }
  return {};
}

// Makes new keys in a workshop, and puts them in place when all are there.
class Rotation
{
public:
  Rotation(
    fs::path out, const RotationPlan & plan, const Workshop & workshop, RandomSource & random,
    const Progress & progress)
  : out_(std::move(out)), plan_(plan), workshop_(workshop), random_(random), progress_(progress)
  {
  }

  Result<void> prepare(const GcsIdentity & gcs)
  {
    gcs_id_ = gcs.id;
    auto keys = load_gcs_public_keys(out_ / "gcs", gcs.id);
    if (!keys) {
      return tl::make_unexpected(keys.error());
    }
    former_keys_ = keys_ = std::move(*keys);
    auto made = make_secret_folder(workshop_ / "gcs");
    if (made && plan_.signing) {
      made = prepare_signing();
    }
    for (std::size_t i = 0; made && i < plan_.drones.size(); ++i) {
      made = prepare(plan_.drones[i]);
    }
    return made;
  }

  // The drones' folders are first: without them the new records would be of no use.
  Result<void> finish()
  {
    Result<void> done;
    for (std::size_t i = 0; done && i < plan_.drones.size(); ++i) {
      done = move_over(workshop_ / plan_.drones[i], out_ / plan_.drones[i]);
    }
    const fs::path gcs = out_ / "gcs";
    if (done && plan_.signing) {
      done = move_over(workshop_ / "gcs/former", former_folder(gcs));
      for (const char * folder : {"signing", "public"}) {
        if (done) {
          done = move_over(workshop_ / ("gcs/" + std::string(folder)), gcs / folder);
        }
      }
    }
    for (std::size_t i = 0; done && i < plan_.drones.size(); ++i) {
      const std::string & name = plan_.drones[i];
      done = move_over(workshop_ / ("gcs/" + name + ".drone"), record_path(gcs, name));
    }
    return done ? sync_folder(records_folder(gcs)) : done;
  }

private:
  Result<void> prepare_signing()
  {
    const fs::path gcs = workshop_ / "gcs";
    auto made = make_secret_folder(signing_folder(gcs));
    if (made) {
      made = make_secret_folder(former_folder(gcs));
    }
    if (made) {
      made = copy_folder(signing_folder(out_ / "gcs"), signing_folder(former_folder(gcs)));
    }
    keys_.clear();
    for (const auto & [algorithm, key] : former_keys_) {
      if (!made) {
        return made;
      }
      progress_("gcs: " + std::string(display_name(algorithm)));
      auto pair = make_signing_key(gcs, algorithm, to_owner(gcs_id_), random_);
      if (!pair) {
        return tl::make_unexpected(pair.error());
      }
      keys_[algorithm] = std::move(*pair);
    }
    return made ? write_public_keys(gcs_public_folder(gcs), keys_, to_owner(gcs_id_)) : made;
  }

  Result<void> prepare(const std::string & name)
  {
    auto record = load_drone_record(out_ / "gcs", name);
    if (!record) {
      return tl::make_unexpected(record.error());
    }
    if (record->former && record->former->until_unix_s > plan_.now_unix_s && !plan_.again) {
      return fail(
        ErrorCode::invalid_argument,
        "The keys of " + name +
          " were rotated already: a drone that has not got those yet would be shut out. If it has "
          "them, or if that is what you want, add --again.");
    }
    progress_(name + ": identity");
    const fs::path folder = workshop_ / name;
    const fs::path former = former_folder(folder);
    DroneRecord next;
    next.name = name;
    next.id = record->id;
    next.number = record->number;
    random_.fill(next.psk.span());
    auto made = make_secret_folder(folder);
    for (const fs::path & inside : {signing_folder(folder), former}) {
      made = made ? make_secret_folder(inside) : made;
    }
    made = made ? write_end(folder, next, keys_) : made;
    made = made ? write_end(former, *record, former_keys_) : made;
    made = made ? copy_folder(signing_folder(out_ / name), signing_folder(former)) : made;
    made = made ? copy_folder(out_ / name / "anchor", folder / "anchor") : made;
    if (made && !is_there(signing_folder(former))) {
      made = record->drone_keys.empty()
               ? make_secret_folder(signing_folder(former))
               : fail(
                   ErrorCode::invalid_argument,
                   (out_ / name).string() + " is not there, but has the drone's signing keys.");
    }
    for (const auto & [algorithm, key] : record->drone_keys) {
      if (!made) {
        return made;
      }
      progress_(name + ": " + std::string(display_name(algorithm)));
      auto pair = make_signing_key(folder, algorithm, to_owner(next.id), random_);
      if (!pair) {
        return tl::make_unexpected(pair.error());
      }
      next.drone_keys[algorithm] = std::move(*pair);
    }
    next.former = FormerKeys{
      std::move(record->psk), std::move(record->drone_keys), plan_.signing,
      plan_.former_until_unix_s};
    return made ? write_key_file(workshop_ / ("gcs/" + name + ".drone"), encode_drone_record(next))
                : made;
  }

  Result<void> write_end(
    const fs::path & folder, const DroneRecord & record, const PublicKeys & keys)
  {
    auto written = write_key_file(
      drone_identity_path(folder),
      encode_drone_identity(record.name, record.id, record.psk, gcs_id_));
    return written ? write_public_keys(known_gcs_folder(folder), keys, to_owner(gcs_id_)) : written;
  }

  fs::path out_;
  const RotationPlan & plan_;
  const Workshop & workshop_;
  RandomSource & random_;
  const Progress & progress_;
  GcsId gcs_id_;
  PublicKeys former_keys_;
  PublicKeys keys_;
};

std::string what_holds(const DroneRecord & record, std::int64_t now)
{
  std::string text = "served";
  if (record.expires_unix_s) {
    const std::string date = date_text(*record.expires_unix_s - 1);
    text = *record.expires_unix_s > now ? "served through " + date : "expired after " + date;
  }
  if (record.former && record.former->until_unix_s > now) {
    text += ", the keys before, too, through " + date_text(record.former->until_unix_s - 1) +
            " or until it uses the new ones";
  }
  return text;
}

}  // namespace

Result<void> rotate_keys(
  const fs::path & out, const RotationPlan & given, RandomSource & random,
  const Progress & progress)
{
  RotationPlan plan = given;
  if (plan.signing && plan.drones.empty()) {
    plan.drones = recorded_drones(out / "gcs");
  } else if (plan.signing) {
    return fail(
      ErrorCode::invalid_argument,
      "New signing keys are for all drones: leave out --drone, or --signing.");
  }
  if (auto recorded = check_recorded(out / "gcs", plan.drones); !recorded) {
    return recorded;
  }
  const auto gcs = load_gcs_identity(out / "gcs");
  if (!gcs) {
    return tl::make_unexpected(gcs.error());
  }
  const auto workshop = Workshop::open(out);
  if (!workshop) {
    return tl::make_unexpected(workshop.error());
  }
  Rotation rotation(out, plan, *workshop, random, progress);
  const auto prepared = rotation.prepare(*gcs);
  return prepared ? rotation.finish() : prepared;
}

bool is_revoked(const fs::path & gcs_folder, const DroneId & id)
{
  return is_there(revocation_path(gcs_folder, id));
}

Result<void> revoke_drones(const fs::path & gcs_folder, const std::vector<std::string> & drones)
{
  if (auto recorded = check_recorded(gcs_folder, drones); !recorded) {
    return recorded;
  }
  for (const std::string & name : drones) {
    const auto record = load_drone_record(gcs_folder, name);
    if (!record) {
      return tl::make_unexpected(record.error());
    }
    // The note first: an interruption must not leave a drone that may come back.
    if (auto made = ensure_folder(revocation_path(gcs_folder, record->id).parent_path()); !made) {
      return made;
    }
    const KeyFile note{KeyFileKind::revocation, {}, to_owner(record->id), {}};
    if (auto noted = replace_key_file(revocation_path(gcs_folder, record->id), note); !noted) {
      return noted;
    }
    std::error_code error;
    fs::remove(record_path(gcs_folder, name), error);
    if (error) {
      return fail(
        ErrorCode::unavailable,
        record_path(gcs_folder, name).string() + " can't be erased: " + error.message() + ".");
    }
    fs::remove(drone_settings_path(gcs_folder, name), error);
    fs::remove_all(one_time_folder(gcs_folder, name), error);
    if (auto synced = sync_folder(records_folder(gcs_folder)); !synced) {
      return synced;
    }
  }
  return {};
}

Result<void> set_expiry(
  const fs::path & gcs_folder, const std::vector<std::string> & drones,
  std::optional<std::int64_t> unix_s)
{
  if (auto recorded = check_recorded(gcs_folder, drones); !recorded) {
    return recorded;
  }
  for (const std::string & name : drones) {
    auto record = load_drone_record(gcs_folder, name);
    if (!record) {
      return tl::make_unexpected(record.error());
    }
    record->expires_unix_s = unix_s;
    auto written = replace_key_file(record_path(gcs_folder, name), encode_drone_record(*record));
    if (!written) {
      return written;
    }
  }
  return {};
}

Result<std::string> list_drones(const fs::path & folder, std::int64_t now)
{
  if (is_drone_identity(folder)) {
    const auto drone = load_drone_identity(folder);
    if (!drone) {
      return tl::make_unexpected(drone.error());
    }
    return drone->name + ": code " +
           short_code(drone->id, drone->gcs_id, drone->psk, drone->gcs_keys) +
           (drone->former ? ", beside the keys before" : "") + "\n";
  }
  const auto gcs = load_gcs_identity(folder);
  if (!gcs) {
    return tl::make_unexpected(gcs.error());
  }
  const auto keys = load_gcs_public_keys(folder, gcs->id);
  if (!keys) {
    return tl::make_unexpected(keys.error());
  }
  std::string text;
  for (const std::string & name : recorded_drones(folder)) {
    const auto record = load_drone_record(folder, name);
    if (!record) {
      text += name + ": " + record.error().message + "\n";
      continue;
    }
    text += name + ": number " + std::to_string(record->number) + ", code " +
            short_code(record->id, gcs->id, record->psk, *keys) + ", " +
            (is_revoked(folder, record->id) ? "revoked" : what_holds(*record, now)) + "\n";
  }
  return text;
}

std::string date_text(std::int64_t unix_s)
{
  const std::chrono::year_month_day date{
    std::chrono::floor<std::chrono::days>(std::chrono::sys_seconds{std::chrono::seconds{unix_s}})};
  std::array<char, 32> text{};
  std::snprintf(
    text.data(), text.size(), "%04d-%02u-%02u", static_cast<int>(date.year()),
    static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
  return text.data();
}

Result<std::int64_t> end_of_day(const std::string & date)
{
  int year = 0;
  unsigned month = 0;
  unsigned day = 0;
  int read = 0;
  const bool has_form =
    std::sscanf(date.c_str(), "%4d-%2u-%2u%n", &year, &month, &day, &read) == 3 &&
    static_cast<std::size_t>(read) == date.size() && date.size() == 10;
  const std::chrono::year_month_day named{
    std::chrono::year(year), std::chrono::month(month), std::chrono::day(day)};
  if (!has_form || !named.ok()) {
    return fail(ErrorCode::invalid_argument, "\"" + date + "\" is no date of the form 2027-01-31.");
  }
  const std::chrono::sys_days midnight = named;
  return std::chrono::sys_seconds(midnight).time_since_epoch().count() + day_s;
}

}  // namespace pqc_tunnel
