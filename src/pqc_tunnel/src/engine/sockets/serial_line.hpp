// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__ENGINE__SOCKETS__SERIAL_LINE_HPP_
#define PQC_TUNNEL__ENGINE__SOCKETS__SERIAL_LINE_HPP_

#include <cstdint>
#include <optional>
#include <string>

#include "base/bytes.hpp"
#include "link/framing/cobs.hpp"
#include "link/paths/link_settings.hpp"
#include "net/serial_port.hpp"

namespace pqc_tunnel
{

// Frames over a serial device that may be unplugged.
class SerialLine
{
public:
  SerialLine(std::string device, std::uint32_t baud) : port_(std::move(device), baud) {}

  Result<void> open()
  {
    decoder_.reset();
    handle_genuine_frame();
    return port_.open();
  }
  bool is_open() const { return port_.is_open(); }
  int fd() const { return port_.fd(); }

  // Calls take(MutableBytes) for each complete frame. Returns how many bytes were read. A hang-up closes the port.
  template <class Take>
  std::size_t receive(Take && take)
  {
    const ByteView all(read_.data(), port_.read(read_));
    ByteView line = all;
    unframed_ += all.size();
    while (const auto frame = decoder_.next(line)) {
      if (frame->size() >= sealed_overhead) {
        unframed_ = 0;
      }
      frame_.assign(frame->begin(), frame->end());
      take(MutableBytes(frame_));
    }
    return all.size();
  }

  // Returns false if the port is closed or the last frame has not left yet.
  bool send(ByteView frame)
  {
    line_.clear();
    append_cobs(frame, line_);
    return port_.write(line_);
  }
  void flush() { port_.flush(); }
  bool wants_write() const { return port_.wants_write(); }
  std::uint64_t malformed() const { return decoder_.malformed(); }

  // A frame has proved to be a tunnel's.
  void handle_genuine_frame()
  {
    unframed_ = 0;
    malformed_before_ = decoder_.malformed();
  }
  // True if bytes arrive that no tunnel can have sent in this way. A line that loses nine of ten frames is not noisy.
  bool is_noisy() const
  {
    return malformed() - malformed_before_ >= noisy_frames || unframed_ >= noisy_bytes;
  }

private:
  static constexpr std::size_t max_frame = 1500;
  static constexpr std::uint64_t noisy_frames = 10;
  static constexpr std::size_t noisy_bytes = 4 * max_frame;

  SerialPort port_;
  CobsDecoder decoder_{max_frame};
  std::uint64_t malformed_before_ = 0;  // at the last genuine frame
  std::size_t unframed_ = 0;            // bytes since the last frame of sufficient length
  Bytes read_ = Bytes(4096);
  Bytes frame_;
  Bytes line_;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__ENGINE__SOCKETS__SERIAL_LINE_HPP_
