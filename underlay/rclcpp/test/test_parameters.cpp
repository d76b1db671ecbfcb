// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <rclcpp/rclcpp.hpp>

namespace
{

using rcl_interfaces::msg::ParameterDescriptor;
using rcl_interfaces::msg::SetParametersResult;
using rclcpp::Parameter;
namespace exceptions = rclcpp::exceptions;

rclcpp::Node::SharedPtr make_node(const rclcpp::NodeOptions & options = rclcpp::NodeOptions())
{
  return rclcpp::Node::make_shared("parameters", options);
}

ParameterDescriptor integers(int64_t from, int64_t to, uint64_t step = 0)
{
  ParameterDescriptor descriptor;
  auto & range = descriptor.integer_range.emplace_back();
  range.from_value = from;
  range.to_value = to;
  range.step = step;
  return descriptor;
}

ParameterDescriptor doubles(double from, double to)
{
  ParameterDescriptor descriptor;
  auto & range = descriptor.floating_point_range.emplace_back();
  range.from_value = from;
  range.to_value = to;
  return descriptor;
}

}  // namespace

TEST(Parameters, a_default_is_returned_and_can_be_read_back_as_every_type)
{
  const auto node = make_node();
  EXPECT_EQ(node->declare_parameter("bool", true), true);
  EXPECT_EQ(node->declare_parameter("int", 3), 3);
  EXPECT_EQ(node->declare_parameter<int64_t>("long", 4), 4);
  EXPECT_EQ(node->declare_parameter("double", 2.5), 2.5);
  EXPECT_EQ(node->declare_parameter<std::string>("string", "text"), "text");
  EXPECT_EQ(node->declare_parameter("characters", "text"), "text");
  using Bytes = std::vector<uint8_t>;
  using Strings = std::vector<std::string>;
  EXPECT_EQ(node->declare_parameter("bytes", Bytes{1, 2}), (Bytes{1, 2}));
  EXPECT_EQ(node->declare_parameter("bools", std::vector<bool>{true}), std::vector<bool>{true});
  EXPECT_EQ(
    node->declare_parameter("ints", std::vector<int64_t>{5, 6}), (std::vector<int64_t>{5, 6}));
  EXPECT_EQ(node->declare_parameter("doubles", std::vector<double>{0.5}), std::vector<double>{0.5});
  EXPECT_EQ(node->declare_parameter("strings", Strings{"a", "b"}), (Strings{"a", "b"}));

  EXPECT_EQ(node->get_parameter("int").as_int(), 3);
  EXPECT_EQ(node->get_parameter("strings").as_string_array(), (Strings{"a", "b"}));
  int value = 0;
  EXPECT_TRUE(node->get_parameter("int", value));
  EXPECT_EQ(value, 3);
  EXPECT_EQ(node->get_parameter_or<std::string>("absent", "other"), "other");
  EXPECT_EQ(node->get_parameters({"int", "double"}).at(1).as_double(), 2.5);
  EXPECT_EQ(node->describe_parameter("int").type, rclcpp::PARAMETER_INTEGER);
}

TEST(Parameters, an_override_goes_before_the_default)
{
  const auto node = make_node(rclcpp::NodeOptions().append_parameter_override("rate", 7));
  EXPECT_EQ(node->declare_parameter("rate", 1), 7);
  EXPECT_EQ(node->declare_parameter("other", 1), 1);
}

TEST(Parameters, arguments_of_the_node_are_overrides)
{
  const auto node = make_node(rclcpp::NodeOptions().arguments(
    {"--ros-args", "-p", "rate:=2.5", "-p", "names:=[a, b]", "-p", "parameters:other:=1", "-p",
     "stranger:other:=2"}));
  EXPECT_EQ(node->declare_parameter("rate", 1.0), 2.5);
  EXPECT_EQ(node->declare_parameter("names", std::vector<std::string>{}).size(), 2U);
  EXPECT_EQ(node->declare_parameter("other", 0), 1);
}

