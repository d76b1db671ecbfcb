// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "spoofed_source.hpp"

#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace pqc_tunnel::blaster
{

namespace
{

constexpr std::size_t udp_header_at = 20;
constexpr std::size_t source_at = 12;
constexpr std::size_t destination_at = 16;
constexpr std::size_t address_size = 4;
constexpr std::uint8_t version_4_of_five_words = 0x45;
constexpr std::uint8_t hops = 64;

void write_u16(MutableBytes packet, std::size_t at, std::size_t value)
{
  packet[at] = static_cast<std::uint8_t>(value >> 8);
  packet[at + 1] = static_cast<std::uint8_t>(value);
}

}  // namespace

Result<Socket> open_spoofing_sender()
{
  FileDescriptor fd(::socket(AF_INET, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_RAW));
  if (fd.get() < 0) {
    return fail(
      ErrorCode::permission,
      "Another address than one's own can't be put into a datagram: " + error_text(errno) + ".");
  }
  return Socket{std::move(fd), SocketFamily::ipv4, 0};
}

void write_spoofed_headers(MutableBytes packet, const Endpoint & from, const Endpoint & to)
{
  std::ranges::fill(packet.first(spoofed_header_size), std::uint8_t{0});
  packet[0] = version_4_of_five_words;
  write_u16(packet, 2, packet.size());
  packet[8] = hops;
  packet[9] = IPPROTO_UDP;
  std::copy_n(from.address.begin(), address_size, packet.begin() + source_at);
  std::copy_n(to.address.begin(), address_size, packet.begin() + destination_at);
  write_u16(packet, udp_header_at, from.port);
  write_u16(packet, udp_header_at + 2, to.port);
  write_u16(packet, udp_header_at + 4, packet.size() - udp_header_at);
}

}  // namespace pqc_tunnel::blaster
