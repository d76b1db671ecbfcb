// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__IDENTITY__ANCHOR_FILES_HPP_
#define PQC_TUNNEL__IDENTITY__ANCHOR_FILES_HPP_

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "identity_layout.hpp"
#include "protocol/wire/anchor.hpp"

namespace pqc_tunnel
{

// The anchor on disk, one key per file, called NUMBER-LEVEL-ID.key or .pub:
//   gcs/anchor/last_resort/  secret and public keys; the newest one of a level is given to drones
//   gcs/anchor/one_time/DRONE/  secret keys, and used.anchor
//   DRONE/anchor/last_resort/, DRONE/anchor/one_time/  public keys, and used.anchor
// used.anchor holds the highest number that was used. Numbers only grow, so a copy of the folder that comes back brings
// no used key to life again as long as that file stays.

inline std::filesystem::path last_resort_folder(const std::filesystem::path & folder)
{
  return folder / "anchor" / "last_resort";
}
inline std::filesystem::path one_time_folder(const std::filesystem::path & drone_folder)
{
  return drone_folder / "anchor" / "one_time";
}
inline std::filesystem::path one_time_folder(
  const std::filesystem::path & gcs_folder, const std::string & drone)
{
  return gcs_folder / "anchor" / "one_time" / drone;
}

struct AnchorFile
{
  std::uint32_t number = 0;
  KemAlgorithm kem{};
  AnchorId id;
  std::filesystem::path path;
};

// The KEM of the anchor for suites of a level.
KemAlgorithm anchor_kem(SecurityLevel level);
// "000017-3-9f3a2b1c.key"
std::string anchor_file_name(const AnchorFile & file, const std::string & extension);
// Those with this extension, by number; none if there is no such folder.
std::vector<AnchorFile> list_anchor_files(
  const std::filesystem::path & folder, const std::string & extension);
// The highest number that was used; 0 if none was, or if the note is of another drone.
Result<std::uint32_t> read_used(const std::filesystem::path & folder, const OwnerId & owner);
// Writes it through to the disk; never lowers it.
Result<void> note_used(
  const std::filesystem::path & folder, const OwnerId & owner, std::uint32_t number);

class AnchorKeyFiles final : public AnchorKeys
{
public:
  // Null if the drone's folder holds no key.
  static std::shared_ptr<AnchorKeys> open(const std::filesystem::path & folder, const DroneId & id);
  AnchorKeyFiles(std::filesystem::path folder, const DroneId & id)
  : folder_(std::move(folder)), owner_(to_owner(id))
  {
    count();
  }

  Result<Taken> take(AnchorChoice choice, SecurityLevel least) override;
  // Looks at the folder's time only: who adds keys changes it.
  bool may_have_one_time_key(SecurityLevel least) const override;

private:
  Result<Taken> choose(AnchorChoice choice, SecurityLevel least);
  void count();
  std::optional<Taken> take_one_time(const AnchorFile & file);
  std::optional<Taken> take_one_time(SecurityLevel least);
  Result<Taken> take_last_resort(SecurityLevel least);

  struct Count
  {
    std::filesystem::file_time_type at;    // of the folder
    std::optional<SecurityLevel> highest;  // of a one-time key; none is left without it
  };

  std::filesystem::path folder_;
  OwnerId owner_;
  std::mutex mutex_;
  mutable std::mutex count_mutex_;
  Count counted_;
};

class AnchorSecretFiles final : public AnchorSecrets
{
public:
  // Null if the ground station's folder holds no key.
  static std::shared_ptr<AnchorSecrets> open(
    const std::filesystem::path & gcs_folder, const std::string & drone, const DroneId & id);
  AnchorSecretFiles(
    std::filesystem::path last_resort, std::filesystem::path one_time, const DroneId & id)
  : last_resort_(std::move(last_resort)), one_time_(std::move(one_time)), owner_(to_owner(id))
  {
  }

  Result<Found> find(const AnchorId & id) override;
  Result<void> erase(const AnchorId & id) override;

private:
  std::filesystem::path last_resort_;
  std::filesystem::path one_time_;
  OwnerId owner_;
  std::mutex mutex_;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__IDENTITY__ANCHOR_FILES_HPP_
