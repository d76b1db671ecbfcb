// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "process_identity.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>
#include <vector>

namespace pqc_tunnel
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

std::vector<std::string_view> split_words(std::string_view command_line)
{
  std::vector<std::string_view> words;
  while (!command_line.empty()) {
    const auto end = std::min(command_line.find('\0'), command_line.size());
    words.push_back(command_line.substr(0, end));
    command_line.remove_prefix(std::min(end + 1, command_line.size()));
  }
  return words;
}

bool is_interpreter(std::string_view name)
{
  return name.starts_with("python") || name.starts_with("pypy") || name.starts_with("mono");
}

// Empty if the program comes from the command line itself or from standard input.
std::string_view script_of(const std::vector<std::string_view> & words)
{
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (word == "-c") {
      return {};
    }
    if (word == "-m") {
      return i + 1 < words.size() ? words[i + 1] : std::string_view();
    }
    if (word == "-W" || word == "-X") {
      ++i;  // its value
    } else if (!word.starts_with('-')) {
      return word;
    }
  }
  return {};
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

// In lower case. The AppImage of QGroundControl has the architecture in its name.
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

bool is_tunnel(std::string_view name) { return name == tunnel_node_name || name == "pqc_tunneld"; }

std::string program_name(std::string_view short_name, std::string_view command_line)
{
  while (short_name.ends_with('\n')) {
    short_name.remove_suffix(1);
  }
  const auto words = split_words(command_line);
  if (words.empty()) {
    return std::string(short_name);
  }
  const std::string_view program = file_name(words[0]);
  if (is_interpreter(program)) {
    const std::string_view script = file_name(script_of(words));
    return std::string(script.empty() ? program : script);
  }
  // Some programs overwrite their command line with their state.
  const bool plain = !program.empty() && program.find(' ') == std::string_view::npos;
  return std::string(plain ? program : short_name);
}

}  // namespace pqc_tunnel
