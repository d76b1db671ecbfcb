// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TOOLS__LINK_EMULATOR__SERIAL_RELAY_HPP_
#define PQC_TOOLS__LINK_EMULATOR__SERIAL_RELAY_HPP_

#include <array>
#include <filesystem>

#include "pqc_tunnel/base/result.hpp"
#include "pqc_tunnel/net/poller.hpp"
#include "pqc_tunnel/os/file_descriptor.hpp"
#include "relay.hpp"

namespace pqc_tunnel::link_emulator
{

// A serial device for the program at an end of the link: a pseudo terminal behind a symbolic link, which is removed
// with it.
class SerialDevice
{
public:
  // Fails if something other than a symbolic link is at the path.
  static Result<SerialDevice> create(const std::filesystem::path & path);
  SerialDevice(SerialDevice &&) = default;
  SerialDevice & operator=(SerialDevice &&) = delete;
  ~SerialDevice();

  int fd() const { return far_end_.get(); }

private:
  SerialDevice(std::filesystem::path path, FileDescriptor far_end, FileDescriptor near_end)
  : path_(std::move(path)), far_end_(std::move(far_end)), near_end_(std::move(near_end))
  {
  }

  std::filesystem::path path_;
  FileDescriptor far_end_;
  FileDescriptor near_end_;  // keeps the device while nobody else has it open
};

// A pair of serial radios. It sends bytes as they come, in packets of at most the MTU, which the channel treats like
// datagrams.
class SerialRelay : public Relay
{
public:
  SerialRelay(Link & link, Poller & poller, SerialDevice drone, SerialDevice ground);

  void handle_readable(Side side, Instant now) override;

protected:
  void send_due(Side from, Instant now) override;

private:
  std::array<SerialDevice, 2> devices_;
  std::array<std::size_t, 2> packet_bytes_;
};

}  // namespace pqc_tunnel::link_emulator

#endif  // PQC_TOOLS__LINK_EMULATOR__SERIAL_RELAY_HPP_
