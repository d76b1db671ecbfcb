// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "net/address.hpp"

#include <gtest/gtest.h>

#include "net/socket_address.hpp"

namespace pqc_tunnel
{

namespace
{

Endpoint serial_end(std::uint8_t link)
{
  Endpoint endpoint;
  endpoint.family = AddressFamily::serial;
  endpoint.link = link;
  return endpoint;
}

TEST(Address, ends_of_two_links_differ)
{
  EXPECT_EQ(serial_end(1), serial_end(1));
  EXPECT_NE(serial_end(1), serial_end(2));
  const Endpoint lte{AddressFamily::ipv4, 46011, 0, {192, 0, 2, 5}, 0};
  Endpoint other = lte;
  other.link = 1;
  EXPECT_NE(lte, other);
}

TEST(Address, a_serial_link_is_named_by_its_index)
{
  EXPECT_EQ(to_string(serial_end(1)), "serial link 1");
}

TEST(Address, no_socket_reaches_a_serial_link)
{
  for (const auto family : {SocketFamily::ipv4, SocketFamily::ipv6, SocketFamily::both}) {
    EXPECT_FALSE(reaches(family, serial_end(0)));
    EXPECT_EQ(to_socket_address(serial_end(0), family).length, 0);
  }
}

}  // namespace

}  // namespace pqc_tunnel
