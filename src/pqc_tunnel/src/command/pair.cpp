// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "identity/pairing.hpp"

#include <algorithm>
#include <filesystem>
#include <iostream>

#include "crypto/random.hpp"
#include "given.hpp"
#include "identity/drone_folder.hpp"
#include "identity/identity_files.hpp"
#include "identity/identity_layout.hpp"
#include "identity/match_identities.hpp"
#include "os/named_file.hpp"
#include "os/process.hpp"
#include "terminal.hpp"

namespace pqc_tunnel::cli
{
namespace
{

namespace fs = std::filesystem;

std::string_view text_of(const SecretBytes & bytes)
{
  return {reinterpret_cast<const char *>(bytes.view().data()), bytes.size()};
}

Result<SecretBytes> joined(std::initializer_list<ByteView> parts)
{
  std::size_t size = 0;
  for (const ByteView part : parts) {
    size += part.size();
  }
  SecretBytes all(size);
  MutableBytes out = all.span();
  for (const ByteView part : parts) {
    std::ranges::copy(part, out.begin());
    out = out.subspan(part.size());
  }
  return all;
}

// To the terminal, or to a new file that only its owner reads.
Result<void> give_code(const PairingCode & code, const std::string & file)
{
  const SecretBytes shown = shown_code(code);
  if (!file.empty()) {
    return write_secret_file(file, shown.view());
  }
  const SecretBytes drawn = qr_code(shown.view());
  const std::uint8_t line_end = '\n';
  const auto text = joined({drawn.view(), shown.view(), {&line_end, 1}});
  return show_on_terminal(text->view());
}

Result<PairingCode> get_code(const std::string & file)
{
  if (file.empty()) {
    const auto typed = ask_on_terminal("The code that pqc pair has shown: ");
    return typed ? read_code(text_of(*typed)) : tl::make_unexpected(typed.error());
  }
  const auto named = open_named_file(file, file);
  if (!named) {
    return tl::make_unexpected(named.error());
  }
  if ((named->status.st_mode & 077) != 0) {
    return fail(
      ErrorCode::permission, file + " has mode " + mode_text(named->status.st_mode) +
                               ", but holds a secret and must have mode 0600.");
  }
  SecretBytes text(static_cast<std::size_t>(named->status.st_size));
  if (const auto read = read_named_file(*named, file, text.span()); !read) {
    return tl::make_unexpected(read.error());
  }
  return read_code(text_of(text));
}

Result<int> take(const Given & given)
{
  if (given.identity.empty()) {
    return fail(ErrorCode::invalid_argument, "Name the folder for the drone's keys: --identity.");
  }
  const auto code = get_code(given.code);
  if (!code) {
    return tl::make_unexpected(code.error());
  }
  const auto number = take_identity(given.take, given.identity, *code);
  if (!number) {
    return fail(ErrorCode::unavailable, number.error().message);
  }
  std::cout << "The keys are in " << given.identity << ". Number to compare: " << *number << "\n"
            << "If the ground station shows another one, erase them.\n";
  return exit_success;
}

}  // namespace

Result<int> pair(const Given & given)
{
  protect_secrets();
  if (!given.take.empty()) {
    return take(given);
  }
  if (given.words.empty() || given.out.empty()) {
    return fail(ErrorCode::invalid_argument, "Name a drone, and the folder of keys: --out.");
  }
  const std::string & name = given.words.front();
  const fs::path out = given.out;
  const auto recorded = recorded_drones(out / "gcs");
  if (std::ranges::find(recorded, name) == recorded.end()) {
    Given adding = given;
    adding.drones = {name};
    auto added = identity_add_drone(adding);
    if (!added) {
      return added;
    }
  }
  const auto identity = load_drone_identity(out / name);
  if (!identity) {
    return fail(ErrorCode::unavailable, identity.error().message);
  }
  SystemRandom random;
  PairingCode code;
  random.fill(code.span());
  const fs::path file = out / (name + ".pair");
  std::error_code ignored;
  fs::remove(file, ignored);  // its code was another one
  if (const auto sealed = seal_identity(out / name, file, code, random); !sealed) {
    return fail(ErrorCode::unavailable, sealed.error().message);
  }
  if (const auto given_away = give_code(code, given.code); !given_away) {
    fs::remove(file, ignored);
    return tl::make_unexpected(given_away.error());
  }
  std::cout << file.string() << " holds the keys of " << name
            << ", sealed under this code. On the drone:\n  pqc pair --take " << name
            << ".pair --identity /etc/pqc/drone\nNumber to compare: "
            << short_code(identity->id, identity->gcs_id, identity->psk, identity->gcs_keys)
            << "\nOn the ground station, with the record drones/" << name
            << ".drone in place: pqc reload\n";
  return exit_success;
}

}  // namespace pqc_tunnel::cli
