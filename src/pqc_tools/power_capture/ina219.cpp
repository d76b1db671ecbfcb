// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "ina219.hpp"

#include <array>
#include <cstdlib>

namespace pqc_tunnel::power
{
namespace
{

constexpr std::uint8_t configuration = 0;
constexpr std::uint8_t shunt_voltage = 1;
constexpr std::uint8_t bus_voltage = 2;
constexpr std::uint8_t power = 3;
constexpr std::uint8_t calibration = 5;

// The shunt in 12 bits (532 µs, at most 586), the bus in 11 bits (276 µs, at most 304), one after the other without
// pause: 890 µs at most, and so at least 1,123 measurements per second. Both in 12 bits would be 940.
constexpr std::uint16_t bus_32_v = 0x2000;
constexpr std::uint16_t shunt_320_mv = 0x1800;
constexpr std::uint16_t bus_11_bits = 0x0100;
constexpr std::uint16_t shunt_12_bits = 0x0018;
constexpr std::uint16_t continuous = 0x0007;
// Current register = shunt register: then the overflow bit tells of the shunt's range.
constexpr std::uint16_t no_scaling = 4096;

constexpr std::uint16_t overflow_bit = 0x0001;
constexpr std::uint16_t ready_bit = 0x0002;
constexpr unsigned bus_shift = 3;
constexpr double bus_lsb_v = 4e-3;
constexpr double shunt_lsb_v = 10e-6;
constexpr int shunt_limit = 32'000;
constexpr double shunt_range_v = 0.32;
constexpr double low_range_v = 16.0;
// A supply that may go above 16 V, such as one of five cells, gets the larger range.
constexpr double surely_low_v = 14.0;

double volts(std::uint16_t bus) { return static_cast<double>(bus >> bus_shift) * bus_lsb_v; }

}  // namespace

bool Ina219::begin()
{
  const std::array<std::uint8_t, 1> bus = {bus_voltage};
  const std::array<std::uint8_t, 1> settings = {configuration};
  std::array<std::uint16_t, 1> word{};
  if (!registers_.read(bus, word)) {
    return false;
  }
  high_range_ = volts(word[0]) > surely_low_v;
  const std::uint16_t wanted =
    (high_range_ ? bus_32_v : 0) | shunt_320_mv | bus_11_bits | shunt_12_bits | continuous;
  return registers_.write(configuration, wanted) && registers_.write(calibration, no_scaling) &&
         registers_.read(settings, word) && word[0] == wanted;
}

Read Ina219::measure()
{
  // Reading the power clears the bit that tells of a new measurement.
  constexpr std::array<std::uint8_t, 3> registers = {bus_voltage, shunt_voltage, power};
  std::array<std::uint16_t, 3> words{};
  if (!registers_.read(registers, words)) {
    return tl::make_unexpected(Missing::no_answer);
  }
  const auto [bus, shunt_word, unused] = words;
  const int shunt = static_cast<std::int16_t>(shunt_word);
  if ((bus & overflow_bit) != 0 || std::abs(shunt) >= shunt_limit) {
    return tl::make_unexpected(Missing::overflow);
  }
  if ((bus & ready_bit) == 0) {
    return tl::make_unexpected(Missing::stale);
  }
  Reading reading;
  reading.voltage_v = volts(bus);
  reading.current_a = shunt * shunt_lsb_v / ohm_;
  reading.power_w = reading.voltage_v * reading.current_a;
  return reading;
}

double Ina219::voltage_step_v() const
{
  return (high_range_ ? 2.0 : 1.0) * low_range_v / (1 << 11);
}

double Ina219::current_step_a() const { return shunt_range_v / (1 << 12) / ohm_; }

}  // namespace pqc_tunnel::power
