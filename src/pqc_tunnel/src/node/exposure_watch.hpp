// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__NODE__EXPOSURE_WATCH_HPP_
#define PQC_TUNNEL__NODE__EXPOSURE_WATCH_HPP_

#include <condition_variable>
#include <diagnostic_updater/diagnostic_updater.hpp>
#include <mutex>
#include <rclcpp/rclcpp.hpp>
#include <string>

#include "exposure_diagnosis.hpp"
#include "pqc_tunnel/os/thread.hpp"

namespace pqc_tunnel
{

// Repeats the exposure check while the node runs: the diagnostics have the newest result, and every
// change is logged. It has a thread of its own at low priority, since it reads all of /proc (about
// 15 ms for 200 processes on a desktop computer).
class ExposureWatch
{
public:
  ExposureWatch(
    rclcpp::Node & node, diagnostic_updater::Updater & diagnostics, ExposureOptions options);
  ~ExposureWatch();
  ExposureWatch(const ExposureWatch &) = delete;
  ExposureWatch & operator=(const ExposureWatch &) = delete;

private:
  void work();
  void check();
  void log(const Diagnosis & diagnosis) const;
  Diagnosis newest() const;

  const rclcpp::Logger logger_;
  const ExposureOptions options_;
  std::string fingerprint_;
  mutable std::mutex mutex_;
  Diagnosis diagnosis_;  // both under the mutex
  bool stopping_ = false;
  std::condition_variable wake_;
  Thread thread_;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__NODE__EXPOSURE_WATCH_HPP_
