// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <string>

#include "machine_builder.hpp"

namespace pqc_tunnel::exposure
{
namespace
{

MachineBuilder drone(std::uint16_t datagram_port)
{
  return MachineBuilder()
    .process("tunnel_node", 20, Middleware::fast_dds)
    .udp(any6, datagram_port)
    .udp(loopback, 14590, 7412, 7413)
    .to_stranger(Transport::udp, 53);
}

TEST(Exposure, the_encrypted_ports_of_the_shipped_files_are_no_findings)
{
  EXPECT_EQ(findings_of(drone(46011)), "");
  const auto ground = MachineBuilder().process("pqc_tunneld", 21).udp(any6, 46012);
  EXPECT_EQ(findings_of(ground), "");
}

TEST(Exposure, the_encrypted_socket_is_not_counted_among_those_that_fast_dds_sends_from)
{
  EXPECT_EQ(findings_of(drone(46011).udp(any, 33817).udp(own, 34687)), "");
  EXPECT_EQ(verdict_of(drone(46011).udp(any, 33817, 33818).udp(own, 34687)), Verdict::unclear);
}

TEST(Exposure, the_encrypted_ports_of_the_parameter_file_are_no_findings)
{
  ExposureOptions options;
  options.ports = {{14550}, {14590}};
  options.ports_known = true;
  EXPECT_EQ(findings_of(drone(14550), options), "");
}

TEST(Exposure, encrypted_ports_that_are_not_known_are_unclear_but_never_exposed)
{
  const auto machine = drone(50001);
  EXPECT_EQ(verdict_of(machine), Verdict::unclear);
  EXPECT_EQ(
    judge(machine).findings.at(0).problem,
    "tunnel_node (pid 20) has UDP [::]:50001 open to the network, and its traffic is unknown");
  EXPECT_EQ(
    judge(machine).findings.at(0).mend,
    "name the tunnel's parameter file with --config, which gives its encrypted ports");
}

TEST(Exposure, the_same_ports_are_findings_where_another_program_has_them)
{
  ExposureOptions options;
  options.ports = {{14550}, {14590}};
  const auto machine =
    MachineBuilder().process("mavlink-routerd", 7).udp(any, 14550).tcp(any, 5760);
  EXPECT_EQ(judge(machine, options).findings.size(), 2u);
}

TEST(Exposure, the_node_beside_its_encrypted_socket_is_exposed_by_its_middleware)
{
  const auto machine = drone(46011).udp(any, 7410, 7411, 40000);
  const auto report = judge(machine);
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].kind, ExposureKind::dds);
  EXPECT_EQ(report.findings[0].sockets.size(), 3u);
}

TEST(Exposure, a_plaintext_port_open_to_the_network_is_exposed)
{
  ExposureOptions options;
  options.ports = {{50001}, {50004}};
  options.ports_known = true;
  EXPECT_EQ(
    findings_of(MachineBuilder().process("pqc_tunneld", 21).udp(any, 50001, 50004), options),
    "exposed mavlink: pqc_tunneld (pid 21) accepts MAVLink from any address on UDP "
    "0.0.0.0:50004: set plaintext_bind_address to 127.0.0.1.\n");
  EXPECT_EQ(
    verdict_of(MachineBuilder().process("pqc_tunneld", 21).udp(any, 14551)), Verdict::exposed);
}

TEST(Exposure, sockets_of_hidden_programs_are_judged_by_their_ports)
{
  const auto machine = MachineBuilder().unseen(0).tcp(any6, 5760).tcp(any6, 22);
  EXPECT_EQ(
    findings_of(machine),
    "exposed mavlink: A program of root that this user cannot inspect accepts MAVLink "
    "connections from anyone on TCP [::]:5760: bind it to 127.0.0.1, or close it with a "
    "firewall (share/pqc_tunnel/config/nftables) and allow it (exposure.allow, --allow): "
    "PROGRAM:5760/tcp.\n");
  EXPECT_EQ(
    unseen_sentence(judge(machine)),
    "One other socket is open to the network whose program this user cannot see: only root, "
    "outside of containers, sees every program.");
}

TEST(Exposure, an_unseen_participant_is_found_by_its_ports)
{
  const auto machine = MachineBuilder().unseen(1000).udp(any, 7410, 7411, 40000);
  const auto report = judge(machine);
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].kind, ExposureKind::dds);
  EXPECT_EQ(report.unseen_sockets, 1u);
}

TEST(Exposure, ports_of_different_users_make_no_participant)
{
  const auto machine = MachineBuilder().unseen(1).udp(any, 7410).unseen(2).udp(any, 7411);
  EXPECT_TRUE(judge(machine).findings.empty());
}

