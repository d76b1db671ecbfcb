// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <fcntl.h>
#include <linux/i2c-dev.h>
#include <linux/i2c.h>
#include <sys/ioctl.h>

#include <array>

#include "ina219.hpp"
#include "timed_source.hpp"

namespace pqc_tunnel::power
{
namespace
{

constexpr std::uint64_t usual_rate_hz = 1'110;
constexpr double usual_shunt_ohm = 0.1;
constexpr std::size_t most_registers = 3;

class I2cRegisters final : public WordRegisters
{
public:
  I2cRegisters(FileDescriptor bus, std::uint16_t address) : bus_(std::move(bus)), address_(address)
  {
  }

  bool read(std::span<const std::uint8_t> registers, std::span<std::uint16_t> words) override
  {
    std::array<std::uint8_t, most_registers> numbers{};
    std::array<std::array<std::uint8_t, 2>, most_registers> answers{};
    std::array<i2c_msg, 2 * most_registers> messages{};
    for (std::size_t i = 0; i < registers.size(); ++i) {
      numbers.at(i) = registers[i];
      messages.at(2 * i) = {address_, 0, 1, &numbers.at(i)};
      messages.at(2 * i + 1) = {address_, I2C_M_RD, 2, answers.at(i).data()};
    }
    if (!transfer({messages.data(), 2 * registers.size()})) {
      return false;
    }
    for (std::size_t i = 0; i < registers.size(); ++i) {
      words[i] = static_cast<std::uint16_t>(answers.at(i)[0] << 8 | answers.at(i)[1]);
    }
    return true;
  }

  bool write(std::uint8_t reg, std::uint16_t word) override
  {
    std::array<std::uint8_t, 3> bytes = {
      reg, static_cast<std::uint8_t>(word >> 8), static_cast<std::uint8_t>(word)};
    std::array<i2c_msg, 1> message = {{{address_, 0, bytes.size(), bytes.data()}}};
    return transfer(message);
  }

private:
  bool transfer(std::span<i2c_msg> messages) const
  {
    i2c_rdwr_ioctl_data all{messages.data(), static_cast<std::uint32_t>(messages.size())};
    return ::ioctl(bus_.get(), I2C_RDWR, &all) == static_cast<int>(messages.size());
  }

  FileDescriptor bus_;
  std::uint16_t address_;
};

class I2cSource final : public TimedSource
{
public:
  I2cSource(FileDescriptor bus, const SourceOptions & options)
  : TimedSource(options.rate_hz != 0 ? options.rate_hz : usual_rate_hz),
    place_(std::to_string(options.address) + " of bus " + std::to_string(options.bus)),
    registers_(std::move(bus), static_cast<std::uint16_t>(options.address)),
    chip_(registers_, options.shunt_ohm.value_or(usual_shunt_ohm))
  {
  }

  bool begin() { return chip_.begin(); }
  std::string kind() const override { return "i2c"; }
  std::string sensor() const override { return "ina219 at " + place_; }
  double step_w() const override
  {
    return chip_.voltage_step_v() * last_.current_a + chip_.current_step_a() * last_.voltage_v;
  }

protected:
  Read read(Instant /*now*/) override
  {
    const Read read = chip_.measure();
    last_ = read.value_or(last_);
    return read;
  }

private:
  std::string place_;
  I2cRegisters registers_;
  Ina219 chip_;
  Reading last_;
};

}  // namespace

Result<std::unique_ptr<Source>> open_i2c(const SourceOptions & options)
{
  const auto file = options.dev / ("i2c-" + std::to_string(options.bus));
  FileDescriptor bus(::open(file.c_str(), O_RDWR | O_CLOEXEC));
  if (!bus) {
    return fail(ErrorCode::unavailable, "There is no bus " + file.string() + " to read.");
  }
  auto source = std::make_unique<I2cSource>(std::move(bus), options);
  if (!source->begin()) {
    return fail(ErrorCode::unavailable, "No " + source->sensor() + " answers.");
  }
  return source;
}

}  // namespace pqc_tunnel::power
