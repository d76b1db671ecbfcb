// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

// "PQMP" 4 | format 1 (= 1) | salt 32 | sealed { path length 2, path | length 4, bytes }… | tag 16. The key is
// HKDF-Expand(HKDF-Extract(salt, code), "pqm3 pair", 32) with SHA-384, the cipher AES-256-GCM with a nonce of zeros, and
// what is before the sealed part is authenticated.

#include "pairing.hpp"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <optional>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

#include "anchor_files.hpp"
#include "crypto/aead.hpp"
#include "crypto/hkdf.hpp"
#include "identity_files.hpp"
#include "identity_layout.hpp"
#include "make_anchor.hpp"
#include "match_identities.hpp"
#include "net/sockets.hpp"
#include "os/file_descriptor.hpp"
#include "workshop.hpp"

namespace pqc_tunnel
{

namespace
{

namespace fs = std::filesystem;

constexpr std::array<std::uint8_t, 5> beginning{'P', 'Q', 'M', 'P', 1};
constexpr std::size_t salt_size = 32;
constexpr std::size_t header_size = beginning.size() + salt_size;
constexpr std::size_t largest_file = std::size_t{256} << 20;
constexpr std::string_view alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";  // Crockford's base 32
constexpr std::size_t group = 4;
constexpr std::size_t letters = PairingCode::size() * 8 / 5;

AeadKey key_of(const PairingCode & code, ByteView salt)
{
  constexpr std::string_view label = "pqm3 pair";
  const SecretBytes extracted = hkdf_extract(Hash::sha384, salt, code.view());
  SecretBytes key(32);
  hkdf_expand(Hash::sha384, extracted.view(), bytes_of(label), key.span());
  return AeadKey::create(AeadAlgorithm::aes_256_gcm, key.view());
}

constexpr std::array<std::uint8_t, 12> nonce{};  // each key seals once

tl::unexpected<Error> unreadable(const fs::path & path)
{
  return fail(ErrorCode::unavailable, path.string() + " can't be read: " + error_text(errno) + ".");
}

// A file of any owner and mode: without the code it tells nothing, and can't be changed.
Result<SecretBytes> read_whole(const fs::path & path)
{
  const FileDescriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status
  {
  };
  if (!fd || ::fstat(fd.get(), &status) != 0) {
    return unreadable(path);
  }
  if (!S_ISREG(status.st_mode) || static_cast<std::size_t>(status.st_size) > largest_file) {
    return fail(ErrorCode::invalid_argument, path.string() + " is no file of pqc pair.");
  }
  SecretBytes bytes(static_cast<std::size_t>(status.st_size));
  for (std::size_t at = 0; at < bytes.size();) {
    const auto got = ::read(fd.get(), bytes.span().data() + at, bytes.size() - at);
    if (got <= 0) {
      return unreadable(path);
    }
    at += static_cast<std::size_t>(got);
  }
  return bytes;
}

// Sorted, so that the same identity gives the same bytes.
Result<std::vector<fs::path>> files_in(const fs::path & folder)
{
  std::set<fs::path> files;
  std::error_code error;
  for (auto entry = fs::recursive_directory_iterator(folder, error);
       !error && entry != fs::recursive_directory_iterator(); entry.increment(error))
  {
    if (entry->is_regular_file(error)) {
      files.insert(entry->path().lexically_relative(folder));
    }
  }
  if (error) {
    return fail(
      ErrorCode::unavailable, folder.string() + " can't be read: " + error.message() + ".");
  }
  return std::vector<fs::path>(files.begin(), files.end());
}

// Letters, digits and single dots in names that do not begin with one: nothing leaves the folder.
bool is_plain_path(std::string_view path)
{
  bool begins = true;
  for (const char c : path) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
    if (!plain && (begins || (c != '.' && c != '/'))) {
      return false;
    }
    begins = c == '/';
  }
  return !path.empty() && !begins;
}

void put_number(MutableBytes & out, std::size_t value, std::size_t bytes)
{
  for (std::size_t i = 0; i < bytes; ++i) {
    out[i] = static_cast<std::uint8_t>(value >> (8 * (bytes - 1 - i)));
  }
  out = out.subspan(bytes);
}

void put(MutableBytes & out, ByteView bytes)
{
  std::ranges::copy(bytes, out.begin());
  out = out.subspan(bytes.size());
}

// Takes a number and so many bytes; nothing if there are less.
std::optional<ByteView> take(ByteView & rest, std::size_t number_size)
{
  if (rest.size() < number_size) {
    return std::nullopt;
  }
  std::size_t size = 0;
  for (const std::uint8_t byte : rest.first(number_size)) {
    size = size << 8 | byte;
  }
  rest = rest.subspan(number_size);
  if (rest.size() < size) {
    return std::nullopt;
  }
  const ByteView bytes = rest.first(size);
  rest = rest.subspan(size);
  return bytes;
}

Result<void> unpack(ByteView rest, const fs::path & into)
{
  auto made = make_secret_folder(into);
  while (made && !rest.empty()) {
    const auto path = take(rest, 2);
    const auto bytes = path ? take(rest, 4) : std::nullopt;
    const std::string name = path ? std::string(path->begin(), path->end()) : "";
    if (!bytes || !is_plain_path(name)) {
      return fail(ErrorCode::invalid_argument, "The file of pqc pair is of another form.");
    }
    made = ensure_folder((into / name).parent_path());
    made = made ? write_secret_file(into / name, *bytes) : made;
  }
  return made;
}

Result<std::string> code_of(const DroneIdentity & identity)
{
  return short_code(identity.id, identity.gcs_id, identity.psk, identity.gcs_keys);
}

// Puts the new identity in the place of one that is there, whose used one-time keys stay used.
Result<void> install(const fs::path & made, const fs::path & folder)
{
  if (!is_there(folder)) {
    if (::rename(made.c_str(), folder.c_str()) == 0) {
      return {};
    }
    return fail(
      ErrorCode::unavailable, folder.string() + " can't be made: " + error_text(errno) + ".");
  }
  const fs::path note = one_time_folder(folder) / "used.anchor";
  std::error_code error;
  if (fs::exists(note, error) && is_there(one_time_folder(made))) {
    fs::copy_file(
      note, one_time_folder(made) / "used.anchor", fs::copy_options::overwrite_existing, error);
  }
  if (error || ::renameat2(AT_FDCWD, made.c_str(), AT_FDCWD, folder.c_str(), RENAME_EXCHANGE) != 0)
  {
    return fail(
      ErrorCode::unavailable, folder.string() + " can't be replaced: " +
                                (error ? error.message() : error_text(errno)) + ".");
  }
  return {};
}

}  // namespace

