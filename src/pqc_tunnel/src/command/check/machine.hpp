// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__COMMAND__CHECK__MACHINE_HPP_
#define PQC_TUNNEL__COMMAND__CHECK__MACHINE_HPP_

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "end.hpp"
#include "os/processes.hpp"

namespace pqc_tunnel::cli
{

// What this machine gives a tunnel, and what the doctor says of it. Reading and judging are apart, so that a test can
// give each fault. Nothing here opens a device.

struct MachineRoots
{
  std::filesystem::path proc = "/proc";
  std::filesystem::path sys = "/sys";
};

// --- Clock ---

struct ClockState
{
  std::chrono::system_clock::time_point now;
  std::chrono::milliseconds stepped{};  // against the monotonic clock, while the doctor looked
  bool synchronised = true;
  std::string source;  // empty: unknown
};
// Measures how much the real-time clock is set between its making and look().
class ClockWatch
{
public:
  ClockWatch();
  ClockState look(const MachineRoots & roots) const;

private:
  std::chrono::nanoseconds difference_;
};
void check_clock(const ClockState & state, Findings & findings);

// --- Rights ---

struct Rights
{
  std::string program;  // whose
  std::string user;
  std::uint64_t capabilities = 0;
  std::uint64_t priority = 0;                 // the highest one
  std::optional<std::uint64_t> lock_bytes;    // none: any number
  std::optional<std::uint64_t> buffer_bytes;  // the longest receive buffer; none: unknown
};
// Returns the rights of a process; 0: this one. Returns nothing if they are hidden.
std::optional<Rights> read_rights(const MachineRoots & roots, int pid);
void check_rights(const Rights & rights, const PacketThreadConfig & wanted, Findings & findings);

// --- Packet size ---

// Checks that what leaves over each link is not longer than interface and routes take. `peers`: "HOST:PORT" of those
// that are known.
void check_mtu(const End & end, const MachineRoots & roots, Findings & findings);
// `carried`: the longest IP packet that leaves for `where`.
void check_mtu(
  const std::string & where, std::int64_t configured, std::int64_t carried, Findings & findings);

// --- Serial devices ---

struct SerialDevice
{
  std::string name;    // of /dev
  std::string driver;  // empty: unknown
  std::vector<RunningProgram> holders;
};
std::vector<SerialDevice> read_serial_devices(const MachineRoots & roots);
// `running`: this configuration's tunnel runs.
void check_serial(
  const EngineConfig & config, bool running, const std::vector<SerialDevice> & devices,
  const MachineRoots & roots, Findings & findings);

// --- Processor ---

struct Governor
{
  std::string name;
  std::string driver;
  std::string available;  // names, separated by blanks
  std::size_t processors = 0;
};
std::vector<Governor> read_governors(const MachineRoots & roots);
void check_power(const std::vector<Governor> & governors, Findings & findings);

}  // namespace pqc_tunnel::cli

#endif  // PQC_TUNNEL__COMMAND__CHECK__MACHINE_HPP_
