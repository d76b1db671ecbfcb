// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "exposure_node.hpp"

#include <unistd.h>

#include <chrono>
#include <set>
#include <stdexcept>
#include <utility>

namespace pqc_tunnel::exposure
{

namespace
{

using diagnostic_msgs::msg::DiagnosticStatus;

constexpr const char * allow_parameter = "exposure.allow";
constexpr std::chrono::seconds period(10);

// Returns the values of the files for a node. A file without a section for it belongs to other nodes.
ParameterValues values_for(const std::string & node, const std::vector<std::string> & files)
{
  ParameterValues all;
  for (const auto & file : files) {
    auto values = load_parameter_file(file, node);
    if (!values && values.error().code != ErrorCode::invalid_argument) {
      throw std::runtime_error(values.error().message);
    }
    for (auto & [name, value] : values.value_or(ParameterValues())) {
      all[name] = std::move(value);
    }
  }
  return all;
}

}  // namespace

ExposureNode::ExposureNode(const std::vector<std::string> & parameter_files)
: rclcpp::Node("exposure"), diagnostics_(this)
{
  read_options(parameter_files);
  check();
  diagnostics_.setHardwareID(get_fully_qualified_name());
  diagnostics_.add("exposure", [this](diagnostic_updater::DiagnosticStatusWrapper & wrapper) {
    wrapper.summary(diagnosis_.level, diagnosis_.message);
    wrapper.values = diagnosis_.values;
  });
  timer_ = create_wall_timer(period, [this] { check(); });
}

void ExposureNode::read_options(const std::vector<std::string> & parameter_files)
{
  const std::string self = get_fully_qualified_name();
  const std::string tunnel = self.substr(0, self.rfind('/') + 1) + "tunnel";
  auto values = values_for(tunnel, parameter_files);
  // The parameter of this node takes precedence.
  const auto own = get_node_parameters_interface()->get_parameter_overrides();
  if (const auto given = own.find(allow_parameter); given != own.end()) {
    if (given->second.get_type() == rclcpp::ParameterType::PARAMETER_STRING) {
      values[allow_parameter] = given->second.get<std::string>();
    } else {
      values[allow_parameter] = given->second.get<std::vector<std::string>>();
    }
  }
  if (values.empty()) {
    return;
  }
  if (const auto added = add_parameters(values, options_); !added) {
    throw std::runtime_error(added.error().message);
  }
  own_ports_ = tunnel_ports(values);
}

void ExposureNode::check()
{
  const auto machine = read_machine_sockets("/proc");
  std::set<int> own{::getpid()};
  Result<ExposureReport> report;
  if (machine) {
    own.merge(tunnels_with(own_ports_, *machine));
    report = judge_exposure(*machine, options_);
  } else {
    report = tl::make_unexpected(machine.error());
  }
  diagnosis_ = diagnose_exposure(report, own);
  auto fingerprint = exposure_fingerprint(report, own);
  if (fingerprint != fingerprint_) {
    fingerprint_ = std::move(fingerprint);
    log();
  }
}

void ExposureNode::log() const
{
  const char * const text = diagnosis_.message.c_str();
  switch (diagnosis_.level) {
    case DiagnosticStatus::OK:
      RCLCPP_INFO(get_logger(), "%s", text);
      break;
    case DiagnosticStatus::WARN:
      RCLCPP_WARN(get_logger(), "%s", text);
      break;
    default:
      RCLCPP_ERROR(get_logger(), "%s", text);
      break;
  }
}

}  // namespace pqc_tunnel::exposure
