// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_EXPOSURE__SOCKET_TABLE_HPP_
#define PQC_EXPOSURE__SOCKET_TABLE_HPP_

#include <cstdint>
#include <string_view>
#include <vector>

#include "pqc_tunnel/base/endpoint.hpp"
#include "pqc_tunnel/net/mavlink_ports.hpp"

namespace pqc_tunnel::exposure
{

// Parsers of the kernel's lists of sockets. Lines of unknown form are skipped.

const char * to_string(Transport transport);  // "UDP", "TCP"

enum class SocketState : std::uint8_t
{
  open,       // UDP: accepts datagrams from any sender
  listening,  // TCP
  connected,  // UDP or TCP
};

struct SocketRow
{
  Transport transport = Transport::udp;
  SocketState state = SocketState::open;
  Endpoint local;
  Endpoint remote;  // connected sockets only
  std::uint32_t user = 0;
  std::uint64_t inode = 0;
};

// Parses the text of /proc/net/udp, udp6, tcp or tcp6. Mapped IPv4 addresses become IPv4. Omits TCP sockets that neither
// listen nor are connected.
std::vector<SocketRow> parse_socket_table(Transport transport, std::string_view text);

// Parses the text of /proc/net/igmp or igmp6: the multicast groups joined on any interface but the loopback, without a
// port.
std::vector<Endpoint> parse_ipv4_groups(std::string_view text);
std::vector<Endpoint> parse_ipv6_groups(std::string_view text);

// Returns true if another machine can send to the socket or is connected to it. An IPv6 socket bound to every address
// counts for IPv4, too: the table does not show IPV6_V6ONLY. A socket bound to a multicast group is reachable if the group
// is joined; `groups` are those beyond the loopback.
bool reaches_beyond_loopback(const SocketRow & row, const std::vector<Endpoint> & groups);

}  // namespace pqc_tunnel::exposure

#endif  // PQC_EXPOSURE__SOCKET_TABLE_HPP_
