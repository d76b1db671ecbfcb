// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "serial_relay.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <system_error>
#include <utility>

namespace pqc_tunnel::link_emulator
{

namespace
{

constexpr std::size_t read_bytes = 4096;  // the buffer of a pseudo terminal

std::size_t packet_bytes(const ChannelSettings & settings)
{
  const std::size_t overhead = std::min(settings.overhead_bytes, settings.mtu_bytes - 1);
  return settings.mtu_bytes - overhead;
}

}  // namespace

Result<SerialDevice> SerialDevice::create(const std::filesystem::path & path)
{
  const auto refuse = [&path](const std::string & reason) {
    return fail(
      ErrorCode::unavailable, "The serial device " + path.string() + " can't be made: " + reason);
  };
  FileDescriptor far_end(::posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC));
  std::array<char, 128> name{};
  if (
    !far_end || ::grantpt(far_end.get()) != 0 || ::unlockpt(far_end.get()) != 0 ||
    ::ptsname_r(far_end.get(), name.data(), name.size()) != 0)
  {
    return refuse("the system has no pseudo terminal left.");
  }
  FileDescriptor near_end(::open(name.data(), O_RDWR | O_NOCTTY | O_CLOEXEC));
  termios settings{};
  if (!near_end || ::tcgetattr(near_end.get(), &settings) != 0) {
    return refuse("its pseudo terminal can't be opened.");
  }
  ::cfmakeraw(&settings);  // otherwise it would echo
  ::tcsetattr(near_end.get(), TCSANOW, &settings);

  std::error_code error;
  if (std::filesystem::is_symlink(path, error)) {
    std::filesystem::remove(path, error);
  } else if (std::filesystem::exists(path, error)) {
    return refuse("there is a file already.");
  }
  std::filesystem::create_symlink(name.data(), path, error);
  if (error) {
    return refuse(error.message() + ".");
  }
  return SerialDevice(path, std::move(far_end), std::move(near_end));
}

SerialDevice::~SerialDevice()
{
  if (far_end_) {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
}

SerialRelay::SerialRelay(Link & link, Poller & poller, SerialDevice drone, SerialDevice ground)
: Relay(link),
  devices_{std::move(drone), std::move(ground)},
  packet_bytes_{packet_bytes(link.settings(Side::drone)), packet_bytes(link.settings(Side::ground))}
{
  for (const Side side : both_sides) {
    poller.add(devices_[index(side)].fd(), {Source::link, index(side)}, EPOLLIN);
  }
}

void SerialRelay::handle_readable(Side side, Instant now)
{
  std::array<std::uint8_t, read_bytes> buffer;
  const ssize_t count = ::read(devices_[index(side)].fd(), buffer.data(), buffer.size());
  ByteView rest(buffer.data(), count > 0 ? static_cast<std::size_t>(count) : 0);
  while (!rest.empty()) {
    const std::size_t size = std::min(rest.size(), packet_bytes_[index(side)]);
    channels_[index(side)].handle_datagram(rest.first(size), now);
    rest = rest.subspan(size);
  }
}

void SerialRelay::send_due(Side from, Instant now)
{
  const int fd = devices_[index(opposite(from))].fd();
  while (const auto delivery = channels_[index(from)].poll_delivery(now)) {
    const ssize_t written = ::write(fd, delivery->bytes.data(), delivery->bytes.size());
    if (written != static_cast<ssize_t>(delivery->bytes.size())) {
      ++counters_[index(from)].unsent;
    }
  }
}

}  // namespace pqc_tunnel::link_emulator
