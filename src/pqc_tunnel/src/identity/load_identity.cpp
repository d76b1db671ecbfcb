// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <system_error>

#include "anchor_files.hpp"
#include "identity_files.hpp"
#include "identity_layout.hpp"
#include "key_file.hpp"

namespace pqc_tunnel
{

namespace
{

namespace fs = std::filesystem;

bool is_there(const fs::path & path)
{
  std::error_code error;
  return fs::exists(fs::symlink_status(path, error));
}

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

Result<DroneIdentity> load_drone_identity(const fs::path & folder)
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
  identity.anchor = AnchorKeyFiles::open(folder, identity.id);
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
