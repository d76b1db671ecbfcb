// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "exposure/exposure.hpp"
#include "exposure/known_ports.hpp"
#include "machine_builder.hpp"

namespace pqc_tunnel
{
namespace
{

constexpr auto any = "0.0.0.0";
constexpr auto any6 = "::";
constexpr auto loopback = "127.0.0.1";
constexpr auto own = "10.0.0.5";
constexpr auto stranger = "10.0.0.9";

ExposureReport judge(const MachineSockets & machine, const ExposureOptions & options = {})
{
  return judge_exposure(machine, options);
}

// The sentences, each with its severity; empty if nothing is reported.
std::string told(const MachineSockets & machine, const ExposureOptions & options = {})
{
  std::string text;
  for (const Finding & finding : judge(machine, options).findings) {
    text += std::string(to_string(finding.severity)) + " " + to_string(finding.kind) + ": " +
            sentence(finding) + "\n";
  }
  return text;
}

ExposureOptions allowing(const std::vector<std::string> & texts)
{
  ExposureOptions options;
  for (const auto & text : texts) {
    options.allowed.push_back(parse_allowed_socket(text).value());
  }
  return options;
}

// --- MAVLink ---

TEST(Exposure, mavros_with_the_url_that_binds_every_address_is_exposed)
{
  const auto machine = MachineBuilder().process("mavros_node", 123).udp(any, 14555);
  EXPECT_EQ(
    told(machine),
    "exposed mavlink: mavros_node (pid 123) takes MAVLink from any address on UDP 0.0.0.0:14555: "
    "start it with gcs_url:=udp://127.0.0.1:14555@127.0.0.1:14590.\n");
  EXPECT_EQ(judge(machine).verdict(), Verdict::exposed);
}

TEST(Exposure, mavros_on_the_loopback_is_closed)
{
  const auto machine = MachineBuilder().process("mavros_node", 123).udp(loopback, 14555);
  EXPECT_EQ(told(machine), "");
  EXPECT_EQ(judge(machine).verdict(), Verdict::closed);
}

TEST(Exposure, a_program_of_mavlink_is_known_by_its_name_at_any_port)
{
  EXPECT_EQ(
    told(MachineBuilder().process("mavros_node", 1).udp(any, 9999)),
    "exposed mavlink: mavros_node (pid 1) takes MAVLink from any address on UDP 0.0.0.0:9999: "
    "write udp://127.0.0.1:9999@… in its gcs_url or fcu_url, whichever has this port.\n");
  EXPECT_EQ(
    told(MachineBuilder().process("mavros_node", 1).tcp(any, 9999)),
    "exposed mavlink: mavros_node (pid 1) lets anybody connect to its MAVLink on TCP 0.0.0.0:9999: "
    "write tcp-l://127.0.0.1:9999 in its gcs_url or fcu_url.\n");
}

TEST(Exposure, a_program_of_mavlink_is_known_by_its_libraries)
{
  const auto machine =
    MachineBuilder().process("component_container", 1).mavlink_library().udp(any, 9999);
  EXPECT_EQ(
    told(machine),
    "exposed mavlink: component_container (pid 1) takes MAVLink from any address on UDP "
    "0.0.0.0:9999: bind it to 127.0.0.1, or close it with a firewall "
    "(share/pqc_tunnel/config/nftables) and allow it (exposure.allow, --allow): "
    "component_container:9999/udp.\n");
}

TEST(Exposure, a_port_of_mavlink_is_known_whatever_program_has_it)
{
  EXPECT_EQ(
    told(MachineBuilder().process("socat", 5).udp(any, 14550)),
    "exposed mavlink: socat (pid 5) takes MAVLink from any address on UDP 0.0.0.0:14550: "
    "bind it to 127.0.0.1, or close it with a firewall (share/pqc_tunnel/config/nftables) and "
    "allow it (exposure.allow, --allow): socat:14550/udp.\n");
  EXPECT_EQ(told(MachineBuilder().process("socat", 5).udp(any, 5555)), "");
  EXPECT_EQ(told(MachineBuilder().process("sshd", 5).tcp(any6, 22)), "");
}

TEST(Exposure, mavlink_router_is_told_what_closes_its_server_and_that_nothing_closes_its_client)
{
  const auto machine =
    MachineBuilder().process("mavlink-routerd", 7).tcp(any6, 5760).udp(any, 41234);
  EXPECT_EQ(
    told(machine),
    "exposed mavlink: mavlink-routerd (pid 7) lets anybody connect to its MAVLink on TCP "
    "[::]:5760: set TcpServerPort = 0 in its configuration.\n"
    "exposed mavlink: mavlink-routerd (pid 7) takes MAVLink from any address on UDP "
    "0.0.0.0:41234: none of its options binds this socket, so close it with a firewall "
    "(share/pqc_tunnel/config/nftables) and allow it (exposure.allow, --allow): "
    "mavlink-routerd:*/udp.\n");
}

TEST(Exposure, a_connection_to_another_machine_carries_readable_mavlink)
{
  const auto machine =
    MachineBuilder()
      .process("mavlink-routerd", 7)
      .connected(Transport::tcp, endpoint_of(own, 41000), endpoint_of(stranger, 5760));
  EXPECT_EQ(
    told(machine),
    "exposed mavlink: mavlink-routerd (pid 7) exchanges readable MAVLink with TCP 10.0.0.9:5760: "
    "let its endpoint lead to the tunnel instead: Address = 127.0.0.1, Port = 14590.\n");
  EXPECT_EQ(
    told(MachineBuilder().process("nc", 8).connected(
      Transport::udp, endpoint_of(own, 41000), endpoint_of(stranger, 14550))),
    "exposed mavlink: nc (pid 8) exchanges readable MAVLink with UDP 10.0.0.9:14550: let it talk "
    "to the tunnel instead.\n");
}

TEST(Exposure, a_connection_within_this_machine_does_not)
{
  const auto machine =
    MachineBuilder()
      .process("mavlink-routerd", 7)
      .connected(Transport::tcp, endpoint_of(loopback, 41000), endpoint_of(loopback, 5760))
      .connected(Transport::tcp, endpoint_of(own, 41000), endpoint_of(own, 5760));
  EXPECT_EQ(told(machine), "");
}

TEST(Exposure, maps_names_and_video_of_a_ground_program_are_no_mavlink)
{
  const auto machine =
    MachineBuilder()
      .process("QGroundControl", 7)
      .udp(any, 5353)
      .udp(any, 5600)
      .connected(Transport::tcp, endpoint_of(own, 41000), endpoint_of(stranger, 443))
      .connected(Transport::udp, endpoint_of(own, 41001), endpoint_of(stranger, 53));
  EXPECT_EQ(told(machine), "");
}

TEST(Exposure, every_known_program_is_told_something_of_its_own)
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

// --- DDS and Zenoh ---

TEST(Exposure, a_participant_on_every_address_is_exposed_with_all_of_its_sockets)
{
  const auto machine = MachineBuilder()
                         .process("sensing_node", 9, Middleware::fast_dds)
                         .udp(own, 39201)
                         .udp(any, 7000)
                         .udp(any, 9150)
                         .udp(any, 9160)
                         .udp(any, 9161)
                         .udp(any, 44837);
  EXPECT_EQ(
    told(machine),
    "exposed dds: sensing_node (pid 9) can be reached by any ROS 2 participant on the network "
    "(UDP 0.0.0.0:7000, 0.0.0.0:9150, 0.0.0.0:9160 and 3 more): set FASTDDS_DEFAULT_PROFILES_FILE "
    "to share/pqc_tunnel/config/fastdds_local.xml and ROS_AUTOMATIC_DISCOVERY_RANGE to "
    "SYSTEM_DEFAULT.\n");
}

TEST(Exposure, a_participant_of_an_unusual_domain_is_found_by_its_pair_of_ports)
{
  const auto machine = MachineBuilder()
                         .process("sensing_node", 9, Middleware::fast_dds)
                         .udp(any, 37410)
                         .udp(any, 37411);
  EXPECT_EQ(judge(machine).verdict(), Verdict::exposed);
}

TEST(Exposure, a_participant_on_the_loopback_is_closed)
{
  const auto machine = MachineBuilder()
                         .process("sensing_node", 9, Middleware::fast_dds)
                         .udp(loopback, 7000)
                         .udp("239.255.0.1", 7400)
                         .udp(loopback, 7400)
                         .udp(loopback, 7410)
                         .udp(loopback, 7411)
                         .udp(loopback, 44837);
  EXPECT_EQ(told(machine), "");
}

TEST(Exposure, a_multicast_socket_is_exposed_once_its_group_is_joined_on_the_network)
{
  auto machine =
    MachineBuilder().process("sensing_node", 9, Middleware::fast_dds).udp("239.255.0.1", 7400);
  EXPECT_EQ(judge(machine).verdict(), Verdict::closed);
  machine.group("239.255.0.1");
  EXPECT_EQ(judge(machine).verdict(), Verdict::exposed);
}

TEST(Exposure, what_fast_dds_only_sends_from_is_closed)
{
  const auto machine = MachineBuilder()
                         .process("sensing_node", 9, Middleware::fast_dds)
                         .udp(loopback, 9160)
                         .udp(loopback, 9161)
                         .udp(any, 33817)
                         .udp(own, 34687);
  EXPECT_EQ(told(machine), "");
}

TEST(Exposure, one_socket_more_than_fast_dds_sends_from_is_unclear)
{
  const auto machine = MachineBuilder()
                         .process("sensing_node", 9, Middleware::fast_dds)
                         .udp(loopback, 9160)
                         .udp(loopback, 9161)
                         .udp(any, 33817)
                         .udp(own, 34687)
                         .udp(any, 40000);
  EXPECT_EQ(judge(machine).verdict(), Verdict::unclear);
  const auto alone = MachineBuilder()
                       .process("sensing_node", 9, Middleware::fast_dds)
                       .udp(loopback, 9160)
                       .udp(any, 40000);
  EXPECT_EQ(
    told(alone),
    "unclear unknown: sensing_node (pid 9) has UDP 0.0.0.0:40000 open to the network, and what "
    "passes there is unknown: bind it to 127.0.0.1, or, if it carries neither MAVLink nor ROS 2 "
    "data, allow it (exposure.allow, --allow): sensing_node:40000/udp.\n");
}

TEST(Exposure, other_sockets_of_a_ros_process_are_unclear)
{
  const auto machine =
    MachineBuilder()
      .process("rosbridge", 9, Middleware::fast_dds)
      .tcp(any, 9090)
      .connected(Transport::tcp, endpoint_of(own, 41000), endpoint_of(stranger, 2101));
  const auto report = judge(machine);
  EXPECT_EQ(report.findings.size(), 2u);
  EXPECT_EQ(report.verdict(), Verdict::unclear);
  EXPECT_EQ(judge(machine, allowing({"rosbridge"})).verdict(), Verdict::closed);
}

TEST(Exposure, each_middleware_is_mended_in_its_own_way)
{
  const auto mend = [](Middleware middleware) {
    const auto report =
      judge(MachineBuilder().process("node", 9, middleware).udp(any, 7400).udp(any, 7410));
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
  const auto machine = MachineBuilder()
                         .process("zenoh-bridge-ros2dds", 9)
                         .udp(any, 7400)
                         .udp(any, 7410)
                         .udp(any, 7411);
  EXPECT_EQ(judge(machine).findings.at(0).sockets.size(), 3u);
  EXPECT_EQ(judge(machine).findings.at(0).kind, ExposureKind::dds);
  EXPECT_EQ(told(MachineBuilder().process("exporter", 9).udp(any, 7410)), "");
}

TEST(Exposure, a_zenoh_router_is_exposed_at_its_port)
{
  EXPECT_EQ(
    told(MachineBuilder().process("rmw_zenohd", 9, Middleware::zenoh).tcp(any6, 7447)),
    "exposed zenoh: rmw_zenohd (pid 9) can be reached by any Zenoh session on the network (TCP "
    "[::]:7447): listen on tcp/127.0.0.1:7447 only, in the file that ZENOH_ROUTER_CONFIG_URI or "
    "ZENOH_SESSION_CONFIG_URI names.\n");
  EXPECT_EQ(
    told(MachineBuilder().process("rmw_zenohd", 9, Middleware::zenoh).tcp(loopback, 7447)), "");
}

TEST(Exposure, a_zenoh_session_with_a_router_elsewhere_is_exposed)
{
  const auto machine =
    MachineBuilder()
      .process("node", 9, Middleware::zenoh)
      .connected(Transport::tcp, endpoint_of(own, 41000), endpoint_of(stranger, 7447));
  EXPECT_EQ(
    told(machine),
    "exposed zenoh: node (pid 9) exchanges readable ROS 2 data with TCP 10.0.0.9:7447: connect to "
    "a router on this machine only, in the file that ZENOH_SESSION_CONFIG_URI names.\n");
}

// --- The tunnel itself ---

MachineBuilder drone(std::uint16_t datagram_port, std::uint16_t handshake_port)
{
  return MachineBuilder()
    .process("tunnel_node", 20, Middleware::fast_dds)
    .udp(any6, datagram_port)
    .udp(loopback, 14590)
    .udp(loopback, 7412)
    .udp(loopback, 7413)
    .connected(Transport::tcp, endpoint_of(own, 41000), endpoint_of(stranger, handshake_port))
    .connected(Transport::udp, endpoint_of(own, 41001), endpoint_of(stranger, 53));
}

TEST(Exposure, the_encrypted_ports_of_the_shipped_files_are_no_findings)
{
  EXPECT_EQ(told(drone(46011, 46000)), "");
  const auto ground = MachineBuilder().process("pqc_tunneld", 21).udp(any6, 46012).tcp(any6, 46000);
  EXPECT_EQ(told(ground), "");
}

TEST(Exposure, the_encrypted_socket_does_not_pass_for_one_that_fast_dds_sends_from)
{
  EXPECT_EQ(told(drone(46011, 46000).udp(any, 33817).udp(own, 34687)), "");
  EXPECT_EQ(
    judge(drone(46011, 46000).udp(any, 33817).udp(any, 33818).udp(own, 34687)).verdict(),
    Verdict::unclear);
}

TEST(Exposure, the_encrypted_ports_of_the_parameter_file_are_no_findings)
{
  ExposureOptions options;
  options.ports = {{14550}, {5760}, {14590}};
  options.ports_known = true;
  EXPECT_EQ(told(drone(14550, 5760), options), "");
}

TEST(Exposure, encrypted_ports_that_are_not_known_are_unclear_but_never_exposed)
{
  const auto machine = drone(50001, 50003);
  EXPECT_EQ(judge(machine).verdict(), Verdict::unclear);
  EXPECT_EQ(
    judge(machine).findings.at(0).problem,
    "tunnel_node (pid 20) has UDP [::]:50001 open to the network, and what passes there is "
    "unknown");
  EXPECT_EQ(
    judge(machine).findings.at(0).mend,
    "name the tunnel's parameter file with --config, which gives its encrypted ports");
}

TEST(Exposure, the_same_ports_are_findings_where_another_program_has_them)
{
  ExposureOptions options;
  options.ports = {{14550}, {5760}, {14590}};
  const auto machine =
    MachineBuilder().process("mavlink-routerd", 7).udp(any, 14550).tcp(any, 5760);
  EXPECT_EQ(judge(machine, options).findings.size(), 2u);
}

TEST(Exposure, the_node_beside_its_encrypted_socket_is_exposed_by_its_middleware)
{
  const auto machine = drone(46011, 46000).udp(any, 7410).udp(any, 7411).udp(any, 40000);
  const auto report = judge(machine);
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].kind, ExposureKind::dds);
  EXPECT_EQ(report.findings[0].sockets.size(), 3u);
}

TEST(Exposure, a_readable_side_open_to_the_network_is_exposed)
{
  ExposureOptions options;
  options.ports = {{50001}, {50003}, {50004}};
  options.ports_known = true;
  EXPECT_EQ(
    told(MachineBuilder().process("pqc_tunneld", 21).udp(any, 50001).udp(any, 50004), options),
    "exposed mavlink: pqc_tunneld (pid 21) takes MAVLink from any address on UDP 0.0.0.0:50004: "
    "set plaintext_bind_address to 127.0.0.1.\n");
  EXPECT_EQ(
    judge(MachineBuilder().process("pqc_tunneld", 21).udp(any, 14551)).verdict(), Verdict::exposed);
}

// --- What this user can't see ---

TEST(Exposure, sockets_without_a_visible_program_are_judged_by_their_ports)
{
  const auto machine = MachineBuilder().unseen(0).tcp(any6, 5760).tcp(any6, 22);
  EXPECT_EQ(
    told(machine),
    "exposed mavlink: A program of root that can't be looked into lets anybody connect to its "
    "MAVLink on TCP [::]:5760: bind it to 127.0.0.1, or close it with a firewall "
    "(share/pqc_tunnel/config/nftables) and allow it (exposure.allow, --allow): "
    "PROGRAM:5760/tcp.\n");
  EXPECT_EQ(
    unseen_sentence(judge(machine)),
    "One other socket is open to the network whose program can't be seen from here: only root, "
    "outside of containers, sees them all.");
}

TEST(Exposure, an_unseen_participant_is_found_by_its_ports)
{
  const auto machine = MachineBuilder().unseen(1000).udp(any, 7410).udp(any, 7411).udp(any, 40000);
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

TEST(Exposure, the_encrypted_socket_of_a_tunnel_that_cant_be_looked_into_is_no_finding)
{
  ExposureOptions options;
  options.ports = {{14550}, {5760}, {}};
  options.ports_known = true;
  const auto machine =
    MachineBuilder().unreadable("tunnel_node", 20, 1000).udp(any6, 14550).tcp(any6, 5760);
  const auto report = judge(machine, options);
  EXPECT_TRUE(report.findings.empty());
  EXPECT_EQ(report.unseen_sockets, 0u);
}

TEST(Exposure, a_mavlink_program_that_cant_be_looked_into_makes_it_unclear)
{
  const auto machine =
    MachineBuilder().unreadable("mavlink-routerd", 7, 0).unseen(0).udp(any, 41234);
  EXPECT_EQ(
    told(machine),
    "unclear mavlink: What mavlink-routerd (pid 7) has open to the network can't be seen by this "
    "user: run this check as root.\n");
  EXPECT_EQ(judge(machine).verdict(), Verdict::unclear);
  EXPECT_EQ(judge(machine, allowing({"mavlink-routerd:*/udp"})).verdict(), Verdict::closed);
}

TEST(Exposure, a_mavlink_program_without_unseen_sockets_of_its_user_is_closed)
{
  const auto machine =
    MachineBuilder().unreadable("mavlink-routerd", 7, 0).unseen(1000).udp(any, 41234);
  EXPECT_EQ(judge(machine).verdict(), Verdict::closed);
}

TEST(Exposure, an_unseen_socket_is_told_with_the_program_it_probably_belongs_to)
{
  const auto machine =
    MachineBuilder().unreadable("mavlink-routerd", 7, 0).unseen(0).tcp(any6, 5760);
  EXPECT_EQ(
    told(machine),
    "exposed mavlink: A program of root that can't be looked into (probably mavlink-routerd) lets "
    "anybody connect to its MAVLink on TCP [::]:5760: set TcpServerPort = 0 in its "
    "configuration.\n");
}

TEST(Exposure, a_mavlink_program_in_another_network_namespace_makes_it_unclear)
{
  EXPECT_EQ(
    told(MachineBuilder().elsewhere("mavlink-routerd", 7)),
    "unclear mavlink: mavlink-routerd (pid 7) is in a network namespace of its own, which was not "
    "looked at: run this check there, too.\n");
}

TEST(Exposure, where_processes_are_hidden_an_unseen_socket_makes_it_unclear)
{
  const auto machine = MachineBuilder().unseen(0).udp(any, 41234).hidden();
  EXPECT_EQ(judge(machine).verdict(), Verdict::unclear);
  EXPECT_EQ(judge(MachineBuilder().hidden()).verdict(), Verdict::closed);
}

// --- What is allowed ---

TEST(Exposure, what_is_allowed_is_left_out_and_nothing_else)
{
  const auto machine =
    MachineBuilder().process("mavlink-routerd", 7).tcp(any6, 5760).udp(any, 41234).udp(any, 14550);
  const auto left = [&](const std::string & allowed) {
    std::size_t sockets = 0;
    for (const auto & finding : judge(machine, allowing({allowed})).findings) {
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
  EXPECT_EQ(judge(machine, allowing({"mavlink-routerd:5760/tcp"})).verdict(), Verdict::closed);
  EXPECT_EQ(judge(machine, allowing({"mavlink-routerd"})).verdict(), Verdict::exposed);
  EXPECT_EQ(judge(machine, allowing({"mavproxy.py:5760/tcp"})).verdict(), Verdict::exposed);
}

TEST(Exposure, what_is_exposed_comes_before_what_is_unclear)
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

TEST(Exposure, a_socket_that_is_shared_belongs_to_the_program_that_says_more)
{
  MachineSockets machine =
    MachineBuilder().process("systemd", 1).process("mavlink-routerd", 7).tcp(any6, 9999);
  machine.processes[0].inodes = machine.processes[1].inodes;
  const auto report = judge(machine);
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].process, "mavlink-routerd");
}

// --- Ports ---

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
}  // namespace pqc_tunnel
