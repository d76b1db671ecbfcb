// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>
#include <optional>

#include "energy_counter.hpp"
#include "sysfs.hpp"
#include "timed_source.hpp"

namespace pqc_tunnel::power
{
namespace
{

constexpr std::uint64_t hwmon_rate_hz = 1'110;
// The counter is renewed each millisecond, at times that are not known better.
constexpr std::uint64_t rapl_rate_hz = 50;
constexpr double micro = 1e-6;

std::uint64_t rate(const SourceOptions & options, std::uint64_t usual)
{
  return options.rate_hz != 0 ? options.rate_hz : usual;
}

// The smallest difference between two values in a row, which a driver does not tell.
class SmallestStep
{
public:
  void note(double value)
  {
    const double step = std::abs(value - last_);
    if (step > 0.0 && !(step >= smallest_)) {
      smallest_ = step;
    }
    last_ = value;
  }
  double value() const { return smallest_; }

private:
  double last_ = unknown;
  double smallest_ = unknown;
};

class HwmonSource final : public TimedSource
{
public:
  HwmonSource(const std::filesystem::path & folder, std::string chip, std::uint64_t rate_hz)
  : TimedSource(rate_hz),
    sensor_(std::move(chip) + " as " + folder.filename().string()),
    power_(folder / "power1_input"),
    // The INA219's in0 is the shunt, in1 the bus.
    voltage_(folder / "in1_input"),
    current_(folder / "curr1_input")
  {
  }

  bool works() { return read({}).has_value(); }
  std::string kind() const override { return "hwmon"; }
  std::string sensor() const override { return sensor_; }
  double step_w() const override { return step_.value(); }

protected:
  Read read(Instant /*now*/) override
  {
    const auto watts = power_ ? power_w() : product_w();
    if (!watts) {
      return tl::make_unexpected(Missing::no_answer);
    }
    step_.note(*watts);
    return Reading{*watts};
  }

private:
  std::optional<double> power_w() const
  {
    const auto micro_w = power_.read();
    return micro_w ? std::optional(static_cast<double>(*micro_w) * micro) : std::nullopt;
  }
  std::optional<double> product_w() const
  {
    const auto milli_v = voltage_.read();
    const auto milli_a = current_.read();
    return milli_v && milli_a ? std::optional(static_cast<double>(*milli_v * *milli_a) * micro)
                              : std::nullopt;
  }

  std::string sensor_;
  Attribute power_;
  Attribute voltage_;
  Attribute current_;
  SmallestStep step_;
};

class RaplSource final : public TimedSource
{
public:
  RaplSource(std::string package, Attribute energy, EnergyCounter counter, std::uint64_t rate_hz)
  : TimedSource(rate_hz),
    package_(std::move(package)),
    energy_(std::move(energy)),
    counter_(counter)
  {
  }

  std::string kind() const override { return "rapl"; }
  std::string sensor() const override { return package_; }
  bool averages() const override { return true; }
  double step_w() const override { return unknown; }
  double step_j() const override { return counter_.step_uj() * micro; }

protected:
  Read read(Instant now) override
  {
    const auto uj = energy_.read();
    if (!uj) {
      return tl::make_unexpected(Missing::no_answer);
    }
    return Reading{counter_.power_w(now, *uj)};
  }

private:
  std::string package_;
  Attribute energy_;
  EnergyCounter counter_;
};

}  // namespace

Result<std::unique_ptr<Source>> open_hwmon(const SourceOptions & options)
{
  for (const auto & folder : folders(options.sys / "class" / "hwmon", "hwmon")) {
    const auto name = read_line(folder / "name");
    if (name && (name->starts_with("ina2") || *name == "ina3221")) {
      auto source = std::make_unique<HwmonSource>(folder, *name, rate(options, hwmon_rate_hz));
      if (source->works()) {
        return source;
      }
    }
  }
  return fail(ErrorCode::unavailable, "There is no power sensor of kind hwmon.");
}

Result<std::unique_ptr<Source>> open_rapl(const SourceOptions & options)
{
  for (const auto & folder : folders(options.sys / "class" / "powercap", "")) {
    const std::string name = folder.filename().string();
    // One colon: a package, and not a part of it.
    if (name.find("-rapl:") == name.npos || std::ranges::count(name, ':') != 1) {
      continue;
    }
    const Attribute range(folder / "max_energy_range_uj");
    Attribute energy(folder / "energy_uj");
    const auto range_uj = range.read();
    const auto uj = energy.read();
    if (range_uj && uj) {
      return std::make_unique<RaplSource>(
        name, std::move(energy), EnergyCounter(*range_uj, capture_now(), *uj),
        rate(options, rapl_rate_hz));
    }
  }
  return fail(ErrorCode::unavailable, "There is no RAPL counter that may be read.");
}

Result<std::unique_ptr<Source>> open_source(const SourceOptions & options)
{
  if (options.kind == "i2c") {
    return open_i2c(options);
  }
  for (const auto & [kind, open] :
       {std::pair{"iio", &open_iio}, std::pair{"hwmon", &open_hwmon},
        std::pair{"rapl", &open_rapl}})
  {
    if (options.kind != "auto" && options.kind != kind) {
      continue;
    }
    auto source = open(options);
    if (source || source.error().code != ErrorCode::unavailable || options.kind == kind) {
      return source;
    }
  }
  return fail(ErrorCode::unavailable, "This computer has no power sensor.");
}

}  // namespace pqc_tunnel::power
