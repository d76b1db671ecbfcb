// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "pqc_tunnel/node/parameters.hpp"

namespace pqc_tunnel
{
namespace
{

using Overrides = std::map<std::string, rclcpp::ParameterValue>;

TEST(NodeParameters, values_keep_their_names_and_types)
{
  const auto values = tunnel_parameters(Overrides{
    {"role", rclcpp::ParameterValue("drone")},
    {"datagram_port", rclcpp::ParameterValue(std::int64_t{4242})},
    {"rekey.max_age_s", rclcpp::ParameterValue(60.5)},
    {"hybrid_x25519", rclcpp::ParameterValue(true)},
    {"allowed_suites", rclcpp::ParameterValue(std::vector<std::string>{"a", "b"})}});
  ASSERT_TRUE(values);
  EXPECT_EQ(
    *values, (ParameterValues{
               {"role", std::string("drone")},
               {"datagram_port", std::int64_t{4242}},
               {"rekey.max_age_s", 60.5},
               {"hybrid_x25519", true},
               {"allowed_suites", std::vector<std::string>{"a", "b"}}}));
}

TEST(NodeParameters, those_of_ros_and_of_the_diagnostics_are_left_out)
{
  const auto values = tunnel_parameters(Overrides{
    {"use_sim_time", rclcpp::ParameterValue(true)},
    {"diagnostic_updater.period", rclcpp::ParameterValue(1.0)},
    {"qos_overrides./clock.subscription.depth", rclcpp::ParameterValue(std::int64_t{1})}});
  ASSERT_TRUE(values);
  EXPECT_TRUE(values->empty());
}

TEST(NodeParameters, an_empty_list_counts_as_not_given)
{
  const auto values = tunnel_parameters(Overrides{{"drones", rclcpp::ParameterValue()}});
  ASSERT_TRUE(values);
  EXPECT_TRUE(values->empty());
}

TEST(NodeParameters, a_type_that_no_parameter_has_is_refused_by_name)
{
  const auto values = tunnel_parameters(
    Overrides{{"drones", rclcpp::ParameterValue(std::vector<std::int64_t>{1, 2})}});
  ASSERT_FALSE(values);
  EXPECT_EQ(values.error().message, "The parameter drones can't be of the type integer_array.");
}

TEST(NodeParameters, the_role_must_be_given_and_known)
{
  EXPECT_EQ(role_of({{"role", std::string("gcs")}}).value(), Role::gcs);
  EXPECT_EQ(
    role_of({{"role", std::string("plane")}}).error().message,
    "The parameter role must be \"drone\" or \"gcs\", not \"plane\".");
  EXPECT_EQ(role_of({}).error().message, "The parameter role must be \"drone\" or \"gcs\".");
}

}  // namespace
}  // namespace pqc_tunnel
