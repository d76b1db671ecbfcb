// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef SUPPORT__SERIAL_WIRE_HPP_
#define SUPPORT__SERIAL_WIRE_HPP_

#include <array>
#include <atomic>
#include <filesystem>
#include <thread>

#include "os/file_descriptor.hpp"
#include "support/scratch_dir.hpp"

namespace pqc_tunnel::test
{

// Two serial devices that are connected with each other: pseudo terminals behind symbolic links.
class SerialWire
{
public:
  SerialWire();
  ~SerialWire();
  SerialWire(const SerialWire &) = delete;
  SerialWire & operator=(const SerialWire &) = delete;

  // 0 and 1.
  std::filesystem::path device(std::size_t end) const
  {
    return folder_ / ("tty" + std::to_string(end));
  }
  // While it is cut, what is sent is lost.
  void cut(bool is_cut) { is_cut_ = is_cut; }
  // While it is garbled, what arrives is as useless as at another baud rate.
  void garble(bool is_garbled) { is_garbled_ = is_garbled; }
  // Both devices vanish, until they are plugged in.
  void unplug();
  void plug_in();

private:
  void work();

  ScratchDir folder_;
  std::array<FileDescriptor, 2> far_;
  std::atomic<bool> is_cut_{false};
  std::atomic<bool> is_garbled_{false};
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

}  // namespace pqc_tunnel::test

#endif  // SUPPORT__SERIAL_WIRE_HPP_
