// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "net/serial_port.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <stdlib.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <memory>
#include <numeric>

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
       {std::pair{57600U, B57600}, {115200U, B115200}, {921600U, B921600}})
  {
    const auto fd = open_serial(line.device(), baud);
    ASSERT_TRUE(fd) << fd.error().message;
    termios now{};
    ASSERT_EQ(tcgetattr(fd->get(), &now), 0);
    EXPECT_EQ(cfgetospeed(&now), speed);
    EXPECT_EQ(cfgetispeed(&now), speed);
  }
}

TEST(SerialPort, what_cannot_be_opened_is_named_in_a_sentence)
{
  const Line line;
  const auto baud = open_serial(line.device(), 57601);
  ASSERT_FALSE(baud);
  EXPECT_EQ(baud.error().message, "57601 is not a usual baud rate of serial devices.");
  const auto null = open_serial("/dev/null", 57600);
  ASSERT_FALSE(null);
  EXPECT_EQ(null.error().message, "/dev/null is not a serial device.");
  const auto nothing = open_serial("/dev/nothing", 57600);
  ASSERT_FALSE(nothing);
  EXPECT_EQ(nothing.error().code, ErrorCode::unavailable);
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
