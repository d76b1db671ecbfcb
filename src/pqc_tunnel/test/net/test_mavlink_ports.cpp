// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "net/mavlink_ports.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>

namespace pqc_tunnel
{
namespace
{

namespace fs = std::filesystem;

const fs::path config = fs::path(PQC_TUNNEL_TEST_VECTORS) / "../../config";

// Finds the ports that a pattern captures, even in comments.
std::set<std::uint16_t> ports_in(const fs::path & file, const char * pattern)
{
  std::ifstream stream(file);
  const std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  const std::regex port(pattern);
  std::set<std::uint16_t> ports;
  for (std::sregex_iterator at(text.begin(), text.end(), port), end; at != end; ++at) {
    ports.insert(static_cast<std::uint16_t>(std::stoi((*at)[1])));
  }
  ports.erase(0);
  return ports;
}

TEST(MavlinkPorts, name_the_program)
{
  EXPECT_STREQ(usual_program(Transport::tcp, 5762), "ArduPilot in simulation or mavlink-router");
  EXPECT_STREQ(usual_program(Transport::udp, 14540), "PX4 in simulation");
  EXPECT_STREQ(usual_program(Transport::udp, 14550), "ground programs");
  EXPECT_EQ(usual_program(Transport::udp, 14590), nullptr);
  EXPECT_EQ(usual_program(Transport::udp, 46011), nullptr);
  EXPECT_FALSE(is_mavlink_port(Transport::udp, 9002)) << "a simulator's physics";
}

TEST(MavlinkPorts, no_shipped_file_uses_a_default_port_of_a_neighbour)
{
  // The ground program's own, and the one from which it expects to hear a vehicle; gcs.yaml names both, so that the
  // tunnel drops what anybody else sends there. And MAVROS's own.
  const std::set<std::uint16_t> of_the_neighbour_itself{14550, 14551, 14555};
  std::set<std::uint16_t> seen;
  for (const char * name :
       {"drone.yaml", "gcs.yaml", "policy.yaml", "mavlink-router/drone.conf",
        "mavlink-router/ground.conf"})
  {
    for (const auto port : ports_in(config / name, R"((?:Port = |_port: |127\.0\.0\.1:)(\d+))")) {
      seen.insert(port);
      if (!of_the_neighbour_itself.contains(port)) {
        EXPECT_EQ(usual_program(Transport::udp, port), nullptr) << name << " " << port;
        EXPECT_EQ(usual_program(Transport::tcp, port), nullptr) << name << " " << port;
      }
    }
  }
  EXPECT_GT(seen.size(), 8u);
}

TEST(MavlinkPorts, mavlink_router_of_both_ends_fits_on_one_host)
{
  std::set<std::uint16_t> bound;
  for (const char * name : {"drone.conf", "ground.conf"}) {
    const auto of_it = ports_in(
      config / "mavlink-router" / name,
      R"(Mode = Server\n#?Address = 127\.0\.0\.1\n#?Port = (\d+))");
    EXPECT_GE(of_it.size(), 3u) << name;
    for (const std::uint16_t port : of_it) {
      EXPECT_TRUE(bound.insert(port).second) << name << " " << port;
    }
    const auto of_neighbours =
      ports_in(config / "mavlink-router" / name, R"(udp://127\.0\.0\.1:(\d+)@)");
    for (const std::uint16_t port : of_neighbours) {
      EXPECT_TRUE(bound.insert(port).second) << name << " " << port;
    }
  }
}

}  // namespace
}  // namespace pqc_tunnel
