// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "os/processes.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace pqc_tunnel
{
namespace
{

std::string words(const std::vector<std::string> & all)
{
  std::string text;
  for (const auto & word : all) {
    text += word + '\0';
  }
  return text;
}

TEST(Processes, a_program_is_named_as_a_person_would_call_it)
{
  EXPECT_EQ(
    program_name("mavros_node\n", words({"/opt/ros/lib/mavros/mavros_node"})), "mavros_node");
  EXPECT_EQ(
    program_name("QGroundControl-\n", words({"./QGroundControl-x86_64.AppImage"})),
    "QGroundControl-x86_64.AppImage");
  EXPECT_EQ(
    program_name("python3\n", words({"/usr/bin/python3", "-u", "/usr/bin/mavproxy.py", "--out"})),
    "mavproxy.py");
  EXPECT_EQ(
    program_name("python3\n", words({"python3", "-m", "MAVProxy.mavproxy"})), "MAVProxy.mavproxy");
  EXPECT_EQ(program_name("python3\n", words({"python3", "-c", "print()"})), "python3");
  EXPECT_EQ(program_name("python3\n", words({"python3", "-m"})), "python3");
  EXPECT_EQ(program_name("kworker/0:1\n", ""), "kworker/0:1");
  EXPECT_EQ(program_name("nginx\n", words({"nginx: master process"})), "nginx");
  EXPECT_EQ(program_name("", ""), "");
}

}  // namespace
}  // namespace pqc_tunnel
