// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "node/interface/parameters.hpp"

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
  const auto values = tunnel_parameters(Overrides{{"links", rclcpp::ParameterValue()}});
  ASSERT_TRUE(values);
  EXPECT_TRUE(values->empty());
}

TEST(NodeParameters, a_type_that_no_parameter_has_is_refused_by_name)
{
  const auto values = tunnel_parameters(
    Overrides{{"links", rclcpp::ParameterValue(std::vector<std::int64_t>{1, 2})}});
  ASSERT_FALSE(values);
  EXPECT_EQ(values.error().message, "The parameter links can't be of the type integer_array.");
}

// The files that users start from.
class ParameterFiles : public testing::TestWithParam<Role>
{
protected:
  static std::filesystem::path file()
  {
    return std::filesystem::path(PQC_TUNNEL_TEST_VECTORS) / "../../config" /
           (std::string(to_string(GetParam())) + ".yaml");
  }
  static ParameterValues values()
  {
    const auto values = load_parameter_file(file(), "/pqc/tunnel");
    EXPECT_TRUE(values) << values.error().message;
    return values.value_or(ParameterValues());
  }
};

TEST_P(ParameterFiles, list_every_parameter_and_in_comments_what_profiles_set)
{
  const auto listed = values();
  std::ifstream in(file());
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  for (const auto & spec : parameter_specs(GetParam(), listed)) {
    // An empty list in YAML has no type, so ROS treats it as unset.
    if (spec.type != ParameterType::string_list) {
      EXPECT_TRUE(
        listed.contains(spec.name) || text.find("    # " + spec.name + ": ") != std::string::npos)
        << spec.name;
    }
  }
}

TEST_P(ParameterFiles, are_a_valid_configuration_of_their_role)
{
  const auto listed = values();
  EXPECT_EQ(role_of(listed).value(), GetParam());
  const auto config = make_engine_config(GetParam(), listed);
  EXPECT_TRUE(config) << config.error().message;
}

INSTANTIATE_TEST_SUITE_P(
  , ParameterFiles, testing::Values(Role::drone, Role::gcs),
  [](const auto & role) { return to_string(role.param); });

}  // namespace
}  // namespace pqc_tunnel
