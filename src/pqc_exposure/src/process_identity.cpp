// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "process_identity.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace pqc_tunnel::exposure
{

namespace
{

std::string_view file_name(std::string_view path)
{
  return path.substr(path.rfind('/') + 1);  // npos + 1 is 0
}

std::string lower_case(std::string_view text)
{
  std::string lower(text);
  std::ranges::transform(
    lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

// The first match counts: the RMW implementation of a ROS process precedes libraries that others load.
constexpr std::array<std::pair<std::string_view, Middleware>, 8> middleware_libraries{{
  {"librmw_zenoh", Middleware::zenoh},
  {"librmw_cyclonedds", Middleware::cyclone_dds},
  {"librmw_connextdds", Middleware::connext},
  {"libfastrtps.", Middleware::fast_dds_2},
  {"libfastdds.", Middleware::fast_dds},
  {"libddsc.", Middleware::cyclone_dds},
  {"libzenohc.", Middleware::zenoh},
  {"libnddsc", Middleware::connext},
}};

constexpr std::array<std::string_view, 3> mavlink_libraries{"libmavconn", "libmavros", "libmavsdk"};

// Names are in lower case. The AppImage of QGroundControl has the architecture in its name.
constexpr std::array<std::pair<std::string_view, MavlinkProgram>, 22> mavlink_programs{{
  {"mavros_node", MavlinkProgram::mavros},
  {"mavlink-routerd", MavlinkProgram::mavlink_router},
  {"mavproxy", MavlinkProgram::mavproxy},
  {"mavproxy.py", MavlinkProgram::mavproxy},
  {"mavproxy.mavproxy", MavlinkProgram::mavproxy},
  {"mavsdk_server", MavlinkProgram::mavsdk},
  {"px4", MavlinkProgram::autopilot},
  {"arducopter", MavlinkProgram::autopilot},
  {"arducopter-heli", MavlinkProgram::autopilot},
  {"arduplane", MavlinkProgram::autopilot},
  {"ardurover", MavlinkProgram::autopilot},
  {"ardusub", MavlinkProgram::autopilot},
  {"antennatracker", MavlinkProgram::autopilot},
  {"blimp", MavlinkProgram::autopilot},
  {"mavp2p", MavlinkProgram::other},
  {"mavlink2rest", MavlinkProgram::other},
  {"mavlink-server", MavlinkProgram::other},
  {"mavlink-camera-manager", MavlinkProgram::other},
  {"cmavnode", MavlinkProgram::other},
  {"mavrouter", MavlinkProgram::other},
  {"missionplanner.exe", MavlinkProgram::other},
  {"apmplanner2", MavlinkProgram::other},
}};

}  // namespace

MappedLibraries mapped_libraries(std::string_view maps)
{
  MappedLibraries found;
  std::size_t best = middleware_libraries.size();
  while (!maps.empty()) {
    const auto end = std::min(maps.find('\n'), maps.size());
    const std::string_view name = file_name(maps.substr(0, end));
    maps.remove_prefix(std::min(end + 1, maps.size()));
    if (!name.starts_with("lib")) {
      continue;
    }
    for (std::size_t i = 0; i < best; ++i) {
      if (name.starts_with(middleware_libraries[i].first)) {
        found.middleware = middleware_libraries[i].second;
        best = i;
      }
    }
    found.mavlink |= std::ranges::any_of(
      mavlink_libraries, [name](std::string_view one) { return name.starts_with(one); });
  }
  return found;
}

MavlinkProgram mavlink_program(std::string_view name)
{
  const std::string lower = lower_case(name);
  if (lower.starts_with("qgroundcontrol")) {
    return MavlinkProgram::qgroundcontrol;
  }
  for (const auto & [known, program] : mavlink_programs) {
    if (lower == known) {
      return program;
    }
  }
  return MavlinkProgram::none;
}

}  // namespace pqc_tunnel::exposure