Result<void> write_secret_file(const fs::path & path, ByteView bytes)
{
  const FileDescriptor fd(
    ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (!fd || !write_whole(fd.get(), bytes) || ::fsync(fd.get()) != 0) {
    return fail(
      ErrorCode::unavailable, path.string() + " can't be written: " + error_text(errno) + ".");
  }
  return {};
}

SecretBytes shown_code(const PairingCode & code)
{
  SecretBytes text(letters + letters / group - 1);
  std::uint64_t bits = 0;
  std::size_t held = 0;
  std::size_t written = 0;
  std::size_t at = 0;
  for (const std::uint8_t byte : code.view()) {
    bits = bits << 8 | byte;
    for (held += 8; held >= 5; held -= 5) {
      if (written > 0 && written % group == 0) {
        text.span()[at++] = '-';
      }
      text.span()[at++] = static_cast<std::uint8_t>(alphabet[bits >> (held - 5) & 31]);
      ++written;
    }
  }
  return text;
}

Result<PairingCode> read_code(std::string_view text)
{
  PairingCode code;
  std::uint64_t bits = 0;
  std::size_t held = 0;
  std::size_t read = 0;
  std::size_t at = 0;
  bool known = true;
  for (const char given : text) {
    if (given == '-' || std::isspace(static_cast<unsigned char>(given)) != 0) {
      continue;
    }
    char c = static_cast<char>(std::toupper(static_cast<unsigned char>(given)));
    c = c == 'O' ? '0' : c == 'I' || c == 'L' ? '1' : c;  // as they are read by mistake
    const auto value = alphabet.find(c);
    known = known && value != std::string_view::npos && read < letters;
    if (!known) {
      break;
    }
    ++read;
    bits = bits << 5 | value;
    held += 5;
    if (held >= 8) {
      held -= 8;
      code.span()[at++] = static_cast<std::uint8_t>(bits >> held);
    }
  }
  if (!known || read != letters) {
    return fail(
      ErrorCode::invalid_argument,
      "That is no code of pqc pair: it has eight groups of four letters and digits.");
  }
  return code;
}

Result<void> seal_identity(
  const fs::path & folder, const fs::path & file, const PairingCode & code, RandomSource & random)
{
  const auto files = files_in(folder);
  if (!files) {
    return tl::make_unexpected(files.error());
  }
  std::vector<SecretBytes> contents;
  std::size_t size = 0;
  for (const fs::path & path : *files) {
    auto bytes = read_whole(folder / path);
    if (!bytes) {
      return tl::make_unexpected(bytes.error());
    }
    size += 2 + path.string().size() + 4 + bytes->size();
    contents.push_back(std::move(*bytes));
  }
  SecretBytes sealed(header_size + size + aead_tag_size);
  MutableBytes out = sealed.span();
  put(out, beginning);
  random.fill(out.first(salt_size));
  out = out.subspan(salt_size);
  for (std::size_t i = 0; i < files->size(); ++i) {
    const std::string path = (*files)[i].string();
    put_number(out, path.size(), 2);
    put(out, bytes_of(path));
    put_number(out, contents[i].size(), 4);
    put(out, contents[i].view());
  }
  const MutableBytes all = sealed.span();
  key_of(code, all.subspan(beginning.size(), salt_size))
    .seal_in_place(
      nonce, all.first(header_size), all.subspan(header_size, size), all.last<aead_tag_size>());
  return write_secret_file(file, sealed.view());
}

Result<std::string> take_identity(
  const fs::path & file, const fs::path & folder, const PairingCode & code)
{
  auto sealed = read_whole(file);
  if (!sealed) {
    return tl::make_unexpected(sealed.error());
  }
  const MutableBytes all = sealed->span();
  if (
    all.size() < header_size + aead_tag_size ||
    !std::equal(beginning.begin(), beginning.end(), all.begin()))
  {
    return fail(ErrorCode::invalid_argument, file.string() + " is no file of pqc pair.");
  }
  const MutableBytes text = all.subspan(header_size, all.size() - header_size - aead_tag_size);
  if (!key_of(code, all.subspan(beginning.size(), salt_size))
         .open_in_place(nonce, all.first(header_size), text, all.last<aead_tag_size>()))
  {
    return fail(
      ErrorCode::invalid_argument,
      file.string() +
        " does not open with this code: one of them is another drone's, or was "
        "changed.");
  }
  const fs::path place = folder.has_filename() ? folder : folder.parent_path();
  const auto workshop = Workshop::open(fs::absolute(place).parent_path());
  if (!workshop) {
    return tl::make_unexpected(workshop.error());
  }
  if (auto unpacked = unpack(text, *workshop / "identity"); !unpacked) {
    return tl::make_unexpected(unpacked.error());
  }
  const auto identity = load_drone_identity(*workshop / "identity");
  if (!identity) {
    return tl::make_unexpected(identity.error());
  }
  if (is_there(place)) {
    const auto present = load_drone_identity(place);
    if (!present || present->id != identity->id || present->gcs_id != identity->gcs_id) {
      return fail(
        ErrorCode::invalid_argument,
        place.string() + " is there already, and not of this drone: move it away first.");
    }
  }
  if (auto installed = install(*workshop / "identity", place); !installed) {
    return tl::make_unexpected(installed.error());
  }
  return code_of(*identity);
}

}  // namespace pqc_tunnel
