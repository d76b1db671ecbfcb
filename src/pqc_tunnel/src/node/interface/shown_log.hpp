// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__NODE__INTERFACE__SHOWN_LOG_HPP_
#define PQC_TUNNEL__NODE__INTERFACE__SHOWN_LOG_HPP_

namespace pqc_tunnel
{

// Makes every log call of the process, also those of libraries, one line that shown() lets pass. Call it after
// rclcpp::init(), which sets where the log goes.
void show_log();

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__NODE__INTERFACE__SHOWN_LOG_HPP_
