// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>
#include <linux/i2c-dev.h>
#include <linux/i2c.h>
#include <poll.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "power_capture/source.hpp"

namespace
{

constexpr std::uint8_t bus_voltage = 2;
constexpr std::uint8_t power = 3;
constexpr std::uint16_t ready_bit = 2;

// It does what i2c-dev does with transactions. One INA219 is on the bus, whose supply has 5 V and 0.8 A.
struct Bus
{
  bool answer(const i2c_msg & message)
  {
    asked.insert(message.addr);
    if (message.addr != address || silent) {
      return false;
    }
    if ((message.flags & I2C_M_RD) != 0) {
      const std::uint16_t word = registers[pointer];
      message.buf[0] = static_cast<std::uint8_t>(word >> 8);
      message.buf[1] = static_cast<std::uint8_t>(word);
      if (pointer == power) {
        registers[bus_voltage] &= static_cast<std::uint16_t>(~ready_bit);
      }
      return true;
    }
    pointer = message.buf[0];
    if (message.len == 3) {
      registers[pointer] = static_cast<std::uint16_t>(message.buf[1] << 8 | message.buf[2]);
    }
    return true;
  }

  int transfer(const i2c_rdwr_ioctl_data & all)
  {
    ++transactions;
    registers[bus_voltage] |= ready_bit;  // it has measured since the transaction before
    for (std::uint32_t i = 0; i < all.nmsgs; ++i) {
      if (!answer(all.msgs[i])) {
        errno = EREMOTEIO;
        return -1;
      }
    }
    return static_cast<int>(all.nmsgs);
  }

  std::uint16_t address = 0x40;
  std::map<std::uint8_t, std::uint16_t> registers = {{1, 8000}, {bus_voltage, 1250 << 3}};
  std::uint8_t pointer = 0;
  bool silent = false;
  std::set<std::uint16_t> asked;
  std::uint64_t transactions = 0;
};

Bus * current_bus = nullptr;

}  // namespace

// The linker takes this in place of ioctl (--wrap).
extern "C" int __wrap_ioctl(int /*descriptor*/, unsigned long request, i2c_rdwr_ioctl_data * all)
{
  if (request != I2C_RDWR) {
    errno = ENOTTY;
    return -1;
  }
  return current_bus->transfer(*all);
}

namespace pqc_tunnel::power
{
namespace
{

struct I2cSource : testing::Test
{
  I2cSource()
  {
    current_bus = &bus;
    std::filesystem::create_directories(options.dev);
    std::ofstream(options.dev / "i2c-3");
  }
  ~I2cSource() override { std::filesystem::remove_all(options.dev); }

  // Takes readings until so many ticks have passed.
  void take(Source & source, std::uint64_t ticks)
  {
    const std::uint64_t until = passed() + ticks;
    while (passed() < until) {
      pollfd ready{source.ready(), POLLIN, 0};
      ASSERT_EQ(::poll(&ready, 1, 10'000), 1);
      ASSERT_TRUE(source.take(counter, [this](const Sample & one) { samples.push_back(one); }));
    }
  }
  std::uint64_t passed() const { return counter.counts().samples + counter.counts().no_answers; }

  Bus bus;
  SourceOptions options{
    .kind = "i2c", .dev = testing::TempDir() + "i2c_" + std::to_string(::getpid()), .bus = 3};
  SampleCounter counter{std::chrono::microseconds(900)};
  std::vector<Sample> samples;
};

TEST_F(I2cSource, reads_the_power_of_a_chip_without_a_driver_in_one_transaction_each)
{
  const auto source = open_source(options);
  ASSERT_TRUE(source) << source.error().message;
  const std::uint64_t begun = bus.transactions;
  take(**source, 50);
  EXPECT_EQ(bus.transactions - begun, passed());
  for (const Sample & sample : samples) {
    EXPECT_NEAR(sample.power_w, 5.0 * 0.8, 1e-9);
  }
  EXPECT_EQ(bus.asked, std::set<std::uint16_t>{bus.address});
}

TEST_F(I2cSource, counts_what_the_chip_does_not_acknowledge_and_goes_on)
{
  const auto source = open_source(options);
  ASSERT_TRUE(source) << source.error().message;
  take(**source, 5);
  bus.silent = true;
  take(**source, 3);
  bus.silent = false;
  take(**source, 5);
  EXPECT_GE(counter.counts().no_answers, 3U);
  EXPECT_GE(counter.counts().gaps, 1U);
  EXPECT_GE(samples.size(), 10U);
}

TEST_F(I2cSource, does_not_open_where_no_chip_answers)
{
  bus.address = 0x41;
  const auto source = open_source(options);
  ASSERT_FALSE(source);
  EXPECT_EQ(source.error().message, "No ina219 at 64 of bus 3 answers.");
}

TEST_F(I2cSource, does_not_open_a_bus_that_is_missing)
{
  options.bus = 4;
  const auto source = open_source(options);
  ASSERT_FALSE(source);
  EXPECT_NE(source.error().message.find("i2c-4"), std::string::npos);
}

}  // namespace
}  // namespace pqc_tunnel::power
