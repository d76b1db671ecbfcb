// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__IDENTITY__KEY_FILE_HPP_
#define PQC_TUNNEL__IDENTITY__KEY_FILE_HPP_

#include <array>
#include <filesystem>
#include <string>

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "crypto/secret.hpp"
#include "crypto/suites/algorithms.hpp"

namespace pqc_tunnel
{

enum class KeyFileKind : std::uint8_t
{
  gcs_identity = 1,
  signing_key = 2,
  public_key = 3,
  drone_identity = 4,
  drone_record = 5,
  anchor_public_key = 6,
  anchor_secret_key = 7,
  anchor_note = 8,  // which one-time keys of the anchor were used
  revocation = 9,   // of a drone
};

// "a drone's identity", "a signing key", …
const char * to_string(KeyFileKind kind);
// Only public keys may be read by others.
bool is_secret(KeyFileKind kind);

// One file: "PQMK" 4 | format 1 | kind 1 | algorithm 2 | owner 32 | length 4 | payload | SHA-256 of
// all before, big-endian.
struct KeyFile
{
  KeyFileKind kind{};
  WireCode algorithm{};                     // of keys, else zeros
  std::array<std::uint8_t, 32> owner = {};  // id of the GCS, or of a drone and zeros
  SecretBytes payload;                      // also for public keys
};

// Reads and checks one file, directly into memory that is wiped. Secret kinds must be closed to group and others, public
// keys not writable by them; both must belong to the user of this process or to root.
Result<KeyFile> read_key_file(const std::filesystem::path & path);
// The same; rejects another kind.
Result<KeyFile> read_key_file(const std::filesystem::path & path, KeyFileKind kind);

// Writes a new file, complete or not at all; never changes an existing one.
Result<void> write_key_file(const std::filesystem::path & path, const KeyFile & file);

// The same, but in place of any file that is there, and written through to the disk.
Result<void> replace_key_file(const std::filesystem::path & path, const KeyFile & file);
// Writes the names in a folder through to the disk.
Result<void> sync_folder(const std::filesystem::path & folder);

// Makes a folder for secrets, closed to group and others.
Result<void> make_secret_folder(const std::filesystem::path & path);
// Checks a folder with secrets: closed to group and others, owned by the user of this process or by root.
Result<void> check_secret_folder(const std::filesystem::path & path);

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__IDENTITY__KEY_FILE_HPP_
