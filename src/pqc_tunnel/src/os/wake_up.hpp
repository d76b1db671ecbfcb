// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__OS__WAKE_UP_HPP_
#define PQC_TUNNEL__OS__WAKE_UP_HPP_

#include <sys/eventfd.h>

#include <cerrno>
#include <cstdint>
#include <system_error>

#include "file_descriptor.hpp"

namespace pqc_tunnel
{

// Wakes a thread that waits in epoll. Any thread may call notify().
class WakeUp
{
public:
  WakeUp() : fd_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC))
  {
    if (!fd_) {
      throw std::system_error(errno, std::generic_category(), "An eventfd can't be made");
    }
  }
  int fd() const { return fd_.get(); }
  void notify() { ::eventfd_write(fd_.get(), 1); }
  void clear()
  {
    std::uint64_t count = 0;
    ::eventfd_read(fd_.get(), &count);
  }

private:
  FileDescriptor fd_;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__OS__WAKE_UP_HPP_
