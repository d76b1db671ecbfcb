// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <cctype>
#include <cmath>
#include <iostream>

#include "config/config.hpp"
#include "given.hpp"
#include "protocol/handshake/suite_objection.hpp"
#include "tunnels.hpp"

namespace pqc_tunnel::cli
{

namespace
{

constexpr std::chrono::seconds as_long_as_it_takes{0};
constexpr const char * of_suites = "cs-";  // begins the id of every suite, and of no other word

// "NAME", "SUITE" or "NAME SUITE".
struct Target
{
  std::string tunnel;  // empty: the only one
  std::string suite;   // empty: the same
};

Result<Target> read_target(const Given & given)
{
  Target target;
  for (const std::string & word : given.words) {
    if (target.tunnel.empty() && target.suite.empty() && !word.starts_with(of_suites)) {
      target.tunnel = word;
    } else if (!target.suite.empty()) {
      return fail(ErrorCode::invalid_argument, "Name one suite, after the tunnel.");
    } else if (const auto suite = find_suite(word); !suite) {
      return fail(ErrorCode::invalid_argument, "T" + suite.error().message.substr(1));
    } else {
      target.suite = (*suite)->id;
    }
  }
  return target;
}

// " NAME" for the request; empty without --drone.
Result<std::string> read_drone(const Given & given)
{
  if (given.drones.empty()) {
    return std::string();
  }
  const std::string & drone = given.drones.back();
  if (!is_tunnel_name(drone)) {
    return fail(ErrorCode::invalid_argument, "\"" + drone + "\" is no name of a drone.");
  }
  return " " + drone;
}

// The tunnel's words as a sentence, after others or as the first ones.
std::string as_sentence(std::string words, const std::string & before = "")
{
  if (before.empty() && !words.empty()) {
    words[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(words[0])));
  }
  const bool ends = words.ends_with('.') || words.ends_with('?');
  return before + words + (ends ? "" : ".");
}

}  // namespace

Result<int> wipe(const Given & given)
{
  const auto tunnel = choose_tunnel(given.tunnel());
  if (!tunnel) {
    return tl::make_unexpected(tunnel.error());
  }
  const auto drone = read_drone(given);
  if (!drone) {
    return tl::make_unexpected(drone.error());
  }
  if (given.at_drone && drone->empty()) {
    return fail(ErrorCode::invalid_argument, "Name the drone whose keys to erase: --drone.");
  }
  const auto answer = given.at_drone ? request(*tunnel, "erase" + *drone, as_long_as_it_takes)
                                     : request(*tunnel, "wipe" + *drone);
  if (!answer) {
    return tl::make_unexpected(answer.error());
  }
  const std::string message = answer->json["message"].as<std::string>("");
  if (!answer->json["success"].as<bool>(false)) {
    return fail(ErrorCode::unavailable, as_sentence(message));
  }
  std::cout << (given.at_drone ? as_sentence(message)
                               : "The keys of the tunnel " + *tunnel + " are wiped.")
            << "\n";
  return exit_success;
}

Result<int> reload(const Given & given)
{
  const auto tunnel = choose_tunnel(given.tunnel());
  if (!tunnel) {
    return tl::make_unexpected(tunnel.error());
  }
  const auto answer = request(*tunnel, "reload", as_long_as_it_takes);
  if (!answer) {
    return tl::make_unexpected(answer.error());
  }
  const std::string message = answer->json["message"].as<std::string>("");
  if (!answer->json["success"].as<bool>(false)) {
    return fail(ErrorCode::unavailable, message);
  }
  std::cout << message << "\n";
  return exit_success;
}

Result<int> rekey(const Given & given)
{
  const auto target = read_target(given);
  if (!target) {
    return tl::make_unexpected(target.error());
  }
  const auto tunnel = choose_tunnel(target->tunnel);
  if (!tunnel) {
    return tl::make_unexpected(tunnel.error());
  }
  const auto drone = read_drone(given);
  if (!drone) {
    return tl::make_unexpected(drone.error());
  }
  const std::string kind = given.one_time_key ? "one-time-key "
                           : given.ratchet    ? "ratchet "
                                              : "rekey ";
  if (kind != "rekey " && !target->suite.empty()) {
    return fail(
      ErrorCode::invalid_argument, "A ratchet keeps the suite: leave out " + target->suite + ".");
  }
  const auto answer = request(
    *tunnel, kind + (target->suite.empty() ? "-" : target->suite) + *drone, as_long_as_it_takes);
  if (!answer) {
    return tl::make_unexpected(answer.error());
  }
  const YAML::Node & reply = answer->json;
  const bool success = reply["success"].as<bool>(false);
  if (given.json) {
    std::cout << answer->text << "\n";
    return success ? exit_success : exit_cannot_run;
  }
  if (!success) {
    return fail(
      ErrorCode::unavailable, as_sentence(reply["message"].as<std::string>(""), "No rekey: "));
  }
  const double milliseconds = reply["handshake"]["total_s"].as<double>(0.0) * 1000.0;
  std::cout << "The tunnel " << *tunnel << " has new keys: " << reply["suite"].as<std::string>("")
            << ", epoch " << reply["epoch"].as<int>(0) << ", in " << std::lround(milliseconds)
            << " ms.\n";
  return exit_success;
}

Result<int> prefetch(const Given & given)
{
  const auto target = read_target(given);
  if (!target) {
    return tl::make_unexpected(target.error());
  }
  if (target->suite.empty()) {
    return fail(ErrorCode::invalid_argument, "Name a suite: pqc prefetch [NAME] SUITE.");
  }
  const auto tunnel = choose_tunnel(target->tunnel);
  if (!tunnel) {
    return tl::make_unexpected(tunnel.error());
  }
  const auto answer = request(*tunnel, "prefetch " + target->suite);
  if (!answer) {
    return tl::make_unexpected(answer.error());
  }
  const bool success = answer->json["success"].as<bool>(false);
  const std::string message = answer->json["message"].as<std::string>("");
  if (given.json) {
    std::cout << answer->text << "\n";
    return success ? exit_success : exit_cannot_run;
  }
  if (!success) {
    return fail(ErrorCode::unavailable, as_sentence(message, "Nothing is fetched: "));
  }
  std::cout << as_sentence(message) << "\n";
  return exit_success;
}

}  // namespace pqc_tunnel::cli