TEST(Parameters, overrides_may_be_declared_by_themselves)
{
  const auto node = make_node(rclcpp::NodeOptions()
                                .append_parameter_override("rate", 7)
                                .automatically_declare_parameters_from_overrides(true));
  EXPECT_EQ(node->get_parameter("rate").as_int(), 7);
}

TEST(Parameters, a_parameter_without_default_must_be_overridden)
{
  const auto node = make_node(rclcpp::NodeOptions().append_parameter_override("given", "text"));
  EXPECT_EQ(node->declare_parameter<std::string>("given"), "text");
  EXPECT_THROW(
    node->declare_parameter<std::string>("missing"),
    exceptions::UninitializedStaticallyTypedParameterException);
  EXPECT_THROW(node->get_parameter("missing"), exceptions::ParameterUninitializedException);
}

TEST(Parameters, an_override_of_the_wrong_type_is_refused)
{
  const auto node = make_node(rclcpp::NodeOptions().append_parameter_override("rate", "fast"));
  EXPECT_THROW(node->declare_parameter("rate", 1), exceptions::InvalidParameterTypeException);
  EXPECT_FALSE(node->has_parameter("rate"));
}

TEST(Parameters, an_override_out_of_range_is_refused)
{
  const auto node = make_node(rclcpp::NodeOptions().append_parameter_override("port", 70000));
  EXPECT_THROW(
    node->declare_parameter("port", 1, integers(1, 65535)),
    exceptions::InvalidParameterValueException);
}

TEST(Parameters, ranges_hold_their_ends_and_their_steps)
{
  const auto node = make_node();
  node->declare_parameter("even", 4, integers(0, 9, 2));
  const auto accepts = [&](const char * name, auto value) {
    return node->set_parameter(Parameter(name, value)).successful;
  };
  EXPECT_TRUE(accepts("even", 0));
  EXPECT_TRUE(accepts("even", 8));
  EXPECT_TRUE(accepts("even", 9));
  EXPECT_FALSE(accepts("even", 3));
  EXPECT_FALSE(accepts("even", 10));
  EXPECT_FALSE(accepts("even", -1));
  node->declare_parameter("ratio", 0.5, doubles(0.0, 1.0));
  EXPECT_TRUE(accepts("ratio", 1.0));
  EXPECT_FALSE(accepts("ratio", 1.1));
  EXPECT_EQ(node->get_parameter("even").as_int(), 9);
}

TEST(Parameters, a_read_only_parameter_keeps_its_value)
{
  const auto node = make_node();
  ParameterDescriptor descriptor;
  descriptor.read_only = true;
  node->declare_parameter("fixed", 1, descriptor);
  const auto result = node->set_parameter(Parameter("fixed", 2));
  EXPECT_FALSE(result.successful);
  EXPECT_NE(result.reason.find("read-only"), std::string::npos);
  EXPECT_EQ(node->get_parameter("fixed").as_int(), 1);
}

TEST(Parameters, the_type_is_fixed_unless_it_is_declared_dynamic)
{
  const auto node = make_node();
  node->declare_parameter("count", 1);
  EXPECT_FALSE(node->set_parameter(Parameter("count", "one")).successful);
  ParameterDescriptor dynamic;
  dynamic.dynamic_typing = true;
  node->declare_parameter("any", 1, dynamic);
  EXPECT_TRUE(node->set_parameter(Parameter("any", "one")).successful);
  EXPECT_EQ(node->get_parameter("any").as_string(), "one");
}

TEST(Parameters, misuse_is_named)
{
  const auto node = make_node();
  node->declare_parameter("count", 1);
  EXPECT_THROW(node->declare_parameter("count", 1), exceptions::ParameterAlreadyDeclaredException);
  EXPECT_THROW(node->declare_parameter("", 1), exceptions::InvalidParametersException);
  EXPECT_THROW(node->get_parameter("absent"), exceptions::ParameterNotDeclaredException);
  EXPECT_THROW(
    node->set_parameter(Parameter("absent", 1)), exceptions::ParameterNotDeclaredException);
  const auto count = node->get_parameter("count");
  EXPECT_THROW(count.as_string(), rclcpp::ParameterTypeException);
  EXPECT_THROW(count.get_value<std::string>(), exceptions::InvalidParameterTypeException);
  EXPECT_THROW(node->undeclare_parameter("count"), exceptions::InvalidParameterTypeException);
}

