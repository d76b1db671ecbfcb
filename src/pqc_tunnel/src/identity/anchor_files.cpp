// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "anchor_files.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <system_error>

#include "base/byte_io.hpp"
#include "net/sockets.hpp"
#include "os/file_descriptor.hpp"

namespace pqc_tunnel
{

namespace
{

namespace fs = std::filesystem;

constexpr const char * note_name = "used.anchor";
constexpr std::size_t number_digits = 6;

std::optional<std::uint32_t> number_of(std::string_view text, int base)
{
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.begin(), text.end(), number, base);
  return error == std::errc() && end == text.end() ? std::optional(number) : std::nullopt;
}

// "000017-3-9f3a2b1c"
std::optional<AnchorFile> parse_name(const std::string & stem)
{
  if (stem.size() != number_digits + 3 + 2 * AnchorId::size) {
    return std::nullopt;
  }
  const std::string_view text(stem);
  const auto number = number_of(text.substr(0, number_digits), 10);
  const auto level = number_of(text.substr(number_digits + 1, 1), 10);
  const auto id = number_of(text.substr(number_digits + 3), 16);
  if (!number || !level || (*level != 1 && *level != 3 && *level != 5) || !id) {
    return std::nullopt;
  }
  AnchorFile file{*number, anchor_kem(static_cast<SecurityLevel>(*level)), {}, {}};
  for (std::size_t i = 0; i < AnchorId::size; ++i) {
    file.id.bytes.at(i) = static_cast<std::uint8_t>(*id >> (24 - 8 * i));
  }
  return file;
}

// Overwrites a secret before its name goes. What a flash memory keeps of it is out of reach.
bool overwrite(const fs::path & path)
{
  std::error_code error;
  const auto size = fs::file_size(path, error);
  const FileDescriptor fd(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW));
  const Bytes zeros(error ? 0 : size);
  return fd &&
         ::write(fd.get(), zeros.data(), zeros.size()) == static_cast<ssize_t>(zeros.size()) &&
         ::fsync(fd.get()) == 0;
}

Result<void> erase_through(const fs::path & folder, std::uint32_t number)
{
  for (const AnchorFile & file : list_anchor_files(folder, ".key")) {
    if (file.number > number) {
      continue;
    }
    if (!overwrite(file.path) || ::unlink(file.path.c_str()) != 0) {
      return fail(
        ErrorCode::permission,
        file.path.string() + " was used and can't be erased: " + error_text(errno) + ".");
    }
  }
  return sync_folder(folder);
}

fs::file_time_type time_of(const fs::path & folder)
{
  std::error_code error;
  return fs::last_write_time(folder, error);
}

// The last one of a level that suffices, or of any.
const AnchorFile * best(const std::vector<AnchorFile> & files, SecurityLevel least)
{
  const auto found = std::find_if(
    files.rbegin(), files.rend(), [&](const auto & file) { return level(file.kem) >= least; });
  return found != files.rend() ? &*found : files.empty() ? nullptr : &files.back();
}

}  // namespace

KemAlgorithm anchor_kem(SecurityLevel of)
{
  return *std::ranges::find_if(anchor_kems, [&](KemAlgorithm kem) { return level(kem) >= of; });
}

std::string anchor_file_name(const AnchorFile & file, const std::string & extension)
{
  std::array<char, 32> text{};
  const auto & id = file.id.bytes;
  std::snprintf(
    text.data(), text.size(), "%06u-%d-%02x%02x%02x%02x", file.number,
    static_cast<int>(level(file.kem)), id[0], id[1], id[2], id[3]);
  return text.data() + extension;
}

std::vector<AnchorFile> list_anchor_files(const fs::path & folder, const std::string & extension)
{
  std::vector<AnchorFile> files;
  std::error_code error;
  for (auto entry = fs::directory_iterator(folder, error);
       !error && entry != fs::directory_iterator(); entry.increment(error))
  {
    const fs::path & path = entry->path();
    auto file = path.extension() == extension ? parse_name(path.stem()) : std::nullopt;
    if (file) {
      file->path = path;
      files.push_back(std::move(*file));
    }
  }
  std::ranges::sort(files, {}, &AnchorFile::number);
  return files;
}

Result<std::uint32_t> read_used(const fs::path & folder, const OwnerId & owner)
{
  std::error_code error;
  if (!fs::exists(fs::symlink_status(folder / note_name, error))) {
    return 0;
  }
  const auto file = read_key_file(folder / note_name, KeyFileKind::anchor_note);
  if (!file) {
    return tl::make_unexpected(file.error());
  }
  return file->owner == owner ? ByteReader(file->payload.view()).u32() : 0;
}

Result<void> note_used(const fs::path & folder, const OwnerId & owner, std::uint32_t number)
{
  const auto before = read_used(folder, owner);
  if (!before) {
    return tl::make_unexpected(before.error());
  }
  if (*before >= number) {
    return {};
  }
  Bytes content;
  ByteWriter(content).u32(number);
  return replace_key_file(
    folder / note_name, {KeyFileKind::anchor_note, {}, owner, SecretBytes::copy_of(content)});
}

// --- At the drone ---

std::shared_ptr<AnchorKeys> AnchorKeyFiles::open(const fs::path & folder, const DroneId & id)
{
  const bool empty = list_anchor_files(last_resort_folder(folder), ".pub").empty() &&
                     list_anchor_files(one_time_folder(folder), ".pub").empty();
  return empty ? nullptr : std::make_shared<AnchorKeyFiles>(folder, id);
}

