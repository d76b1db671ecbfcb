// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "base/nearest_name.hpp"
#include "command/tunnels.hpp"
#include "end.hpp"
#include "engine/sockets/plaintext_side.hpp"
#include "net/address.hpp"
#include "net/address_scope.hpp"
#include "net/interfaces.hpp"
#include "net/serial_port.hpp"
#include "net/sockets.hpp"
#include "os/processes.hpp"

namespace pqc_tunnel::cli
{

namespace
{

constexpr std::size_t small_buffer = 4096;

template <class T>
void note_failure(const Result<T> & opened, std::uint16_t port, Findings & findings)
{
  if (opened) {
    return;
  }
  std::string sentence = opened.error().message;
  const auto holders = holders_of(port);  // those that this user can see
  if (sentence.find(" is in use ") != std::string::npos && !holders.empty()) {
    sentence.back() = ':';
    sentence += " " + to_string(holders.front()) + ".";
  }
  findings.add_problem(
    std::move(sentence), holders.empty() ? "sudo ss -lunp sport = :" + std::to_string(port)
                                         : "sudo kill " + std::to_string(holders.front().pid));
}

// Whether a running tunnel has the role and the ports of this configuration.
bool is_same(const End & end, const YAML::Node & status)
{
  const YAML::Node ports = status["ports"];
  const auto number = [](const YAML::Node & node) { return node.as<int>(0); };
  if (
    status["role"].as<std::string>("") != to_string(end.config.role) ||
    number(ports["datagram"]) != end.config.links.front().bind.port ||
    ports["plaintext"].size() != end.plaintexts.size())
  {
    return false;
  }
  return std::equal(
    end.plaintexts.begin(), end.plaintexts.end(), ports["plaintext"].begin(),
    [&](const PlaintextConfig & mine, const YAML::Node & port) {
      return mine.bind.port == number(port);
    });
}

void check_ports(const End & end, Devices devices, Findings & findings)
{
  for (const LinkPort & link : end.config.links) {
    if (link.bind.port != 0) {
      auto socket = open_datagram_socket(link.bind, small_buffer, "the encrypted side");
      note_failure(socket, link.bind.port, findings);
      if (socket && find_interface(link.interface)) {
        note_failure(bind_to_interface(*socket, link.interface), link.bind.port, findings);
      }
    } else if (!link.device.empty() && devices == Devices::open) {
      if (const auto opened = SerialPort(link.device, link.baud).open(); !opened) {
        findings.add_problem(opened.error().message);
      }
    }
  }
  for (const PlaintextConfig & plaintext : end.plaintexts) {
    if (plaintext.bind.port != 0 && !plaintext.bind.host.empty()) {
      note_failure(
        PlaintextSide::open(PeerIndex{0}, plaintext, small_buffer), plaintext.bind.port, findings);
    }
  }
}

// Also while the tunnel runs: it waits for what is not there.
void check_links(const EngineConfig & config, bool looks_for_others, Findings & findings)
{
  for (std::size_t i = 0; i < config.links.size(); ++i) {
    const LinkPort & link = config.links[i];
    if (const auto found =
          link.interface.empty() ? Result<unsigned>(0) : find_interface(link.interface);
        !found)
    {
      const bool is_down = std::ranges::count(interface_names(), link.interface) > 0;
      findings.add_problem(
        "Parameter link." + config.settings.paths.links[i].name +
        ".interface: " + found.error().message.substr(0, found.error().message.size() - 1) +
        (is_down ? "." : suggestion(link.interface, interface_names())));
    }
    for (const auto & other :
         looks_for_others ? holders_of(link.device) : std::vector<RunningProgram>())
    {
      if (!is_tunnel(other.name)) {
        findings.add_problem(
          "The serial device " + link.device + " is in use by the tunnel, and by " +
          to_string(other) + ", which takes a part of what arrives: end it.");
      }
    }
  }
}

void check_ground_address(const LinkPort & link, Findings & findings)
{
  const std::string & host = link.gcs.host;
  const auto endpoints = resolve(link.gcs);
  if (!endpoints) {
    findings.add_problem("Parameter gcs_address: " + endpoints.error().message);
    return;
  }
  const auto socket = open_datagram_socket({link.bind.host, 0}, small_buffer, "the encrypted side");
  if (socket && reachable_from(*endpoints, socket->family).empty()) {
    findings.add_problem(
      "Parameter gcs_address is " + host + ", which bind_address can't reach: one is IPv4, the " +
      "other IPv6.");
  }
  if (!is_numeric(host)) {
    findings.add_note(host + " resolves to " + to_string(endpoints->front()) + ".");
  }
}

}  // namespace

std::string running_tunnel(const End & end)
{
  for (const std::string & tunnel : running_tunnels().value_or(std::vector<std::string>())) {
    if (const auto answer = request(tunnel, "status"); answer && is_same(end, answer->json)) {
      return tunnel;
    }
  }
  return "";
}

void check_sockets(
  const End & end, const std::string & running, Devices devices, Findings & findings)
{
  const EngineConfig & config = end.config;
  check_links(config, !running.empty() && devices == Devices::open, findings);
  if (!running.empty()) {
    findings.add_note("The ports are in use by the running tunnel " + running + ".");
  } else {
    check_ports(end, devices, findings);
  }
  for (const LinkPort & link : config.links) {
    if (!link.gcs.host.empty()) {
      check_ground_address(link, findings);
    }
  }
}

}  // namespace pqc_tunnel::cli
