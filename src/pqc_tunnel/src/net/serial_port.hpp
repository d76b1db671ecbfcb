// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__NET__SERIAL_PORT_HPP_
#define PQC_TUNNEL__NET__SERIAL_PORT_HPP_

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "os/file_descriptor.hpp"

namespace pqc_tunnel
{

// A raw serial line, 8N1 without flow control, that may be unplugged and plugged in again.
class SerialPort
{
public:
  SerialPort(std::string device, std::uint32_t baud);
  SerialPort(SerialPort &&) = default;
  SerialPort & operator=(SerialPort &&) = default;
  ~SerialPort() { close(); }

  // Opens the device, or reopens it after a hang-up, and discards earlier bytes. No other program may have it open.
  // Errors are sentences: no such device, no right, in use, not a serial device, a baud rate that it does not support.
  Result<void> open();
  bool is_open() const { return static_cast<bool>(fd_); }
  int fd() const { return fd_.get(); }

  // Reads the available bytes and returns their number. A hang-up closes the port.
  std::size_t read(MutableBytes into);

  // Sends a frame. The part that the device does not take waits for flush(). Returns false, and sends nothing, if the
  // port is closed or an earlier frame waits.
  bool write(ByteView frame);
  // Sends the waiting bytes. Call it when the device is writable. A hang-up closes the port.
  void flush();
  bool wants_write() const { return !waiting_.empty(); }

private:
  void close();

  std::string device_;
  std::uint32_t baud_;
  FileDescriptor fd_;
  Bytes waiting_;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__NET__SERIAL_PORT_HPP_
