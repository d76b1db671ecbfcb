// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "socket_table.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>

#include "parse_number.hpp"
#include "pqc_tunnel/command_line/words.hpp"
#include "pqc_tunnel/net/address_scope.hpp"

namespace pqc_tunnel::exposure
{

namespace
{

constexpr std::size_t ipv4_digits = 8;
constexpr std::size_t ipv6_digits = 32;

// Columns of /proc/net/udp and tcp.
constexpr std::size_t local_column = 1;
constexpr std::size_t remote_column = 2;
constexpr std::size_t state_column = 3;
constexpr std::size_t user_column = 7;
constexpr std::size_t inode_column = 9;

// States as in the kernel's net/tcp_states.h. A UDP socket without a peer is "closed".
constexpr unsigned established = 0x01;
constexpr unsigned closed = 0x07;
constexpr unsigned listen = 0x0a;

constexpr std::string_view blanks = " \t\r";

std::vector<std::string> split_lines(std::string_view text)
{
  return cli::split(std::string(text), '\n');
}

std::vector<std::string> split_words(const std::string & line)
{
  std::istringstream words(line);
  return {std::istream_iterator<std::string>(words), {}};
}

// The kernel prints each 32-bit word of an address, which is in network order, as a number of this
// machine. Copying the number to memory restores the bytes.
bool read_words(std::string_view digits, std::uint8_t * to)
{
  for (std::size_t at = 0; at < digits.size(); at += ipv4_digits, to += sizeof(std::uint32_t)) {
    const auto word = parse_number<std::uint32_t>(digits.substr(at, ipv4_digits), 16);
    if (!word) {
      return false;
    }
    std::memcpy(to, &*word, sizeof(*word));
  }
  return true;
}

void unmap(Endpoint & endpoint)
{
  constexpr std::array<std::uint8_t, 12> prefix{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  auto & bytes = endpoint.address;
  if (std::equal(prefix.begin(), prefix.end(), bytes.begin())) {
    endpoint.family = AddressFamily::ipv4;
    std::rotate(bytes.begin(), bytes.begin() + prefix.size(), bytes.end());
    std::fill(bytes.begin() + 4, bytes.end(), std::uint8_t{0});
  }
}

// Parses "0100007F:36B0", or the same with 32 digits for IPv6.
std::optional<Endpoint> parse_endpoint(std::string_view word)
{
  const auto colon = word.find(':');
  if (colon != ipv4_digits && colon != ipv6_digits) {
    return std::nullopt;
  }
  Endpoint endpoint;
  endpoint.family = colon == ipv4_digits ? AddressFamily::ipv4 : AddressFamily::ipv6;
  const auto port = parse_number<std::uint16_t>(word.substr(colon + 1), 16);
  if (!port || !read_words(word.substr(0, colon), endpoint.address.data())) {
    return std::nullopt;
  }
  endpoint.port = *port;
  unmap(endpoint);
  return endpoint;
}

std::optional<SocketState> state_of(Transport transport, unsigned state)
{
  if (state == established) {
    return SocketState::connected;
  }
  if (transport == Transport::udp && state == closed) {
    return SocketState::open;
  }
  if (transport == Transport::tcp && state == listen) {
    return SocketState::listening;
  }
  return std::nullopt;
}

std::optional<SocketRow> parse_row(Transport transport, const std::string & line)
{
  const auto words = split_words(line);
  if (words.size() <= inode_column) {
    return std::nullopt;
  }
  const auto local = parse_endpoint(words[local_column]);
  const auto remote = parse_endpoint(words[remote_column]);
  const auto number = parse_number<unsigned>(words[state_column], 16);
  const auto user = parse_number<std::uint32_t>(words[user_column]);
  const auto inode = parse_number<std::uint64_t>(words[inode_column]);
  if (!local || !remote || !number || !user || !inode) {
    return std::nullopt;
  }
  const auto state = state_of(transport, *number);
  if (!state) {
    return std::nullopt;
  }
  return SocketRow{transport, *state, *local, *remote, *user, *inode};
}

// Every network namespace has exactly one loopback, and the kernel names it.
bool is_loopback_device(std::string_view name) { return name == "lo"; }

}  // namespace

const char * to_string(Transport transport) { return transport == Transport::udp ? "UDP" : "TCP"; }

std::vector<SocketRow> parse_socket_table(Transport transport, std::string_view text)
{
  std::vector<SocketRow> rows;
  for (const auto & line : split_lines(text)) {
    if (auto row = parse_row(transport, line)) {
      rows.push_back(*row);
    }
  }
  return rows;
}

// The text has a line for each device, "4  eth0  :  1  V3", and an indented one for each group that it has joined.
std::vector<Endpoint> parse_ipv4_groups(std::string_view text)
{
  std::vector<Endpoint> groups;
  bool on_loopback = false;
  for (const auto & line : split_lines(text)) {
    const auto words = split_words(line);
    if (words.empty()) {
      continue;
    }
    if (line.find_first_of(blanks) != 0) {
      on_loopback = words.size() > 1 && is_loopback_device(words[1]);
      continue;
    }
    Endpoint group;
    group.family = AddressFamily::ipv4;
    if (
      !on_loopback && words[0].size() == ipv4_digits && read_words(words[0], group.address.data()))
    {
      groups.push_back(group);
    }
  }
  return groups;
}

// The text has a line for each group, "4  eth0  ff02000000000000000000000000fb  1 …", in network order.
std::vector<Endpoint> parse_ipv6_groups(std::string_view text)
{
  std::vector<Endpoint> groups;
  for (const auto & line : split_lines(text)) {
    const auto words = split_words(line);
    if (words.size() < 3 || is_loopback_device(words[1]) || words[2].size() != ipv6_digits) {
      continue;
    }
    Endpoint group;
    group.family = AddressFamily::ipv6;
    bool good = true;
    for (std::size_t i = 0; i < group.address.size() && good; ++i) {
      const auto byte = parse_number<std::uint8_t>(words[2].substr(2 * i, 2), 16);
      good = byte.has_value();
      group.address[i] = byte.value_or(0);
    }
    if (good) {
      groups.push_back(group);
    }
  }
  return groups;
}

bool reaches_beyond_loopback(const SocketRow & row, const std::vector<Endpoint> & groups)
{
  if (row.state == SocketState::connected) {
    // Looking up a host name connects to port 0 for a moment: nothing can be sent there. A
    // connection from an address to itself stays on this machine.
    return row.remote.port != 0 && !is_loopback(row.remote) && !same_address(row.remote, row.local);
  }
  if (is_multicast(row.local)) {
    return std::ranges::any_of(
      groups, [&row](const Endpoint & group) { return same_address(group, row.local); });
  }
  return !is_loopback(row.local);
}

}  // namespace pqc_tunnel::exposure
