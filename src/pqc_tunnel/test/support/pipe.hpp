// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef SUPPORT__PIPE_HPP_
#define SUPPORT__PIPE_HPP_

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <string>

#include "application.hpp"
#include "os/file_descriptor.hpp"

namespace pqc_tunnel
{

// A pipe as the log of a program: its reader may read, hang or go away.
class Pipe
{
public:
  Pipe()
  {
    std::array<int, 2> ends{};
    check(::pipe2(ends.data(), O_CLOEXEC) == 0, "pipe2");
    reader_ = FileDescriptor(ends[0]);
    writer_ = FileDescriptor(ends[1]);
  }

  int writer() const { return writer_.get(); }
  void close_reader() { reader_.reset(); }
  void close_writer() { writer_.reset(); }

  // Until it takes nothing any more; returns how many bytes are in it.
  std::size_t fill() const
  {
    const int flags = ::fcntl(writer_.get(), F_GETFL);
    ::fcntl(writer_.get(), F_SETFL, flags | O_NONBLOCK);
    std::size_t size = 0;
    const std::string piece(4096, '#');
    for (ssize_t got = 0; got >= 0; size += static_cast<std::size_t>(got > 0 ? got : 0)) {
      got = ::write(writer_.get(), piece.data(), piece.size());
    }
    ::fcntl(writer_.get(), F_SETFL, flags);
    return size;
  }

  // Waits for that many bytes.
  std::string read(std::size_t size) const
  {
    std::string text(size, '\0');
    std::size_t done = 0;
    while (done < size) {
      const auto got = ::read(reader_.get(), text.data() + done, size - done);
      check(got > 0, "read");
      done += static_cast<std::size_t>(got);
    }
    return text;
  }

  // Waits for a line that ends so; returns all that came until then.
  std::string read_until(const std::string & end) const
  {
    std::string text;
    while (!text.ends_with(end + "\n")) {
      text += read(1);
    }
    return text;
  }

private:
  FileDescriptor reader_;
  FileDescriptor writer_;
};

}  // namespace pqc_tunnel

#endif  // SUPPORT__PIPE_HPP_
