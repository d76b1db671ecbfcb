// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "replaced_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

#include "pqc_tunnel/os/file_descriptor.hpp"

namespace pqc_tunnel
{

namespace
{

constexpr mode_t mode_of_first = 0644;

tl::unexpected<Error> failure(const std::filesystem::path & path, int error)
{
  return fail(
    ErrorCode::unavailable, "The file " + path.string() +
                              " can't be written: " + std::generic_category().message(error) + ".");
}

// Makes a new file in place of any old one; a symbolic link there is not followed.
FileDescriptor create(const std::filesystem::path & path)
{
  ::unlink(path.c_str());
  return FileDescriptor(
    ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode_of_first));
}

// 0, or the system's error.
int write_all(int fd, std::string_view text)
{
  while (!text.empty()) {
    const auto written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno != EINTR) {
      return errno;
    }
    text.remove_prefix(written < 0 ? 0 : static_cast<std::size_t>(written));
  }
  return 0;
}

}  // namespace

ReplacedFile::ReplacedFile(std::filesystem::path path)
: path_(std::move(path)), next_(path_.string() + ".new")
{
}

Result<ReplacedFile> ReplacedFile::open(const std::filesystem::path & path)
{
  struct stat status
  {
  };
  if (::lstat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
    return fail(ErrorCode::invalid_argument, path.string() + " is no regular file.");
  }
  ReplacedFile file(path);
  if (!create(file.next_) && errno != ENOSPC && errno != EDQUOT) {
    return failure(path, errno);
  }
  ::unlink(file.next_.c_str());
  return file;
}

Result<void> ReplacedFile::replace(std::string_view text) const
{
  FileDescriptor fd = create(next_);
  if (!fd) {
    return failure(path_, errno);
  }
  struct stat before
  {
  };
  int error = 0;
  if (::lstat(path_.c_str(), &before) == 0 && S_ISREG(before.st_mode)) {
    error = ::fchmod(fd.get(), before.st_mode & 07777) == 0 ? 0 : errno;
  }
  if (error == 0) {
    error = write_all(fd.get(), text);
  }
  // Some file systems report only here that the disk is full.
  if (::close(fd.release()) != 0 && error == 0) {
    error = errno;
  }
  if (error == 0 && std::rename(next_.c_str(), path_.c_str()) != 0) {
    error = errno;
  }
  if (error != 0) {
    ::unlink(next_.c_str());
    return failure(path_, error);
  }
  return {};
}

}  // namespace pqc_tunnel
