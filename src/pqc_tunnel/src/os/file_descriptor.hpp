// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__OS__FILE_DESCRIPTOR_HPP_
#define PQC_TUNNEL__OS__FILE_DESCRIPTOR_HPP_

#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/bytes.hpp"

namespace pqc_tunnel
{

/// Owns a file descriptor and closes it; -1 stands for none.
class FileDescriptor
{
public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(FileDescriptor && other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor & operator=(FileDescriptor && other) noexcept
  {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~FileDescriptor() { reset(); }

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  /// Gives up ownership: the caller must close it.
  int release() { return std::exchange(fd_, -1); }
  /// Closes the descriptor.
  void reset()
  {
    if (fd_ >= 0) {
      ::close(std::exchange(fd_, -1));
    }
  }

private:
  int fd_ = -1;
};

/// Writes all bytes to a descriptor that blocks. Returns false, with errno set, if it fails.
inline bool write_whole(int fd, ByteView bytes)
{
  while (!bytes.empty()) {
    const auto written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) {
      return false;
    }
    bytes = bytes.subspan(written > 0 ? static_cast<std::size_t>(written) : 0);
  }
  return true;
}

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__OS__FILE_DESCRIPTOR_HPP_
