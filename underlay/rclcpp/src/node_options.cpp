// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "rclcpp/node_options.hpp"

#include "arguments.hpp"
#include "rcl_check.hpp"

namespace rclcpp
{

std::shared_ptr<const rcl_node_options_t> NodeOptions::to_rcl() const
{
  std::shared_ptr<rcl_node_options_t> options(
    new rcl_node_options_t(rcl_node_get_default_options()), [](rcl_node_options_t * ended) {
      if (rcl_node_options_fini(ended) != RCL_RET_OK) rcl_reset_error();
      std::default_delete<rcl_node_options_t>()(ended);
    });
  options->use_global_arguments = use_global_arguments_;
  options->enable_rosout = enable_rosout_;
  options->rosout_qos = rosout_qos_.get_rmw_qos_profile();

  std::vector<const char *> argv;
  for (const auto & argument : arguments_) argv.push_back(argument.c_str());
  const int argc = static_cast<int>(argv.size());
  detail::check(
    rcl_parse_arguments(argc, argv.data(), options->allocator, &options->arguments),
    "failed to parse arguments");
  detail::refuse_unknown_ros_arguments(argc, argv.data(), options->arguments);
  return options;
}

}  // namespace rclcpp
