// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "exposure_watch.hpp"

#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <utility>

#include "diagnosis_report.hpp"

namespace pqc_tunnel
{

namespace
{

constexpr std::chrono::seconds period(10);
constexpr std::size_t stack_bytes = 1048576;
constexpr int niceness = 10;

Result<ExposureReport> look(const ExposureOptions & options)
{
  const auto machine = read_machine_sockets("/proc");
  if (!machine) {
    return tl::make_unexpected(machine.error());
  }
  return judge_exposure(*machine, options);
}

}  // namespace

ExposureWatch::ExposureWatch(
  rclcpp::Node & node, diagnostic_updater::Updater & diagnostics, ExposureOptions options)
: logger_(node.get_logger()), options_(std::move(options))
{
  check();
  diagnostics.add("exposure", [this](diagnostic_updater::DiagnosticStatusWrapper & wrapper) {
    report(newest(), wrapper);
  });
  thread_ = Thread("pqc_exposure", stack_bytes, [this] { work(); });
}

ExposureWatch::~ExposureWatch()
{
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void ExposureWatch::work()
{
  lower_priority(niceness);
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, period, [this] { return stopping_; })) {
    lock.unlock();
    check();
    lock.lock();
  }
}

void ExposureWatch::check()
{
  const auto report = look(options_);
  const Diagnosis diagnosis = diagnose_exposure(report, ::getpid());
  auto fingerprint = exposure_fingerprint(report, ::getpid());
  if (fingerprint != fingerprint_) {
    fingerprint_ = std::move(fingerprint);
    log(diagnosis);
  }
  const std::scoped_lock lock(mutex_);
  diagnosis_ = diagnosis;
}

void ExposureWatch::log(const Diagnosis & diagnosis) const
{
  switch (diagnosis.level) {
    case Diagnosis::Level::ok:
      RCLCPP_INFO(logger_, "%s", diagnosis.text.c_str());
      break;
    case Diagnosis::Level::warning:
      RCLCPP_WARN(logger_, "%s", diagnosis.text.c_str());
      break;
    case Diagnosis::Level::error:
      RCLCPP_ERROR(logger_, "%s", diagnosis.text.c_str());
      break;
  }
}

Diagnosis ExposureWatch::newest() const
{
  const std::scoped_lock lock(mutex_);
  return diagnosis_;
}

}  // namespace pqc_tunnel
