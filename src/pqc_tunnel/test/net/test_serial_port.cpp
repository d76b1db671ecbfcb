// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "net/serial_port.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <memory>
#include <numeric>
#include <thread>

#include "support/program.hpp"
#include "support/scratch_dir.hpp"

namespace pqc_tunnel
{

namespace
{

// The far end of a serial line: a pseudo terminal. Destroyed, it hangs up.
class Line
{
public:
  Line() : far_(posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC))
  {
    EXPECT_EQ(grantpt(far_.get()), 0);
    EXPECT_EQ(unlockpt(far_.get()), 0);
    std::array<char, 64> name{};
    EXPECT_EQ(ptsname_r(far_.get(), name.data(), name.size()), 0);
    device_ = name.data();
  }
  const std::string & device() const { return device_; }
  bool takes(speed_t speed) const
  {
    termios now{};
    return tcgetattr(far_.get(), &now) == 0 && cfsetspeed(&now, speed) == 0 &&
           tcsetattr(far_.get(), TCSANOW, &now) == 0 && tcgetattr(far_.get(), &now) == 0 &&
           cfgetospeed(&now) == speed;
  }
  int fd() const { return far_.get(); }

private:
  FileDescriptor far_;
  std::string device_;
};

bool await(int fd, short events)
{
  pollfd waiting{fd, events, 0};
  return ::poll(&waiting, 1, 10'000) == 1;
}

Bytes every_byte()
{
  Bytes bytes(256);
  std::iota(bytes.begin(), bytes.end(), std::uint8_t{0});
  return bytes;
}

// Writes at the far end, and reads here until as much has come.
Bytes carried_to(SerialPort & port, const Line & line, const Bytes & sent)
{
  EXPECT_EQ(::write(line.fd(), sent.data(), sent.size()), static_cast<ssize_t>(sent.size()));
  Bytes received;
  std::array<std::uint8_t, 100> piece{};
  while (received.size() < sent.size() && port.is_open() && await(port.fd(), POLLIN)) {
    const auto size = port.read(piece);
    received.insert(
      received.end(), piece.begin(), piece.begin() + static_cast<std::ptrdiff_t>(size));
  }
  return received;
}

TEST(SerialPort, every_byte_passes_unchanged_both_ways)
{
  const Line line;
  SerialPort port(line.device(), 57600);
  ASSERT_TRUE(port.open());
  EXPECT_EQ(carried_to(port, line, every_byte()), every_byte());
  ASSERT_TRUE(port.write(every_byte()));
  Bytes received(256);
  ASSERT_TRUE(await(line.fd(), POLLIN));
  EXPECT_EQ(::read(line.fd(), received.data(), received.size()), 256);
  EXPECT_EQ(received, every_byte());
}

TEST(SerialPort, the_baud_rate_is_set)
{
  const Line line;
  for (const auto & [baud, speed] :
       {std::pair<unsigned, speed_t>{57600, B57600}, {115200, B115200}, {921600, B921600}})
  {
    if (!Line().takes(speed)) {
      GTEST_SKIP() << "this system has no terminals with " << baud << " baud";
    }
    SerialPort port(line.device(), baud);
    const auto opened = port.open();
    ASSERT_TRUE(opened) << opened.error().message;
    termios now{};
    ASSERT_EQ(tcgetattr(port.fd(), &now), 0);
    EXPECT_EQ(cfgetospeed(&now), speed);
    EXPECT_EQ(cfgetispeed(&now), speed);
  }
}

std::string refusal(const std::string & device, std::uint32_t baud = 57600)
{
  const auto opened = SerialPort(device, baud).open();
  return opened ? "opened" : opened.error().message;
}

TEST(SerialPort, what_cannot_be_opened_is_named_in_a_sentence)
{
  const Line line;
  EXPECT_EQ(refusal(line.device(), 57601), "57601 is not a usual baud rate of serial devices.");
  EXPECT_EQ(refusal("/dev/null"), "/dev/null is not a serial device.");
  EXPECT_EQ(
    refusal("/dev/nothing"),
    "The serial device /dev/nothing doesn't open: No such file or directory.");
}

TEST(SerialPort, a_device_that_another_program_has_is_not_touched_and_the_program_is_named)
{
  const Line line;
  for (const std::string lock : {"", "flock --exclusive 3;"}) {
    const Program other(
      "/bin/sh", {"-c", "exec 3<>" + line.device() + "; " + lock + " echo open; read line <&3"});
    while (other.output().empty()) {
      std::this_thread::yield();
    }
    EXPECT_EQ(
      refusal(line.device()), "The serial device " + line.device() + " is in use by sh (pid " +
                                std::to_string(other.id()) + "): end it, or use another device.");
  }
  EXPECT_EQ(refusal(line.device()), "opened");
}

TEST(SerialPort, a_pseudo_terminal_that_its_maker_keeps_open_is_free)
{
  const Program maker(
    "/usr/bin/python3",
    {"-c",
     "import os, signal; print(os.ttyname(os.openpty()[1]), end='', flush=True); signal.pause()"});
  while (maker.output().empty()) {
    std::this_thread::yield();
  }
  EXPECT_EQ(refusal(maker.output()), "opened");
}

TEST(SerialPort, a_device_is_exclusive_and_locked_until_it_is_closed)
{
  const Line line;
  const FileDescriptor other(::open(line.device().c_str(), O_RDWR | O_NOCTTY | O_CLOEXEC));
  int exclusive = 0;
  if (::ioctl(other.get(), TIOCGEXCL, &exclusive) != 0 && (errno == ENOTTY || errno == ENOSYS)) {
    GTEST_SKIP() << "this system does not tell whether a terminal is exclusive (TIOCGEXCL)";
  }
  const auto is_exclusive = [&] {
    EXPECT_EQ(::ioctl(other.get(), TIOCGEXCL, &exclusive), 0);
    return exclusive != 0;
  };
  {
    SerialPort port(line.device(), 57600);
    ASSERT_TRUE(port.open());
    EXPECT_TRUE(is_exclusive());
    EXPECT_NE(::flock(other.get(), LOCK_EX | LOCK_NB), 0);
    EXPECT_TRUE(refusal(line.device()).starts_with("The serial device ")) << "a second tunnel";
  }
  EXPECT_FALSE(is_exclusive());
  EXPECT_EQ(::flock(other.get(), LOCK_EX | LOCK_NB), 0);
}

TEST(SerialPort, a_read_of_nothing_is_no_hang_up)
{
  const Line line;
  SerialPort port(line.device(), 57600);
  ASSERT_TRUE(port.open());
  std::array<std::uint8_t, 8> piece{};
  EXPECT_EQ(port.read(piece), 0);
  EXPECT_TRUE(port.is_open());
}

TEST(SerialPort, a_full_device_takes_each_accepted_frame_in_parts_and_whole)
{
  const Line line;
  SerialPort port(line.device(), 57600);
  ASSERT_TRUE(port.open());
  const Bytes frame(1000, 7);
  std::size_t accepted = 0;
  while (port.write(frame)) {
    accepted += frame.size();
    ASSERT_LT(accepted, 10'000'000) << "the device never fills";
  }
  ASSERT_TRUE(port.is_open());
  ASSERT_TRUE(port.wants_write());
  std::size_t received = 0;
  Bytes piece(4096);
  while (received < accepted && await(line.fd(), POLLIN)) {
    const auto size = ::read(line.fd(), piece.data(), piece.size());
    ASSERT_GT(size, 0);
    received += static_cast<std::size_t>(size);
    port.flush();
  }
  EXPECT_EQ(received, accepted);
  EXPECT_FALSE(port.wants_write());
  EXPECT_TRUE(port.write(frame));
}

TEST(SerialPort, a_device_that_was_unplugged_is_opened_again_when_it_is_back)
{
  const ScratchDir folder;
  const auto device = folder / "ttyRadio";
  SerialPort port(device, 57600);
  EXPECT_FALSE(port.open());
  {
    const Line line;
    std::filesystem::create_symlink(line.device(), device);
    ASSERT_TRUE(port.open());
    EXPECT_EQ(carried_to(port, line, every_byte()), every_byte());
  }
  std::array<std::uint8_t, 8> piece{};
  ASSERT_TRUE(await(port.fd(), POLLIN));
  EXPECT_EQ(port.read(piece), 0);
  EXPECT_FALSE(port.is_open());
  EXPECT_FALSE(port.write(every_byte()));

  std::filesystem::remove(device);
  EXPECT_FALSE(port.open());
  const Line line;
  std::filesystem::create_symlink(line.device(), device);
  ASSERT_TRUE(port.open());
  EXPECT_EQ(carried_to(port, line, every_byte()), every_byte());
}

TEST(SerialPort, a_write_to_an_unplugged_device_closes_the_port)
{
  auto line = std::make_unique<Line>();
  SerialPort port(line->device(), 57600);
  ASSERT_TRUE(port.open());
  line.reset();
  EXPECT_FALSE(port.write(every_byte()));
  EXPECT_FALSE(port.is_open());
  EXPECT_FALSE(port.wants_write());
}

}  // namespace

}  // namespace pqc_tunnel
