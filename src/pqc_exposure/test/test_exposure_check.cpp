// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "proc_root.hpp"
#include "support/program.hpp"

namespace pqc_tunnel::exposure
{
namespace
{

constexpr const char * any = "00000000:0000";

class ExposureCheck : public testing::Test
{
protected:
  Program check(std::vector<std::string> arguments = {}) const
  {
    arguments.insert(arguments.begin(), {"--proc-root", root_.path().string()});
    return Program("pqc-exposure", arguments);
  }

  void add_mavros()
  {
    root_.add_socket("udp", "00000000:38DB", any, "07", 1000, 501);
    root_.add_process(123, "mavros_node", {"/opt/ros/lib/mavros/mavros_node"}, {501});
  }

  ProcRoot root_;
  ScratchDir scratch_;
};

TEST_F(ExposureCheck, a_closed_machine_exits_with_0)
{
  auto program = check();
  EXPECT_EQ(program.wait(), 0) << program.errors();
  EXPECT_EQ(program.output(), "No MAVLink or DDS is reachable from outside this machine.\n");
}

TEST_F(ExposureCheck, an_exposed_machine_exits_with_1_and_two_lines_for_each_finding)
{
  add_mavros();
  auto program = check();
  EXPECT_EQ(program.wait(), 1);
  EXPECT_EQ(
    program.output(),
    "mavros_node (pid 123) accepts MAVLink from any address on UDP 0.0.0.0:14555:\n  start it "
    "with gcs_url:=udp://127.0.0.1:14555@127.0.0.1:14590.\n");
}

TEST_F(ExposureCheck, scripts_get_one_object)
{
  add_mavros();
  auto program = check({"--json"});
  EXPECT_EQ(program.wait(), 1);
  EXPECT_EQ(
    program.output(),
    "{\"verdict\": \"exposed\", \"findings\": [{\"process\": \"mavros_node\", \"pid\": 123, "
    "\"kind\": \"mavlink\", \"severity\": \"exposed\", \"sockets\": [{\"protocol\": \"udp\", "
    "\"local\": \"0.0.0.0:14555\", \"port\": 14555}], \"sentence\": \"mavros_node (pid 123) "
    "accepts MAVLink from any address on UDP 0.0.0.0:14555: start it with "
    "gcs_url:=udp://127.0.0.1:14555@127.0.0.1:14590.\"}], \"unseen_sockets\": 0}\n");
}

TEST_F(ExposureCheck, allowed_sockets_are_omitted)
{
  add_mavros();
  EXPECT_EQ(check({"--allow", "mavros_node:14555/udp"}).wait(), 0);
  EXPECT_EQ(check({"--allow", "mavros_node:14555/tcp"}).wait(), 1);
  EXPECT_EQ(check({"--allow", "nobody", "--allow", "mavros_node"}).wait(), 0);
}

TEST_F(ExposureCheck, a_parameter_file_gives_the_encrypted_ports_and_the_allowed_sockets)
{
  add_mavros();
  root_.add_socket("udp", "00000000:C351", any, "07", 1000, 502);
  root_.add_process(124, "tunnel_node", {"/opt/pqc/lib/pqc_tunnel/tunnel_node"}, {502});
  const auto file = scratch_.write(
    "drone.yaml",
    "/**/tunnel:\n  ros__parameters:\n    role: drone\n    datagram_port: 50001\n"
    "    exposure.allow: [\"mavros_node:14555/udp\"]\n");
  auto program = check({"--config", file.string()});
  EXPECT_EQ(program.wait(), 0) << program.output();
  EXPECT_EQ(check({"--allow", "mavros_node"}).wait(), 3);
  EXPECT_EQ(check({"--config", file.string(), "--node", "/other/node"}).wait(), 2);
}

TEST_F(ExposureCheck, usage_errors_exit_with_2)
{
  EXPECT_EQ(check({"--no-such-option"}).wait(), 2);
  EXPECT_EQ(check({"surplus"}).wait(), 2);
  EXPECT_EQ(check({"--config"}).wait(), 2);
  auto file = check({"--config", (scratch_ / "absent.yaml").string()});
  EXPECT_EQ(file.wait(), 2);
  EXPECT_EQ(
    file.errors(),
    "pqc: Parameter file " + (scratch_ / "absent.yaml").string() + " isn't there.\n");
  auto allow = check({"--allow", "a:b"});
  EXPECT_EQ(allow.wait(), 2);
  EXPECT_EQ(
    allow.errors(),
    "pqc: --allow: \"a:b\" isn't of the form PROGRAM, PROGRAM:PORT, "
    "PROGRAM:PORT/udp or PROGRAM:PORT/tcp.\n");
}

TEST_F(ExposureCheck, without_the_lists_of_sockets_it_exits_with_3)
{
  std::filesystem::remove(root_.net() / "tcp");
  auto program = check();
  EXPECT_EQ(program.wait(), 3);
  EXPECT_EQ(
    program.errors(), "pqc: The list of sockets " + (root_.net() / "tcp").string() +
                        " can't be read: No such file or directory.\n");
}

TEST_F(ExposureCheck, hidden_processes_make_the_verdict_unclear)
{
  root_.add_socket("udp", "00000000:C351", any, "07", 0, 501);
  EXPECT_EQ(check().wait(), 0);
  std::filesystem::remove_all(root_.process(1));
  auto program = check();
  EXPECT_EQ(program.wait(), 3);
  EXPECT_EQ(
    program.output(),
    "One other socket is open to the network whose program this user cannot see: the system "
    "hides the processes of other users; only root, outside of containers, sees every "
    "program.\n");
}

TEST_F(ExposureCheck, this_machine_can_be_checked)
{
  Program program("pqc-exposure", {"--json"});
  const int code = program.wait();
  EXPECT_TRUE(code == 0 || code == 1 || code == 3) << program.errors();
  EXPECT_TRUE(program.output().starts_with("{\"verdict\": ")) << program.output();
}

TEST_F(ExposureCheck, help_is_no_error)
{
  Program program("pqc-exposure", {"--help"});
  EXPECT_EQ(program.wait(), 0);
  EXPECT_NE(program.output().find("--allow"), std::string::npos);
}

}  // namespace
}  // namespace pqc_tunnel::exposure
