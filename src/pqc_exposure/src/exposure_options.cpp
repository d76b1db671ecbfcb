// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "exposure_options.hpp"

#include <string>
#include <utility>
#include <variant>

#include "parse_number.hpp"

namespace pqc_tunnel::exposure
{

namespace
{

std::optional<Transport> parse_transport(std::string_view name)
{
  if (name == "udp") {
    return Transport::udp;
  }
  if (name == "tcp") {
    return Transport::tcp;
  }
  return std::nullopt;
}

}  // namespace

void TunnelPorts::add(const TunnelPorts & others)
{
  datagram.insert(others.datagram.begin(), others.datagram.end());
  plaintext.insert(others.plaintext.begin(), others.plaintext.end());
}

const TunnelPorts & shipped_ports()
{
  static const TunnelPorts ports{{46011, 46012}, {14590, 14551}};
  return ports;
}

Result<AllowedSocket> parse_allowed_socket(std::string_view text)
{
  const auto bad = [text] {
    return fail(
      ErrorCode::invalid_argument, "\"" + std::string(text) +
                                     "\" isn't of the form PROGRAM, PROGRAM:PORT, "
                                     "PROGRAM:PORT/udp or PROGRAM:PORT/tcp.");
  };
  const auto colon = text.find(':');
  AllowedSocket allowed;
  allowed.program = text.substr(0, colon);
  if (allowed.program.empty()) {
    return bad();
  }
  if (colon == std::string_view::npos) {
    return allowed;
  }
  std::string_view port = text.substr(colon + 1);
  if (const auto slash = port.find('/'); slash != std::string_view::npos) {
    allowed.transport = parse_transport(port.substr(slash + 1));
    port = port.substr(0, slash);
    if (!allowed.transport) {
      return bad();
    }
  }
  if (port != "*") {
    allowed.port = parse_number<std::uint16_t>(port);
    if (!allowed.port || *allowed.port == 0) {
      return bad();
    }
  }
  return allowed;
}

TunnelPorts tunnel_ports(const ParameterValues & values)
{
  constexpr std::int64_t last_port = 65535;
  TunnelPorts ports;
  for (const auto & [name, value] : values) {
    const auto * number = std::get_if<std::int64_t>(&value);
    if (number == nullptr || *number <= 0 || *number > last_port) {
      continue;
    }
    const auto port = static_cast<std::uint16_t>(*number);
    if (name == "datagram_port" || name.ends_with(".datagram_port")) {
      ports.datagram.insert(port);
    } else if (name == "plaintext_port" || name.ends_with(".plaintext_port")) {
      ports.plaintext.insert(port);
    }
  }
  return ports;
}

Result<std::vector<AllowedSocket>> allowed_sockets(const ParameterValues & values)
{
  std::vector<AllowedSocket> sockets;
  const auto found = values.find("exposure.allow");
  if (found == values.end()) {
    return sockets;
  }
  const auto * word = std::get_if<std::string>(&found->second);
  const auto * words = std::get_if<std::vector<std::string>>(&found->second);
  std::vector<std::string> entries = words != nullptr ? *words : std::vector<std::string>();
  if (word != nullptr && !word->empty()) {
    entries.push_back(*word);
  }
  for (const auto & entry : entries) {
    auto allowed = parse_allowed_socket(entry);
    if (!allowed) {
      return fail(
        ErrorCode::invalid_argument, "Parameter exposure.allow: " + allowed.error().message);
    }
    sockets.push_back(std::move(*allowed));
  }
  return sockets;
}

Result<void> add_parameters(const ParameterValues & values, ExposureOptions & options)
{
  const auto allowed = allowed_sockets(values);
  if (!allowed) {
    return tl::make_unexpected(allowed.error());
  }
  options.ports.add(tunnel_ports(values));
  options.ports_known = true;
  options.allowed.insert(options.allowed.end(), allowed->begin(), allowed->end());
  return {};
}

}  // namespace pqc_tunnel::exposure
