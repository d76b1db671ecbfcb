// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "serial_port.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "os/processes.hpp"
#include "sockets.hpp"

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

tl::unexpected<Error> unavailable(const std::string & sentence)
{
  return fail(ErrorCode::unavailable, sentence);
}

tl::unexpected<Error> in_use(const std::string & device)
{
  const auto holders = holders_of(device);
  const std::string begin = "The serial device " + device + " is in use by ";
  if (holders.empty()) {
    return unavailable(
      begin + "another program: end it (sudo fuser -v " + device +
      " names it), or use another device.");
  }
  const bool is_manager = holders.front().name == "ModemManager";
  return unavailable(
    begin + to_string(holders.front()) + ": end it" +
    (is_manager ? " (sudo systemctl disable --now ModemManager)" : "") +
    ", or use another device.");
}

tl::unexpected<Error> not_opened(const std::string & device, int error)
{
  if (error == EBUSY) {
    return in_use(device);
  }
  const std::string why = "The serial device " + device + " doesn't open: " + error_text(error);
  return error == EACCES
           ? fail(ErrorCode::permission, why + "; its users are in a group, usually dialout.")
           : unavailable(why + ".");
}

// Takes the device for this process. The lock keeps out programs that respect locks, and exclusive mode those of users
// other than root. The list of processes shows programs that have it open already, or run as root.
Result<void> take(int fd, const std::string & device)
{
  if (::flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    return in_use(device);
  }
  if (!holders_of(device).empty()) {
    return in_use(device);
  }
  ::ioctl(fd, TIOCEXCL);
  return {};
}

Result<void> set_up(int fd, const std::string & device, std::pair<std::uint32_t, speed_t> rate)
{
  termios line{};
  tcgetattr(fd, &line);
  cfmakeraw(&line);
  line.c_cflag = CS8 | CREAD | CLOCAL;
  line.c_iflag = IGNBRK;
  // A read without bytes fails with EAGAIN, so that 0 means a hang-up.
  line.c_cc[VMIN] = 1;
  line.c_cc[VTIME] = 0;
  cfsetspeed(&line, rate.second);
  termios now{};
  if (
    tcsetattr(fd, TCSANOW, &line) != 0 || tcgetattr(fd, &now) != 0 ||
    cfgetospeed(&now) != rate.second)
  {
    return unavailable(
      "The serial device " + device + " refuses " + std::to_string(rate.first) + " baud.");
  }
  tcflush(fd, TCIOFLUSH);
  return {};
}

}  // namespace

SerialPort::SerialPort(std::string device, std::uint32_t baud)
: device_(std::move(device)), baud_(baud)
{
}

Result<void> SerialPort::open()
{
  close();
  const auto * const rate = std::ranges::find(speeds, baud_, [](auto one) { return one.first; });
  if (rate == speeds.end()) {
    return fail(
      ErrorCode::invalid_argument,
      std::to_string(baud_) + " is not a usual baud rate of serial devices.");
  }
  FileDescriptor fd(::open(device_.c_str(), O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC));
  if (!fd) {
    return not_opened(device_, errno);
  }
  if (::isatty(fd.get()) == 0) {
    return fail(ErrorCode::invalid_argument, device_ + " is not a serial device.");
  }
  auto taken = take(fd.get(), device_);
  if (!taken) {
    return taken;
  }
  fd_ = std::move(fd);
  auto ready = set_up(fd_.get(), device_, *rate);
  if (!ready) {
    close();
  }
  return ready;
}

void SerialPort::close()
{
  if (fd_) {
    ::ioctl(fd_.get(), TIOCNXCL);  // a pseudo terminal would stay exclusive
    fd_.reset();
  }
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
