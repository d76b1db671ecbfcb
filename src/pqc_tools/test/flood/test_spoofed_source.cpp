// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include "flood/spoofed_source.hpp"
#include "pqc_tunnel/net/datagram_batch.hpp"
#include "pqc_tunnel/net/socket_address.hpp"

namespace pqc_tunnel::blaster
{
namespace
{

constexpr std::size_t receive_buffer_bytes = 65536;
constexpr int patience_ms = 10'000;

Endpoint at(std::uint16_t port)
{
  return Endpoint{AddressFamily::ipv4, port, 0, {127, 0, 0, 1}, 0};
}

TEST(SpoofedSource, writes_the_headers_of_ip_and_udp)
{
  Bytes packet(spoofed_header_size + 3, 0xee);
  write_spoofed_headers(
    packet, at(0x1234), Endpoint{AddressFamily::ipv4, 0x5678, 0, {10, 1, 2, 3}, 0});
  EXPECT_EQ(
    packet, Bytes({0x45, 0, 0, 31, 0,    0,    0,    0,    64, 17, 0, 0, 127,  0,    0,   1,
                   10,   1, 2, 3,  0x12, 0x34, 0x56, 0x78, 0,  11, 0, 0, 0xee, 0xee, 0xee}));
}

TEST(SpoofedSource, makes_a_datagram_arrive_as_if_from_the_socket_of_another)
{
  auto sender = open_spoofing_sender();
  if (!sender) {
    GTEST_SKIP() << sender.error().message;
  }
  const auto open = [](const char * purpose) {
    return open_datagram_socket({"127.0.0.1", 0}, receive_buffer_bytes, purpose);
  };
  const auto receiver = open("the receiver");
  const auto victim = open("the victim");
  ASSERT_TRUE(receiver && victim);
  Bytes packet(spoofed_header_size, 0);
  packet.insert(packet.end(), {'h', 'i'});
  write_spoofed_headers(packet, at(victim->port), at(receiver->port));
  SendBatch out;
  ASSERT_TRUE(out.add(packet, at(receiver->port), sender->family));
  out.flush(sender->fd.get(), [](std::size_t, bool) { FAIL() << "the system refused it"; });
  pollfd ready{receiver->fd.get(), POLLIN, 0};
  ASSERT_EQ(::poll(&ready, 1, patience_ms), 1);
  ReceiveBatch in(0, 64, 0);
  ASSERT_EQ(in.receive(receiver->fd.get(), Instant()), 1u);
  const MutableBytes arrived = in.datagram(0);
  EXPECT_EQ(Bytes(arrived.begin(), arrived.end()), Bytes({'h', 'i'}));
  EXPECT_EQ(to_endpoint(in.source(0)), at(victim->port));
}

}  // namespace
}  // namespace pqc_tunnel::blaster
