// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "show_text.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>

#include "base/shown_text.hpp"
#include "config/profiles.hpp"

namespace pqc_tunnel::cli
{

namespace
{

double number(const YAML::Node & node) { return node.as<double>(0.0); }
std::string text(const YAML::Node & node) { return shown(node.as<std::string>("")); }

std::string decimals(double value, int places)
{
  std::array<char, 48> digits{};
  std::snprintf(digits.data(), digits.size(), "%.*f", places, value);
  return digits.data();
}

std::string duration(double seconds)
{
  if (seconds < 10.0) {
    return decimals(seconds, 1) + " s";
  }
  const auto whole = static_cast<std::uint64_t>(seconds);
  if (whole < 60) {
    return std::to_string(whole) + " s";
  }
  if (whole < 3600) {
    return std::to_string(whole / 60) + " min " + std::to_string(whole % 60) + " s";
  }
  return std::to_string(whole / 3600) + " h " + std::to_string(whole / 60 % 60) + " min";
}

std::string milliseconds(const YAML::Node & seconds)
{
  const double value = number(seconds) * 1000.0;
  return decimals(value, value < 10.0 ? 1 : 0) + " ms";
}

std::string bytes(const YAML::Node & node)
{
  constexpr std::array<const char *, 4> units{"KiB", "MiB", "GiB", "TiB"};
  double value = number(node);
  if (value < 1024.0) {
    return decimals(value, 0) + " B";
  }
  std::size_t unit = 0;
  for (value /= 1024.0; value >= 1024.0 && unit + 1 < units.size(); value /= 1024.0) {
    ++unit;
  }
  return decimals(value, 2) + " " + units.at(unit);
}

std::string percent(const YAML::Node & link)
{
  return decimals(number(link["loss"]) * 100.0, 1) + " %";
}

std::string drops(const YAML::Node & counters)
{
  std::string list;
  std::uint64_t all = 0;
  for (const auto & entry : counters) {
    const auto count = entry.second.as<std::uint64_t>(0);
    all += count;
    if (count > 0) {
      list += (list.empty() ? "" : ", ") + std::to_string(count) + " " + text(entry.first);
    }
  }
  return std::to_string(all) + " dropped" + (list.empty() ? "" : " (" + list + ")");
}

std::string line(const std::string & label, const std::string & value)
{
  return "    " + label + ": " + value + "\n";
}

std::string session_text(const YAML::Node & peer)
{
  if (!peer["suite"]) {
    return "";
  }
  return line(
           "suite", text(peer["suite"]) + " (level " + text(peer["level"]) + "), epoch " +
                      text(peer["epoch"])) +
         (text(peer["protected_by"]).empty() ? ""
                                             : line("protected by", text(peer["protected_by"]))) +
         (peer["kem_library"] ? line(
                                  "computed by", "KEM " + text(peer["kem_library"]) +
                                                   ", signature " + text(peer["signature_library"]))
                              : "") +
         line("last received", duration(number(peer["last_heard_s"])) + " ago") +
         line(
           "handshake", duration(number(peer["key_age_s"])) + " ago, took " +
                          milliseconds(peer["handshake"]["total_s"]));
}

std::string fetch_text(const YAML::Node & fetch)
{
  if (fetch["ready"].as<bool>(false)) {
    return "key is there";
  }
  const std::string whole = bytes(fetch["fetch_bytes"]);
  const YAML::Node seconds = fetch["fetch_s"];
  if (const YAML::Node progress = fetch["progress"]) {
    const double fetched = number(progress);
    const std::string left =
      seconds ? ", " + duration(number(seconds) * (1.0 - fetched)) + " left" : " of " + whole;
    return "key fetched " + decimals(100.0 * fetched, 0) + " %" + left;
  }
  return "key not fetched, " + whole + (seconds ? ", " + duration(number(seconds)) : "");
}

std::string fetches_text(const YAML::Node & peer)
{
  std::string lines;
  for (const YAML::Node & fetch : peer["fetches"]) {
    lines += line(text(fetch["kem"]), fetch_text(fetch));
  }
  return lines;
}

// Of a link that is limited to a rate.
std::string rate_text(const YAML::Node & path)
{
  const std::string source = text(path["rate_source"]);
  const std::string rate = ", " + bytes(path["rate_bytes_s"]) + "/s";
  if (source == "configured") {
    return rate + " as configured";
  }
  return source == "saturation" ? rate + " as measured while it was full" : "";
}

std::string link_text(const YAML::Node & peer)
{
  if (!peer["suite"]) {
    return "";
  }
  std::string link = percent(peer["link"]) + " lost inbound";
  if (peer["remote_link"]) {
    link += ", " + percent(peer["remote_link"]) + " outbound";
  }
  if (peer["rtt_s"]) {
    link += ", round trip " + milliseconds(peer["rtt_s"]);
    link += peer["stretched"].as<bool>(false) ? " (datagrams come too late)" : "";
  }
  if (peer["paths"].size() == 1) {
    link += rate_text(peer["paths"][0]);
  }
  return line("link", link);
}

// A single link needs no line of its own.
std::string paths_text(const YAML::Node & peer)
{
  std::string lines;
  for (const YAML::Node & path : peer["paths"].size() > 1 ? peer["paths"] : YAML::Node()) {
    std::string value = text(path["state"]) + ", " + text(path["address"]);
    if (path["carries"].as<bool>(false)) {
      value += ", in use";
    }
    if (number(path["rtt_s"]) > 0) {
      value += ", round trip " + milliseconds(path["rtt_s"]) + ", " + percent(path) + " lost";
    }
    value += rate_text(path);
    value += ", " + bytes(path["bytes_in"]) + " received, " + bytes(path["bytes_out"]) + " sent";
    lines += line("link " + text(path["link"]), value);
  }
  return lines;
}

std::string peer_text(const YAML::Node & peer)
{
  const bool encrypted = peer["encrypted"].as<bool>(false);
  const YAML::Node traffic = peer["traffic"];
  std::string lines = "\n  peer: " + text(peer["name"]) + "\n";
  lines += line("state", text(peer["state"]) + (encrypted ? ", encrypted" : ", not encrypted"));
  lines += session_text(peer);
  lines += fetches_text(peer);
  lines += line("address", text(peer["address"]));
  lines += line(
    "transfer", bytes(traffic["cipher_in_bytes"]) + " received, " +
                  bytes(traffic["cipher_out_bytes"]) + " sent, " + drops(traffic["drops"]));
  lines += link_text(peer);
  lines += paths_text(peer);
  if (const std::string cause = text(peer["likely_cause"]); !cause.empty()) {
    lines += line("likely cause", cause);
  }
  if (peer["policy_silent"].as<bool>(false)) {
    lines += line("policy", "silent, nothing adapts the suite");
  }
  if (const std::string said = text(peer["said"]); !said.empty()) {
    lines += line("drone says", said);
  }
  return lines;
}

std::string ports_text(const YAML::Node & status)
{
  std::string list;
  for (const YAML::Node & link : status["links"]) {
    list += (list.empty() ? "" : ", ") + text(link["where"]);
  }
  for (const YAML::Node & port : status["ports"]["plaintext"]) {
    list += ", plaintext UDP " + text(port);
  }
  return list;
}

std::string troubles_text(const YAML::Node & links)
{
  std::string lines;
  for (const YAML::Node & link : links) {
    if (const std::string trouble = text(link["trouble"]); !trouble.empty()) {
      lines += "  link " + text(link["name"]) + ": " + trouble + "\n";
    }
  }
  return lines;
}

// Datagrams and hellos that belong to no peer.
std::string strangers_text(const YAML::Node & status)
{
  constexpr std::array<std::array<const char *, 2>, 7> kinds{{
    {"hellos_malformed", "malformed hellos"},
    {"other_versions", "hellos of another version"},
    {"unknown_drones", "hellos of unknown drones"},
    {"wrong_keys", "hellos with a wrong key"},
    {"hellos_repeated", "repeated hellos"},
    {"hellos_over_limit", "hellos over the limit"},
    {"hellos_discarded", "hellos not looked at"},
  }};
  const std::string datagrams = drops(status["unassigned_drops"]);
  std::string list = datagrams.starts_with("0 ") ? "" : "datagrams " + datagrams;
  for (const auto & [key, meaning] : kinds) {
    if (const auto count = status[key].as<std::uint64_t>(0); count > 0) {
      list += (list.empty() ? "" : ", ") + std::to_string(count) + " " + meaning;
    }
  }
  return list.empty() ? "" : "  strangers: " + list + "\n";
}

}  // namespace

bool is_up(const YAML::Node & status)
{
  const YAML::Node peers = status["peers"];
  return peers.size() > 0 && std::all_of(peers.begin(), peers.end(), [](const YAML::Node & peer) {
           return peer["encrypted"].as<bool>(false);
         });
}

std::string show_text(const std::string & tunnel, const YAML::Node & status)
{
  const bool is_drone = text(status["role"]) == "drone";
  std::string lines = "tunnel: " + tunnel + "\n";
  lines += "  role: " + std::string(is_drone ? "drone" : "ground station") + " (" +
           text(status["program"]) + " " + text(status["version"]) + ", protocol " +
           text(status["protocol"]) + ")\n";
  const std::string profile = text(status["profile"]);
  lines += profile.empty() || profile == "default" ? "" : "  profile: " + profile + "\n";
  if (const YAML::Node aes = status["aes_instructions"]; aes && !aes.as<bool>(true)) {
    lines += "  processor: without AES, so that ChaCha20-Poly1305 is faster\n";
  }
  lines += "  ports: " + ports_text(status) + "\n";
  lines += troubles_text(status["links"]);
  lines += strangers_text(status);
  for (const YAML::Node & peer : status["peers"]) {
    lines += peer_text(peer);
    const std::string validation = text(peer["validation"]);
    lines += profile == cnsa2 && !validation.empty() ? line("components", validation) : "";
  }
  return lines;
}

}  // namespace pqc_tunnel::cli
