// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "known_ports.hpp"
#include "machine_builder.hpp"

namespace pqc_tunnel::exposure
{
namespace
{

TEST(Exposure, a_participant_on_every_address_is_exposed_with_all_of_its_sockets)
{
  const auto machine = MachineBuilder()
                         .process("sensing_node", 9, Middleware::fast_dds)
                         .udp(own, 39201)
                         .udp(any, 7000, 9150, 9160, 9161, 44837);
  EXPECT_EQ(
    findings_of(machine),
    "exposed dds: sensing_node (pid 9) can be reached by any ROS 2 participant on the network "
    "(UDP 0.0.0.0:7000, 0.0.0.0:9150, 0.0.0.0:9160 and 3 more): set FASTDDS_DEFAULT_PROFILES_FILE "
    "to share/pqc_tunnel/config/fastdds_local.xml and ROS_AUTOMATIC_DISCOVERY_RANGE to "
    "SYSTEM_DEFAULT.\n");
}

TEST(Exposure, a_participant_of_an_unusual_domain_is_found_by_its_pair_of_ports)
{
  const auto machine =
    MachineBuilder().process("sensing_node", 9, Middleware::fast_dds).udp(any, 37410, 37411);
  EXPECT_EQ(verdict_of(machine), Verdict::exposed);
}

TEST(Exposure, a_participant_on_the_loopback_is_closed)
{
  const auto machine = MachineBuilder()
                         .process("sensing_node", 9, Middleware::fast_dds)
                         .udp(loopback, 7000)
                         .udp("239.255.0.1", 7400)
                         .udp(loopback, 7400, 7410, 7411, 44837);
  EXPECT_EQ(findings_of(machine), "");
}

TEST(Exposure, a_multicast_socket_is_exposed_once_its_group_is_joined_on_the_network)
{
  auto machine =
    MachineBuilder().process("sensing_node", 9, Middleware::fast_dds).udp("239.255.0.1", 7400);
  EXPECT_EQ(verdict_of(machine), Verdict::closed);
  machine.group("239.255.0.1");
  EXPECT_EQ(verdict_of(machine), Verdict::exposed);
}

TEST(Exposure, sockets_that_fast_dds_only_sends_from_are_closed)
{
  const auto machine = MachineBuilder()
                         .process("sensing_node", 9, Middleware::fast_dds)
                         .udp(loopback, 9160, 9161)
                         .udp(any, 33817)
                         .udp(own, 34687);
  EXPECT_EQ(findings_of(machine), "");
}

TEST(Exposure, one_socket_more_than_fast_dds_sends_from_is_unclear)
{
  const auto machine = MachineBuilder()
                         .process("sensing_node", 9, Middleware::fast_dds)
                         .udp(loopback, 9160, 9161)
                         .udp(any, 33817)
                         .udp(own, 34687)
                         .udp(any, 40000);
  EXPECT_EQ(verdict_of(machine), Verdict::unclear);
  const auto alone = MachineBuilder()
                       .process("sensing_node", 9, Middleware::fast_dds)
                       .udp(loopback, 9160)
                       .udp(any, 40000);
  EXPECT_EQ(
    findings_of(alone),
    "unclear unknown: sensing_node (pid 9) has UDP 0.0.0.0:40000 open to the network, and its "
    "traffic is unknown: bind it to 127.0.0.1, or, if it carries neither MAVLink nor ROS 2 "
    "data, allow it (exposure.allow, --allow): sensing_node:40000/udp.\n");
}

TEST(Exposure, other_sockets_of_a_ros_process_are_unclear)
{
  const auto machine = MachineBuilder()
                         .process("rosbridge", 9, Middleware::fast_dds)
                         .tcp(any, 9090)
                         .to_stranger(Transport::tcp, 2101);
  const auto report = judge(machine);
  EXPECT_EQ(report.findings.size(), 2u);
  EXPECT_EQ(report.verdict(), Verdict::unclear);
  EXPECT_EQ(verdict_of(machine, allowing("rosbridge")), Verdict::closed);
}

TEST(Exposure, each_middleware_gets_advice_of_its_own)
{
  const auto mend = [](Middleware middleware) {
    const auto report = judge(MachineBuilder().process("node", 9, middleware).udp(any, 7400, 7410));
    return report.findings.at(0).mend;
  };
  EXPECT_EQ(
    mend(Middleware::fast_dds_2),
    "set FASTRTPS_DEFAULT_PROFILES_FILE to share/pqc_tunnel/config/fastdds_local.xml and "
    "ROS_AUTOMATIC_DISCOVERY_RANGE to SYSTEM_DEFAULT");
  EXPECT_EQ(
    mend(Middleware::cyclone_dds),
    "set CYCLONEDDS_URI to share/pqc_tunnel/config/cyclonedds_local.xml; as Cyclone DDS still "
    "listens on every address, close its ports with a firewall (share/pqc_tunnel/config/nftables) "
    "and allow it (exposure.allow, --allow)");
  EXPECT_EQ(
    mend(Middleware::connext),
    "keep its transports to the loopback interface in NDDS_QOS_PROFILES");
}

TEST(Exposure, a_participant_is_found_without_its_library_by_the_ports_it_has_together)
{
  const auto machine =
    MachineBuilder().process("zenoh-bridge-ros2dds", 9).udp(any, 7400, 7410, 7411);
  EXPECT_EQ(judge(machine).findings.at(0).sockets.size(), 3u);
  EXPECT_EQ(judge(machine).findings.at(0).kind, ExposureKind::dds);
  EXPECT_EQ(findings_of(MachineBuilder().process("exporter", 9).udp(any, 7410)), "");
}

TEST(Exposure, a_zenoh_router_is_exposed_at_its_port)
{
  EXPECT_EQ(
    findings_of(MachineBuilder().process("rmw_zenohd", 9, Middleware::zenoh).tcp(any6, 7447)),
    "exposed zenoh: rmw_zenohd (pid 9) can be reached by any Zenoh session on the network (TCP "
    "[::]:7447): listen on tcp/127.0.0.1:7447 only, in the file that ZENOH_ROUTER_CONFIG_URI or "
    "ZENOH_SESSION_CONFIG_URI names.\n");
  EXPECT_EQ(
    findings_of(MachineBuilder().process("rmw_zenohd", 9, Middleware::zenoh).tcp(loopback, 7447)),
    "");
}

TEST(Exposure, a_zenoh_session_with_a_router_elsewhere_is_exposed)
{
  const auto machine =
    MachineBuilder().process("node", 9, Middleware::zenoh).to_stranger(Transport::tcp, 7447);
  EXPECT_EQ(
    findings_of(machine),
    "exposed zenoh: node (pid 9) exchanges readable ROS 2 data with TCP 10.0.0.9:7447: connect to "
    "a router on this machine only, in the file that ZENOH_SESSION_CONFIG_URI names.\n");
}

TEST(Exposure, rtps_ports_follow_the_formula_of_the_specification)
{
  const auto domain = [](std::uint16_t port) {
    const auto rtps = rtps_port(port);
    return rtps ? rtps->domain : -1;
  };
  EXPECT_EQ(rtps_port(7400)->use, RtpsPort::Use::discovery_multicast);
  EXPECT_EQ(rtps_port(7401)->use, RtpsPort::Use::data);
  EXPECT_EQ(rtps_port(7410)->use, RtpsPort::Use::discovery_unicast);
  EXPECT_EQ(rtps_port(7411)->use, RtpsPort::Use::data);
  EXPECT_EQ(domain(9150), 7);
  EXPECT_EQ(domain(65400), 232);
  EXPECT_EQ(domain(7399), -1);
  EXPECT_EQ(domain(7402), -1);
  EXPECT_EQ(domain(7649), -1);
  EXPECT_EQ(domain(0), -1);
  EXPECT_EQ(domain(65535), -1);
}

TEST(Exposure, no_port_of_mavlink_or_of_the_shipped_files_is_a_port_of_a_participant)
{
  for (int port = 1; port < 65536; ++port) {
    const auto number = static_cast<std::uint16_t>(port);
    if (is_mavlink_port(Transport::udp, number)) {
      EXPECT_FALSE(rtps_port(number)) << port;
      EXPECT_FALSE(is_zenoh_port(Transport::udp, number)) << port;
    }
  }
  for (const std::uint16_t port : shipped_ports().datagram) {
    EXPECT_FALSE(rtps_port(port)) << port;
  }
}

}  // namespace
}  // namespace pqc_tunnel::exposure
