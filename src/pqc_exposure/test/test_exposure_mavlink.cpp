// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "machine_builder.hpp"

namespace pqc_tunnel::exposure
{
namespace
{

TEST(Exposure, mavros_with_the_url_that_binds_every_address_is_exposed)
{
  const auto machine = MachineBuilder().process("mavros_node", 123).udp(any, 14555);
  EXPECT_EQ(
    findings_of(machine),
    "exposed mavlink: mavros_node (pid 123) accepts MAVLink from any address on UDP "
    "0.0.0.0:14555: start it with gcs_url:=udp://127.0.0.1:14555@127.0.0.1:14590.\n");
  EXPECT_EQ(verdict_of(machine), Verdict::exposed);
}

TEST(Exposure, mavros_on_the_loopback_is_closed)
{
  const auto machine = MachineBuilder().process("mavros_node", 123).udp(loopback, 14555);
  EXPECT_EQ(findings_of(machine), "");
  EXPECT_EQ(verdict_of(machine), Verdict::closed);
}

TEST(Exposure, a_mavlink_program_is_recognized_by_its_name_at_any_port)
{
  EXPECT_EQ(
    findings_of(MachineBuilder().process("mavros_node", 1).udp(any, 9999)),
    "exposed mavlink: mavros_node (pid 1) accepts MAVLink from any address on UDP "
    "0.0.0.0:9999: write udp://127.0.0.1:9999@… in its gcs_url or fcu_url, whichever has this "
    "port.\n");
  EXPECT_EQ(
    findings_of(MachineBuilder().process("mavros_node", 1).tcp(any, 9999)),
    "exposed mavlink: mavros_node (pid 1) accepts MAVLink connections from anyone on TCP "
    "0.0.0.0:9999: write tcp-l://127.0.0.1:9999 in its gcs_url or fcu_url.\n");
}

TEST(Exposure, a_mavlink_program_is_recognized_by_its_libraries)
{
  const auto machine =
    MachineBuilder().process("component_container", 1).mavlink_library().udp(any, 9999);
  EXPECT_EQ(
    findings_of(machine),
    "exposed mavlink: component_container (pid 1) accepts MAVLink from any address on UDP "
    "0.0.0.0:9999: bind it to 127.0.0.1, or close it with a firewall "
    "(share/pqc_tunnel/config/nftables) and allow it (exposure.allow, --allow): "
    "component_container:9999/udp.\n");
}

TEST(Exposure, a_mavlink_port_is_recognized_whichever_program_has_it)
{
  EXPECT_EQ(
    findings_of(MachineBuilder().process("socat", 5).udp(any, 14550)),
    "exposed mavlink: socat (pid 5) accepts MAVLink from any address on UDP 0.0.0.0:14550: "
    "bind it to 127.0.0.1, or close it with a firewall (share/pqc_tunnel/config/nftables) and "
    "allow it (exposure.allow, --allow): socat:14550/udp.\n");
  EXPECT_EQ(findings_of(MachineBuilder().process("socat", 5).udp(any, 5555)), "");
  EXPECT_EQ(findings_of(MachineBuilder().process("sshd", 5).tcp(any6, 22)), "");
}

TEST(Exposure, advice_for_mavlink_router_closes_its_server_and_names_a_firewall_for_its_client)
{
  const auto machine =
    MachineBuilder().process("mavlink-routerd", 7).tcp(any6, 5760).udp(any, 41234);
  EXPECT_EQ(
    findings_of(machine),
    "exposed mavlink: mavlink-routerd (pid 7) accepts MAVLink connections from anyone on TCP "
    "[::]:5760: set TcpServerPort = 0 in its configuration.\nexposed mavlink: mavlink-routerd "
    "(pid 7) accepts MAVLink from any address on UDP 0.0.0.0:41234: none of its options binds "
    "this socket, so close it with a firewall (share/pqc_tunnel/config/nftables) and allow it "
    "(exposure.allow, --allow): mavlink-routerd:*/udp.\n");
}

TEST(Exposure, a_connection_to_another_machine_carries_readable_mavlink)
{
  const auto machine =
    MachineBuilder().process("mavlink-routerd", 7).to_stranger(Transport::tcp, 5760);
  EXPECT_EQ(
    findings_of(machine),
    "exposed mavlink: mavlink-routerd (pid 7) exchanges readable MAVLink with TCP 10.0.0.9:5760: "
    "let its endpoint lead to the tunnel instead: Address = 127.0.0.1, Port = 14590.\n");
  EXPECT_EQ(
    findings_of(MachineBuilder().process("nc", 8).to_stranger(Transport::udp, 14550)),
    "exposed mavlink: nc (pid 8) exchanges readable MAVLink with UDP 10.0.0.9:14550: connect "
    "it to the tunnel instead.\n");
}

TEST(Exposure, a_connection_within_this_machine_is_closed)
{
  const auto machine =
    MachineBuilder()
      .process("mavlink-routerd", 7)
      .connected(Transport::tcp, endpoint_of(loopback, 41000), endpoint_of(loopback, 5760))
      .connected(Transport::tcp, endpoint_of(own, 41000), endpoint_of(own, 5760));
  EXPECT_EQ(findings_of(machine), "");
}

TEST(Exposure, maps_names_and_video_of_a_ground_program_are_no_mavlink)
{
  const auto machine = MachineBuilder()
                         .process("QGroundControl", 7)
                         .udp(any, 5353, 5600)
                         .to_stranger(Transport::tcp, 443)
                         .to_stranger(Transport::udp, 53);
  EXPECT_EQ(findings_of(machine), "");
}

TEST(Exposure, every_known_program_gets_advice_of_its_own)
{
  std::set<std::string> mends;
  for (const char * name : {"mavros_node", "mavproxy.py", "mavsdk_server", "QGroundControl", "px4"})
  {
    const auto report = judge(MachineBuilder().process(name, 7).udp(any, 14550));
    ASSERT_EQ(report.findings.size(), 1u) << name;
    mends.insert(report.findings[0].mend);
  }
  EXPECT_EQ(mends.size(), 5u);
}

}  // namespace
}  // namespace pqc_tunnel::exposure
