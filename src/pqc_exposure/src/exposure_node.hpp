// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_EXPOSURE__EXPOSURE_NODE_HPP_
#define PQC_EXPOSURE__EXPOSURE_NODE_HPP_

#include <diagnostic_updater/diagnostic_updater.hpp>
#include <rclcpp/rclcpp.hpp>
#include <string>
#include <vector>

#include "exposure_diagnosis.hpp"

namespace pqc_tunnel::exposure
{

// Repeats the exposure check: the diagnostics have the newest result, and every change is logged. A check reads all of
// /proc (about 15 ms for 200 processes on a desktop computer).
class ExposureNode : public rclcpp::Node
{
public:
  // Takes ports and exposure.allow from what `parameter_files` say to the tunnel in the namespace of this node. Throws an
  // exception whose text is a sentence if they can't be used.
  explicit ExposureNode(const std::vector<std::string> & parameter_files);

private:
  void read_options(const std::vector<std::string> & parameter_files);
  void check();
  void log() const;

  diagnostic_updater::Updater diagnostics_;
  ExposureOptions options_;
  TunnelPorts own_ports_;
  diagnostic_msgs::msg::DiagnosticStatus diagnosis_;
  std::string fingerprint_;
  rclcpp::TimerBase::SharedPtr timer_;
};

}  // namespace pqc_tunnel::exposure

#endif  // PQC_EXPOSURE__EXPOSURE_NODE_HPP_
