// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TOOLS__POWER_CAPTURE__SOURCE_HPP_
#define PQC_TOOLS__POWER_CAPTURE__SOURCE_HPP_

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "pqc_tunnel/base/result.hpp"
#include "sample_counter.hpp"

namespace pqc_tunnel::power
{

/// A source that takes readings by itself, or upon a timer.
class Source
{
public:
  using Sink = std::function<void(const Sample &)>;

  virtual ~Source() = default;
  /// One of iio, i2c, hwmon, rapl.
  virtual std::string kind() const = 0;
  /// Chip and place, for people.
  virtual std::string sensor() const = 0;
  /// Expected interval between two samples.
  virtual Duration interval() const = 0;
  /// Whether a sample is the mean power since the one before, and not that of a moment.
  virtual bool averages() const { return false; }
  /// The smallest difference of power that it resolves; unknown before the first samples.
  virtual double step_w() const = 0;
  /// The smallest difference of energy, of a counter of energy.
  virtual double step_j() const { return unknown; }
  /// A descriptor that is readable when there is something to take.
  virtual int ready() const = 0;
  /// Takes all readings that have come. Returns false when the sensor is gone.
  virtual bool take(SampleCounter & counter, const Sink & sink) = 0;
};

/// Where sensors are sought, and which.
struct SourceOptions
{
  std::string kind = "auto";
  std::filesystem::path sys = "/sys";
  std::filesystem::path dev = "/dev";
  std::uint64_t rate_hz = 0;  // of a timer; 0: what suits the source
  std::uint64_t bus = 1;
  std::uint64_t address = 0x40;
  std::optional<double> shunt_ohm;  // nothing: as the driver says; without a driver 0.1
};

/// Opens a source. "auto" takes the first of iio, hwmon and rapl: a chip on I²C is written to, and so must be asked for.
/// The error's code is `unavailable` if there is none.
Result<std::unique_ptr<Source>> open_source(const SourceOptions & options);

Result<std::unique_ptr<Source>> open_iio(const SourceOptions & options);
Result<std::unique_ptr<Source>> open_i2c(const SourceOptions & options);
Result<std::unique_ptr<Source>> open_hwmon(const SourceOptions & options);
Result<std::unique_ptr<Source>> open_rapl(const SourceOptions & options);

/// The time of CLOCK_MONOTONIC, which stamps of samples have.
Instant capture_now();

}  // namespace pqc_tunnel::power

#endif  // PQC_TOOLS__POWER_CAPTURE__SOURCE_HPP_
