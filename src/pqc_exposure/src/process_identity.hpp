// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_EXPOSURE__PROCESS_IDENTITY_HPP_
#define PQC_EXPOSURE__PROCESS_IDENTITY_HPP_

#include <cstdint>
#include <string>
#include <string_view>

namespace pqc_tunnel::exposure
{

// Identifies a process by its name and by the libraries that it has mapped.

// The middleware of a process. The major version of Fast DDS matters because it decides the name of its environment
// variable.
enum class Middleware : std::uint8_t
{
  none,
  fast_dds_2,
  fast_dds,
  cyclone_dds,
  connext,
  zenoh,
};

struct MappedLibraries
{
  Middleware middleware = Middleware::none;
  bool mavlink = false;  // libmavconn, libmavros, libmavsdk
};

// `maps`: the text of /proc/PID/maps.
MappedLibraries mapped_libraries(std::string_view maps);

// Programs whose sockets carry MAVLink.
enum class MavlinkProgram : std::uint8_t
{
  none,
  mavros,
  mavlink_router,
  mavproxy,
  mavsdk,
  qgroundcontrol,
  autopilot,  // PX4 or ArduPilot, in simulation or on Linux
  other,
};

MavlinkProgram mavlink_program(std::string_view name);

}  // namespace pqc_tunnel::exposure

#endif  // PQC_EXPOSURE__PROCESS_IDENTITY_HPP_
