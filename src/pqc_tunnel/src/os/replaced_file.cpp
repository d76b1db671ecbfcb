// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "replaced_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "file_descriptor.hpp"

namespace pqc_tunnel
{

namespace
{

namespace fs = std::filesystem;

constexpr mode_t mode_of_first = 0644;
constexpr int max_links = 40;  // the limit of Linux

tl::unexpected<Error> failure(const fs::path & path, const std::string & reason)
{
  return fail(
    ErrorCode::unavailable, "The file " + path.string() + " can't be written: " + reason + ".");
}

tl::unexpected<Error> failure(const fs::path & path, int error)
{
  return failure(path, std::generic_category().message(error));
}

bool is_own(const struct stat & status) { return status.st_uid == ::geteuid(); }

// Opens the folder of a file. Refuses links of other users in its path, which could lead anywhere.
Result<FileDescriptor> open_folder(const fs::path & file)
{
  std::vector<fs::path> ahead;
  const auto go_along = [&ahead](const fs::path & path) {
    const std::vector<fs::path> parts(path.begin(), path.end());
    ahead.insert(ahead.end(), parts.rbegin(), parts.rend());
  };
  FileDescriptor at(::open(".", O_PATH | O_DIRECTORY | O_CLOEXEC));
  go_along(file.parent_path());
  int links = 0;
  while (!ahead.empty()) {
    const fs::path part = ahead.back();
    ahead.pop_back();
    if (part.empty()) {
      continue;
    }
    FileDescriptor next(::openat(at.get(), part.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
    struct stat status
    {
    };
    if (!next || ::fstat(next.get(), &status) != 0) {
      return failure(file, errno);
    }
    if (!S_ISLNK(status.st_mode)) {
      at = std::move(next);
      continue;
    }
    if (status.st_uid != 0 && !is_own(status)) {
      return failure(file, part.string() + " on the way there is another user's symbolic link");
    }
    std::array<char, PATH_MAX> target{};
    const auto size = ::readlinkat(next.get(), "", target.data(), target.size());
    if (size < 0 || ++links > max_links) {
      return failure(file, size < 0 ? errno : ELOOP);
    }
    go_along(std::string(target.data(), static_cast<std::size_t>(size)));
  }
  return at;
}

// Makes a new file in place of any old one; a symbolic link there is not followed.
FileDescriptor create(const FileDescriptor & folder, const std::string & name)
{
  ::unlinkat(folder.get(), name.c_str(), 0);
  return FileDescriptor(::openat(
    folder.get(), name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
    mode_of_first));
}

// Returns the status of the file of this name; none if there is none.
std::optional<struct stat> look_at(const FileDescriptor & folder, const std::string & name)
{
  struct stat status
  {
  };
  if (::fstatat(folder.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
    return std::nullopt;
  }
  return status;
}

}  // namespace

ReplacedFile::ReplacedFile(fs::path path)
: path_(std::move(path)), name_(path_.filename()), next_(name_ + ".new")
{
}

Result<ReplacedFile> ReplacedFile::open(const fs::path & path)
{
  const auto folder = open_folder(path);
  if (!folder) {
    return tl::make_unexpected(folder.error());
  }
  ReplacedFile file(path);
  const auto there = look_at(*folder, file.name_);
  if (file.name_.empty() || (there && !S_ISREG(there->st_mode))) {
    return fail(ErrorCode::invalid_argument, path.string() + " is no regular file.");
  }
  if (!create(*folder, file.next_) && errno != ENOSPC && errno != EDQUOT) {
    return failure(path, errno);
  }
  ::unlinkat(folder->get(), file.next_.c_str(), 0);
  return file;
}

Result<void> ReplacedFile::replace(std::string_view text) const
{
  const auto folder = open_folder(path_);
  if (!folder) {
    return tl::make_unexpected(folder.error());
  }
  FileDescriptor fd = create(*folder, next_);
  if (!fd) {
    return failure(path_, errno);
  }
  int error = 0;
  // Another user's file would choose who may write to ours.
  if (const auto before = look_at(*folder, name_);
      before && S_ISREG(before->st_mode) && is_own(*before))
  {
    error = ::fchmod(fd.get(), before->st_mode & 0777) == 0 ? 0 : errno;
  }
  if (error == 0) {
    error = write_whole(fd.get(), bytes_of(text)) ? 0 : errno;
  }
  // Some file systems report only here that the disk is full.
  if (::close(fd.release()) != 0 && error == 0) {
    error = errno;
  }
  if (error == 0 && ::renameat(folder->get(), next_.c_str(), folder->get(), name_.c_str()) != 0) {
    error = errno;
  }
  if (error != 0) {
    ::unlinkat(folder->get(), next_.c_str(), 0);
    return failure(path_, error);
  }
  return {};
}

}  // namespace pqc_tunnel