TEST(Parameters, undeclared_ones_can_be_allowed)
{
  const auto node = make_node(rclcpp::NodeOptions().allow_undeclared_parameters(true));
  EXPECT_EQ(node->get_parameter("absent").get_type(), rclcpp::PARAMETER_NOT_SET);
  EXPECT_TRUE(node->set_parameter(Parameter("absent", 1)).successful);
  EXPECT_EQ(node->get_parameter("absent").as_int(), 1);
}

TEST(Parameters, a_callback_can_refuse_with_its_reason)
{
  const auto node = make_node();
  const auto handle = node->add_on_set_parameters_callback([](const auto & parameters) {
    SetParametersResult result;
    result.successful = parameters.front().as_int() != 13;
    if (!result.successful) result.reason = "unlucky";
    return result;
  });
  node->declare_parameter("number", 12);
  EXPECT_EQ(node->set_parameter(Parameter("number", 13)).reason, "unlucky");
  EXPECT_EQ(node->get_parameter("number").as_int(), 12);
  EXPECT_THROW(node->declare_parameter("other", 13), exceptions::InvalidParameterValueException);
}

TEST(Parameters, a_callback_ends_with_its_handle)
{
  const auto node = make_node();
  node->declare_parameter("number", 1);
  auto handle =
    node->add_on_set_parameters_callback([](const auto &) { return SetParametersResult(); });
  EXPECT_FALSE(node->set_parameter(Parameter("number", 2)).successful);
  handle.reset();
  EXPECT_TRUE(node->set_parameter(Parameter("number", 2)).successful);
}

TEST(Parameters, those_who_listen_are_told_after_the_change)
{
  const auto node = make_node();
  node->declare_parameter("number", 1);
  int64_t told = 0;
  const auto handle = node->add_post_set_parameters_callback([&](const auto & parameters) {
    told = parameters.front().as_int() + node->get_parameter("number").as_int();
  });
  node->set_parameter(Parameter("number", 2));
  EXPECT_EQ(told, 4);
}

TEST(Parameters, a_callback_may_not_set_parameters)
{
  const auto node = make_node();
  node->declare_parameter("number", 1);
  const auto handle = node->add_on_set_parameters_callback([&](const auto &) {
    node->set_parameter(Parameter("number", 3));
    return SetParametersResult();
  });
  EXPECT_THROW(
    node->set_parameter(Parameter("number", 2)), exceptions::ParameterModifiedInCallbackException);
}

TEST(Parameters, several_are_set_all_or_none)
{
  const auto node = make_node();
  node->declare_parameter("a", 1);
  node->declare_parameter("b", 1, integers(0, 5));
  EXPECT_FALSE(node->set_parameters_atomically({Parameter("a", 2), Parameter("b", 9)}).successful);
  EXPECT_EQ(node->get_parameter("a").as_int(), 1);
  EXPECT_TRUE(node->set_parameters_atomically({Parameter("a", 2), Parameter("b", 5)}).successful);
}

TEST(Parameters, they_are_listed_by_prefix_and_depth)
{
  const auto node = make_node();
  node->declare_parameter("top", 1);
  node->declare_parameter("link.mtu", 1);
  node->declare_parameter("link.rate.limit", 2);
  const auto top = node->list_parameters({}, 1).names;
  EXPECT_EQ(std::count(top.begin(), top.end(), "top"), 1);
  EXPECT_EQ(std::count(top.begin(), top.end(), "link.mtu"), 0);
  EXPECT_EQ(
    node->list_parameters({"link"}, 0).names,
    (std::vector<std::string>{"link.mtu", "link.rate.limit"}));
  EXPECT_EQ(node->list_parameters({"link"}, 1).names, std::vector<std::string>{"link.mtu"});
  std::map<std::string, int> values;
  EXPECT_TRUE(node->get_parameters("link", values));
  EXPECT_EQ(values, (std::map<std::string, int>{{"mtu", 1}, {"rate.limit", 2}}));
}
