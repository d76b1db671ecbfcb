// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

// The one table of the tunnel's parameters. ROS descriptors, config/drone.yaml, config/gcs.yaml and docs/parameters.md
// are generated from it. A default that the protocol needs, too, is declared with its settings and read from there.

#include <algorithm>
#include <chrono>
#include <utility>

#include "config.hpp"

namespace pqc_tunnel
{

namespace
{

using List = std::vector<std::string>;
using Specs = std::vector<ParameterSpec>;

double in_seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }

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

void append(Specs & to, std::string_view section, Specs from)
{
  for (ParameterSpec & spec : from) {
    spec.section = section;
    to.push_back(std::move(spec));
  }
}

// What the sensing node reads: HEARTBEAT, SYS_STATUS, VFR_HUD, BATTERY_STATUS, EXTENDED_SYS_STATE.
List read_by_sensing() { return {"0", "1", "74", "147", "245"}; }

Specs plaintext_specs(
  const std::string & prefix, const std::string & port_use, const List & mirrored)
{
  return {
    port(prefix + "plaintext_port", port_use),
    text(
      prefix + "plaintext_peer_address",
      "Address or host name that receives decrypted datagrams; required with plaintext_peer_port. "
      "Behind a broadcast address any host may answer from that port."),
    port(
      prefix + "plaintext_peer_port",
      "UDP port that receives decrypted datagrams; 0: the latest sender to plaintext_port."),
    text(
      prefix + "mirror_address",
      "Address that receives a copy of what the vehicle sends; required with mirror_port."),
    port(
      prefix + "mirror_port",
      "UDP port that receives a copy of what the vehicle sends; 0: no copy."),
    list(
      prefix + "mirror_messages",
      "MAVLink messages of which the copy consists, by id, a datagram each; empty: every datagram "
      "as it is.",
      mirrored),
  };
}

Specs end_specs()
{
  return {
    text("role", "Which end this is: drone or gcs."),
    text(
      "identity_dir",
      "Folder with the keys of this end, made by `pqc identity` and readable by their owner only."),
    text(
      "control_name",
      "Name under which `pqc show` and `pqc rekey` find this tunnel on this machine; empty: not at "
      "all."),
  };
}

Specs drone_link_specs()
{
  return {
    text("gcs_address", "Host name or address of the ground station."),
    port("gcs_datagram_port", "UDP port of the ground station (its datagram_port)."),
    text("bind_address", "Local address of the encrypted side; empty: every address."),
    port("datagram_port", "Local UDP port of the encrypted side."),
  };
}

Specs gcs_link_specs()
{
  return {
    text("bind_address", "Local address of the encrypted side; empty: every address."),
    port("datagram_port", "Local UDP port of the encrypted side."),
  };
}

ParameterSpec mtu_spec()
{
  return integer(
    "link_mtu_bytes", 1500, {256, 9000}, "bytes",
    "Largest IP packet that the link carries; longer datagrams leave in fragments. Cellular links "
    "often carry less than 1500.");
}

Specs several_links_specs()
{
  return {
    list(
      "links",
      "Names of the links to the peer, in order of preference, each with parameters link.NAME.*; "
      "empty: one UDP link as above. The same number and order at both ends."),
    text(
      "schedule",
      "How several links are used: failover (the first one that is up) or redundant (all that are "
      "up).",
      "failover"),
    seconds(
      "failover_s", PathSettings{}.failover, {0.1, 10.0},
      "Silence after which the traffic of a link goes over another one."),
  };
}

ParameterSpec plaintext_bind_spec()
{
  return text(
    "plaintext_bind_address",
    "Local address of the plaintext side; keep it on the loopback interface.");
}

Specs suite_specs(Role role)
{
  Specs specs{text(
    "suite",
    role == Role::drone
      ? "Id of the suite of the first handshake; /pqc/rekey changes it in flight."
      : "Id of the suite of the drones' first handshake, as in their files; it counts only if "
        "min_level is 0.",
    "cs-mlkem768-aesgcm-mldsa65")};
  const TunnelSettings settings;
  append(
    specs, "",
    {
      integer(
        "min_level", 0, {0, 5}, "NIST level",
        "Lowest security level of a suite that is ever used: 1, 3 or 5; 0: the level of suite. The "
        "same at both ends."),
      list(
        "allowed_suites",
        "Ids of the only suites that are ever used; empty: every suite of min_level or above. The "
        "same at both ends."),
      flag(
        "allow_experimental", false,
        "Allow suites with experimental algorithms too (HQC). The same at both ends."),
      flag(
        "hybrid_x25519", settings.mode.hybrid_x25519,
        "Mix an X25519 secret into the keys after the post-quantum secret. The same at both ends."),
      flag(
        "drone_signature", settings.mode.drone_signature,
        "The drone signs handshakes too, so that a leaked pre-shared key does not impersonate it. "
        "The same at both ends."),
      text(
        "anchor",
        "Whether new sessions use the ground station's anchor, Classic McEliece keys that the "
        "identities hold: auto (if the drone's identity has one), required or off.",
        "auto"),
      seconds(
        "blacklist_ttl_s", settings.blacklist_ttl, {0.0, 604800.0},
        "Time for which a suite that failed with authentication is not used again."),
    });
  return specs;
}

Specs prekey_pool_specs()
{
  const PrekeyPoolSettings pool;
  return {
    integer(
      "prekey_pool.depth", pool.depth, {1, 16}, "keys",
      "Ephemeral keys in stock for each KEM and signature that a drone is likely to use next."),
    integer(
      "prekey_pool.max_bytes", pool.max_bytes, {0, 1073741824}, "bytes",
      "Memory for the keys and signatures in stock; 0: none are made ahead."),
    seconds(
      "prekey_pool.max_age_s", pool.max_age, {1.0, in_seconds(prekey_lifetime)},
      "Age at which an unused key in stock is wiped, and time after which one that a drone has "
      "been sent is wiped."),
    list(
      "prekey_pool.suites",
      "Ids of suites to have keys in stock for, in addition to those in use and their "
      "neighbours."),
  };
}

Specs timing_specs(Role role)
{
  const TunnelSettings settings;
  Specs specs{
    seconds(
      "rekey.max_age_s", settings.max_key_age, {0.0, 604800.0},
      role == Role::drone ? "Age of the keys at which the drone rekeys by itself; 0: never."
                          : "Age of the keys at which the drones rekey by themselves; diagnostics "
                            "report an error at twice this age. 0: never."),
    seconds(
      "peer_timeout_s", settings.peer_timeout, {0.5, 3600.0},
      role == Role::drone
        ? "Silence after which the ground station counts as lost and the drone starts a handshake."
        : "Silence after which a drone counts as lost."),
    seconds(
      "keepalive_interval_s", settings.keepalive_interval, {0.05, 3600.0},
      "Time without traffic after which a keepalive is sent."),
    seconds(
      "report_interval_s", settings.report_interval, {0.05, 60.0},
      "Interval of link reports to the peer; the policy's figures of the link are that old."),
    // With the eighth more that Freshness allows, less than the 20 s for which StreamReceiver knows an older id.
    seconds(
      "max_age_s", settings.max_age, {0.05, 15.0},
      "How old a packet may be on arrival, beyond half of the session's smallest round trip (of "
      "that at most as much again); older ones are dropped. A slow link needs more than half of "
      "its round trip."),
    seconds(
      "wipe_after_s", settings.wipe_after, {0.0, 604800.0},
      "Silence after which all keys of the session are wiped; longer than peer_timeout_s. 0: "
      "never."),
    flag(
      "find_rate", settings.find_rate,
      "Find the rate of the only link, a UDP link without a configured rate, while this end fills "
      "it: a queue stands, less arrives than was sent, and the queue goes when less is sent. The "
      "link is then used as a thin one. A ground station with several drones limits its notices "
      "only."),
    number(
      "least_found_rate_kbit", settings.least_found_rate_kbit, {1.0, 1000000.0}, "kbit/s",
      "find_rate never limits a link to less than this, whatever it looks like: what an attacker "
      "who delays and drops at will can press it down to, until he stops."),
    number(
      "notice_airtime", settings.notice_airtime, {0.001, 1.0}, "",
      role == Role::drone
        ? "Share of a link of known or measured rate that reports to the ground station's programs "
          "take at most: slower there, and the newest wins."
        : "Share of a link of known or measured rate that requests to a drone's programs take; "
          "they don't wait for it."),
    integer(
      "replay_window_packets", settings.replay_window, {64, 65536}, "packets",
      "How far behind the newest packet a late packet is still accepted."),
  };
  if (role == Role::drone) {
    specs.push_back(integer(
      "rekey.max_ratchets", settings.max_ratchets, {0, 1000000}, "ratchets",
      "Ratchets in a row after which the drone makes a full rekey by itself; 0: never."));
    specs.push_back(integer(
      "prefetch.max_bytes", settings.prefetch_max_bytes, {0, 67108864}, "bytes",
      "Public keys of the ground station that the drone fetches ahead of rekeys; 0: none."));
    specs.push_back(number(
      "prefetch.airtime", settings.prefetch_airtime, {0.001, 1.0}, "",
      "Share of the airtime that fetching ahead takes on average, on a link of known or measured "
      "rate."));
    specs.push_back(seconds(
      "mavlink_silence_s", 3.0, {0.0, 3600.0},
      "Time without MAVLink from this machine after which diagnostics report it, as an error while "
      "armed; 0: never."));
    specs.push_back(flag(
      "expect_policy", false,
      "Report a policy that has not decided 30 s after the start, too, and not only one that has "
      "stopped; drone.launch.py sets it where it starts the policy."));
  }
  return specs;
}

Specs machine_specs()
{
  const PacketThreadConfig thread;
  return {
    integer(
      "packet_thread.priority", thread.priority, {0, 99}, "",
      "SCHED_FIFO priority of the packet thread, which the process must be allowed to use; 0: "
      "ordinary scheduling."),
    integer("packet_thread.cpu", thread.cpu, {-1, 1023}, "", "CPU of the packet thread; -1: any."),
    integer(
      "packet_thread.receive_buffer_bytes", thread.receive_buffer_bytes, {65536, 67108864}, "bytes",
      "Receive buffer requested for each datagram socket; it holds what arrives while other "
      "processes have the CPU."),
    flag(
      "packet_thread.lock_memory", thread.lock_memory,
      "Keep the whole process in memory (mlockall), so that no page fault delays a packet."),
    integer(
      "worker_threads", EngineConfig{}.worker_threads, {1, 16}, "threads",
      "Threads at low priority for the public-key cryptography of handshakes; a ground station has "
      "one more, which makes keys ahead."),
  };
}

// The package pqc_exposure reads it, and the ports, from the tunnel's parameter file.
Specs exposure_specs()
{
  return {
    list(
      "exposure.allow",
      "Sockets that the exposure check ignores because a firewall closes them, as "
      "PROGRAM[:PORT[/udp|/tcp]]; PORT may be *."),
  };
}

Specs drone_specs()
{
  Specs specs;
  append(specs, "This end", end_specs());
  append(specs, "The ground station, over the air", drone_link_specs());
  append(specs, "The ground station, over the air", {mtu_spec()});
  append(specs, "Several links", several_links_specs());
  append(specs, "The plaintext side: MAVROS or mavlink-router", {plaintext_bind_spec()});
  append(
    specs, "The plaintext side: MAVROS or mavlink-router",
    plaintext_specs("", "Local UDP port that receives datagrams to encrypt.", read_by_sensing()));
  append(
    specs, "The plaintext side: MAVROS or mavlink-router",
    {text(
      "radio_status",
      "Whether the autopilot is told once a second, by RADIO_STATUS as from a telemetry radio, how "
      "much room a link of known or found rate has, so that it slows its streams: auto (unless a "
      "radio reports by itself) or off.",
      "auto")});
  append(specs, "Suites", suite_specs(Role::drone));
  append(specs, "Times", timing_specs(Role::drone));
  append(specs, "This machine", machine_specs());
  append(specs, "Exposure check", exposure_specs());
  return specs;
}

Specs gcs_specs()
{
  Specs specs;
  append(specs, "This end", end_specs());
  append(specs, "The encrypted side", gcs_link_specs());
  append(specs, "The encrypted side", {mtu_spec()});
  append(specs, "Several links", several_links_specs());
  append(
    specs, "Drones",
    {list("drones", "Names of the drones that are served, as in `pqc identity init --drone`."),
     flag(
       "announce_decisions", true,
       "Show in the ground program, as a STATUSTEXT, the lines that a drone's programs send: to "
       "which suite its policy changes and why, and what its cues ask the operator to do."),
     plaintext_bind_spec()});
  append(specs, "Suites", suite_specs(Role::gcs));
  append(specs, "Keys made ahead", prekey_pool_specs());
  append(specs, "Times", timing_specs(Role::gcs));
  append(specs, "This machine", machine_specs());
  append(specs, "Exposure check", exposure_specs());
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

const Specs & parameter_specs(Role role)
{
  static const Specs drone = drone_specs();
  static const Specs gcs = gcs_specs();
  return role == Role::drone ? drone : gcs;
}

Specs per_drone_parameter_specs(std::string_view drone_name)
{
  Specs specs;
  append(
    specs, "Drones",
    plaintext_specs(
      "drone." + std::string(drone_name) + ".",
      "Local UDP port that receives datagrams to encrypt for this drone.", {}));
  return specs;
}

Specs per_link_parameter_specs(Role role, std::string_view link_name)
{
  const std::string prefix = "link." + std::string(link_name) + ".";
  Specs specs;
  append(
    specs, "Several links",
    {text(prefix + "type", "What the link is: udp or serial.", "udp"),
     text(
       prefix + "carry",
       "What the link carries: all, priority (commands, and what nothing else carries) or standby "
       "(all, but only while no other link is up).",
       "all"),
     number(
       prefix + "rate_kbit", 0.0, {0.0, 1000000.0}, "kbit/s",
       "Rate of a thin link, to which traffic is shaped; 0: that of the baud rate (serial), or "
       "unknown (UDP)."),
     text(prefix + "bind_address", "Local address of a UDP link; empty: bind_address."),
     port(prefix + "datagram_port", "Local port of a UDP link; 0: datagram_port."),
     text(prefix + "interface", "Network interface that a UDP link is bound to; empty: any."),
     text(prefix + "device", "Device of a serial link, for example /dev/ttyUSB0."),
     integer(prefix + "baud", 57600, {1200, 1500000}, "baud", "Speed of a serial link."),
     integer(
       prefix + "mtu_bytes", 320, {64, universal_payload}, "bytes",
       "Longest frame on a serial link.")});
  if (role == Role::drone) {
    append(
      specs, "Several links",
      {text(
         prefix + "gcs_address",
         "Address of the ground station on a UDP link; empty: gcs_address."),
       port(
         prefix + "gcs_datagram_port",
         "Port of the ground station on a UDP link; 0: gcs_datagram_port.")});
  }
  return specs;
}

Specs all_parameter_specs(Role role, const ParameterValues & values)
{
  Specs specs = parameter_specs(role);
  const auto names = [&values](const char * parameter) {
    const auto found = values.find(parameter);
    if (found == values.end()) {
      return List();
    }
    const auto * const single = std::get_if<std::string>(&found->second);
    const auto * const several = std::get_if<List>(&found->second);
    List all = several ? *several : List(single ? 1 : 0, single ? *single : "");
    std::erase(all, "");  // as complete_parameters() does
    return all;
  };
  for (const auto & name : role == Role::gcs ? names("drones") : List()) {
    append(specs, "Drones", per_drone_parameter_specs(name));
  }
  for (const auto & name : names("links")) {
    append(specs, "Several links", per_link_parameter_specs(role, name));
  }
  return specs;
}

}  // namespace pqc_tunnel
