// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "make_links.hpp"

#include <algorithm>
#include <set>

#include "net/address.hpp"
#include "protocol/wire/constants.hpp"

namespace pqc_tunnel
{
namespace
{

constexpr std::size_t ipv4_and_udp_headers = 28;
constexpr std::size_t ipv6_and_udp_headers = 48;

std::string shown(const HostPort & where)
{
  const bool is_ipv6 = where.host.find(':') != std::string::npos;
  return (is_ipv6 ? "[" + where.host + "]" : where.host) + ":" + std::to_string(where.port);
}

// IPv6 counts if it is possible: only a numeric IPv4 address rules it out.
std::size_t ip_and_udp_headers(const LinkPort & port)
{
  const auto is_ipv4 = [](const std::string & host) {
    return is_numeric(host) && host.find(':') == std::string::npos;
  };
  return is_ipv4(port.bind.host) || is_ipv4(port.gcs.host) ? ipv4_and_udp_headers
                                                           : ipv6_and_udp_headers;
}

std::size_t udp_mtu(const Reader & values, const LinkPort & port)
{
  return static_cast<std::size_t>(values.integer("link_mtu_bytes")) - ip_and_udp_headers(port);
}

bool is_link_name(const std::string & name)
{
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

// One of the words of a parameter; the first, with a problem, if it is none of them.
template <class T>
T choice(
  const Reader & values, const std::string & name,
  const std::vector<std::pair<std::string, T>> & words, Problems & problems)
{
  const std::string & text = values.text(name);
  const auto found = std::ranges::find(words, text, [](const auto & word) { return word.first; });
  if (found != words.end()) {
    return found->second;
  }
  std::string all;
  for (std::size_t i = 0; i < words.size(); ++i) {
    all += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + words[i].first;
  }
  problems.add("Parameter " + name + " is \"" + text + "\", but must be " + all + ".");
  return words.front().second;
}

// A parameter that a link leaves out is that of the tunnel.
HostPort host_port(
  const Reader & values, const std::string & prefix, const std::string & address,
  const std::string & port)
{
  HostPort where = values.host_port(prefix + address, prefix + port);
  const HostPort general = values.host_port(address, port);
  return {
    where.host.empty() ? general.host : where.host, where.port == 0 ? general.port : where.port};
}

void make_udp(
  Role role, const Reader & values, const std::string & prefix, LinkSettings & link,
  LinkPort & port, Problems & problems)
{
  port.bind = host_port(values, prefix, "bind_address", "datagram_port");
  port.interface = values.text(prefix + "interface");
  if (port.bind.port == 0) {
    problems.add("Parameter " + prefix + "datagram_port is 0, but must be a port from 1 to 65535.");
  }
  if (role == Role::drone) {
    port.gcs = host_port(values, prefix, "gcs_address", "gcs_datagram_port");
    if (port.gcs.host.empty()) {
      problems.add("Parameter " + prefix + "gcs_address is empty, but a drone needs it.");
    }
    if (port.gcs.port == 0) {
      problems.add(
        "Parameter " + prefix + "gcs_datagram_port is 0, but must be a port from 1 to 65535.");
    }
  }
  link.rate_kbit = values.number(prefix + "rate_kbit");
  link.mtu = udp_mtu(values, port);
}

void make_serial(
  const Reader & values, const std::string & prefix, LinkSettings & link, LinkPort & port,
  Problems & problems)
{
  port.device = values.text(prefix + "device");
  port.baud = static_cast<std::uint32_t>(values.integer(prefix + "baud"));
  if (port.device.empty()) {
    problems.add("Parameter " + prefix + "device is empty, but a serial link needs it.");
  }
  const double rate = values.number(prefix + "rate_kbit");
  link.rate_kbit = rate > 0 ? rate : port.baud / 1000.0;
  link.mtu = static_cast<std::size_t>(values.integer(prefix + "mtu_bytes"));
}

void make_link(
  Role role, const Reader & values, const std::string & name, EngineConfig & config,
  Problems & problems)
{
  const std::string prefix = "link." + name + ".";
  LinkSettings link;
  LinkPort port;
  link.name = name;
  link.type = choice<LinkType>(
    values, prefix + "type", {{"udp", LinkType::udp}, {"serial", LinkType::serial}}, problems);
  link.carry = choice<Carry>(
    values, prefix + "carry",
    {{"all", Carry::all}, {"priority", Carry::priority}, {"standby", Carry::standby}}, problems);
  if (link.type == LinkType::udp) {
    make_udp(role, values, prefix, link, port, problems);
  } else {
    make_serial(values, prefix, link, port, problems);
  }
  config.settings.paths.links.push_back(std::move(link));
  config.links.push_back(std::move(port));
}

void check_links(const EngineConfig & config, Problems & problems)
{
  const auto & links = config.settings.paths.links;
  std::set<std::string> names;
  std::set<std::string> devices;
  std::set<std::pair<std::string, std::uint16_t>> ports;
  for (std::size_t i = 0; i < links.size(); ++i) {
    const std::string & name = links[i].name;
    if (!is_link_name(name)) {
      problems.add(
        "Parameter links names \"" + name +
        "\", but a name may hold only small letters, digits and underscores.");
    }
    if (!names.insert(name).second) {
      problems.add("Parameter links names " + name + " twice.");
    }
    const LinkPort & port = config.links[i];
    const bool is_new =
      links[i].type == LinkType::serial
        ? devices.insert(port.device).second
        : port.bind.port == 0 || ports.emplace(port.bind.host, port.bind.port).second;
    if (!is_new && links[i].type == LinkType::serial) {
      problems.add("Parameter link." + name + ".device is that of another link.");
    } else if (!is_new) {
      problems.add(
        "Parameter link." + name + ".datagram_port is that of another link at the same address.");
    }
  }
  if (std::ranges::none_of(
        links, [](const LinkSettings & link) { return link.carry == Carry::all; })) {
    problems.add("Parameter links names no link that carries all; set carry of one to all.");
  }
}

}  // namespace

void make_links(Role role, const Reader & values, EngineConfig & config, Problems & problems)
{
  PathSettings & paths = config.settings.paths;
  paths.links.clear();
  config.links.clear();
  const auto & names = values.list("links");
  if (names.empty()) {
    LinkPort port;
    port.bind = values.host_port("bind_address", "datagram_port");
    if (role == Role::drone) {
      port.gcs = values.host_port("gcs_address", "gcs_datagram_port");
    }
    paths.links.push_back({.name = "udp", .mtu = udp_mtu(values, port)});
    config.links.push_back(std::move(port));
  } else if (names.size() > PathSettings::max_links) {
    problems.add(
      "Parameter links names " + std::to_string(names.size()) + " links, but at most " +
      std::to_string(PathSettings::max_links) + " are possible.");
  }
  for (const std::string & name : names) {
    make_link(role, values, name, config, problems);
  }
  check_links(config, problems);
  paths.schedule = choice<Schedule>(
    values, "schedule", {{"failover", Schedule::failover}, {"redundant", Schedule::redundant}},
    problems);
  config.radio_status =
    role == Role::drone &&
    choice<bool>(values, "radio_status", {{"auto", true}, {"off", false}}, problems);
  std::size_t longest = 0;
  for (std::size_t i = 0; i < paths.links.size(); ++i) {
    const LinkPort & port = config.links[i];
    longest = std::max(longest, paths.links[i].mtu);
    const HostPort & ground = role == Role::drone ? port.gcs : port.bind;
    if (config.settings.ground.port == 0 && paths.links[i].type == LinkType::udp) {
      config.settings.ground = {shown(ground), ground.port};
    } else if (config.settings.ground.port == 0) {
      config.settings.ground.name = port.device;
    }
  }
  config.settings.max_datagram = longest - frame_overhead;
}

}  // namespace pqc_tunnel
