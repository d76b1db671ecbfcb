// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__IDENTITY__IDENTITY_LAYOUT_HPP_
#define PQC_TUNNEL__IDENTITY__IDENTITY_LAYOUT_HPP_

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>

#include "key_file.hpp"
#include "protocol/wire/identity.hpp"

namespace pqc_tunnel
{

// Returns whether something has this path, even a link to nothing.
inline bool is_there(const std::filesystem::path & path)
{
  std::error_code ignored;
  return std::filesystem::exists(std::filesystem::symlink_status(path, ignored));
}

// The paths of the files of an identity, inside the folder of a drone or ground station.

inline std::filesystem::path gcs_identity_path(const std::filesystem::path & folder)
{
  return folder / "gcs.identity";
}
inline std::filesystem::path drone_identity_path(const std::filesystem::path & folder)
{
  return folder / "drone.identity";
}
// Of a drone or a ground station: keys that others have replaced, in the same places as those.
inline std::filesystem::path former_folder(const std::filesystem::path & folder)
{
  return folder / "former";
}
inline std::filesystem::path revocation_path(
  const std::filesystem::path & gcs_folder, const DroneId & id)
{
  std::string name;
  for (const std::uint8_t byte : id.bytes) {
    constexpr const char * digits = "0123456789abcdef";
    name += {digits[byte >> 4], digits[byte & 15]};
  }
  return gcs_folder / "drones" / "revoked" / (name + ".revoked");
}
inline std::filesystem::path signing_folder(const std::filesystem::path & folder)
{
  return folder / "signing";
}
// What pqc-seal makes: files that only systemd of this machine opens, which the links of the identity lead to then.
inline std::filesystem::path sealed_folder(const std::filesystem::path & folder)
{
  return folder / "sealed";
}
inline std::filesystem::path gcs_public_folder(const std::filesystem::path & gcs_folder)
{
  return gcs_folder / "public";
}
inline std::filesystem::path known_gcs_folder(const std::filesystem::path & drone_folder)
{
  return drone_folder / "gcs";
}
inline std::filesystem::path records_folder(const std::filesystem::path & gcs_folder)
{
  return gcs_folder / "drones";
}
inline std::filesystem::path record_path(
  const std::filesystem::path & gcs_folder, const std::string & drone)
{
  return records_folder(gcs_folder) / (drone + ".drone");
}
// What differs for one drone: see plaintext_of_drone().
inline std::filesystem::path drone_settings_path(
  const std::filesystem::path & gcs_folder, const std::string & drone)
{
  return records_folder(gcs_folder) / (drone + ".yaml");
}
inline std::filesystem::path signing_key_path(
  const std::filesystem::path & folder, SignatureAlgorithm algorithm)
{
  return signing_folder(folder) / (std::string(token(algorithm)) + ".key");
}
inline std::filesystem::path public_key_path(
  const std::filesystem::path & keys, SignatureAlgorithm algorithm)
{
  return keys / (std::string(token(algorithm)) + ".pub");
}

// --- Payloads ---

using OwnerId = std::array<std::uint8_t, 32>;

template <class Id>
OwnerId to_owner(const Id & id)
{
  OwnerId owner = {};
  std::copy(id.bytes.begin(), id.bytes.end(), owner.begin());
  return owner;
}

template <class Id>
Id from_owner(const OwnerId & owner)
{
  Id id;
  std::copy_n(owner.begin(), id.bytes.size(), id.bytes.begin());
  return id;
}

// drone.identity: psk 32 | gcs id 32 | name
KeyFile encode_drone_identity(
  const std::string & name, const DroneId & id, const Psk & psk, const GcsId & gcs_id);
Result<void> decode_drone_identity(const KeyFile & file, DroneIdentity & into);

// <name>.drone: psk 32 | name length 1 | name | { algorithm 2 | length 4 | public key }…; the other entries begin with 0 and
// 1 number 2, 2 expiry 8 (Unix time in seconds), 3 former: psk 32 | 1 if signing keys, too | end 8 (Unix time) | { public key }…
KeyFile encode_drone_record(const DroneRecord & record);
Result<DroneRecord> decode_drone_record(const KeyFile & file);

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__IDENTITY__IDENTITY_LAYOUT_HPP_
