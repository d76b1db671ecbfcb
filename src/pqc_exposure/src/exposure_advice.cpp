// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "exposure_advice.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>

#include "known_ports.hpp"
#include "pqc_tunnel/net/address.hpp"

namespace pqc_tunnel::exposure
{

namespace
{

constexpr std::size_t shown_sockets = 3;
constexpr std::uint16_t mavros_bind_port = 14555;  // DEFAULT_BIND_PORT of libmavconn
constexpr const char * config_folder = "share/pqc_tunnel/config/";
constexpr const char * allow_it = "allow it (exposure.allow, --allow)";

// Returns the loopback address as text.
std::string here()
{
  const in_addr address{htonl(INADDR_LOOPBACK)};
  std::array<char, INET_ADDRSTRLEN> text{};
  inet_ntop(AF_INET, &address, text.data(), text.size());
  return text.data();
}

std::string port_of(const Endpoint & endpoint) { return std::to_string(endpoint.port); }

// Returns plaintext_port of config/drone.yaml; that of the ground is the lower one.
std::string tunnel_port() { return std::to_string(*shipped_ports().plaintext.rbegin()); }

std::string mavros_url(const std::string & port)
{
  return "udp://" + here() + ":" + port + "@" + here() + ":" + tunnel_port();
}

const Endpoint & shown_end(const SocketRow & row)
{
  return row.state == SocketState::connected ? row.remote : row.local;
}

// Returns text like "UDP [::]:7400, [::]:7410, [::]:7411 and 2 more".
std::string list(const std::vector<SocketRow> & sockets)
{
  std::string text;
  const std::size_t shown =
    sockets.size() == shown_sockets + 1 ? sockets.size() : std::min(sockets.size(), shown_sockets);
  for (std::size_t i = 0; i < shown; ++i) {
    const bool new_transport = i == 0 || sockets[i].transport != sockets[i - 1].transport;
    text += (i == 0 ? "" : ", ") +
            (new_transport ? std::string(to_string(sockets[i].transport)) + " " : "") +
            to_string(shown_end(sockets[i]));
  }
  if (shown < sockets.size()) {
    text += " and " + std::to_string(sockets.size() - shown) + " more";
  }
  return text;
}

// Returns advice for sockets that no setting of their program closes.
std::string close_by_firewall(const std::string & name, const SocketRow & row)
{
  const bool chosen_by_system = row.local.port >= first_ephemeral_port;
  const std::string port = chosen_by_system ? "*" : port_of(row.local);
  return "close it with a firewall (" + std::string(config_folder) + "nftables) and " + allow_it +
         ": " + name + ":" + port + (row.transport == Transport::udp ? "/udp" : "/tcp");
}

std::string mend_mavros(const SocketRow & row)
{
  switch (row.state) {
    case SocketState::open:
      if (row.local.port == mavros_bind_port) {
        return "start it with gcs_url:=" + mavros_url(port_of(row.local));
      }
      return "write udp://" + here() + ":" + port_of(row.local) +
             "@… in its gcs_url or fcu_url, whichever has this port";
    case SocketState::listening:
      return "write tcp-l://" + here() + ":" + port_of(row.local) + " in its gcs_url or fcu_url";
    case SocketState::connected:
      return "connect it to the tunnel instead, with gcs_url:=" +
             mavros_url(std::to_string(mavros_bind_port));
  }
  return {};
}

std::string mend_router(const std::string & name, const SocketRow & row)
{
  switch (row.state) {
    case SocketState::listening:
      return "set TcpServerPort = 0 in its configuration";
    case SocketState::open:
      if (row.local.port < first_ephemeral_port) {
        return "set Address = " + here() + " for this endpoint in its configuration";
      }
      return "none of its options binds this socket, so " + close_by_firewall(name, row);
    case SocketState::connected:
      break;
  }
  return "let its endpoint lead to the tunnel instead: Address = " + here() +
         ", Port = " + tunnel_port();
}

std::string mend_mavproxy(const std::string & name, const SocketRow & row)
{
  if (row.state == SocketState::connected) {
    return "let its --out or --master lead to the tunnel instead";
  }
  if (row.transport == Transport::udp && row.local.port >= first_ephemeral_port) {
    return "none of its options binds this socket, so " + close_by_firewall(name, row);
  }
  return "write the address " + here() + " in its --master or --out";
}

std::string mend_mavsdk(const std::string & name, const SocketRow & row)
{
  if (row.state == SocketState::open && row.local.port < first_ephemeral_port) {
    return "connect it with udpin://" + here() + ":" + port_of(row.local);
  }
  if (row.state == SocketState::connected) {
    return "connect it to the tunnel instead";
  }
  return "none of its options binds this socket, so " + close_by_firewall(name, row);
}

}  // namespace

std::string who(const std::string & process, int pid)
{
  return process + " (pid " + std::to_string(pid) + ")";
}

std::string describe_problem(
  const std::string & who, ExposureKind kind, const std::vector<SocketRow> & sockets)
{
  const SocketState state = sockets.front().state;
  const bool connected = state == SocketState::connected;
  const std::string where = list(sockets);
  switch (kind) {
    case ExposureKind::mavlink:
      if (connected) {
        return who + " exchanges readable MAVLink with " + where;
      }
      return state == SocketState::open
               ? who + " accepts MAVLink from any address on " + where
               : who + " accepts MAVLink connections from anyone on " + where;
    case ExposureKind::dds:
      return who + " can be reached by any ROS 2 participant on the network (" + where + ")";
    case ExposureKind::zenoh:
      return connected
               ? who + " exchanges readable ROS 2 data with " + where
               : who + " can be reached by any Zenoh session on the network (" + where + ")";
    case ExposureKind::unknown:
      break;
  }
  return connected ? who + " is connected to " + where + ", and its traffic is unknown"
                   : who + " has " + where + " open to the network, and its traffic is unknown";
}

std::string mend_mavlink(const std::string & name, MavlinkProgram program, const SocketRow & row)
{
  switch (program) {
    case MavlinkProgram::mavros:
      return mend_mavros(row);
    case MavlinkProgram::mavlink_router:
      return mend_router(name, row);
    case MavlinkProgram::mavproxy:
      return mend_mavproxy(name, row);
    case MavlinkProgram::mavsdk:
      return mend_mavsdk(name, row);
    default:
      break;
  }
  if (row.state == SocketState::connected) {
    return "connect it to the tunnel instead";
  }
  if (program == MavlinkProgram::qgroundcontrol) {
    return "QGroundControl cannot listen on the loopback interface alone, so " +
           close_by_firewall(name, row);
  }
  return "bind it to " + here() + ", or " + close_by_firewall(name.empty() ? "PROGRAM" : name, row);
}

std::string mend_plaintext() { return "set plaintext_bind_address to " + here(); }

std::string mend_dds(Middleware middleware)
{
  const std::string folder = config_folder;
  switch (middleware) {
    case Middleware::fast_dds:
      return "set FASTDDS_DEFAULT_PROFILES_FILE to " + folder +
             "fastdds_local.xml and ROS_AUTOMATIC_DISCOVERY_RANGE to SYSTEM_DEFAULT";
    case Middleware::fast_dds_2:
      return "set FASTRTPS_DEFAULT_PROFILES_FILE to " + folder +
             "fastdds_local.xml and ROS_AUTOMATIC_DISCOVERY_RANGE to SYSTEM_DEFAULT";
    case Middleware::cyclone_dds:
      // Cyclone DDS still binds every address: eclipse-cyclonedds/cyclonedds#1923, #2090.
      return "set CYCLONEDDS_URI to " + folder +
             "cyclonedds_local.xml; as Cyclone DDS still listens "
             "on every address, close its ports with a firewall (" +
             folder + "nftables) and " + allow_it;
    case Middleware::connext:
      return "keep its transports to the loopback interface in NDDS_QOS_PROFILES";
    case Middleware::none:
    case Middleware::zenoh:
      break;
  }
  return "give its middleware a configuration that uses the loopback interface only, such as " +
         folder + "fastdds_local.xml";
}

std::string mend_zenoh(const SocketRow & row)
{
  if (row.state == SocketState::listening) {
    return "listen on tcp/" + here() + ":" + port_of(row.local) +
           " only, in the file that ZENOH_ROUTER_CONFIG_URI or ZENOH_SESSION_CONFIG_URI names";
  }
  if (row.state == SocketState::open) {
    return "switch multicast scouting off, or listen on " + here() +
           " only, in the file that ZENOH_ROUTER_CONFIG_URI or ZENOH_SESSION_CONFIG_URI names";
  }
  return "connect to a router on this machine only, in the file that ZENOH_SESSION_CONFIG_URI "
         "names";
}

std::string mend_unclear(const std::string & name, const SocketRow & row)
{
  const std::string port = port_of(shown_end(row));
  const std::string transport = row.transport == Transport::udp ? "/udp" : "/tcp";
  const std::string otherwise =
    row.state == SocketState::connected ? "end the connection" : "bind it to " + here();
  return otherwise + ", or, if it carries neither MAVLink nor ROS 2 data, " + allow_it + ": " +
         name + ":" + port + transport;
}

std::string mend_unknown_ports()
{
  return "name the tunnel's parameter file with --config, which gives its encrypted ports";
}

}  // namespace pqc_tunnel::exposure
