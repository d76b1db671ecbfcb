// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "parameter_services.hpp"

#include <rcl_interfaces/srv/describe_parameters.hpp>
#include <rcl_interfaces/srv/get_parameter_types.hpp>
#include <rcl_interfaces/srv/get_parameters.hpp>
#include <rcl_interfaces/srv/list_parameters.hpp>
#include <rcl_interfaces/srv/set_parameters.hpp>
#include <rcl_interfaces/srv/set_parameters_atomically.hpp>
#include <string>
#include <utility>

#include "parameter_rules.hpp"
#include "rclcpp/logging.hpp"
#include "rclcpp/qos.hpp"
#include "rclcpp/service.hpp"

namespace rclcpp::detail
{

namespace
{

using node_interfaces::NodeBaseInterface;
using node_interfaces::NodeParametersInterface;

template <typename ServiceT, typename AnswerT>
std::shared_ptr<Entity> make_service(NodeBaseInterface & node, const char * name, AnswerT answer)
{
  using Request = typename ServiceT::Request;
  using Response = typename ServiceT::Response;
  auto service = std::make_shared<Service<ServiceT>>(
    node, std::string(node.get_name()) + "/" + name,
    [answer = std::move(answer), name](
      std::shared_ptr<Request> request, std::shared_ptr<Response> response) {
      try {
        answer(*request, *response);
      } catch (const std::runtime_error & error) {
        // A parameter that isn't declared or set: the answer stays empty, as clients expect.
        RCLCPP_DEBUG(get_logger("rclcpp"), "%s: %s", name, error.what());
      }
    },
    ParametersQoS(), nullptr);
  node.add_entity(service);
  return service;
}

}  // namespace

std::vector<std::shared_ptr<Entity>> make_parameter_services(
  NodeBaseInterface & node, NodeParametersInterface & parameters)
{
  using rcl_interfaces::srv::DescribeParameters;
  using rcl_interfaces::srv::GetParameters;
  using rcl_interfaces::srv::GetParameterTypes;
  using rcl_interfaces::srv::ListParameters;
  using rcl_interfaces::srv::SetParameters;
  using rcl_interfaces::srv::SetParametersAtomically;

  const auto get = [&parameters](const auto & request, auto & response) {
    for (const auto & parameter : parameters.get_parameters(request.names)) {
      response.values.push_back(parameter.get_value_message());
    }
  };
  const auto get_types = [&parameters](const auto & request, auto & response) {
    response.types = parameters.get_parameter_types(request.names);
  };
  const auto set = [&parameters](const auto & request, auto & response) {
    for (const auto & message : request.parameters) {
      try {
        response.results.push_back(
          parameters.set_parameters_atomically({Parameter::from_parameter_msg(message)}));
      } catch (const std::runtime_error & error) {
        response.results.push_back(refused(error.what()));
      }
    }
  };
  const auto set_atomically = [&parameters](const auto & request, auto & response) {
    std::vector<Parameter> wanted;
    try {
      for (const auto & message : request.parameters) {
        wanted.push_back(Parameter::from_parameter_msg(message));
      }
      response.result = parameters.set_parameters_atomically(wanted);
    } catch (const exceptions::ParameterNotDeclaredException &) {
      response.result = refused("One or more parameters were not declared before setting");
    } catch (const std::runtime_error & error) {
      response.result = refused(error.what());
    }
  };
  const auto describe = [&parameters](const auto & request, auto & response) {
    response.descriptors = parameters.describe_parameters(request.names);
  };
  const auto list = [&parameters](const auto & request, auto & response) {
    response.result = parameters.list_parameters(request.prefixes, request.depth);
  };
  return {
    make_service<GetParameters>(node, "get_parameters", get),
    make_service<GetParameterTypes>(node, "get_parameter_types", get_types),
    make_service<SetParameters>(node, "set_parameters", set),
    make_service<SetParametersAtomically>(node, "set_parameters_atomically", set_atomically),
    make_service<DescribeParameters>(node, "describe_parameters", describe),
    make_service<ListParameters>(node, "list_parameters", list),
  };
}

}  // namespace rclcpp::detail
