// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <array>
#include <system_error>
#include <utility>

#include "anchor_files.hpp"
#include "crypto/hkdf.hpp"
#include "identity_files.hpp"
#include "identity_layout.hpp"
#include "key_file.hpp"

namespace pqc_tunnel
{

namespace
{

namespace fs = std::filesystem;

template <class T>
Result<T> in_file(const fs::path & path, Result<T> result)
{
  if (!result) {
    return fail(result.error().code, path.string() + " is no use: " + result.error().message + ".");
  }
  return result;
}

// One key of the algorithm that its file is named after.
Result<KeyFile> load_key(
  const fs::path & path, KeyFileKind kind, SignatureAlgorithm algorithm, std::size_t size,
  const OwnerId & owner)
{
  auto file = read_key_file(path, kind);
  if (!file) {
    return file;
  }
  if (file->algorithm != wire_code(algorithm) || file->payload.size() != size) {
    return fail(
      ErrorCode::invalid_argument, path.string() + " is no key of " +
                                     std::string(display_name(algorithm)) +
                                     " as this machine's liboqs knows it.");
  }
  if (file->owner != owner) {
    return fail(
      ErrorCode::invalid_argument, path.string() + " is of another owner than this identity.");
  }
  return file;
}

// Keys beside those that replaced them. They go only if those are still the ones that have proved themselves.
class FormerFolder final : public KeyStore
{
public:
  FormerFolder(fs::path folder, const Psk & present)
  : folder_(std::move(folder)), present_(sha256(present.view()))
  {
  }
  Result<void> erase() override
  {
    const auto file = read_key_file(drone_identity_path(folder_), KeyFileKind::drone_identity);
    DroneIdentity identity;
    if (!file || !decode_drone_identity(*file, identity)) {
      return file ? Result<void>() : tl::make_unexpected(file.error());
    }
    std::error_code error;
    if (sha256(identity.psk.view()) == present_) {
      fs::remove_all(former_folder(folder_), error);
    }
    return error ? fail(
                     ErrorCode::permission,
                     former_folder(folder_).string() + " can't be erased: " + error.message() + ".")
                 : Result<void>();
  }

private:
  fs::path folder_;
  std::array<std::uint8_t, sha256_size> present_;
};

// Erases all keys in a drone's folder. An error names the file that stays.
class WholeFolder final : public KeyStore
{
public:
  explicit WholeFolder(fs::path folder) : folder_(std::move(folder)) {}
  Result<void> erase() override
  {
    std::string left;
    // The secrets first, should this be interrupted.
    for (const fs::path & path :
         {drone_identity_path(folder_), former_folder(folder_), signing_folder(folder_),
          sealed_folder(folder_), known_gcs_folder(folder_), folder_ / "anchor"})
    {
      std::error_code error;
      fs::remove_all(path, error);
      left = error && left.empty() ? path.string() + ": " + error.message() : left;
    }
    if (auto synced = sync_folder(folder_); !synced && left.empty()) {
      return synced;
    }
    return left.empty() ? Result<void>() : fail(ErrorCode::permission, left + ".");
  }

private:
  fs::path folder_;
};

class FormerEntry final : public KeyStore
{
public:
  FormerEntry(fs::path record, const Psk & present)
  : record_(std::move(record)), present_(sha256(present.view()))
  {
  }
  Result<void> erase() override
  {
    const auto file = read_key_file(record_, KeyFileKind::drone_record);
    if (!file) {
      return tl::make_unexpected(file.error());
    }
    auto record = decode_drone_record(*file);
    if (!record || !record->former || sha256(record->psk.view()) != present_) {
      return {};
    }
    record->former.reset();
    return replace_key_file(record_, encode_drone_record(*record));
  }

private:
  fs::path record_;
  std::array<std::uint8_t, sha256_size> present_;
};

Result<SigningKeys> load_signing_keys(const fs::path & folder, const OwnerId & owner)
{
  SigningKeys keys;
  if (!is_there(signing_folder(folder))) {
    return keys;
  }
  if (const auto closed = check_secret_folder(signing_folder(folder)); !closed) {
    return tl::make_unexpected(closed.error());
  }
  for (const SignatureAlgorithm algorithm : all_signatures()) {
    const fs::path path = signing_key_path(folder, algorithm);
    if (!is_there(path)) {
      continue;
    }
    auto file = load_key(
      path, KeyFileKind::signing_key, algorithm, signature_sizes(algorithm).secret_key, owner);
    if (!file) {
      return tl::make_unexpected(file.error());
    }
    keys[algorithm] = std::make_shared<const SecretBytes>(std::move(file->payload));
  }
  return keys;
}

Result<PublicKeys> load_public_keys(const fs::path & folder, const OwnerId & owner)
{
  PublicKeys keys;
  for (const SignatureAlgorithm algorithm : all_signatures()) {
    const fs::path path = public_key_path(folder, algorithm);
    if (!is_there(path)) {
      continue;
    }
    const auto file = load_key(
      path, KeyFileKind::public_key, algorithm, signature_sizes(algorithm).public_key, owner);
    if (!file) {
      return tl::make_unexpected(file.error());
    }
    const ByteView bytes = file->payload.view();
    keys[algorithm] = std::make_shared<const Bytes>(bytes.begin(), bytes.end());
  }
  return keys;
}

}  // namespace

namespace
{

// Without the anchor and former keys.
Result<DroneIdentity> load_drone_keys(const fs::path & folder)
{
  if (const auto closed = check_secret_folder(folder); !closed) {
    return tl::make_unexpected(closed.error());
  }
  const fs::path path = drone_identity_path(folder);
  const auto file = read_key_file(path, KeyFileKind::drone_identity);
  if (!file) {
    return tl::make_unexpected(file.error());
  }
  DroneIdentity identity;
  if (auto decoded = in_file(path, decode_drone_identity(*file, identity)); !decoded) {
    return tl::make_unexpected(decoded.error());
  }
  auto gcs_keys = load_public_keys(known_gcs_folder(folder), to_owner(identity.gcs_id));
  if (!gcs_keys) {
    return tl::make_unexpected(gcs_keys.error());
  }
  if (gcs_keys->empty()) {
    return fail(
      ErrorCode::unavailable,
      known_gcs_folder(folder).string() + " holds no public key of the ground station.");
  }
  identity.gcs_keys = std::move(*gcs_keys);
  auto signing_keys = load_signing_keys(folder, to_owner(identity.id));
  if (!signing_keys) {
    return tl::make_unexpected(signing_keys.error());
  }
  identity.signing_keys = std::move(*signing_keys);
  return identity;
}

}  // namespace

Result<DroneIdentity> load_drone_identity(const fs::path & folder)
{
  auto identity = load_drone_keys(folder);
  if (!identity) {
    return identity;
  }
  identity->anchor = AnchorKeyFiles::open(folder, identity->id);
  identity->all = std::make_shared<WholeFolder>(folder);
  if (!is_there(drone_identity_path(former_folder(folder)))) {
    return identity;
  }
  auto former = load_drone_keys(former_folder(folder));
  if (!former) {
    return former;
  }
  if (former->id != identity->id || former->gcs_id != identity->gcs_id) {
    return fail(
      ErrorCode::invalid_argument,
      former_folder(folder).string() + " is of another drone or ground station: erase it.");
  }
  identity->former = FormerDroneKeys{
    std::move(former->psk), std::move(former->gcs_keys), std::move(former->signing_keys)};
  identity->store = std::make_shared<FormerFolder>(folder, identity->psk);
  return identity;
}

Result<GcsIdentity> load_gcs_identity(const fs::path & folder)
{
  if (const auto closed = check_secret_folder(folder); !closed) {
    return tl::make_unexpected(closed.error());
  }
  const auto file = read_key_file(gcs_identity_path(folder), KeyFileKind::gcs_identity);
  if (!file) {
    return tl::make_unexpected(file.error());
  }
  GcsIdentity identity;
  identity.id = from_owner<GcsId>(file->owner);
  auto signing_keys = load_signing_keys(folder, file->owner);
  if (!signing_keys) {
    return tl::make_unexpected(signing_keys.error());
  }
  if (signing_keys->empty()) {
    return fail(ErrorCode::unavailable, signing_folder(folder).string() + " holds no signing key.");
  }
  identity.signing_keys = std::move(*signing_keys);
  auto former = load_signing_keys(former_folder(folder), file->owner);
  if (!former) {
    return tl::make_unexpected(former.error());
  }
  identity.former_signing_keys = std::move(*former);
  return identity;
}

Result<DroneRecord> load_drone_record(const fs::path & folder, const std::string & name)
{
  if (const auto closed = check_secret_folder(records_folder(folder)); !closed) {
    return tl::make_unexpected(closed.error());
  }
  const fs::path path = record_path(folder, name);
  const auto file = read_key_file(path, KeyFileKind::drone_record);
  if (!file) {
    return tl::make_unexpected(file.error());
  }
  auto record = in_file(path, decode_drone_record(*file));
  if (record && record->name != name) {
    return fail(
      ErrorCode::invalid_argument,
      path.string() + " is the record of a drone named " + record->name + ".");
  }
  if (record) {
    record->anchor = AnchorSecretFiles::open(folder, name, record->id);
    record->store = record->former ? std::make_shared<FormerEntry>(path, record->psk) : nullptr;
  }
  return record;
}

Result<PublicKeys> load_gcs_public_keys(const fs::path & folder, const GcsId & id)
{
  auto keys = load_public_keys(gcs_public_folder(folder), to_owner(id));
  if (keys && keys->empty()) {
    return fail(
      ErrorCode::unavailable, gcs_public_folder(folder).string() + " holds no public key.");
  }
  return keys;
}

}  // namespace pqc_tunnel
