// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TOOLS__POWER_CAPTURE__INA219_HPP_
#define PQC_TOOLS__POWER_CAPTURE__INA219_HPP_

#include <cstdint>
#include <span>

#include "reading.hpp"

namespace pqc_tunnel::power
{

/// The 16-bit registers of a device on a bus. Both return false if the device does not acknowledge.
class WordRegisters
{
public:
  virtual ~WordRegisters() = default;
  /// Reads registers in one transaction; both spans have the same length.
  virtual bool read(std::span<const std::uint8_t> registers, std::span<std::uint16_t> words) = 0;
  virtual bool write(std::uint8_t reg, std::uint16_t word) = 0;
};

/// An INA219 without a driver (Texas Instruments SBOS448, section 8.6).
class Ina219
{
public:
  Ina219(WordRegisters & registers, double shunt_ohm) : registers_(registers), ohm_(shunt_ohm) {}

  /// Configures it to measure without a pause. Returns false if it does not answer, or does not hold what was written.
  bool begin();
  /// Returns the newest measurement.
  Read measure();

  /// The smallest differences that it resolves.
  double voltage_step_v() const;
  double current_step_a() const;

private:
  WordRegisters & registers_;
  double ohm_;
  bool high_range_ = false;  // 32 V instead of 16 V
};

}  // namespace pqc_tunnel::power

#endif  // PQC_TOOLS__POWER_CAPTURE__INA219_HPP_
