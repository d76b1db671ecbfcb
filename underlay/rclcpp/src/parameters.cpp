// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "parameters.hpp"

#include <rcutils/logging_macros.h>

#include <algorithm>
#include <rcl_interfaces/srv/describe_parameters.hpp>
#include <rcl_interfaces/srv/get_parameter_types.hpp>
#include <rcl_interfaces/srv/get_parameters.hpp>
#include <rcl_interfaces/srv/list_parameters.hpp>
#include <rcl_interfaces/srv/set_parameters.hpp>
#include <rcl_interfaces/srv/set_parameters_atomically.hpp>
#include <stdexcept>

namespace rclcpp
{

namespace
{

class ParameterEventsQoS : public QoS
{
public:
  ParameterEventsQoS() : QoS(rmw_qos_profile_parameter_events) {}
};

rcl_interfaces::msg::Parameter to_message(const std::string & name, const ParameterValue & value)
{
  rcl_interfaces::msg::Parameter message;
  message.name = name;
  message.value = value.to_value_msg();
  return message;
}

Parameter from_message(const rcl_interfaces::msg::Parameter & message)
{
  return Parameter(message.name, ParameterValue(message.value));
}

}  // namespace

Node::Parameters::Parameters(detail::NodeCore & core)
: core_(core),
  node_name_(rcl_node_get_fully_qualified_name(core.node.get())),
  overrides_(detail::parameter_overrides(detail::context()->global_arguments, node_name_)),
  events_(core, "/parameter_events", ParameterEventsQoS())
{
  start_services();
}

const ParameterValue & Node::Parameters::declare(
  const std::string & name, const ParameterValue & default_value, Descriptor descriptor,
  bool ignore_override)
{
  const std::lock_guard lock(mutex_);
  if (name.empty()) throw std::runtime_error("parameter name must not be empty");
  if (parameters_.contains(name)) {
    throw std::runtime_error("parameter '" + name + "' has already been declared");
  }
  if (default_value.get_type() == PARAMETER_NOT_SET) {
    throw std::runtime_error(
      "parameter '" + name +
      "' has invalid type: cannot declare a statically typed parameter with an uninitialized "
      "value");
  }
  descriptor.name = name;
  descriptor.type = default_value.get_type();
  const auto overriding = overrides_.find(name);
  const bool overridden = !ignore_override && overriding != overrides_.end();
  const Parameter initial(name, overridden ? overriding->second : default_value);
  const auto result = detail::comply(descriptor, initial);
  if (!result.successful) {
    throw std::runtime_error(
      result.reason.starts_with(detail::wrong_type)
        ? "parameter '" + name + "' has invalid type: " + result.reason
        : "parameter '" + name + "' could not be set: " + result.reason);
  }
  const auto & added =
    parameters_.emplace(name, Info{initial.get_parameter_value(), descriptor}).first->second;
  rcl_interfaces::msg::ParameterEvent event;
  event.new_parameters.push_back(to_message(name, added.value));
  publish(std::move(event));
  return added.value;
}

bool Node::Parameters::has(const std::string & name) const
{
  const std::lock_guard lock(mutex_);
  return parameters_.contains(name);
}

const Node::Parameters::Info & Node::Parameters::info(const std::string & name) const
{
  const auto found = parameters_.find(name);
  if (found == parameters_.end()) throw std::runtime_error(name);
  return found->second;
}

Parameter Node::Parameters::get(const std::string & name) const
{
  const std::lock_guard lock(mutex_);
  return Parameter(name, info(name).value);
}

Node::Parameters::Descriptor Node::Parameters::describe(const std::string & name) const
{
  const std::lock_guard lock(mutex_);
  return info(name).descriptor;
}

detail::SetResult Node::Parameters::set(const std::vector<Parameter> & parameters)
{
  const std::lock_guard lock(mutex_);
  for (const auto & parameter : parameters) {
    const auto & name = parameter.get_name();
    if (!parameters_.contains(name)) {
      throw std::runtime_error(
        "parameter '" + name + "' cannot be set because it was not declared");
    }
    const auto & descriptor = info(name).descriptor;
    if (descriptor.read_only) {
      return detail::rejected("parameter '" + name + "' cannot be set because it is read-only");
    }
    if (parameter.get_parameter_value().get_type() == PARAMETER_NOT_SET) {
      return detail::rejected("cannot undeclare a statically typed parameter");
    }
    if (auto result = detail::comply(descriptor, parameter); !result.successful) return result;
  }
  if (const auto asked = may_set.lock()) {
    if (auto result = asked->callback(parameters); !result.successful) return result;
  }
  rcl_interfaces::msg::ParameterEvent event;
  for (const auto & parameter : parameters) {
    const auto & name = parameter.get_name();
    parameters_[name].value = parameter.get_parameter_value();
    event.changed_parameters.push_back(to_message(name, parameter.get_parameter_value()));
    on_change(parameter);
  }
  publish(std::move(event));
  return detail::accepted();
}

rcl_interfaces::msg::ListParametersResult Node::Parameters::list(
  const Names & prefixes, std::uint64_t depth) const
{
  const auto shallow_enough = [depth](const std::string & name) {
    // Depth 0 stands for any depth.
    return depth == 0 ||
           static_cast<std::uint64_t>(std::count(name.begin(), name.end(), '.')) < depth;
  };
  const auto is_wanted = [&](const std::string & name) {
    if (prefixes.empty()) return shallow_enough(name);
    return std::any_of(prefixes.begin(), prefixes.end(), [&](const std::string & prefix) {
      return name == prefix ||
             (name.starts_with(prefix + ".") && shallow_enough(name.substr(prefix.size() + 1)));
    });
  };
  const std::lock_guard lock(mutex_);
  rcl_interfaces::msg::ListParametersResult result;
  for (const auto & [name, info] : parameters_) {
    if (!is_wanted(name)) continue;
    result.names.push_back(name);
    const auto last = name.rfind('.');
    if (last == std::string::npos) continue;
    const auto prefix = name.substr(0, last);
    auto & known = result.prefixes;
    if (std::find(known.begin(), known.end(), prefix) == known.end()) known.push_back(prefix);
  }
  return result;
}

void Node::Parameters::publish(rcl_interfaces::msg::ParameterEvent event)
{
  event.node = node_name_;
  event.stamp = core_.now();
  events_.publish(event);
}

template <typename ServiceT, typename AnswerT>
void Node::Parameters::serve(const std::string & name, AnswerT answer)
{
  using Request = typename ServiceT::Request;
  using Response = typename ServiceT::Response;
  auto service = std::make_shared<Service<ServiceT>>(
    core_, std::string(rcl_node_get_name(core_.node.get())) + "/" + name,
    [answer = std::move(answer), name](
      std::shared_ptr<Request> request, std::shared_ptr<Response> response) {
      try {
        answer(*request, *response);
      } catch (const std::runtime_error & error) {
        // The response stays empty for an undeclared parameter, as clients expect.
        RCUTILS_LOG_DEBUG_NAMED("rclcpp", "%s: %s", name.c_str(), error.what());
      }
    });
  core_.add(service);
  services_.push_back(std::move(service));
}

void Node::Parameters::start_services()
{
  using namespace rcl_interfaces::srv;  // NOLINT: six names
  serve<GetParameters>("get_parameters", [this](const auto & request, auto & response) {
    std::vector<rcl_interfaces::msg::ParameterValue> values;
    for (const auto & name : request.names) {
      values.push_back(get(name).get_parameter_value().to_value_msg());
    }
    response.values = std::move(values);
  });
  serve<GetParameterTypes>("get_parameter_types", [this](const auto & request, auto & response) {
    std::vector<std::uint8_t> types;
    for (const auto & name : request.names) types.push_back(describe(name).type);
    response.types = std::move(types);
  });
  serve<SetParameters>("set_parameters", [this](const auto & request, auto & response) {
    for (const auto & message : request.parameters) {
      try {
        response.results.push_back(set({from_message(message)}));
      } catch (const std::runtime_error & error) {
        response.results.push_back(detail::rejected(error.what()));
      }
    }
  });
  serve<SetParametersAtomically>(
    "set_parameters_atomically", [this](const auto & request, auto & response) {
      std::vector<Parameter> parameters;
      try {
        for (const auto & message : request.parameters) {
          parameters.push_back(from_message(message));
        }
        response.result = set(parameters);
      } catch (const std::runtime_error &) {
        response.result =
          detail::rejected("One or more parameters were not declared before setting");
      }
    });
  serve<DescribeParameters>("describe_parameters", [this](const auto & request, auto & response) {
    std::vector<Descriptor> descriptors;
    for (const auto & name : request.names) descriptors.push_back(describe(name));
    response.descriptors = std::move(descriptors);
  });
  serve<ListParameters>("list_parameters", [this](const auto & request, auto & response) {
    response.result = list(request.prefixes, request.depth);
  });
}

}  // namespace rclcpp
