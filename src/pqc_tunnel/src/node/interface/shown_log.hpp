// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__NODE__INTERFACE__SHOWN_LOG_HPP_
#define PQC_TUNNEL__NODE__INTERFACE__SHOWN_LOG_HPP_

namespace pqc_tunnel
{

// Passes every log call of the process, even of libraries, through shown(), so that it makes one line. Call it after
// rclcpp::init(), which sets the destination of the log.
void show_log();

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__NODE__INTERFACE__SHOWN_LOG_HPP_
