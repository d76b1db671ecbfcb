// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "mavlink_ports.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace pqc_tunnel
{

namespace
{

struct PortRange  // both ends included
{
  std::uint16_t first;
  std::uint16_t last;
  const char * program;  // null: this tunnel, by its shipped parameter files
  bool mavlink = true;
};

constexpr const char * px4 = "PX4 in simulation";
constexpr const char * ardupilot = "ArduPilot in simulation";

// Sources. PX4: ROMFS/px4fmu_common/init.d-posix/px4-rc.mavlink and px4-rc.simulator, a port for each of ten instances.
// ArduPilot: "SITL Serial Mapping" in its developer's guide; ten ports further for each instance; DDS_UDP_PORT.
// MAVROS: libmavconn's udp.hpp. mavlink-router: examples/config.sample. QGroundControl listens on
// 14550 and forwards to 14445, MAVProxy sends to 14550 and 14551, MAVSDK's examples listen on 14540.
constexpr std::array udp_ranges{
  PortRange{2019, 2019, "the DDS agent of ArduPilot", false},
  PortRange{5501, 5501, ardupilot, false},  // remote control
  PortRange{8888, 8888, "the DDS agent of PX4", false},
  PortRange{9002, 9003, ardupilot, false},  // its physics
  PortRange{13030, 13039, px4},             // gimbal
  PortRange{13280, 13289, px4},             // its other end
  PortRange{14030, 14039, px4},             // camera
  PortRange{14280, 14289, px4},             // its other end
  PortRange{14401, 14401, "QGroundControl", false},
  PortRange{14445, 14445, "QGroundControl", false},  // sent to; ROS domain 28 has it, too
  PortRange{14540, 14549, px4},                      // offboard
  PortRange{
    14550, 14569, "ground programs"},  // MAVROS (14555), earlier PX4 (14556, 14557, 14560), too
  PortRange{14570, 14589, px4},        // ground station, offboard
  PortRange{14590, 14599, nullptr},
  PortRange{18570, 18579, px4},  // ground station
};
constexpr std::array tcp_ranges{
  PortRange{4560, 4569, px4},  // its physics
  PortRange{5760, 5799, "ArduPilot in simulation or mavlink-router"},
  PortRange{11345, 11345, "Gazebo", false},
  PortRange{14540, 14569, "ground programs"},
  PortRange{14590, 14599, nullptr},
};

const PortRange * range_of(Transport transport, std::uint16_t port)
{
  const std::span<const PortRange> ranges =
    transport == Transport::udp ? std::span<const PortRange>(udp_ranges) : tcp_ranges;
  const auto found = std::ranges::find_if(
    ranges, [port](const PortRange & range) { return port >= range.first && port <= range.last; });
  return found == ranges.end() ? nullptr : &*found;
}

}  // namespace

bool is_mavlink_port(Transport transport, std::uint16_t port)
{
  const PortRange * const range = range_of(transport, port);
  return range != nullptr && range->mavlink;
}

const char * usual_program(Transport transport, std::uint16_t port)
{
  const PortRange * const range = range_of(transport, port);
  return range == nullptr ? nullptr : range->program;
}

}  // namespace pqc_tunnel
