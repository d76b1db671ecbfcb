// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "exposure_parameters.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <variant>

#include "parameter_check.hpp"

namespace pqc_tunnel
{

Result<TunnelPorts> tunnel_ports(const ParameterValues & values)
{
  const auto role = role_of(values);
  if (!role) {
    return tl::make_unexpected(role.error());
  }
  const auto complete = complete_parameters(*role, values);
  if (!complete) {
    return tl::make_unexpected(complete.error());
  }
  TunnelPorts ports;
  for (const auto & [name, value] : *complete) {
    const auto * number = std::get_if<std::int64_t>(&value);
    if (number == nullptr || *number == 0) {
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

}  // namespace pqc_tunnel
