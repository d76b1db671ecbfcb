// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cstdlib>
#include <rclcpp/rclcpp.hpp>
#include <stdexcept>
#include <string>

namespace
{

/// Takes a ROS domain that no other test on this machine uses, until this process ends: the name
/// of an abstract socket can be bound only once.
void take_a_domain()
{
  for (int domain = 100; domain > 0; --domain) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string name = "ros_test_domain_" + std::to_string(domain);
    name.copy(address.sun_path + 1, name.size());
    const auto length = static_cast<socklen_t>(sizeof(sa_family_t) + 1 + name.size());
    const int descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (bind(descriptor, reinterpret_cast<const sockaddr *>(&address), length) == 0) {
      setenv("ROS_DOMAIN_ID", std::to_string(domain).c_str(), 1);
      setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST", 0);
      return;
    }
  }
  throw std::runtime_error("no free ROS domain");
}

}  // namespace

int main(int argc, char ** argv)
{
  testing::InitGoogleTest(&argc, argv);
  take_a_domain();
  rclcpp::init(argc, argv);
  const int result = RUN_ALL_TESTS();
  rclcpp::shutdown();
  return result;
}
