// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <map>

#include "power_capture/ina219.hpp"

namespace pqc_tunnel::power
{
namespace
{

// The registers of a chip on a bus, with a clock that the test moves.
class Chip final : public WordRegisters
{
public:
  bool read(std::span<const std::uint8_t> registers, std::span<std::uint16_t> words) override
  {
    if (silent) {
      return false;
    }
    for (std::size_t i = 0; i < registers.size(); ++i) {
      words[i] = values[registers[i]];
      if (registers[i] == 3) {
        values[2] &= 0xfffd;
      }
    }
    return true;
  }
  bool write(std::uint8_t reg, std::uint16_t word) override
  {
    values[reg] = word;
    return !silent;
  }
  void convert(double volts, double shunt_mv)
  {
    values[2] = static_cast<std::uint16_t>(static_cast<int>(volts / 4e-3) << 3 | 2);
    values[1] = static_cast<std::uint16_t>(static_cast<int>(shunt_mv * 100));
  }

  std::map<std::uint8_t, std::uint16_t> values;
  bool silent = false;
};

// A chip and its user; the supply has 5 V.
struct Begun : testing::Test
{
  Begun()
  {
    chip.convert(5.0, 0.0);
    EXPECT_TRUE(ina219.begin());
  }
  Chip chip;
  Ina219 ina219{chip, 0.1};
};

TEST_F(Begun, conversions_take_less_than_a_millisecond_together)
{
  // 16 V, 320 mV, the bus in 11 bits, the shunt in 12, both without pause.
  EXPECT_EQ(chip.values[0], 0x191f);
}

TEST_F(Begun, a_supply_above_14_V_gets_the_range_of_32_V)
{
  const double before_v = ina219.voltage_step_v();
  chip.convert(16.8, 0.0);
  ASSERT_TRUE(ina219.begin());
  EXPECT_EQ(chip.values[0], 0x391f);
  EXPECT_EQ(ina219.voltage_step_v(), 2 * before_v);
}

TEST_F(Begun, power_is_voltage_times_current_in_either_direction)
{
  for (const double sign : {1.0, -1.0}) {
    chip.convert(5.0, sign * 80.0);
    const Read read = ina219.measure();
    ASSERT_TRUE(read);
    EXPECT_DOUBLE_EQ(read->voltage_v, 5.0);
    EXPECT_DOUBLE_EQ(read->current_a, sign * 0.8);
    EXPECT_DOUBLE_EQ(read->power_w, sign * 4.0);
  }
}

TEST_F(Begun, a_measurement_is_given_once)
{
  chip.convert(5.0, 80.0);
  ASSERT_TRUE(ina219.measure());
  EXPECT_EQ(ina219.measure().error(), Missing::stale);
}

TEST_F(Begun, what_is_beyond_the_range_is_no_power)
{
  chip.convert(5.0, 320.0);
  EXPECT_EQ(ina219.measure().error(), Missing::overflow);
  chip.convert(5.0, 80.0);
  chip.values[2] |= 1;
  EXPECT_EQ(ina219.measure().error(), Missing::overflow);
}

TEST_F(Begun, a_chip_that_does_not_acknowledge_gives_no_power)
{
  chip.silent = true;
  EXPECT_EQ(ina219.measure().error(), Missing::no_answer);
  EXPECT_FALSE(ina219.begin());
}

}  // namespace
}  // namespace pqc_tunnel::power
