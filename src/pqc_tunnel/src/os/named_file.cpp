// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "named_file.hpp"

#include <fcntl.h>
#include <grp.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <system_error>
#include <utility>

#include "processes.hpp"

namespace pqc_tunnel
{

namespace
{

constexpr off_t most_bytes = 2097152;

// Returns whether the group has only the owner as a member, as umask 002 supposes.
bool is_private_group(const struct stat & status)
{
  const struct group * const found = ::getgrgid(status.st_gid);  // NOLINT(concurrency-mt-unsafe)
  return found == nullptr ? status.st_gid == status.st_uid
                          : user_name(status.st_uid) == found->gr_name;
}

}  // namespace

std::string mode_text(mode_t mode)
{
  std::string digits = "0000";
  for (std::size_t i = 0; i < digits.size(); ++i) {
    digits[3 - i] = static_cast<char>('0' + (mode >> (3 * i) & 7U));
  }
  return digits;
}

Result<void> check_owner(const std::string & subject, const struct stat & status)
{
  if (status.st_uid != ::geteuid() && status.st_uid != 0) {
    const std::string owner = user_name(status.st_uid);
    return fail(
      ErrorCode::permission,
      subject + " belongs to " + owner + ", but must belong to the user who runs this, " +
        user_name(::geteuid()) +
        (::geteuid() == 0 ? " (sudo -u " + owner + " runs it as that one)." : "."));
  }
  return {};
}

Result<NamedFile> open_named_file(const std::filesystem::path & path, const std::string & subject)
{
  FileDescriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!fd) {
    const int error = errno;
    if (error == ENOENT) {
      return fail(ErrorCode::unavailable, subject + " isn't there.");
    }
    return fail(
      ErrorCode::permission,
      subject + " can't be opened: " + std::generic_category().message(error) +
        (error == EACCES ? "; it must belong to " + user_name(::geteuid()) + ", who runs this."
                         : "."));
  }
  struct stat status
  {
  };
  if (::fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode)) {
    return fail(ErrorCode::invalid_argument, subject + " is no file.");
  }
  if (const auto owner = check_owner(subject, status); !owner) {
    return tl::make_unexpected(owner.error());
  }
  if (status.st_size > most_bytes) {
    return fail(
      ErrorCode::invalid_argument,
      subject + " has more than " + std::to_string(most_bytes) + " bytes.");
  }
  return NamedFile{std::move(fd), status};
}

Result<void> read_named_file(const NamedFile & file, const std::string & subject, MutableBytes into)
{
  while (!into.empty()) {
    const auto got = ::read(file.descriptor.get(), into.data(), into.size());
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got <= 0) {
      return fail(ErrorCode::permission, subject + " can't be read to its end.");
    }
    into = into.subspan(static_cast<std::size_t>(got));
  }
  return {};
}

Result<std::string> read_named_text(const std::filesystem::path & path, const std::string & subject)
{
  const auto file = open_named_file(path, subject);
  if (!file) {
    return tl::make_unexpected(file.error());
  }
  const mode_t others = is_private_group(file->status) ? S_IWOTH : S_IWOTH | S_IWGRP;
  if ((file->status.st_mode & others) != 0) {
    return fail(
      ErrorCode::permission, subject + " has mode " + mode_text(file->status.st_mode) +
                               ", so that others may write it: chmod go-w " + path.string() +
                               " mends that.");
  }
  std::string text(static_cast<std::size_t>(file->status.st_size), '\0');
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): characters are bytes.
  const MutableBytes bytes(reinterpret_cast<std::uint8_t *>(text.data()), text.size());
  if (const auto read = read_named_file(*file, subject, bytes); !read) {
    return tl::make_unexpected(read.error());
  }
  return text;
}

}  // namespace pqc_tunnel
