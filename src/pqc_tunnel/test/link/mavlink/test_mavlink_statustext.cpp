// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "link/mavlink/mavlink_statustext.hpp"

#include <gtest/gtest.h>

#include "link/mavlink/mavlink_class.hpp"
#include "support/hex.hpp"

namespace pqc_tunnel::test
{
namespace
{

// As pymavlink packs it: MAVLink(None, 1, 191) with sequence number 7, statustext(4, "PQC link: mlkem512").
TEST(MavlinkStatustext, is_the_frame_that_pymavlink_makes)
{
  EXPECT_EQ(
    mavlink_statustext(1, 7, MavlinkSeverity::warning, "PQC link: mlkem512"),
    from_hex("fd1300000701bffd000004505143206c696e6b3a206d6c6b656d3531325d33"));
}

TEST(MavlinkStatustext, is_cut_to_50_bytes)
{
  const Bytes frame = mavlink_statustext(1, 0, MavlinkSeverity::info, std::string(80, 'x'));
  EXPECT_EQ(frame.size(), 10u + 1 + 50 + 2);
  EXPECT_EQ(mavlink_message(frame), 253u);
}

TEST(MavlinkSystem, is_that_of_the_first_frame)
{
  const Bytes frame = mavlink_statustext(42, 0, MavlinkSeverity::info, "x");
  EXPECT_EQ(mavlink_system(frame), 42);
  EXPECT_EQ(mavlink_system(Bytes{1, 2, 3}), 0);
  const Bytes old = {0xfe, 0, 0, 17, 1, 0, 0xaa, 0xbb};
  EXPECT_EQ(mavlink_system(old), 17);
}

}  // namespace
}  // namespace pqc_tunnel::test
