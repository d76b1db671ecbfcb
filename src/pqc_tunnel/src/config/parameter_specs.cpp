// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <utility>

#include "config.hpp"

namespace pqc_tunnel
{

namespace
{

using List = std::vector<std::string>;

ParameterSpec flag(std::string name, bool value, std::string description)
{
  return {std::move(name), ParameterType::boolean, value, std::move(description)};
}

ParameterSpec text(std::string name, std::string description)
{
  return {std::move(name), ParameterType::string, std::string(), std::move(description)};
}

ParameterSpec list(std::string name, std::string description)
{
  return {std::move(name), ParameterType::string_list, List(), std::move(description)};
}

ParameterSpec count(
  std::string name, std::int64_t value, ParameterRange<std::int64_t> range, std::string description)
{
  return {std::move(name), ParameterType::integer, value, std::move(description), range,
          std::nullopt};
}

ParameterSpec port(std::string name, std::string description)
{
  return count(std::move(name), 0, {0, 65535}, std::move(description));
}

ParameterSpec seconds(
  std::string name, double value, ParameterRange<double> range, std::string description)
{
  return {std::move(name),        ParameterType::number, value,
          std::move(description), std::nullopt,          range};
}

void append(std::vector<ParameterSpec> & to, std::vector<ParameterSpec> from)
{
  std::move(from.begin(), from.end(), std::back_inserter(to));
}

std::vector<ParameterSpec> plaintext_specs(const std::string & prefix, const std::string & port_use)
{
  return {
    port(prefix + "plaintext_port", port_use),
    text(
      prefix + "plaintext_peer_address",
      "Address that decrypted datagrams go to; needed if plaintext_peer_port is given."),
    port(
      prefix + "plaintext_peer_port",
      "UDP port that decrypted datagrams go to; 0: whoever sent to plaintext_port last."),
    text(
      prefix + "mirror_address",
      "Address that gets a copy of the plaintext of both directions; needed if mirror_port is "
      "given."),
    port(
      prefix + "mirror_port",
      "UDP port that gets a copy of the plaintext of both directions; 0: no copy."),
  };
}

std::vector<ParameterSpec> suite_specs()
{
  return {
    count(
      "min_level", 3, {1, 5},
      "Lowest NIST security level of a suite ever used: 1, 3 or 5, alike at both ends."),
    list(
      "allowed_suites",
      "Ids of the only suites ever used, alike at both ends; empty: every suite of min_level."),
    flag(
      "allow_experimental", false,
      "Also allow suites whose algorithms are experimental (HQC), alike at both ends."),
    flag(
      "hybrid_x25519", false,
      "Mix an X25519 secret in after the post-quantum one, alike at both ends."),
    flag(
      "drone_signature", false,
      "The drone signs handshakes too, so that a leaked pre-shared key doesn't impersonate it; "
      "alike at both ends."),
  };
}

std::vector<ParameterSpec> timing_specs()
{
  return {
    seconds(
      "rekey.max_age_s", 3600.0, {0.0, 604800.0},
      "Age of the keys in seconds at which the drone makes new ones by itself; 0: never."),
    seconds(
      "blacklist_ttl_s", 1800.0, {0.0, 604800.0},
      "Seconds for which a suite that failed with authentication is not used again."),
    seconds(
      "peer_timeout_s", 3.0, {0.5, 3600.0},
      "Seconds of silence after which the peer counts as lost and the drone handshakes afresh."),
    seconds(
      "keepalive_interval_s", 1.0, {0.05, 3600.0},
      "Seconds without traffic after which a keepalive is sent."),
    seconds(
      "report_interval_s", 0.5, {0.05, 3600.0},
      "Seconds between the link reports sent to the peer."),
    seconds(
      "handshake_timeout_s", 15.0, {1.0, 600.0}, "Seconds that one whole handshake may take."),
    seconds(
      "slow_handshake_timeout_s", 45.0, {1.0, 600.0},
      "Seconds that one whole handshake with Classic McEliece may take."),
  };
}

std::vector<ParameterSpec> machine_specs()
{
  return {
    count(
      "link_mtu_bytes", 1500, {256, 9000},
      "Largest IP packet the link carries, in bytes; longer datagrams are dropped and counted."),
    count(
      "replay_window_packets", 1024, {64, 65536},
      "How far behind the newest packet a late one may be, in packets."),
    count(
      "packet_thread.priority", 0, {0, 99},
      "SCHED_FIFO priority of the packet thread; 0: ordinary scheduling."),
    count("packet_thread.cpu", -1, {-1, 1023}, "CPU that the packet thread stays on; -1: any."),
    count(
      "packet_thread.receive_buffer_bytes", 4194304, {65536, 67108864},
      "Receive buffer asked for each datagram socket, in bytes."),
    flag(
      "packet_thread.lock_memory", false,
      "Keep the whole process in memory (mlockall), so that no page fault delays a packet."),
    count(
      "worker_threads", 1, {1, 16},
      "Threads at low priority that do the public-key cryptography of handshakes; a ground station "
      "has one more, which makes keys ahead."),
  };
}

std::vector<ParameterSpec> exposure_specs()
{
  return {
    list(
      "exposure.allow",
      "Sockets that the exposure check leaves out because a firewall closes them, as "
      "PROGRAM[:PORT[/udp|/tcp]]; PORT may be *."),
  };
}

std::vector<ParameterSpec> hello_pool_specs()
{
  return {
    count(
      "hello_pool.depth", 1, {1, 16},
      "Ephemeral keys in stock for each KEM and signature that a drone is likely to ask for next."),
    count(
      "hello_pool.max_bytes", 16777216, {0, 1073741824},
      "Bytes that keys and signatures in stock may take; 0: none are made ahead."),
    seconds(
      "hello_pool.max_age_s", 3600.0, {1.0, 3600.0},
      "Age in seconds at which a key in stock is wiped unused."),
    list(
      "hello_pool.suites",
      "Ids of suites to have keys in stock for, beside those in use and their neighbours."),
  };
}

std::vector<ParameterSpec> make_specs(Role role)
{
  std::vector<ParameterSpec> specs{
    text("role", "Which end this is: drone or gcs."),
    text("identity_dir", "Folder with this end's keys, made by pqc_identity."),
    text(
      "bind_address", "Local address of the encrypted side; empty: every address of this machine."),
    port("datagram_port", "Local UDP port of the encrypted side."),
    text("plaintext_bind_address", "Local address of the readable side; keep it on this machine."),
  };
  if (role == Role::drone) {
    specs.push_back(text("gcs_address", "Host name or address of the ground station."));
    specs.push_back(port("gcs_datagram_port", "The ground station's UDP port."));
    specs.push_back(port("handshake_port", "The ground station's TCP port for handshakes."));
    specs.push_back(text("suite", "Id of the suite of the first handshake."));
    specs.push_back(seconds(
      "mavlink_silence_s", 3.0, {0.0, 3600.0},
      "Seconds without MAVLink from this machine after which diagnostics report it, as an error "
      "while armed; 0: never."));
    append(specs, plaintext_specs("", "Local UDP port that takes datagrams to be encrypted."));
  } else {
    specs.push_back(port("handshake_port", "TCP port to take handshakes on."));
    specs.push_back(list("drones", "Names of the drones served, as known to pqc_identity."));
    append(specs, hello_pool_specs());
  }
  append(specs, suite_specs());
  append(specs, timing_specs());
  append(specs, machine_specs());
  append(specs, exposure_specs());
  return specs;
}

}  // namespace

std::optional<Role> parse_role(std::string_view text)
{
  if (text == "drone") {
    return Role::drone;
  }
  if (text == "gcs") {
    return Role::gcs;
  }
  return std::nullopt;
}

const char * to_string(Role role) { return role == Role::drone ? "drone" : "gcs"; }

const char * to_string(ParameterType type)
{
  switch (type) {
    case ParameterType::boolean:
      return "true or false";
    case ParameterType::integer:
      return "a whole number";
    case ParameterType::number:
      return "a number";
    case ParameterType::string:
      return "a text";
    case ParameterType::string_list:
      return "a list of texts";
  }
  return "";
}

const std::vector<ParameterSpec> & parameter_specs(Role role)
{
  static const std::vector<ParameterSpec> drone = make_specs(Role::drone);
  static const std::vector<ParameterSpec> gcs = make_specs(Role::gcs);
  return role == Role::drone ? drone : gcs;
}

std::vector<ParameterSpec> per_drone_parameter_specs(std::string_view drone_name)
{
  return plaintext_specs(
    "drone." + std::string(drone_name) + ".",
    "Local UDP port that takes datagrams to be encrypted for this drone.");
}

std::vector<ParameterSpec> all_parameter_specs(Role role, const ParameterValues & values)
{
  auto specs = parameter_specs(role);
  const auto drones = values.find("drones");
  if (role == Role::gcs && drones != values.end()) {
    const auto * const single = std::get_if<std::string>(&drones->second);
    const auto * const several = std::get_if<List>(&drones->second);
    for (const auto & name : several ? *several : List(single ? 1 : 0, single ? *single : "")) {
      append(specs, per_drone_parameter_specs(name));
    }
  }
  return specs;
}

}  // namespace pqc_tunnel
