// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

// The one table of the tunnel's parameters: each has one row, of both ends or of one. ROS descriptors, config/drone.yaml,
// config/gcs.yaml and docs/parameters.md are generated from it. A default that the protocol needs, too, is declared with
// its settings and read from there.

#include <algorithm>
#include <chrono>
#include <utility>

#include "config.hpp"
#include "profiles.hpp"

namespace pqc_tunnel
{

namespace
{

using List = std::vector<std::string>;
using Specs = std::vector<ParameterSpec>;

constexpr std::string_view any_name = "NAME";  // stands for the name of a link

ParameterSpec flag(std::string name, bool value, std::string description)
{
  return {std::move(name), ParameterType::boolean, value, "", std::move(description)};
}

ParameterSpec text(std::string name, std::string description, std::string value = {})
{
  return {std::move(name), ParameterType::string, std::move(value), "", std::move(description)};
}

ParameterSpec list(std::string name, std::string description, List value = {})
{
  return {
    std::move(name), ParameterType::string_list, std::move(value), "", std::move(description)};
}

template <class T>
ParameterSpec integer(
  std::string name, T value, ParameterRange<std::int64_t> range, std::string unit,
  std::string description)
{
  ParameterSpec spec{
    std::move(name), ParameterType::integer, static_cast<std::int64_t>(value), std::move(unit),
    std::move(description)};
  spec.integer_range = range;
  return spec;
}

ParameterSpec port(std::string name, std::string description)
{
  return integer(std::move(name), 0, {0, 65535}, "", std::move(description));
}

ParameterSpec number(
  std::string name, double value, ParameterRange<double> range, std::string unit,
  std::string description)
{
  ParameterSpec spec{
    std::move(name), ParameterType::number, value, std::move(unit), std::move(description)};
  spec.number_range = range;
  return spec;
}

ParameterSpec seconds(
  std::string name, double value, ParameterRange<double> range, std::string description)
{
  return number(std::move(name), value, range, "s", std::move(description));
}

ParameterSpec seconds(
  std::string name, Duration value, ParameterRange<double> range, std::string description)
{
  return seconds(std::move(name), in_seconds(value), range, std::move(description));
}

ParameterSpec only(Role role, ParameterSpec spec)
{
  spec.only = role;
  return spec;
}

Specs end_rows()
{
  return {
    text("role", "Which end this is: drone or gcs."),
    text(
      "profile",
      "Defaults of suites and keys, alike at both ends: default, cnsa2 (ML-KEM-1024, ML-DSA-87, "
      "AES-256-GCM and SHA-384; refuses all else), layered, research or paper_2025.",
      "default"),
    text(
      "identity_dir",
      "Folder with the keys of this end, made by `pqc identity` and readable by their owner only."),
    text(
      "control_name",
      "Name under which `pqc show` and `pqc rekey` find this tunnel on this machine; empty: not at "
      "all."),
  };
}

Specs encrypted_rows()
{
  return {
    only(Role::drone, text("gcs_address", "Host name or address of the ground station.")),
    only(
      Role::drone,
      port("gcs_datagram_port", "UDP port of the ground station (its datagram_port).")),
    text("bind_address", "Local address of the encrypted side; empty: every address."),
    port("datagram_port", "Local UDP port of the encrypted side."),
    integer(
      "link_mtu_bytes", 1500, {256, 9000}, "bytes",
      "Largest IP packet that the link carries, on cellular links often less than 1500; longer "
      "datagrams leave in fragments."),
  };
}

Specs link_rows()
{
  return {
    list(
      "links",
      "Names of the links to the peer, each with parameters link.NAME.*, in order of preference "
      "and alike at both ends; empty: one UDP link as above."),
    text(
      "schedule",
      "How several links are used: failover (the first one that is up) or redundant (all that are "
      "up).",
      "failover"),
    text("link.NAME.type", "What the link is: udp or serial.", "udp"),
    text(
      "link.NAME.carry",
      "What the link carries: all, priority (commands, and what nothing else carries) or standby "
      "(all, but only while no other link is up).",
      "all"),
    number(
      "link.NAME.rate_kbit", 0.0, {0.0, 1000000.0}, "kbit/s",
      "Rate of a thin link, to which traffic is shaped; 0: that of the baud rate (serial), or "
      "unknown (UDP)."),
    text("link.NAME.bind_address", "Local address of a UDP link; empty: bind_address."),
    port("link.NAME.datagram_port", "Local port of a UDP link; 0: datagram_port."),
    text("link.NAME.interface", "Network interface that a UDP link is bound to; empty: any."),
    only(
      Role::drone, text(
                     "link.NAME.gcs_address",
                     "Address of the ground station on a UDP link; empty: gcs_address.")),
    only(
      Role::drone, port(
                     "link.NAME.gcs_datagram_port",
                     "Port of the ground station on a UDP link; 0: gcs_datagram_port.")),
    text("link.NAME.device", "Device of a serial link, for example /dev/ttyUSB0."),
    integer("link.NAME.baud", 57600, {1200, 1500000}, "baud", "Speed of a serial link."),
    integer(
      "link.NAME.mtu_bytes", 320, {64, universal_payload}, "bytes",
      "Longest frame on a serial link."),
  };
}

Specs vehicle_rows()
{
  Specs rows{
    port(
      "plaintext_port",
      "Local UDP port that receives datagrams to encrypt; on the ground that of drone number 0, of "
      "other drones so much higher as their number, unless a file drones/NAME.yaml in identity_dir "
      "has another value of it, or of the next five."),
    text(
      "plaintext_peer_address",
      "Address or host name that receives decrypted datagrams, required with plaintext_peer_port; "
      "behind a broadcast address any host may answer from that port."),
    port(
      "plaintext_peer_port",
      "UDP port that receives decrypted datagrams; 0: the latest sender to plaintext_port."),
    text(
      "mirror_address",
      "Address that receives a copy of what the vehicle sends; required with mirror_port."),
    port("mirror_port", "UDP port that receives a copy of what the vehicle sends; 0: no copy."),
    list(
      "mirror_messages",
      "MAVLink messages of which the copy consists, by id, a datagram each; empty: every datagram "
      "as it is."),
  };
  for (ParameterSpec & row : rows) {
    row.of_each_drone = true;
  }
  return rows;
}

Specs plaintext_rows()
{
  return {
    text(
      "plaintext_bind_address",
      "Local address of the plaintext side; keep it on the loopback interface."),
    only(
      Role::drone,
      text(
        "radio_status",
        "Tells the autopilot once a second by RADIO_STATUS, as a telemetry radio does, how much "
        "room a link of known or found rate has, so that it slows its streams: auto (unless a "
        "radio reports by itself) or off.",
        "auto")),
    only(
      Role::gcs,
      flag(
        "announce_decisions", true,
        "Show in the ground program, as a STATUSTEXT, what the keys rest on, and the lines that a "
        "drone's programs send: to which suite its policy changes and why, and what its cues ask "
        "the operator to do.")),
  };
}

Specs suite_rows()
{
  const HandshakeMode mode;
  return {
    text(
      "suite",
      "Id of the suite of a drone's first handshake; at the ground station it counts only where "
      "min_level is 0.",
      "cs-mlkem768-aesgcm-mldsa65"),
    integer(
      "min_level", 0, {0, 5}, "NIST level",
      "Lowest security level of a suite that is ever used, alike at both ends: 1, 3 or 5; 0: the "
      "level of suite."),
    list(
      "allowed_suites",
      "Ids of the only suites that are ever used, alike at both ends; empty: every suite of "
      "min_level or above."),
    flag(
      "allow_experimental", false,
      "Allow suites with experimental algorithms too (HQC), alike at both ends."),
    flag(
      "hybrid_x25519", mode.hybrid_x25519,
      "Mix an X25519 secret into the keys after the post-quantum secret, alike at both ends."),
    flag(
      "drone_signature", mode.drone_signature,
      "Alike at both ends: the drone signs handshakes too, so that a leaked pre-shared key does "
      "not impersonate it."),
    text(
      "anchor",
      "Whether new sessions use the ground station's anchor, Classic McEliece keys that the "
      "identities hold: auto (if the drone's identity has one), required or off.",
      "auto"),
  };
}

Specs prekey_rows()
{
  const TunnelSettings settings;
  return {
    only(
      Role::gcs,
      integer(
        "prekey_pool.max_bytes", settings.prekey_pool.max_bytes, {0, 1073741824}, "bytes",
        "Memory for the keys and signatures in stock; 0: none are made ahead.")),
    only(
      Role::gcs, list(
                   "prekey_pool.suites",
                   "Ids of suites to have keys in stock for, in addition to those in use and their "
                   "neighbours.")),
    only(
      Role::drone,
      integer(
        "prefetch.max_bytes", settings.prefetch_max_bytes, {0, 67108864}, "bytes",
        "Public keys of the ground station that the drone fetches ahead of rekeys; 0: none.")),
    only(
      Role::drone, number(
                     "prefetch.airtime", settings.prefetch_airtime, {0.001, 1.0}, "",
                     "Share of the airtime that fetching keys ahead takes, on a link of known or "
                     "measured rate.")),
  };
}

Specs time_rows()
{
  const TunnelSettings settings;
  return {
    seconds(
      "rekey.max_age_s", settings.max_key_age, {0.0, 604800.0},
      "Age of the keys at which a drone rekeys by itself, and at twice which diagnostics warn; 0: "
      "never."),
    only(
      Role::drone,
      integer(
        "rekey.max_ratchets", settings.max_ratchets, {0, 1000000}, "ratchets",
        "Ratchets in a row after which the drone makes a full rekey by itself; 0: never.")),
    seconds(
      "peer_timeout_s", settings.peer_timeout, {0.5, 3600.0},
      "Silence after which the peer counts as lost, and a drone starts a handshake."),
    seconds(
      "keepalive_interval_s", settings.keepalive_interval, {0.05, 3600.0},
      "Time without traffic after which a keepalive is sent."),
    seconds(
      "report_interval_s", settings.report_interval, {0.05, 60.0},
      "Interval of link reports to the peer, up to twice as long while nothing flows; the policy's "
      "figures of the link are that old."),
    // With the eighth more that Freshness allows, less than the 20 s for which StreamReceiver knows an older id.
    seconds(
      "max_age_s", settings.max_age, {0.05, 15.0},
      "How old a packet may be on arrival, beyond half of the session's smallest round trip; a "
      "slow link needs more than that half."),
    seconds(
      "wipe_after_s", settings.wipe_after, {0.0, 604800.0},
      "Silence, longer than peer_timeout_s, after which all keys of the session are wiped; 0: "
      "never."),
    only(
      Role::drone,
      flag(
        "erase_on_request", settings.erase_on_request,
        "Erase the whole identity when the ground station asks for it by `pqc wipe --at-drone`; "
        "the drone then has no tunnel until it gets new keys.")),
  };
}

Specs machine_rows()
{
  const PacketThreadConfig thread;
  return {
    integer(
      "packet_thread.priority", thread.priority, {0, 99}, "",
      "SCHED_FIFO priority of the packet thread, which the process must be allowed to use; 0: "
      "ordinary scheduling."),
    flag(
      "packet_thread.lock_memory", thread.lock_memory,
      "Keep the whole process in memory (mlockall), so that no page fault delays a packet."),
    only(
      Role::drone,
      flag(
        "expect_policy", false,
        "Report a policy that has not decided 30 s after the start, too, and not only one that has "
        "stopped; drone.launch.py sets it where it starts the policy.")),
    // The package pqc_exposure reads it, and the ports, from the tunnel's parameter file.
    list(
      "exposure.allow",
      "Sockets that the exposure check ignores because a firewall closes them, as "
      "PROGRAM[:PORT[/udp|/tcp]]; PORT may be *."),
  };
}

Specs table()
{
  const std::pair<const char *, Specs> sections[] = {
    {"This end", end_rows()},
    {"The encrypted side", encrypted_rows()},
    {"Several links", link_rows()},
    {"The plaintext side", plaintext_rows()},
    {"The plaintext side", vehicle_rows()},
    {"Suites", suite_rows()},
    {"Keys made ahead", prekey_rows()},
    {"Times", time_rows()},
    {"This machine", machine_rows()},
  };
  Specs all;
  for (const auto & [section, rows] : sections) {
    for (const ParameterSpec & row : rows) {
      all.push_back(row);
      all.back().section = section;
    }
  }
  return all;
}

// The texts of a list that is not checked yet.
List names_in(const ParameterValues & values, const char * parameter)
{
  const auto found = values.find(parameter);
  const auto value = found == values.end() ? ParameterValue(List()) : found->second;
  const auto * const single = std::get_if<std::string>(&value);
  const auto * const several = std::get_if<List>(&value);
  List all = several ? *several : List(single ? 1 : 0, single ? *single : "");
  std::erase(all, "");  // as complete_parameters() does
  return all;
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

const Specs & parameter_table()
{
  static const Specs rows = table();
  return rows;
}

Specs parameter_specs(Role role, const ParameterValues & values)
{
  const List links = names_in(values, "links");
  Specs specs;
  for (const ParameterSpec & row : parameter_table()) {
    const auto place = row.name.find(any_name);
    if (!row.belongs_to(role)) {
      continue;
    }
    if (place == std::string::npos) {
      specs.push_back(row);
      continue;
    }
    for (const std::string & name : links) {
      specs.push_back(row);
      specs.back().name.replace(place, any_name.size(), name);
    }
  }
  for (const auto & [name, value] : profile_defaults(profile_of(values))) {
    const auto spec = std::ranges::find(specs, name, &ParameterSpec::name);
    if (spec != specs.end()) {
      spec->default_value = value;
    }
  }
  return specs;
}

}  // namespace pqc_tunnel
