// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "net/sockets.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include "net/address.hpp"
#include "net/address_scope.hpp"
#include "support/application.hpp"

namespace pqc_tunnel
{
namespace
{

// Otherwise the mirror's socket would be open to the network.
TEST(Sockets, a_socket_to_send_to_this_machine_from_stays_on_the_loopback)
{
  const Application receiver;
  for (const char * host : {"127.0.0.1", "::1"}) {
    const Endpoint to = resolve(HostPort{host, receiver.port()}).value().front();
    const auto sender = open_sender(to);
    if (!sender) {
      EXPECT_EQ(to.family, AddressFamily::ipv6) << sender.error().message;  // it may be off
      continue;
    }
    const auto address = to_socket_address(to, sender->family);
    ::sendto(sender->fd.get(), "x", 1, 0, address.data(), address.length);
    const Endpoint from = bound_address(sender->fd.get());
    EXPECT_NE(from.family, AddressFamily::none) << host << ": bound to every address";
    EXPECT_TRUE(is_loopback(from)) << host;
  }
}

}  // namespace
}  // namespace pqc_tunnel
