// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <ctime>
#include <iterator>
#include <set>
#include <string>

#include "scan_format.hpp"
#include "source.hpp"
#include "sysfs.hpp"

namespace pqc_tunnel::power
{
namespace
{

namespace fs = std::filesystem;

// The chips of the kernel's ina2xx-adc.
const std::set<std::string, std::less<>> chips = {"ina219", "ina220", "ina226", "ina230", "ina231"};
// Seconds of samples that the kernel keeps, and samples per wake-up of this program.
constexpr double buffer_s = 4.0;
constexpr std::string_view wake_up_samples = "64";
constexpr double milli = 1e-3;
constexpr double micro = 1e-6;
// Values of the shunt's register at the end of its range.
constexpr std::int64_t shunt_limit_219 = 32'000;
constexpr std::int64_t shunt_limit_226 = 32'767;
constexpr double ns_per_s = 1e9;

struct Channel
{
  std::string name;  // such as in_voltage1
  unsigned index = 0;
  ScanFormat format;
  double scale = 1.0;
  double offset = 0.0;
};

std::int64_t clock_ns(clockid_t clock)
{
  timespec now{};
  ::clock_gettime(clock, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

class IioSource final : public Source
{
public:
  IioSource(fs::path folder, std::string chip) : folder_(std::move(folder)), chip_(std::move(chip))
  {
  }
  ~IioSource() override { write_attribute(folder_ / "buffer" / "enable", "0"); }

  Result<void> open(const SourceOptions & options);

  std::string kind() const override { return "iio"; }
  std::string sensor() const override { return chip_ + " as " + folder_.filename().string(); }
  Duration interval() const override { return interval_; }
  int ready() const override { return device_.get(); }
  bool take(SampleCounter & counter, const Sink & sink) override;
  double step_w() const override;

private:
  Result<Channel> channel(const std::string & name) const;
  Result<void> choose();
  bool is_219() const { return chip_ == "ina219" || chip_ == "ina220"; }
  void quicken() const;
  double shunt_ohm() const;
  Read reading(ByteView scan);

  fs::path folder_;
  std::string chip_;
  double ohm_ = 0.0;
  Duration interval_{};
  std::vector<Channel> channels_;  // voltages of bus and shunt, time
  ScanLayout layout_;
  std::int64_t stamp_offset_ns_ = 0;  // of the stamps' clock before the monotonic one
  FileDescriptor device_;
  Bytes pending_;
  double voltage_v_ = unknown;
  double current_a_ = unknown;
};

// Shortens the bus's conversion: both in 12 bits make 940 samples per second.
void IioSource::quicken() const
{
  write_attribute(folder_ / "in_voltage0_integration_time", "0.000532");
  write_attribute(folder_ / "in_voltage1_integration_time", "0.000276");
}

// In ohms, and in old kernels in micro-ohms, without a point.
double IioSource::shunt_ohm() const
{
  const std::string text = read_line(folder_ / "in_shunt_resistor").value_or("");
  const double value = read_number(folder_ / "in_shunt_resistor").value_or(0.0);
  return text.find('.') == text.npos ? value * micro : value;
}

Result<Channel> IioSource::channel(const std::string & name) const
{
  const fs::path scan = folder_ / "scan_elements";
  const auto index = read_number(scan / (name + "_index"));
  const auto type = read_line(scan / (name + "_type"));
  if (!index || !type) {
    return fail(ErrorCode::unavailable, sensor() + " has no channel " + name + ".");
  }
  const auto format = parse_scan_format(*type);
  if (!format) {
    return tl::make_unexpected(format.error());
  }
  return Channel{
    name, static_cast<unsigned>(*index), *format,
    read_number(folder_ / (name + "_scale")).value_or(1.0),
    read_number(folder_ / (name + "_offset")).value_or(0.0)};
}

Result<void> IioSource::choose()
{
  const fs::path scan = folder_ / "scan_elements";
  // The current's channel has steps of 1 mA, the shunt's ten times finer ones.
  for (const char * name : {"in_voltage1", "in_voltage0", "in_timestamp"}) {
    auto found = channel(name);
    if (!found) {
      return tl::make_unexpected(found.error());
    }
    channels_.push_back(std::move(*found));
  }
  // The driver says that it is unsigned, but hands out the register, which is not.
  channels_[1].format.is_signed = true;
  std::error_code none;
  for (const auto & entry : fs::directory_iterator(scan, none)) {
    const std::string file = entry.path().filename().string();
    if (file.ends_with("_en")) {
      const std::string name = file.substr(0, file.size() - 3);
      const bool wanted = std::ranges::any_of(
        channels_, [&name](const Channel & channel) { return channel.name == name; });
      if (!write_attribute(entry.path(), wanted ? "1" : "0")) {
        return fail(ErrorCode::permission, sensor() + " can't be set up: run it as root.");
      }
    }
  }
  std::vector<std::size_t> order = {0, 1, 2};
  std::ranges::sort(order, {}, [this](std::size_t i) { return channels_[i].index; });
  std::vector<ScanFormat> formats;
  std::ranges::transform(
    order, std::back_inserter(formats), [this](std::size_t i) { return channels_[i].format; });
  const ScanLayout sorted = lay_out(formats);
  layout_ = {std::vector<std::size_t>(order.size()), sorted.bytes};
  for (std::size_t i = 0; i < order.size(); ++i) {
    layout_.offsets[order[i]] = sorted.offsets[i];
  }
  return {};
}

Result<void> IioSource::open(const SourceOptions & options)
{
  write_attribute(folder_ / "buffer" / "enable", "0");
  ohm_ = options.shunt_ohm.value_or(shunt_ohm());
  if (!(ohm_ > 0.0)) {
    return fail(ErrorCode::unavailable, sensor() + " tells no shunt: give its resistance.");
  }
  if (is_219()) {
    quicken();
  }
  const auto rate_hz = read_number(folder_ / "in_sampling_frequency");
  if (!rate_hz || *rate_hz <= 0.0) {
    return fail(ErrorCode::unavailable, sensor() + " tells no sampling frequency.");
  }
  interval_ = Duration(static_cast<Duration::rep>(ns_per_s / *rate_hz));
  if (auto chosen = choose(); !chosen) {
    return chosen;
  }
  // Without the attribute a kernel stamps with the real time.
  write_attribute(folder_ / "current_timestamp_clock", "monotonic");
  if (read_line(folder_ / "current_timestamp_clock").value_or("realtime") != "monotonic") {
    stamp_offset_ns_ = clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_MONOTONIC);
  }
  const auto length = static_cast<std::uint64_t>(buffer_s * *rate_hz);
  write_attribute(folder_ / "buffer" / "length", std::to_string(length));
  write_attribute(folder_ / "buffer" / "watermark", wake_up_samples);
  const fs::path file = options.dev / folder_.filename();
  device_ = FileDescriptor(::open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (!device_ || !write_attribute(folder_ / "buffer" / "enable", "1")) {
    return fail(
      ErrorCode::permission,
      file.string() + " can't be read: another program may, or this one needs root.");
  }
  return {};
}

Read IioSource::reading(ByteView scan)
{
  const auto raw = [&](std::size_t i) {
    return scan_value(scan.subspan(layout_.offsets[i]), channels_[i].format);
  };
  const auto volts = [&](std::size_t i) {
    return (static_cast<double>(raw(i)) + channels_[i].offset) * channels_[i].scale * milli;
  };
  if (std::abs(raw(1)) >= (is_219() ? shunt_limit_219 : shunt_limit_226)) {
    return tl::make_unexpected(Missing::overflow);
  }
  voltage_v_ = volts(0);
  current_a_ = volts(1) / ohm_;
  return Reading{voltage_v_ * current_a_, voltage_v_, current_a_};
}

bool IioSource::take(SampleCounter & counter, const Sink & sink)
{
  std::array<std::uint8_t, std::size_t{1} << 16> chunk;
  for (;;) {
    const auto length = ::read(device_.get(), chunk.data(), chunk.size());
    if (length < 0) {
      return errno == EAGAIN || errno == EINTR;
    }
    if (length == 0) {
      return false;
    }
    pending_.insert(pending_.end(), chunk.begin(), chunk.begin() + length);
    const std::size_t whole = pending_.size() / layout_.bytes * layout_.bytes;
    for (std::size_t at = 0; at < whole; at += layout_.bytes) {
      const ByteView scan = ByteView(pending_).subspan(at, layout_.bytes);
      const auto stamp = scan_value(scan.subspan(layout_.offsets[2]), channels_[2].format);
      const Instant time{Duration(stamp - stamp_offset_ns_)};
      if (const auto sample = counter.stamped(time, reading(scan))) {
        sink(*sample);
      }
    }
    pending_.erase(pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(whole));
  }
}

double IioSource::step_w() const
{
  return channels_[0].scale * milli * current_a_ + channels_[1].scale * milli / ohm_ * voltage_v_;
}

}  // namespace

Result<std::unique_ptr<Source>> open_iio(const SourceOptions & options)
{
  for (const fs::path & folder : folders(options.sys / "bus" / "iio" / "devices", "iio:device")) {
    const auto name = read_line(folder / "name");
    if (name && chips.contains(*name)) {
      auto source = std::make_unique<IioSource>(folder, *name);
      if (const auto opened = source->open(options); !opened) {
        return tl::make_unexpected(opened.error());
      }
      return source;
    }
  }
  return fail(ErrorCode::unavailable, "There is no INA219 or INA226 with a driver of kind IIO.");
}

}  // namespace pqc_tunnel::power
