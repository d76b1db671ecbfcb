// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "workshop.hpp"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "identity_layout.hpp"
#include "net/sockets.hpp"

namespace pqc_tunnel
{

namespace fs = std::filesystem;

tl::unexpected<Error> refuse_to_overwrite(const fs::path & path)
{
  return fail(
    ErrorCode::invalid_argument, path.string() + " is there already; keys are never overwritten.");
}

Result<Workshop> Workshop::open(const fs::path & out)
{
  Workshop workshop;
  for (fs::path folder = out; !folder.empty() && !is_there(folder); folder = folder.parent_path()) {
    workshop.new_around_.push_back(folder);
  }
  std::error_code error;
  fs::create_directories(out, error);
  std::string pattern = (out / ".new-XXXXXX").string();
  if (!error && ::mkdtemp(pattern.data()) == nullptr) {
    error = std::error_code(errno, std::generic_category());
  }
  if (error) {
    return fail(
      ErrorCode::unavailable,
      "Nothing can be made in the folder " + out.string() + ": " + error.message() + ".");
  }
  workshop.inside_ = pattern;
  return workshop;
}

Workshop::Workshop(Workshop && other) noexcept
: inside_(std::exchange(other.inside_, {})), new_around_(std::exchange(other.new_around_, {}))
{
}

Workshop::~Workshop()
{
  std::error_code ignored;
  if (!inside_.empty()) {
    fs::remove_all(inside_, ignored);
  }
  for (const fs::path & folder : new_around_) {
    fs::remove(folder, ignored);  // if it is empty
  }
}

Moves::~Moves()
{
  std::error_code ignored;
  for (const fs::path & place : done_) {
    fs::remove_all(place, ignored);
  }
}

Result<void> Moves::move(const fs::path & from, const fs::path & to)
{
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) != 0) {
    return fail(ErrorCode::unavailable, to.string() + " can't be made: " + error_text(errno) + ".");
  }
  done_.push_back(to);
  return {};
}

}  // namespace pqc_tunnel
