// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "support/serial_wire.hpp"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <termios.h>
#include <unistd.h>

#include <stdexcept>

namespace pqc_tunnel::test
{

SerialWire::SerialWire() { plug_in(); }

SerialWire::~SerialWire() { unplug(); }

void SerialWire::plug_in()
{
  for (std::size_t end = 0; end < far_.size(); ++end) {
    FileDescriptor far(posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC));
    std::array<char, 64> name{};
    if (
      grantpt(far.get()) != 0 || unlockpt(far.get()) != 0 ||
      ptsname_r(far.get(), name.data(), name.size()) != 0)
    {
      throw std::runtime_error("no pseudo terminal can be made");
    }
    termios line{};
    tcgetattr(far.get(), &line);
    cfmakeraw(&line);
    tcsetattr(far.get(), TCSANOW, &line);
    far_.at(end) = std::move(far);
    std::filesystem::create_symlink(name.data(), device(end));
  }
  stopping_ = false;
  thread_ = std::thread([this] { work(); });
}

void SerialWire::unplug()
{
  stopping_ = true;
  if (thread_.joinable()) {
    thread_.join();
  }
  for (std::size_t end = 0; end < far_.size(); ++end) {
    far_.at(end).reset();
    std::filesystem::remove(device(end));
  }
}

void SerialWire::work()
{
  std::array<std::uint8_t, 4096> bytes{};
  while (!stopping_) {
    std::array<pollfd, 2> ready{{{far_[0].get(), POLLIN, 0}, {far_[1].get(), POLLIN, 0}}};
    ::poll(ready.data(), ready.size(), 10);
    for (std::size_t end = 0; end < far_.size(); ++end) {
      const auto size = ::read(far_.at(end).get(), bytes.data(), bytes.size());
      if (size < 0 && (ready.at(end).revents & POLLHUP) != 0) {
        ::poll(nullptr, 0, 1);  // nobody has opened this end yet
      }
      for (ssize_t i = 0; is_garbled_ && i < size; i += 3) {
        bytes.at(static_cast<std::size_t>(i)) = 0;
      }
      if (size > 0 && !is_cut_) {
        const auto written =
          ::write(far_.at(1 - end).get(), bytes.data(), static_cast<std::size_t>(size));
        static_cast<void>(written);  // what a full line does not take is lost
      }
    }
  }
}

}  // namespace pqc_tunnel::test
