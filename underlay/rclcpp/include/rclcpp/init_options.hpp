// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rcl/init_options.h>

#include <cstddef>

namespace rclcpp
{

/// How a context starts: domain, logging, and whether a signal ends it.
class InitOptions
{
public:
  bool shutdown_on_signal = true;

  InitOptions();
  InitOptions(const InitOptions & other);
  InitOptions & operator=(const InitOptions & other);
  ~InitOptions();

  bool auto_initialize_logging() const { return initialize_logging_; }
  InitOptions & auto_initialize_logging(bool initialize_logging);

  const rcl_init_options_t * get_rcl_init_options() const { return &options_; }

  void use_default_domain_id();
  void set_domain_id(size_t domain_id);
  size_t get_domain_id() const;

private:
  rcl_init_options_t options_;
  bool initialize_logging_ = true;
};

}  // namespace rclcpp
