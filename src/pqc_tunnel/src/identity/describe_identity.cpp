// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <map>
#include <set>
#include <system_error>

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

std::string fingerprint(ByteView bytes)
{
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text = "SHA256:";
  for (const std::uint8_t byte : sha256(bytes)) {
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

std::string line(const std::string & label, const std::string & value)
{
  return "  " + label + ": " + value + "\n";
}

std::string name_of(WireCode code)
{
  for (const SignatureAlgorithm algorithm : all_signatures()) {
    if (wire_code(algorithm) == code) {
      return std::string(display_name(algorithm));
    }
  }
  return "unknown to this machine's liboqs";
}

std::string bytes_text(std::size_t size) { return std::to_string(size) + " bytes"; }

// The id is no secret; its fingerprint shows whether two files belong together.
std::string id_line(const std::string & label, ByteView id) { return line(label, fingerprint(id)); }

Result<std::string> describe_drone(const KeyFile & file)
{
  DroneIdentity identity;
  if (const auto decoded = decode_drone_identity(file, identity); !decoded) {
    return tl::make_unexpected(decoded.error());
  }
  return line("name", identity.name) + id_line("drone id", identity.id.bytes) +
         id_line("ground station id", identity.gcs_id.bytes) +
         line("pre-shared key", bytes_text(Psk::size()));
}

Result<std::string> describe_record(const KeyFile & file)
{
  const auto record = decode_drone_record(file);
  if (!record) {
    return tl::make_unexpected(record.error());
  }
  std::string text = line("name", record->name) + id_line("drone id", record->id.bytes) +
                     line("pre-shared key", bytes_text(Psk::size()));
  for (const auto & [algorithm, key] : record->drone_keys) {
    text += line(
      "public key", std::string(display_name(algorithm)) + ", " + bytes_text(key->size()) + ", " +
                      fingerprint(*key));
  }
  return text;
}

Result<std::string> describe_contents(const KeyFile & file)
{
  switch (file.kind) {
    case KeyFileKind::gcs_identity:
      return id_line("ground station id", file.owner);
    case KeyFileKind::signing_key:
      return line("algorithm", name_of(file.algorithm)) +
             line("secret key", bytes_text(file.payload.size()));
    case KeyFileKind::public_key:
      return line("algorithm", name_of(file.algorithm)) +
             line("public key", bytes_text(file.payload.size())) +
             line("fingerprint", fingerprint(file.payload.view()));
    case KeyFileKind::drone_identity:
      return describe_drone(file);
    case KeyFileKind::drone_record:
      return describe_record(file);
    case KeyFileKind::anchor_public_key:
      return line("public key", bytes_text(file.payload.size())) +
             line("fingerprint", fingerprint(file.payload.view()));
    case KeyFileKind::anchor_secret_key:
      return line("secret key", bytes_text(file.payload.size()));
    case KeyFileKind::anchor_note:
      return std::string();
    case KeyFileKind::revocation:
      return id_line("drone id", from_owner<DroneId>(file.owner).bytes);
  }
  return std::string();
}

Result<std::string> describe_file(const fs::path & path)
{
  const auto file = read_key_file(path);
  if (!file) {
    return tl::make_unexpected(file.error());
  }
  const auto contents = describe_contents(*file);
  if (!contents) {
    return fail(
      contents.error().code, path.string() + " is no use: " + contents.error().message + ".");
  }
  return path.string() + ": " + to_string(file->kind) + "\n" + *contents;
}

// The keys of an anchor's folder in one line; those that were used don't count.
std::string describe_anchor(const fs::path & folder)
{
  const auto note = read_key_file(folder / "used.anchor", KeyFileKind::anchor_note);
  const auto used = note ? read_used(folder, note->owner) : Result<std::uint32_t>(0);
  std::map<std::string_view, std::size_t> unused;
  for (const char * extension : {".pub", ".key"}) {
    for (const AnchorFile & file : list_anchor_files(folder, extension)) {
      unused[display_name(file.kem)] += file.number > *used ? 1 : 0;
    }
    if (!unused.empty()) {
      break;
    }
  }
  std::string text;
  for (const auto & [name, count] : unused) {
    text += folder.string() + ": " + std::to_string(count) +
            (count == 1 ? " key of the anchor" : " keys of the anchor") + ", " + std::string(name) +
            "\n";
  }
  return text;
}

bool is_key_file(const fs::path & path)
{
  const std::string extension = path.extension().string();
  return extension == ".identity" || extension == ".key" || extension == ".pub" ||
         extension == ".drone" || extension == ".revoked";
}

}  // namespace

Result<std::string> describe_identity(const fs::path & path)
{
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    return describe_file(path);
  }
  std::set<fs::path> files;
  std::set<fs::path> anchors;
  for (auto entry = fs::recursive_directory_iterator(path, error);
       !error && entry != fs::recursive_directory_iterator(); entry.increment(error))
  {
    if (
      entry->path().parent_path().parent_path().filename() == "anchor" ||
      entry->path().parent_path().parent_path().filename() == "one_time")
    {
      anchors.insert(entry->path().parent_path());
    } else if (is_key_file(entry->path())) {
      files.insert(entry->path());
    }
  }
  if (error) {
    return fail(
      ErrorCode::permission,
      "The folder " + path.string() + " can't be read: " + error.message() + ".");
  }
  if (files.empty()) {
    return fail(ErrorCode::unavailable, "The folder " + path.string() + " holds no key file.");
  }
  std::string text;
  for (const auto & file : files) {
    auto described = describe_file(file);
    if (!described) {
      return described;
    }
    text += *described;
  }
  for (const auto & folder : anchors) {
    text += describe_anchor(folder);
  }
  return text;
}

}  // namespace pqc_tunnel
