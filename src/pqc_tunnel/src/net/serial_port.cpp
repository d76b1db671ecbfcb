// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "serial_port.hpp"

#include <fcntl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "pqc_tunnel/net/sockets.hpp"

namespace pqc_tunnel
{

namespace
{

constexpr std::array<std::pair<std::uint32_t, speed_t>, 14> speeds{
  {{1200, B1200},
   {2400, B2400},
   {4800, B4800},
   {9600, B9600},
   {19200, B19200},
   {38400, B38400},
   {57600, B57600},
   {115200, B115200},
   {230400, B230400},
   {460800, B460800},
   {500000, B500000},
   {921600, B921600},
   {1000000, B1000000},
   {1500000, B1500000}}};

bool would_block(int error) { return error == EAGAIN || error == EWOULDBLOCK || error == EINTR; }

}  // namespace

Result<FileDescriptor> open_serial(const std::string & device, std::uint32_t baud)
{
  const auto speed = std::find_if(
    speeds.begin(), speeds.end(), [baud](const auto & one) { return one.first == baud; });
  if (speed == speeds.end()) {
    return fail(
      ErrorCode::invalid_argument,
      std::to_string(baud) + " is not a usual baud rate of serial devices.");
  }
  FileDescriptor fd(::open(device.c_str(), O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC));
  if (!fd) {
    const int error = errno;
    return fail(
      error == EACCES ? ErrorCode::permission : ErrorCode::unavailable,
      "The serial device " + device + " doesn't open (" + error_text(error) + ").");
  }
  termios line{};
  if (tcgetattr(fd.get(), &line) != 0) {
    return fail(ErrorCode::invalid_argument, device + " is not a serial device.");
  }
  cfmakeraw(&line);
  line.c_cflag = CS8 | CREAD | CLOCAL;
  line.c_iflag = IGNBRK;
  // A read of nothing fails with EAGAIN, so that 0 means a hang-up.
  line.c_cc[VMIN] = 1;
  line.c_cc[VTIME] = 0;
  cfsetspeed(&line, speed->second);
  termios now{};
  if (
    tcsetattr(fd.get(), TCSANOW, &line) != 0 || tcgetattr(fd.get(), &now) != 0 ||
    cfgetospeed(&now) != speed->second)
  {
    return fail(
      ErrorCode::unavailable,
      "The serial device " + device + " refuses " + std::to_string(baud) + " baud.");
  }
  tcflush(fd.get(), TCIOFLUSH);
  return fd;
}

SerialPort::SerialPort(std::string device, std::uint32_t baud)
: device_(std::move(device)), baud_(baud)
{
}

Result<void> SerialPort::open()
{
  close();
  auto opened = open_serial(device_, baud_);
  if (!opened) return tl::make_unexpected(opened.error());
  fd_ = std::move(*opened);
  return {};
}

void SerialPort::close()
{
  fd_.reset();
  waiting_.clear();
}

std::size_t SerialPort::read(MutableBytes into)
{
  if (!is_open() || into.empty()) return 0;
  const auto size = ::read(fd_.get(), into.data(), into.size());
  if (size > 0) return static_cast<std::size_t>(size);
  if (size == 0 || !would_block(errno)) close();
  return 0;
}

bool SerialPort::write(ByteView frame)
{
  if (!is_open() || wants_write()) return false;
  waiting_.assign(frame.begin(), frame.end());
  flush();
  return is_open();
}

void SerialPort::flush()
{
  if (!is_open() || waiting_.empty()) return;
  const auto size = ::write(fd_.get(), waiting_.data(), waiting_.size());
  if (size >= 0) {
    waiting_.erase(waiting_.begin(), waiting_.begin() + size);
  } else if (!would_block(errno)) {
    close();
  }
}

}  // namespace pqc_tunnel
