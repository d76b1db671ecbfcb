// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "exposure_judge.hpp"

#include <algorithm>
#include <utility>

#include "exposure_advice.hpp"
#include "known_ports.hpp"
#include "pqc_tunnel/net/address_scope.hpp"
#include "pqc_tunnel/os/processes.hpp"

namespace pqc_tunnel::exposure
{

namespace
{

constexpr std::uint16_t name_service_port = 53;

bool is_dds(Middleware middleware)
{
  return middleware != Middleware::none && middleware != Middleware::zenoh;
}

bool is_fast_dds(Middleware middleware)
{
  return middleware == Middleware::fast_dds || middleware == Middleware::fast_dds_2;
}

bool is_open_udp(const SocketRow & row)
{
  return row.transport == Transport::udp && row.state == SocketState::open;
}

bool is_ephemeral(const SocketRow & row)
{
  return is_open_udp(row) && row.local.port >= first_ephemeral_port;
}

// Returns the end of the socket that may have the known port of a service.
const Endpoint & service_end(const SocketRow & row)
{
  return row.state == SocketState::connected ? row.remote : row.local;
}

template <class Matches>
bool has_port(const SocketRow & row, Matches matches)
{
  return matches(row.transport, row.local.port) ||
         (row.state == SocketState::connected && matches(row.transport, row.remote.port));
}

// Returns the DDS domains of the owner of these sockets: those whose discovery port is open, or both ports of one
// participant. A single port may be coincidence in the range of ephemeral ports.
std::set<int> find_rtps_domains(const std::vector<SocketRow> & rows)
{
  std::set<std::uint16_t> ports;
  for (const SocketRow & row : rows) {
    if (is_open_udp(row)) {
      ports.insert(row.local.port);
    }
  }
  std::set<int> domains;
  for (const std::uint16_t port : ports) {
    const auto rtps = rtps_port(port);
    if (!rtps) {
      continue;
    }
    const bool sure = rtps->use == RtpsPort::Use::discovery_multicast
                        ? port < first_ephemeral_port
                        : rtps->use == RtpsPort::Use::discovery_unicast &&
                            ports.contains(static_cast<std::uint16_t>(port + 1));
    if (sure) {
      domains.insert(rtps->domain);
    }
  }
  return domains;
}

// Returns the name of the owner, or for a hidden one that of the only unreadable process of its user of the given kind.
template <class Fits>
std::string name_or_suspect(
  const SocketOwner & owner, const std::vector<Process> & processes, Fits fits)
{
  if (owner.process != nullptr) {
    return fits(owner.process->name) ? owner.process->name : std::string();
  }
  std::set<std::string> names;
  for (const Process & process : processes) {
    if (!process.readable && process.user == owner.user && fits(process.name)) {
      names.insert(process.name);
    }
  }
  return names.size() == 1 ? *names.begin() : std::string();
}

}  // namespace

ExposureJudge::ExposureJudge(
  const SocketOwner & owner, const MachineSockets & machine, const ExposureOptions & options)
: owner_(owner),
  machine_(machine),
  options_(options),
  tunnel_(name_or_suspect(owner, machine.processes, is_tunnel)),
  mavlink_name_(name_or_suspect(
    owner, machine.processes,
    [](const std::string & name) { return mavlink_program(name) != MavlinkProgram::none; })),
  mavlink_(mavlink_program(mavlink_name_)),
  rtps_domains_(find_rtps_domains(owner.rows))
{
  if (mavlink_ == MavlinkProgram::none && owner.process && owner.process->libraries.mavlink) {
    mavlink_ = MavlinkProgram::other;
    mavlink_name_ = owner.process->name;
  }
  reached_as_participant_ = std::ranges::any_of(owner.rows, [&](const SocketRow & row) {
    return reaches_beyond_loopback(row, machine.groups) && is_participant_port(row);
  });
  find_senders();
}

std::optional<ExposureCause> ExposureJudge::judge(const SocketRow & row) const
{
  const bool looks_up_names =
    row.state == SocketState::connected && row.remote.port == name_service_port;
  if (looks_up_names || is_vouched_for(row)) {
    return std::nullopt;
  }
  if (auto cause = judge_by_port(row)) {
    return cause;
  }
  if (owner_.process == nullptr || senders_.contains(row.inode)) {
    return std::nullopt;
  }
  return judge_by_program(row);
}

std::optional<ExposureCause> ExposureJudge::judge_by_port(const SocketRow & row) const
{
  if (is_open_udp(row) && !tunnel_.empty() && options_.ports.plaintext.contains(row.local.port)) {
    return ExposureCause{ExposureKind::mavlink, Severity::exposed, tunnel_, mend_plaintext()};
  }
  if (has_port(row, is_mavlink_port)) {
    return ExposureCause{
      ExposureKind::mavlink, Severity::exposed, mavlink_name_,
      mend_mavlink(owner_.process ? owner_.process->name : mavlink_name_, mavlink_, row)};
  }
  if (is_participant_port(row)) {
    // Only the node among the programs of this project is part of a ROS graph.
    return ExposureCause{
      ExposureKind::dds, Severity::exposed, tunnel_ == tunnel_node_name ? tunnel_ : "",
      mend_dds(owner_.middleware())};
  }
  if (has_port(row, is_zenoh_port)) {
    return ExposureCause{ExposureKind::zenoh, Severity::exposed, {}, mend_zenoh(row)};
  }
  return std::nullopt;
}

std::optional<ExposureCause> ExposureJudge::judge_by_program(const SocketRow & row) const
{
  const std::string & name = owner_.process->name;
  if (is_ephemeral(row) && reached_as_participant_) {
    return ExposureCause{ExposureKind::dds, Severity::exposed, name, mend_dds(owner_.middleware())};
  }
  if (is_tunnel(name) && !options_.ports_known) {
    return ExposureCause{ExposureKind::unknown, Severity::unclear, name, mend_unknown_ports()};
  }
  if (mavlink_ != MavlinkProgram::none) {
    if (is_other_service(service_end(row).port)) {
      return std::nullopt;
    }
    return ExposureCause{
      ExposureKind::mavlink, Severity::exposed, name, mend_mavlink(name, mavlink_, row)};
  }
  if (is_tunnel(name) || owner_.middleware() != Middleware::none) {
    return ExposureCause{ExposureKind::unknown, Severity::unclear, name, mend_unclear(name, row)};
  }
  return std::nullopt;
}

bool ExposureJudge::is_vouched_for(const SocketRow & row) const
{
  return is_allowed(row) || is_encrypted(row);
}

// Returns whether the options allow the socket. That of a hidden program is allowed by port if such a program runs.
bool ExposureJudge::is_allowed(const SocketRow & row) const
{
  const auto may_be = [this](const std::string & program) {
    return std::ranges::any_of(machine_.processes, [&](const Process & process) {
      return !process.readable && process.user == owner_.user && process.name == program;
    });
  };
  return std::ranges::any_of(options_.allowed, [&](const AllowedSocket & allowed) {
    const bool fits = (!allowed.transport || *allowed.transport == row.transport) &&
                      (!allowed.port || has_port(row, [&](Transport, std::uint16_t port) {
                        return port == *allowed.port;
                      }));
    return fits && (owner_.process != nullptr ? allowed.program == owner_.process->name
                                              : allowed.port && may_be(allowed.program));
  });
}

bool ExposureJudge::is_encrypted(const SocketRow & row) const
{
  if (tunnel_.empty()) {
    return false;
  }
  return row.transport == Transport::udp && row.state == SocketState::open &&
         options_.ports.datagram.contains(row.local.port);
}

// A process without a visible DDS library counts as a participant only of domains that its other ports prove.
bool ExposureJudge::is_participant_port(const SocketRow & row) const
{
  if (!is_open_udp(row)) {
    return false;
  }
  if (is_fast_dds(owner_.middleware()) && is_fast_dds_port(row.local.port)) {
    return true;
  }
  const auto port = rtps_port(row.local.port);
  return port && ((is_dds(owner_.middleware()) && !is_ephemeral(row)) ||
                  rtps_domains_.contains(port->domain));
}

// Each transport of a Fast DDS participant has, beside its listening sockets, a sending socket that is bound to every
// address, and one per interface. It never reads from them. With ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST rmw_fastrtps adds
// a transport to those of the profile, so they exist although the participant listens on the loopback interface only.
void ExposureJudge::find_senders()
{
  if (!is_fast_dds(owner_.middleware()) || reached_as_participant_) {
    return;
  }
  std::size_t participants = 0;
  std::size_t for_every_address = 0;
  std::set<std::uint64_t> found;
  for (const SocketRow & row : owner_.rows) {
    const auto port = is_open_udp(row) ? rtps_port(row.local.port) : std::nullopt;
    if (is_ephemeral(row) && !is_loopback(row.local) && !is_vouched_for(row)) {
      for_every_address += is_any(row.local) ? 1 : 0;
      found.insert(row.inode);
    } else if (port && port->use == RtpsPort::Use::discovery_unicast) {
      ++participants;
    }
  }
  if (for_every_address <= participants && found.size() > for_every_address) {
    senders_ = std::move(found);
  }
}

}  // namespace pqc_tunnel::exposure
