// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <string>

#include "pqc_tunnel/net/address.hpp"
#include "socket_table.hpp"

namespace pqc_tunnel::exposure
{
namespace
{

// x86-64 and ARM print the words of an address with their bytes reversed.
constexpr const char * udp =
  "   sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout "
  "inode ref pointer drops            \n"
  "  635: 0100007F:38FE 00000000:0000 07 00000000:00000000 00:00000000 00000000  1000        0 "
  "51201 2 00000000ddb9fdd9 0        \n"
  "  636: 00000000:38DB 00000000:0000 07 00000000:00000000 00:00000000 00000000  1000        0 "
  "51202 2 00000000ddb9fdd9 12       \n"
  "  637: 0500000A:D903 0200000A:38D6 01 00000000:00000000 00:00000000 00000000     0        0 "
  "51203 2 00000000ddb9fdd9 0        \n";

constexpr const char * tcp6 =
  "  sl  local_address                         remote_address                        st tx_queue "
  "rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
  "   0: 00000000000000000000000000000000:1680 00000000000000000000000000000000:0000 0A "
  "00000000:00000000 00:00000000 00000000     0        0 601 1 0000000062212920 100 0 0 10 0\n"
  "   1: 00000000000000000000000001000000:1681 00000000000000000000000000000000:0000 0A "
  "00000000:00000000 00:00000000 00000000     0        0 602 1 0000000062212920 100 0 0 10 0\n"
  "   2: 0000000000000000FFFF00000500000A:1680 0000000000000000FFFF00000900000A:C3B2 01 "
  "00000000:00000000 00:00000000 00000000  1000        0 603 1 0000000062212920 20 4 0 146 -1\n"
  "   3: 0000000000000000FFFF00000100007F:1680 0000000000000000FFFF00000100007F:C3B2 01 "
  "00000000:00000000 00:00000000 00000000  1000        0 604 1 0000000062212920 20 4 0 146 -1\n"
  "   4: B80D01200000000000000000010000FE:1680 B80D0120000000000000000002000000:C3B2 01 "
  "00000000:00000000 00:00000000 00000000  1000        0 605 1 0000000062212920 20 4 0 146 -1\n"
  "   5: 0000000000000000FFFF00000500000A:1680 0000000000000000FFFF00000900000A:C3B4 06 "
  "00000000:00000000 00:00000000 00000000     0        0 0 3 0000000062212920\n";

SocketRow row(const std::string & local, SocketState state = SocketState::open)
{
  auto rows =
    parse_socket_table(Transport::udp, "1: " + local + " 00000000:0000 07 0:0 0:0 0 0 0 7 2 0 0\n");
  EXPECT_EQ(rows.size(), 1u) << local;
  rows.at(0).state = state;
  return rows.at(0);
}

bool reaches(const SocketRow & row, const std::vector<Endpoint> & groups = {})
{
  return reaches_beyond_loopback(row, groups);
}

TEST(SocketTable, ipv4_addresses_ports_users_and_inodes_are_read)
{
  const auto rows = parse_socket_table(Transport::udp, udp);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(to_string(rows[0].local), "127.0.0.1:14590");
  EXPECT_EQ(rows[0].state, SocketState::open);
  EXPECT_EQ(rows[0].user, 1000u);
  EXPECT_EQ(rows[0].inode, 51201u);
  EXPECT_EQ(to_string(rows[1].local), "0.0.0.0:14555");
  EXPECT_EQ(rows[2].state, SocketState::connected);
  EXPECT_EQ(to_string(rows[2].local), "10.0.0.5:55555");
  EXPECT_EQ(to_string(rows[2].remote), "10.0.0.2:14550");
}

TEST(SocketTable, ipv6_addresses_are_read_and_mapped_ones_come_back_as_ipv4)
{
  const auto rows = parse_socket_table(Transport::tcp, tcp6);
  ASSERT_EQ(rows.size(), 5u);
  EXPECT_EQ(to_string(rows[0].local), "[::]:5760");
  EXPECT_EQ(rows[0].state, SocketState::listening);
  EXPECT_EQ(to_string(rows[1].local), "[::1]:5761");
  EXPECT_EQ(to_string(rows[2].local), "10.0.0.5:5760");
  EXPECT_EQ(to_string(rows[2].remote), "10.0.0.9:50098");
  EXPECT_EQ(to_string(rows[4].local), "[2001:db8::fe00:1]:5760");
}

TEST(SocketTable, tcp_sockets_that_are_closing_are_left_out)
{
  for (const auto & one : parse_socket_table(Transport::tcp, tcp6)) {
    EXPECT_NE(one.inode, 0u);
  }
}

TEST(SocketTable, lines_of_another_form_are_skipped)
{
  const std::string good = "  1: 0100007F:0001 00000000:0000 07 0:0 00:00 0  1  0 9 2 0 0\n";
  for (const std::string garbage :
       {"", "\n\n\n", "garbage", "1: 2: 3: 4: 5: 6: 7: 8: 9: 10: 11:",
        "1: 0100007F:XYZW 00000000:0000 07 0:0 00:00 0 1 0 9 2",
        "1: 0100007F0001 00000000:0000 07 0:0 00:00 0 1 0 9 2",
        "1: 0100007:0001 00000000:0000 07 0:0 00:00 0 1 0 9 2",
        "1: 0100007F:10000 00000000:0000 07 0:0 00:00 0 1 0 9 2",
        "1: 0100007F:0001 00000000:0000 07 0:0 00:00 0 -1 0 9 2",
        "1: 0100007F:0001 00000000:0000 07 0:0 00:00 0 1 0 99999999999999999999999 2",
        "1: 0100007F:0001 00000000:0000 zz 0:0 00:00 0 1 0 9 2",
        "1: 0100007F:0001 00000000:0000 07 0:0",
        "1: 0000000000000000000000000000000G:0001 00000000:0000 07 0:0 00:00 0 1 0 9 2"})
  {
    for (const auto transport : {Transport::udp, Transport::tcp}) {
      EXPECT_TRUE(parse_socket_table(transport, garbage).empty()) << garbage;
    }
    EXPECT_EQ(parse_socket_table(Transport::udp, garbage + "\n" + good).size(), 1u) << garbage;
  }
  EXPECT_EQ(parse_socket_table(Transport::udp, good.substr(0, good.size() - 1)).size(), 1u);
}

TEST(SocketTable, every_prefix_of_a_table_is_parsed_up_to_its_end)
{
  const std::string whole = tcp6;
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_LE(parse_socket_table(Transport::tcp, whole.substr(0, length)).size(), 5u);
  }
}

TEST(SocketTable, a_socket_on_the_loopback_is_not_reachable)
{
  EXPECT_FALSE(reaches(row("0100007F:0001")));
  EXPECT_FALSE(reaches(row("3500007F:0001")));
  EXPECT_FALSE(reaches(row("00000000000000000000000001000000:0001")));
  EXPECT_FALSE(reaches(row("0000000000000000FFFF00000100007F:0001")));
}

TEST(SocketTable, a_socket_on_every_address_or_on_that_of_an_interface_is_reachable)
{
  EXPECT_TRUE(reaches(row("00000000:0001")));
  EXPECT_TRUE(reaches(row("0500000A:0001")));
  EXPECT_TRUE(reaches(row("00000000000000000000000000000000:0001", SocketState::listening)));
  EXPECT_TRUE(reaches(row("000080FE00000000FF00FF00FE000001:0001")));
  EXPECT_TRUE(reaches(row("0000000000000000FFFF000000000000:0001")));
}

TEST(SocketTable, a_connection_is_judged_by_its_other_end)
{
  const auto udp_rows = parse_socket_table(Transport::udp, udp);
  EXPECT_TRUE(reaches(udp_rows[2]));
  const auto rows = parse_socket_table(Transport::tcp, tcp6);
  EXPECT_TRUE(reaches(rows[2]));
  EXPECT_FALSE(reaches(rows[3]));
  SocketRow to_itself = rows[2];
  to_itself.remote = to_itself.local;
  to_itself.remote.port = 1;
  EXPECT_FALSE(reaches(to_itself));
}

TEST(SocketTable, the_trace_of_a_host_name_being_looked_up_is_no_connection)
{
  SocketRow probe = parse_socket_table(Transport::udp, udp)[2];
  probe.remote.port = 0;
  EXPECT_FALSE(reaches(probe));
}

TEST(SocketTable, a_socket_bound_to_a_multicast_group_is_reached_where_the_group_is_joined)
{
  const auto on_loopback = parse_ipv4_groups(
    "Idx\tDevice    : Count Querier\tGroup    Users Timer\tReporter\n"
    "1\tlo        :     2      V3\n"
    "\t\t\t\t0100FFEF     1 0:00000000\t\t0\n"
    "\t\t\t\t010000E0     1 0:00000000\t\t0\n"
    "4\teth0      :     1      V3\n"
    "\t\t\t\t010000E0     1 0:00000000\t\t0\n");
  ASSERT_EQ(on_loopback.size(), 1u);
  EXPECT_EQ(to_string(on_loopback[0]), "224.0.0.1:0");
  EXPECT_FALSE(reaches(row("0100FFEF:1CE8"), on_loopback));
  const auto on_the_network = parse_ipv4_groups(
    "1\tlo        :     1      V3\n"
    "\t\t\t\t010000E0     1 0:00000000\t\t0\n"
    "4\teth0      :     2      V3\n"
    "\t\t\t\t0100FFEF     1 0:00000000\t\t0\n");
  EXPECT_TRUE(reaches(row("0100FFEF:1CE8"), on_the_network));
}

TEST(SocketTable, ipv6_groups_are_read_without_those_of_the_loopback)
{
  const auto groups = parse_ipv6_groups(
    "1    lo              ff0200000000000000000000000000fb     1 0000000C 0\n"
    "4    eth0            ff020000000000000000000000000001     1 0000000C 0\n"
    "4    eth0            ff02garbage\n");
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(to_string(groups[0]), "[ff02::1]:0");
  EXPECT_TRUE(reaches(row("000002FF000000000000000001000000:0001"), groups));
  EXPECT_FALSE(reaches(row("000002FF0000000000000000FB000000:0001"), groups));
}

TEST(SocketTable, lists_of_groups_survive_garbage)
{
  for (const std::string garbage : {"", "\n \n\t\n", "1\n\tXYZ\n", "\t\t\t0100FFE\n", "a b c\n"}) {
    EXPECT_TRUE(parse_ipv4_groups(garbage).empty()) << garbage;
    EXPECT_TRUE(parse_ipv6_groups(garbage).empty()) << garbage;
  }
}

}  // namespace
}  // namespace pqc_tunnel::exposure