// Nothing if it can't be noted as used, or is damaged: then it is of no use, and the next one is tried.
std::optional<AnchorKeys::Taken> AnchorKeyFiles::take_one_time(const AnchorFile & file)
{
  if (!note_used(one_time_folder(folder_), owner_, file.number)) {
    return std::nullopt;
  }
  auto key = read_key_file(file.path, KeyFileKind::anchor_public_key);
  ::unlink(file.path.c_str());
  if (!key || anchor_id(key->payload.view()) != file.id) {
    return std::nullopt;
  }
  const ByteView bytes = key->payload.view();
  return Taken{{file.kem, true}, Bytes(bytes.begin(), bytes.end())};
}

std::optional<AnchorKeys::Taken> AnchorKeyFiles::take_one_time(SecurityLevel least)
{
  const auto used = read_used(one_time_folder(folder_), owner_);
  for (const AnchorFile & file : list_anchor_files(one_time_folder(folder_), ".pub")) {
    if (!used || file.number <= *used || level(file.kem) < least) {
      continue;
    }
    if (auto taken = take_one_time(file)) {
      return taken;
    }
  }
  return std::nullopt;
}

Result<AnchorKeys::Taken> AnchorKeyFiles::take_last_resort(SecurityLevel least)
{
  const auto files = list_anchor_files(last_resort_folder(folder_), ".pub");
  const AnchorFile * const file = best(files, least);
  if (file == nullptr) {
    return fail(
      ErrorCode::unavailable,
      last_resort_folder(folder_).string() + " holds no key of the ground station's anchor.");
  }
  const auto key = read_key_file(file->path, KeyFileKind::anchor_public_key);
  if (!key) {
    return tl::make_unexpected(key.error());
  }
  const ByteView bytes = key->payload.view();
  return Taken{{file->kem, false}, Bytes(bytes.begin(), bytes.end())};
}

Result<AnchorKeys::Taken> AnchorKeyFiles::take(AnchorChoice choice, SecurityLevel least)
{
  const std::scoped_lock lock(mutex_);
  auto taken = choose(choice, least);
  count();
  return taken;
}

Result<AnchorKeys::Taken> AnchorKeyFiles::choose(AnchorChoice choice, SecurityLevel least)
{
  if (choice == AnchorChoice::last_resort_first) {
    auto taken = take_last_resort(least);
    if (taken) {
      return taken;
    }
  }
  if (auto taken = take_one_time(least)) {
    return std::move(*taken);
  }
  return choice == AnchorChoice::one_time_only ? fail(ErrorCode::unavailable, no_one_time_key)
                                               : take_last_resort(least);
}

bool AnchorKeyFiles::may_have_one_time_key(SecurityLevel least) const
{
  const auto at = time_of(one_time_folder(folder_));
  const std::scoped_lock lock(count_mutex_);
  return at != counted_.at || (counted_.highest && *counted_.highest >= least);
}

void AnchorKeyFiles::count()
{
  const fs::path folder = one_time_folder(folder_);
  Count counted{time_of(folder), std::nullopt};
  const auto used = read_used(folder, owner_);
  for (const AnchorFile & file : list_anchor_files(folder, ".pub")) {
    if (used && file.number > *used) {
      counted.highest = std::max(counted.highest, std::optional(level(file.kem)));
    }
  }
  const std::scoped_lock lock(count_mutex_);
  counted_ = counted;
}

// --- At the ground station ---

std::shared_ptr<AnchorSecrets> AnchorSecretFiles::open(
  const fs::path & gcs_folder, const std::string & drone, const DroneId & id)
{
  const fs::path last_resort = last_resort_folder(gcs_folder);
  const fs::path one_time = one_time_folder(gcs_folder, drone);
  const bool empty =
    list_anchor_files(last_resort, ".key").empty() && list_anchor_files(one_time, ".key").empty();
  return empty ? nullptr : std::make_shared<AnchorSecretFiles>(last_resort, one_time, id);
}

Result<AnchorSecrets::Found> AnchorSecretFiles::find(const AnchorId & id)
{
  const std::scoped_lock lock(mutex_);
  const auto used = read_used(one_time_, owner_);
  if (!used) {
    return tl::make_unexpected(used.error());
  }
  // A copy that came back may hold them again.
  if (*used > 0) {
    if (auto erased = erase_through(one_time_, *used); !erased) {
      return tl::make_unexpected(erased.error());
    }
  }
  for (const bool one_time : {true, false}) {
    for (const AnchorFile & file : list_anchor_files(one_time ? one_time_ : last_resort_, ".key")) {
      if (file.id != id) {
        continue;
      }
      auto key = read_key_file(file.path, KeyFileKind::anchor_secret_key);
      if (!key) {
        return tl::make_unexpected(key.error());
      }
      return Found{{file.kem, one_time}, std::move(key->payload)};
    }
  }
  return fail(ErrorCode::unavailable, "there is no such key of the anchor");
}

Result<void> AnchorSecretFiles::erase(const AnchorId & id)
{
  const std::scoped_lock lock(mutex_);
  const auto files = list_anchor_files(one_time_, ".key");
  const auto found = std::ranges::find(files, id, &AnchorFile::id);
  if (found == files.end()) {
    return fail(ErrorCode::unavailable, "the one-time key of the anchor was erased meanwhile");
  }
  if (auto noted = note_used(one_time_, owner_, found->number); !noted) {
    return noted;
  }
  return erase_through(one_time_, found->number);
}

}  // namespace pqc_tunnel
