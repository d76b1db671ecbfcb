// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "tunnels.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <utility>

#include "base/nearest_name.hpp"
#include "command_line/words.hpp"
#include "config/config.hpp"
#include "control/control_folder.hpp"
#include "control/control_socket.hpp"
#include "os/processes.hpp"

namespace pqc_tunnel::cli
{

namespace
{

namespace fs = std::filesystem;

fs::path config_folder()
{
  const char * const given = std::getenv("PQC_CONFIG_DIR");  // NOLINT(concurrency-mt-unsafe)
  return given == nullptr || *given == '\0' ? "/etc/pqc" : given;
}

std::vector<std::string> names_in(const fs::path & folder, const std::string & extension)
{
  std::vector<std::string> names;
  std::error_code error;
  for (auto entry = fs::directory_iterator(folder, error);
       !error && entry != fs::directory_iterator(); entry.increment(error))
  {
    if (entry->path().extension() == extension && is_tunnel_name(entry->path().stem().string())) {
      names.push_back(entry->path().stem().string());
    }
  }
  std::ranges::sort(names);
  return names;
}

// The end of a sentence about what is not up; it names a tunnel of another user, which this one may not ask.
std::string as_this_user()
{
  if (std::getenv("PQC_RUN_DIR") != nullptr) {  // NOLINT(concurrency-mt-unsafe)
    return ".";
  }
  for (const RunningProgram & program : programs_named(is_tunnel)) {
    if (program.user != ::geteuid()) {
      const std::string user = user_name(program.user);
      const bool of_service = program.user == 0 || user == service_user;
      return " as this user; " + to_string(program) + " runs as " + user + ": use sudo" +
             (of_service ? "." : " -u " + user + ".");
    }
  }
  std::error_code ignored;
  const bool sees_others = ::geteuid() == 0 || std::ifstream("/proc/1/comm").good();
  return sees_others || !fs::exists(service_folder, ignored)
           ? "."
           : " as this user; sudo shows those in " + std::string(service_folder) + ".";
}

}  // namespace

fs::path config_path(const std::string & tunnel) { return config_folder() / (tunnel + ".yaml"); }

std::vector<std::string> configured_tunnels() { return names_in(config_folder(), ".yaml"); }

Result<std::vector<std::string>> running_tunnels()
{
  std::error_code error;
  if (!fs::exists(fs::symlink_status(control_folder(), error))) {
    return std::vector<std::string>();
  }
  if (const auto checked = check_control_folder(); !checked) {
    return tl::make_unexpected(checked.error());
  }
  return names_in(control_folder(), ".sock");
}

std::string no_tunnel_is_up() { return "No tunnel is up" + as_this_user(); }

Error no_such_tunnel(const std::string & name, const std::vector<std::string> & known)
{
  return {
    ErrorCode::unavailable,
    "There is no tunnel \"" + name + "\"" +
      (known.empty() ? ": " + config_path(name).string() + " would configure one."
                     : suggestion(name, known))};
}

Result<std::string> choose_tunnel(const std::string & given)
{
  const auto running = running_tunnels();
  if (!running) {
    return tl::make_unexpected(running.error());
  }
  if (!given.empty() && std::ranges::count(*running, given) > 0) {
    return given;
  }
  if (!given.empty()) {
    auto known = configured_tunnels();
    if (std::ranges::count(known, given) > 0) {
      return fail(ErrorCode::unavailable, "The tunnel " + given + " is not up" + as_this_user());
    }
    known.insert(known.end(), running->begin(), running->end());
    return tl::make_unexpected(no_such_tunnel(given, known));
  }
  if (running->empty()) {
    return fail(ErrorCode::unavailable, no_tunnel_is_up());
  }
  if (running->size() > 1) {
    return fail(
      ErrorCode::invalid_argument, "Several tunnels are up: name one of " + join(*running) + ".");
  }
  return running->front();
}

Result<YAML::Node> peer_of(const YAML::Node & status, const std::string & drone)
{
  const YAML::Node peers = status["peers"];
  if (drone.empty() && peers.size() > 1) {
    return fail(
      ErrorCode::invalid_argument,
      "This ground station has several drones: name one with --drone.");
  }
  std::vector<std::string> names;
  for (const YAML::Node & peer : peers) {
    names.push_back(peer["name"].as<std::string>(""));
    if (drone.empty() || names.back() == drone) {
      return peer;
    }
  }
  return fail(
    ErrorCode::invalid_argument, "This tunnel has no drone " + drone + suggestion(drone, names));
}

Result<Answer> request(
  const std::string & tunnel, const std::string & line, std::chrono::seconds limit)
{
  auto text = ask(control_path(tunnel), line, limit);
  if (!text) {
    return tl::make_unexpected(text.error());
  }
  try {
    const YAML::Node json = YAML::Load(*text);  // JSON is YAML
    return Answer{std::move(*text), json};
  } catch (const YAML::Exception &) {
    return fail(
      ErrorCode::internal, "The tunnel " + tunnel + " answers in a form that is not JSON.");
  }
}

}  // namespace pqc_tunnel::cli
