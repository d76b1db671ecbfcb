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

// A serial line, raw and 8N1 without flow control, that may be unplugged and plugged in again.
class SerialPort
{
public:
  SerialPort(std::string device, std::uint32_t baud);
  SerialPort(SerialPort &&) = default;
  SerialPort & operator=(SerialPort &&) = default;
  ~SerialPort() { close(); }

  // Opens the device, or opens it again after a hang-up; bytes of before are forgotten. No other program may have it.
  // Errors are sentences: no such device, no right, in use, not a serial device, a baud rate that it cannot have.
  Result<void> open();
  bool is_open() const { return static_cast<bool>(fd_); }
  int fd() const { return fd_.get(); }

  // Reads what there is; returns how many bytes. A hang-up closes the port.
  std::size_t read(MutableBytes into);

  // Sends a frame. The part that the device doesn't take waits for flush(). False if the port is closed or an earlier
  // frame waits: the frame is not sent.
  bool write(ByteView frame);
  // Sends what waits, when the device is writable. A hang-up closes the port.
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