TEST(Exposure, the_encrypted_socket_of_an_unreadable_tunnel_process_is_no_finding)
{
  ExposureOptions options;
  options.ports = {{14550}, {}};
  options.ports_known = true;
  const auto machine = MachineBuilder().unreadable("tunnel_node", 20, 1000).udp(any6, 14550);
  const auto report = judge(machine, options);
  EXPECT_TRUE(report.findings.empty());
  EXPECT_EQ(report.unseen_sockets, 0u);
}

TEST(Exposure, an_unreadable_mavlink_process_makes_the_verdict_unclear)
{
  const auto machine =
    MachineBuilder().unreadable("mavlink-routerd", 7, 0).unseen(0).udp(any, 41234);
  EXPECT_EQ(
    findings_of(machine),
    "unclear mavlink: mavlink-routerd (pid 7) may have sockets open to the network that this "
    "user cannot see: run this check as root.\n");
  EXPECT_EQ(verdict_of(machine), Verdict::unclear);
  EXPECT_EQ(verdict_of(machine, allowing("mavlink-routerd:*/udp")), Verdict::closed);
}

TEST(Exposure, an_unreadable_mavlink_process_without_unseen_sockets_of_its_user_is_closed)
{
  const auto machine =
    MachineBuilder().unreadable("mavlink-routerd", 7, 0).unseen(1000).udp(any, 41234);
  EXPECT_EQ(verdict_of(machine), Verdict::closed);
}

TEST(Exposure, an_unseen_socket_is_reported_with_the_program_that_probably_owns_it)
{
  const auto machine =
    MachineBuilder().unreadable("mavlink-routerd", 7, 0).unseen(0).tcp(any6, 5760);
  EXPECT_EQ(
    findings_of(machine),
    "exposed mavlink: A program of root that this user cannot inspect (probably "
    "mavlink-routerd) accepts MAVLink connections from anyone on TCP [::]:5760: set "
    "TcpServerPort = 0 in its configuration.\n");
}

TEST(Exposure, a_mavlink_process_in_another_network_namespace_makes_the_verdict_unclear)
{
  EXPECT_EQ(
    findings_of(MachineBuilder().elsewhere("mavlink-routerd", 7)),
    "unclear mavlink: mavlink-routerd (pid 7) is in a network namespace of its own, which this "
    "check did not examine: run this check there, too.\n");
}

TEST(Exposure, where_processes_are_hidden_an_unseen_socket_makes_the_verdict_unclear)
{
  const auto machine = MachineBuilder().unseen(0).udp(any, 41234).hidden();
  EXPECT_EQ(verdict_of(machine), Verdict::unclear);
  EXPECT_EQ(verdict_of(MachineBuilder().hidden()), Verdict::closed);
}

TEST(Exposure, allowed_sockets_are_left_out_and_no_others)
{
  const auto machine =
    MachineBuilder().process("mavlink-routerd", 7).tcp(any6, 5760).udp(any, 41234, 14550);
  const auto left = [&](const std::string & allowed) {
    std::size_t sockets = 0;
    for (const auto & finding : judge(machine, allowing(allowed)).findings) {
      sockets += finding.sockets.size();
    }
    return sockets;
  };
  EXPECT_EQ(left("mavlink-routerd"), 0u);
  EXPECT_EQ(left("mavlink-routerd:*/udp"), 1u);
  EXPECT_EQ(left("mavlink-routerd:5760"), 2u);
  EXPECT_EQ(left("mavlink-routerd:5760/udp"), 3u);
  EXPECT_EQ(left("mavlink"), 3u);
}

TEST(Exposure, an_unseen_socket_is_allowed_by_its_port_if_such_a_program_runs)
{
  const auto machine =
    MachineBuilder().unreadable("mavlink-routerd", 7, 0).unseen(0).tcp(any6, 5760);
  EXPECT_EQ(verdict_of(machine, allowing("mavlink-routerd:5760/tcp")), Verdict::closed);
  EXPECT_EQ(verdict_of(machine, allowing("mavlink-routerd")), Verdict::exposed);
  EXPECT_EQ(verdict_of(machine, allowing("mavproxy.py:5760/tcp")), Verdict::exposed);
}

TEST(Exposure, exposed_findings_come_before_unclear_ones)
{
  const auto report = judge(MachineBuilder()
                              .process("rosbridge", 9, Middleware::fast_dds)
                              .tcp(any, 9090)
                              .process("mavros_node", 10)
                              .udp(any, 14555));
  ASSERT_EQ(report.findings.size(), 2u);
  EXPECT_EQ(report.findings[0].process, "mavros_node");
  EXPECT_EQ(report.verdict(), Verdict::exposed);
}

TEST(Exposure, a_shared_socket_is_attributed_to_the_more_specific_program)
{
  MachineSockets machine =
    MachineBuilder().process("systemd", 1).process("mavlink-routerd", 7).tcp(any6, 9999);
  machine.processes[0].inodes = machine.processes[1].inodes;
  const auto report = judge(machine);
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].process, "mavlink-routerd");
}

}  // namespace
}  // namespace pqc_tunnel::exposure
