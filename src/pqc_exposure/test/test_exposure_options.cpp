// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "exposure_options.hpp"
#include "support/scratch_dir.hpp"

namespace pqc_tunnel::exposure
{
namespace
{

using List = std::vector<std::string>;

TEST(ExposureOptions, an_allowed_socket_is_a_program_with_or_without_port_and_protocol)
{
  const auto program = parse_allowed_socket("mavlink-routerd");
  ASSERT_TRUE(program);
  EXPECT_EQ(program->program, "mavlink-routerd");
  EXPECT_FALSE(program->port);
  EXPECT_FALSE(program->transport);
  const auto port = parse_allowed_socket("QGroundControl:14550");
  ASSERT_TRUE(port);
  EXPECT_EQ(port->port, 14550);
  EXPECT_FALSE(port->transport);
  const auto udp = parse_allowed_socket("QGroundControl:14550/udp");
  ASSERT_TRUE(udp);
  EXPECT_EQ(udp->transport, Transport::udp);
  const auto every_port = parse_allowed_socket("mavlink-routerd:*/tcp");
  ASSERT_TRUE(every_port);
  EXPECT_FALSE(every_port->port);
  EXPECT_EQ(every_port->transport, Transport::tcp);
}

TEST(ExposureOptions, anything_else_is_refused_in_one_sentence)
{
  for (const char * text :
       {"", ":14550", "a:", "a:0", "a:65536", "a:x", "a:1/sctp", "a:1/", "a:/udp", "a:-1", "a:1:2"})
  {
    const auto allowed = parse_allowed_socket(text);
    ASSERT_FALSE(allowed) << text;
    EXPECT_EQ(
      allowed.error().message,
      "\"" + std::string(text) +
        "\" isn't of the form PROGRAM, PROGRAM:PORT, PROGRAM:PORT/udp or PROGRAM:PORT/tcp.");
  }
}

TEST(ExposureOptions, the_parameter_may_be_a_list_a_word_or_absent)
{
  EXPECT_TRUE(allowed_sockets({})->empty());
  EXPECT_TRUE(allowed_sockets({{"exposure.allow", std::string()}})->empty());
  EXPECT_EQ(allowed_sockets({{"exposure.allow", std::string("a:1")}})->size(), 1u);
  EXPECT_EQ(allowed_sockets({{"exposure.allow", List{"a:1", "b"}}})->size(), 2u);
  const auto bad = allowed_sockets({{"exposure.allow", List{"a:1", "b:x"}}});
  ASSERT_FALSE(bad);
  EXPECT_TRUE(bad.error().message.starts_with("Parameter exposure.allow: \"b:x\" isn't"));
}

TEST(ExposureOptions, the_ports_of_a_tunnel_are_those_of_its_parameters)
{
  const auto drone = tunnel_ports(
    {{"role", std::string("drone")},
     {"datagram_port", std::int64_t{50001}},
     {"gcs_datagram_port", std::int64_t{50002}},
     {"links", std::vector<std::string>{"lte"}},
     {"link.lte.datagram_port", std::int64_t{50009}},
     {"link.lte.gcs_datagram_port", std::int64_t{50010}},
     {"plaintext_port", std::int64_t{50004}},
     {"mirror_port", std::int64_t{50005}}});
  EXPECT_EQ(drone.datagram, (std::set<std::uint16_t>{50001, 50009}));
  EXPECT_EQ(drone.plaintext, (std::set<std::uint16_t>{50004}));
}

TEST(ExposureOptions, each_drone_of_a_ground_station_has_the_next_port_or_that_of_its_file)
{
  const ScratchDir identity;
  std::filesystem::create_directory(identity / "drones");
  for (const char * name : {"one.drone", "two.drone"}) {
    identity.write(std::string("drones/") + name, "");
  }
  identity.write("drones/two.yaml", "plaintext_port: 50010\n");
  identity.write("drones/three.yaml", "plaintext_port: many\n");
  const auto gcs = tunnel_ports(
    {{"role", std::string("gcs")},
     {"identity_dir", identity.path().string()},
     {"datagram_port", std::int64_t{50001}},
     {"plaintext_port", std::int64_t{50004}}});
  EXPECT_EQ(gcs.plaintext, (std::set<std::uint16_t>{50004, 50005, 50010}));
}

TEST(ExposureOptions, what_is_no_port_is_left_out)
{
  const auto ports = tunnel_ports(
    {{"datagram_port", std::int64_t{0}},
     {"link.lte.datagram_port", std::int64_t{65536}},
     {"link.radio.datagram_port", std::string("50001")},
     {"plaintext_port", std::int64_t{-1}}});
  EXPECT_TRUE(ports.datagram.empty());
  EXPECT_TRUE(ports.plaintext.empty());
}

TEST(ExposureOptions, the_ports_taken_for_granted_are_those_of_the_shipped_files)
{
  const auto folder = std::filesystem::path(PQC_TUNNEL_CONFIG);
  TunnelPorts shipped;
  for (const char * name : {"drone.yaml", "gcs.yaml"}) {
    const auto values = load_parameter_file(folder / name, "/pqc/tunnel");
    ASSERT_TRUE(values) << values.error().message;
    shipped.add(tunnel_ports(*values));
  }
  EXPECT_EQ(shipped_ports().datagram, shipped.datagram);
  EXPECT_EQ(shipped_ports().plaintext, shipped.plaintext);
}

}  // namespace
}  // namespace pqc_tunnel::exposure
