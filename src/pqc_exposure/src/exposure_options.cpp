// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "exposure_options.hpp"

#include <filesystem>
#include <string>
#include <system_error>
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

std::optional<std::uint16_t> port_of(const ParameterValue & value)
{
  constexpr std::int64_t last_port = 65535;
  const auto * number = std::get_if<std::int64_t>(&value);
  return number != nullptr && *number > 0 && *number <= last_port
           ? std::optional(static_cast<std::uint16_t>(*number))
           : std::nullopt;
}

// The drones of a ground station: each has the next port, unless its file names another one.
void add_drones(const ParameterValues & values, std::set<std::uint16_t> & plaintext)
{
  const auto identity = values.find("identity_dir");
  const auto * folder =
    identity == values.end() ? nullptr : std::get_if<std::string>(&identity->second);
  if (folder == nullptr || plaintext.empty()) {
    return;
  }
  std::uint16_t next = *plaintext.begin();
  std::error_code error;
  for (auto entry =
         std::filesystem::directory_iterator(std::filesystem::path(*folder) / "drones", error);
       !error && entry != std::filesystem::directory_iterator(); entry.increment(error))
  {
    if (entry->path().extension() == ".drone") {
      plaintext.insert(next++);
    } else if (entry->path().extension() == ".yaml") {
      const auto own = load_plain_file(entry->path());
      const auto port = own ? own->find("plaintext_port") : ParameterValues::const_iterator();
      if (own && port != own->end() && port_of(port->second)) {
        plaintext.insert(*port_of(port->second));
      }
    }
  }
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
  TunnelPorts ports;
  for (const auto & [name, value] : values) {
    const auto port = port_of(value);
    if (port && (name == "datagram_port" || name.ends_with(".datagram_port"))) {
      ports.datagram.insert(*port);
    } else if (port && name == "plaintext_port") {
      ports.plaintext.insert(*port);
    }
  }
  add_drones(values, ports.plaintext);
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
