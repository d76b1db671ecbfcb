// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "key_file.hpp"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "crypto/hkdf.hpp"
#include "net/sockets.hpp"
#include "os/file_descriptor.hpp"
#include "os/named_file.hpp"

namespace pqc_tunnel
{

namespace
{

constexpr std::array<std::uint8_t, 4> magic{'P', 'Q', 'M', 'K'};
constexpr std::uint8_t format = 1;
constexpr std::size_t kind_offset = 5;
constexpr std::size_t algorithm_offset = 6;
constexpr std::size_t owner_offset = 8;
constexpr std::size_t length_offset = 40;
constexpr std::size_t payload_offset = 44;

Result<KeyFile> parse(ByteView bytes, const std::filesystem::path & path)
{
  const auto damaged = [&path] {
    return fail(
      ErrorCode::invalid_argument,
      path.string() + " is cut short or damaged: its checksum doesn't hold.");
  };
  if (bytes.size() < magic.size() || !std::equal(magic.begin(), magic.end(), bytes.begin())) {
    return fail(ErrorCode::invalid_argument, path.string() + " is no key file of this project.");
  }
  if (bytes.size() < payload_offset + sha256_size) {
    return damaged();
  }
  const ByteView content = bytes.first(bytes.size() - sha256_size);
  if (!constant_time_equal(sha256(content), bytes.last(sha256_size))) {
    return damaged();
  }
  std::size_t length = 0;
  for (const std::uint8_t byte : content.subspan(length_offset, 4)) {
    length = length << 8 | byte;
  }
  const std::uint8_t kind = content[kind_offset];
  if (
    content[4] != format || kind < 1 || kind > static_cast<std::uint8_t>(KeyFileKind::revocation) ||
    length != content.size() - payload_offset)
  {
    return fail(
      ErrorCode::invalid_argument,
      path.string() + " is of a format that this version doesn't know.");
  }
  KeyFile file;
  file.kind = static_cast<KeyFileKind>(kind);
  file.algorithm = {content[algorithm_offset], content[algorithm_offset + 1]};
  std::copy_n(content.begin() + owner_offset, file.owner.size(), file.owner.begin());
  file.payload = SecretBytes::copy_of(content.subspan(payload_offset));
  return file;
}

SecretBytes encode(const KeyFile & file)
{
  const std::size_t content = payload_offset + file.payload.size();
  SecretBytes bytes(content + sha256_size);
  const MutableBytes out = bytes.span();
  std::copy(magic.begin(), magic.end(), out.begin());
  out[4] = format;
  out[kind_offset] = static_cast<std::uint8_t>(file.kind);
  out[algorithm_offset] = file.algorithm.family;
  out[algorithm_offset + 1] = file.algorithm.parameter;
  std::copy(file.owner.begin(), file.owner.end(), out.begin() + owner_offset);
  for (std::size_t i = 0; i < 4; ++i) {
    out[length_offset + i] = static_cast<std::uint8_t>(file.payload.size() >> (24 - 8 * i));
  }
  std::copy(file.payload.view().begin(), file.payload.view().end(), out.begin() + payload_offset);
  const auto checksum = sha256(out.first(content));
  std::copy(checksum.begin(), checksum.end(), out.begin() + static_cast<std::ptrdiff_t>(content));
  return bytes;
}

// A credential that systemd has given to a unit. It may belong to root with an access control list for the user, whose mask
// shows as rights of the group; the folder lets nobody else in.
bool is_credential(const std::filesystem::path & path)
{
  std::error_code error;
  return std::filesystem::canonical(path, error).string().starts_with("/run/credentials/");
}

}  // namespace

const char * to_string(KeyFileKind kind)
{
  switch (kind) {
    case KeyFileKind::gcs_identity:
      return "a ground station's identity";
    case KeyFileKind::signing_key:
      return "a signing key";
    case KeyFileKind::public_key:
      return "a public key";
    case KeyFileKind::drone_identity:
      return "a drone's identity";
    case KeyFileKind::drone_record:
      return "a ground station's record of a drone";
    case KeyFileKind::anchor_public_key:
      return "a public key of the anchor";
    case KeyFileKind::anchor_secret_key:
      return "a secret key of the anchor";
    case KeyFileKind::anchor_note:
      return "a note of the used keys of the anchor";
    case KeyFileKind::revocation:
      return "a note that a drone is revoked";
  }
  return "";
}

bool is_secret(KeyFileKind kind)
{
  return kind != KeyFileKind::public_key && kind != KeyFileKind::anchor_public_key;
}

Result<KeyFile> read_key_file(const std::filesystem::path & path)
{
  const auto named = open_named_file(path, path.string());
  if (!named) {
    return tl::make_unexpected(named.error());
  }
  SecretBytes bytes(static_cast<std::size_t>(named->status.st_size));
  if (const auto read = read_named_file(*named, path.string(), bytes.span()); !read) {
    return tl::make_unexpected(read.error());
  }
  auto file = parse(bytes.view(), path);
  if (!file) {
    return file;
  }
  const mode_t forbidden = is_secret(file->kind) ? S_IRWXG | S_IRWXO : S_IWGRP | S_IWOTH;
  const mode_t tolerated = is_credential(path) ? S_IRGRP : 0;
  if ((named->status.st_mode & forbidden & ~tolerated) != 0) {
    return fail(
      ErrorCode::permission,
      path.string() + " has mode " + mode_text(named->status.st_mode) + ", but " +
        (is_secret(file->kind) ? "holds a secret and must have mode 0600."
                               : "must not be writable by group or others."));
  }
  return file;
}

Result<KeyFile> read_key_file(const std::filesystem::path & path, KeyFileKind kind)
{
  auto file = read_key_file(path);
  if (file && file->kind != kind) {
    return fail(
      ErrorCode::invalid_argument, path.string() + " is " + to_string(file->kind) + ", but " +
                                     to_string(kind) + " is needed there.");
  }
  return file;
}

namespace
{

// Writes a file beside its place, and gives it its name by `rename` or `link`.
Result<void> write_with(
  int (*place)(const char *, const char *), const std::filesystem::path & path,
  const KeyFile & file)
{
  const auto failed = [&path](int error) {
    return fail(
      ErrorCode::unavailable, path.string() + " can't be written: " + error_text(error) + ".");
  };
  std::string temporary = (path.parent_path() / ".new-XXXXXX").string();
  const FileDescriptor fd(::mkostemp(temporary.data(), O_CLOEXEC));
  if (!fd) {
    return failed(errno);
  }
  const SecretBytes bytes = encode(file);
  const bool written = ::fchmod(fd.get(), is_secret(file.kind) ? 0600 : 0644) == 0 &&
                       write_whole(fd.get(), bytes.view()) && ::fsync(fd.get()) == 0 &&
                       place(temporary.c_str(), path.c_str()) == 0;
  const int error = errno;
  ::unlink(temporary.c_str());
  if (!written) {
    return failed(error);
  }
  return {};
}

}  // namespace

Result<void> write_key_file(const std::filesystem::path & path, const KeyFile & file)
{
  return write_with(&::link, path, file);  // fails if it exists
}

Result<void> replace_key_file(const std::filesystem::path & path, const KeyFile & file)
{
  if (auto written = write_with(&::rename, path, file); !written) {
    return written;
  }
  return sync_folder(path.parent_path());
}

Result<void> sync_folder(const std::filesystem::path & folder)
{
  const FileDescriptor fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd || ::fsync(fd.get()) != 0) {
    return fail(
      ErrorCode::unavailable,
      "The folder " + folder.string() + " can't be written: " + error_text(errno) + ".");
  }
  return {};
}

Result<void> make_secret_folder(const std::filesystem::path & path)
{
  if (::mkdir(path.c_str(), 0700) != 0 || ::chmod(path.c_str(), 0700) != 0) {
    return fail(
      ErrorCode::unavailable,
      "The folder " + path.string() + " can't be made: " + error_text(errno) + ".");
  }
  return {};
}

Result<void> check_secret_folder(const std::filesystem::path & path)
{
  struct stat status
  {
  };
  if (::stat(path.c_str(), &status) != 0) {
    return fail(
      errno == ENOENT ? ErrorCode::invalid_argument : ErrorCode::permission,
      "The folder " + path.string() + " can't be opened: " + error_text(errno) + ".");
  }
  if (!S_ISDIR(status.st_mode)) {
    return fail(ErrorCode::invalid_argument, path.string() + " is no folder.");
  }
  if ((status.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    return fail(
      ErrorCode::permission, "The folder " + path.string() + " has mode " +
                               mode_text(status.st_mode) +
                               ", but holds secrets and must have mode 0700.");
  }
  return check_owner("The folder " + path.string(), status);
}

}  // namespace pqc_tunnel
