// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "power_capture/scan_format.hpp"

namespace pqc_tunnel::power
{
namespace
{

ScanFormat format(const char * text) { return parse_scan_format(text).value(); }

TEST(ScanFormat, a_value_is_unsigned_or_signed_in_either_order)
{
  const Bytes bytes = {0x34, 0xf2};
  EXPECT_EQ(scan_value(bytes, format("le:u16/16>>0\n")), 0xf234);
  EXPECT_EQ(scan_value(bytes, format("le:s16/16>>0")), 0xf234 - 0x10000);
  EXPECT_EQ(scan_value(bytes, format("be:u16/16>>0")), 0x34f2);
}

TEST(ScanFormat, a_value_may_lie_above_other_bits)
{
  const Bytes bytes = {0x3f, 0x80};
  EXPECT_EQ(scan_value(bytes, format("le:u13/16>>3")), 0x803f >> 3);
  EXPECT_EQ(scan_value(bytes, format("le:s12/16>>4")), 0x803 - 0x1000);
}

TEST(ScanFormat, a_time_before_the_epoch_is_negative)
{
  const Bytes bytes(8, 0xff);
  EXPECT_EQ(scan_value(bytes, format("le:s64/64>>0")), -1);
}

TEST(ScanFormat, forms_that_it_does_not_know_are_rejected)
{
  for (const char * text :
       {"", "le:u16/16", "le:u16/16X2>>0", "le:u0/16>>0", "le:u16/24>>0", "le:u13/16>>4",
        "xe:u8/8>>0", "le:u16/16>>0 and more"})
  {
    EXPECT_FALSE(parse_scan_format(text)) << text;
  }
}

TEST(ScanLayout, each_channel_is_aligned_to_its_own_size_and_the_scan_to_the_largest)
{
  const auto word = format("le:u16/16>>0");
  const auto stamp = format("le:s64/64>>0");
  EXPECT_EQ(lay_out({word, word, stamp}).offsets, (std::vector<std::size_t>{0, 2, 8}));
  EXPECT_EQ(lay_out({word, word, stamp}).bytes, 16U);
  EXPECT_EQ(lay_out({stamp, word}).bytes, 16U);
  EXPECT_EQ(lay_out({word, word}).bytes, 4U);
}

}  // namespace
}  // namespace pqc_tunnel::power
