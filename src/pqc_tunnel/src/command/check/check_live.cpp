// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "base/shown_text.hpp"
#include "crypto/algorithm_resolution.hpp"
#include "live.hpp"
#include "protocol/wire/constants.hpp"

namespace pqc_tunnel::cli
{

namespace
{

std::string word(const YAML::Node & node) { return shown(node.as<std::string>("")); }
std::uint64_t count(const YAML::Node & node) { return node.as<std::uint64_t>(0); }

// Counters begin anew when a tunnel does.
std::uint64_t grown(const YAML::Node & before, const YAML::Node & after)
{
  return count(after) - std::min(count(before), count(after));
}

std::string rounded(double value) { return std::to_string(std::llround(value)); }

bool is_drone(const YAML::Node & status) { return word(status["role"]) == "drone"; }

void check_rate(
  const YAML::Node & before, const YAML::Node & after, double seconds, const std::string & source,
  Findings & findings)
{
  const auto datagrams = grown(before["plain_in_packets"], after["plain_in_packets"]);
  const auto bytes = grown(before["plain_in_bytes"], after["plain_in_bytes"]);
  if (datagrams == 0) {
    findings.add_warning(
      source + " sends nothing to plaintext_port.",
      "sudo ss -unap, and the outputs of its router or of MAVROS");
    return;
  }
  findings.add_note(
    source + " sends " + rounded(static_cast<double>(datagrams) / seconds) + " datagrams and " +
    rounded(static_cast<double>(bytes) / seconds) + " bytes a second.");
}

// A thin link leaves out what does not fit.
void check_shaped(
  const std::string & link, const YAML::Node & before, const YAML::Node & after,
  Findings & findings)
{
  constexpr double tolerated = 0.05;
  for (const auto & entry : after) {
    const std::string traffic = word(entry.first);
    const YAML::Node now = entry.second;
    const YAML::Node then = before[traffic];
    // A class is listed once it has been offered something.
    const auto of = [&](const char * name) {
      return then ? grown(then[name], now[name]) : count(now[name]);
    };
    const auto offered = static_cast<double>(of("offered"));
    const auto left_out = static_cast<double>(of("conflated") + of("full") + of("stale"));
    if (offered > 0 && left_out > tolerated * offered) {
      std::string sentence = "The link ";
      sentence.append(link).append(" is too thin: it leaves out ");
      sentence.append(rounded(std::min(100.0, 100.0 * left_out / offered))).append(" % of class ");
      findings.add_warning(
        sentence.append(traffic).append("."),
        "lower the stream rates: SR1_* in ArduPilot, MAV_1_RATE in PX4");
    }
  }
}

}  // namespace

void check_versions(const std::string & tunnel, const YAML::Node & status, Findings & findings)
{
  const std::string version = word(status["version"]);
  if (version != PQC_TUNNEL_VERSION) {
    findings.add_warning(
      "The tunnel " + tunnel + " still runs version " + version + ", but " + PQC_TUNNEL_VERSION +
        " is installed.",
      "pqc down " + tunnel + "; pqc up " + tunnel);
  }
  if (count(status["other_versions"]) > 0) {
    findings.add_warning(
      "Hellos of another version of the protocol than " + std::to_string(protocol_version) +
        " have come: update both ends.",
      "pqc --version");
  }
}

void check_peers(const std::string & tunnel, const YAML::Node & status, Findings & findings)
{
  for (const YAML::Node & link : status["links"]) {
    if (const std::string trouble = word(link["trouble"]); !trouble.empty()) {
      findings.add_problem("Link " + word(link["name"]) + ": " + trouble + ".", "ip -s link");
    }
  }
  for (const YAML::Node & peer : status["peers"]) {
    if (!peer["encrypted"].as<bool>(false)) {
      const std::string cause = word(peer["likely_cause"]);
      findings.add_problem(
        "There is no encrypted session with " + word(peer["name"]) +
          (cause.empty() ? "." : ": " + cause + (cause.ends_with('.') ? "" : ".")),
        "pqc show " + tunnel);
    }
  }
  const auto strangers = count(status["wrong_keys"]) + count(status["unknown_drones"]);
  if (strangers > 0) {
    findings.add_warning(
      std::to_string(strangers) +
        " hellos came with keys or of drones that this end does not know.",
      "pqc identity inspect, with the folders of both ends");
  }
}

void check_echoes(const Echoes & echoes, Findings & findings)
{
  if (echoes.round_trips_s.empty()) {
    findings.add_problem(
      echoes.peer + " does not answer at the moment, although there is a session.",
      "pqc ping; pqc show");
    return;
  }
  const double median_s = echoes.round_trips_s[echoes.round_trips_s.size() / 2];
  findings.add_note(
    echoes.peer + " answers after " + rounded(1e3 * median_s) + " ms, with version " +
    echoes.version + "; an encrypted session shows that suites and modes are configured alike.");
  if (echoes.version != PQC_TUNNEL_VERSION) {
    findings.add_warning(
      echoes.peer + " runs version " + echoes.version + ", this end " + PQC_TUNNEL_VERSION +
        ": update the older one.",
      "pqc --version");
  }
  if (echoes.path_mtu && *echoes.path_mtu < echoes.configured_bytes) {
    findings.add_problem(
      "Packets have up to " + std::to_string(echoes.configured_bytes) + " bytes, but the way to " +
        echoes.peer + " carries only those of " + std::to_string(*echoes.path_mtu) + ".",
      "link_mtu_bytes: " + std::to_string(*echoes.path_mtu) + " in the parameters of both ends");
  }
}

void check_streams(
  const YAML::Node & before, const YAML::Node & after, double seconds, Findings & findings)
{
  const YAML::Node peers = after["peers"];
  for (std::size_t i = 0; i < peers.size(); ++i) {
    const std::string source = is_drone(after) ? std::string("The vehicle")
                               : peers.size() == 1
                                 ? "The ground program"
                                 : "The ground program of " + word(peers[i]["name"]);
    check_rate(before["peers"][i]["traffic"], peers[i]["traffic"], seconds, source, findings);
  }
  const YAML::Node links = after["links"];
  for (std::size_t i = 0; i < links.size(); ++i) {
    check_shaped(
      word(links[i]["name"]), before["links"][i]["shaped"], links[i]["shaped"], findings);
  }
}

void check_exposure(const std::string & report, Findings & findings)
{
  YAML::Node json;
  try {
    json = YAML::Load(report);  // JSON is YAML
  } catch (const YAML::Exception &) {
    json = {};
  }
  if (!json["verdict"]) {
    findings.add_problem("The check of exposure failed.", "sudo pqc exposure");
    return;
  }
  for (const YAML::Node & finding : json["findings"]) {
    findings.add(
      word(finding["severity"]) == "exposed" ? Weight::problem : Weight::warning,
      word(finding["sentence"]), "sudo pqc exposure");
  }
  if (count(json["unseen_sockets"]) > 0) {
    findings.add_note(
      "Some sockets belong to programs that this user cannot see.", "sudo pqc exposure");
  }
}

}  // namespace pqc_tunnel::cli
