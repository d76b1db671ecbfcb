// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_EXPOSURE__EXPOSURE_OPTIONS_HPP_
#define PQC_EXPOSURE__EXPOSURE_OPTIONS_HPP_

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "pqc_tunnel/base/result.hpp"
#include "pqc_tunnel/config/parameter_file.hpp"
#include "socket_table.hpp"

namespace pqc_tunnel::exposure
{

// The inputs of the exposure check beside /proc.

// The ports of tunnels on this machine.
struct TunnelPorts
{
  std::set<std::uint16_t> datagram = {};   // UDP, encrypted
  std::set<std::uint16_t> plaintext = {};  // UDP, readable

  void add(const TunnelPorts & others);
};

// The ports of config/drone.yaml and config/gcs.yaml.
const TunnelPorts & shipped_ports();

// Sockets that are closed by other means, such as a firewall.
struct AllowedSocket
{
  std::string program;
  std::optional<std::uint16_t> port = std::nullopt;  // local or remote
  std::optional<Transport> transport = std::nullopt;
};

// Parses "PROGRAM", "PROGRAM:PORT", "PROGRAM:PORT/udp" or "/tcp"; PORT may be *.
Result<AllowedSocket> parse_allowed_socket(std::string_view text);

struct ExposureOptions
{
  TunnelPorts ports = shipped_ports();
  bool ports_known = false;  // `ports` come from a parameter file, not from the defaults
  std::vector<AllowedSocket> allowed = {};
};

// Returns the ports among a tunnel's parameters, without checking whether the tunnel accepts them.
TunnelPorts tunnel_ports(const ParameterValues & values);

// Returns the entries of the parameter exposure.allow, a list or one word.
Result<std::vector<AllowedSocket>> allowed_sockets(const ParameterValues & values);

// Adds ports and allowed sockets from a tunnel's parameters to the options.
Result<void> add_parameters(const ParameterValues & values, ExposureOptions & options);

}  // namespace pqc_tunnel::exposure

#endif  // PQC_EXPOSURE__EXPOSURE_OPTIONS_HPP_
