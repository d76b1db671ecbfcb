// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "exposure_options.hpp"

#include <charconv>
#include <system_error>

namespace pqc_tunnel
{

namespace
{

std::optional<std::uint16_t> parse_port(std::string_view digits)
{
  std::uint16_t port = 0;
  const char * const end = digits.data() + digits.size();
  const auto [stopped, error] = std::from_chars(digits.data(), end, port);
  return error == std::errc() && stopped == end && port != 0 ? std::optional(port) : std::nullopt;
}

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
    allowed.port = parse_port(port);
    if (!allowed.port) {
      return bad();
    }
  }
  return allowed;
}

}  // namespace pqc_tunnel
