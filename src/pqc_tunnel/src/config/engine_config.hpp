// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__CONFIG__ENGINE_CONFIG_HPP_
#define PQC_TUNNEL__CONFIG__ENGINE_CONFIG_HPP_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "net/host_port.hpp"
#include "protocol/session/settings.hpp"

namespace pqc_tunnel
{

// The plaintext side of one peer. Host names are not resolved yet.
struct PlaintextConfig
{
  std::string
    name;  // of the drone; empty on a drone, and for what all drones of a ground station share
  HostPort bind;    // port 0: any free one
  HostPort peer;    // port 0: the latest sender
  HostPort mirror;  // receives a copy of what the vehicle sends; port 0: none
  std::vector<std::uint32_t> mirror_messages;  // MAVLink messages to copy, by id; empty: everything

  bool operator==(const PlaintextConfig &) const = default;
};

struct PacketThreadConfig
{
  int priority = 0;  // SCHED_FIFO; 0 = ordinary scheduling
  bool lock_memory = false;
};

// The socket or device of one of settings.paths.links.
struct LinkPort
{
  // UDP
  HostPort bind;          // empty host: every address of this machine
  HostPort gcs;           // drone only
  std::string interface;  // the network interface to bind to; empty: any
  // Serial
  std::string device;
  std::uint32_t baud = 0;
};

struct EngineConfig
{
  Role role = Role::drone;
  std::string profile = "default";
  std::string control_name;  // of the control socket; empty: none
  std::filesystem::path identity_dir;
  TunnelSettings settings;
  std::vector<LinkPort> links{1};  // in the order of settings.paths.links
  PlaintextConfig plaintext;       // GCS: of drone number 0, unless its file says otherwise
  Duration address_look_interval = std::chrono::seconds(5);  // for host names of the plaintext side
  PacketThreadConfig packet_thread;
  bool announce_decisions = false;  // GCS: show the lines of drones in their ground programs
  bool radio_status = false;        // drone: tell the autopilot how full a thin link is
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__CONFIG__ENGINE_CONFIG_HPP_
