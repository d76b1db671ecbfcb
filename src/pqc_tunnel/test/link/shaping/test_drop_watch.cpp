// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "link/shaping/drop_watch.hpp"

#include <gtest/gtest.h>

#include "shaped_line.hpp"

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

class DropWatchTest : public testing::Test
{
protected:
  ShaperCounts & of(TrafficClass traffic) { return counts_.at(static_cast<std::size_t>(traffic)); }
  std::string look(Duration later = {}) { return watch_.look(link_, counts_, now_ += later); }

  LinkSettings link_ = radio(57.6, 320);
  std::array<ShaperCounts, traffic_classes> counts_ = {};
  DropWatch watch_;
  Instant now_{1h};
};

TEST_F(DropWatchTest, names_the_link_that_takes_no_frame_so_long)
{
  for (const TrafficClass traffic :
       {TrafficClass::command, TrafficClass::ordered, TrafficClass::telemetry, TrafficClass::other})
  {
    EXPECT_EQ(look(), "");
    ++of(traffic).oversize;
    EXPECT_EQ(
      look(),
      "datagrams are dropped that are longer than link radio takes: it has frames of 320 bytes "
      "(mtu_bytes), and longer datagrams leave in fragments up to 1500");
    EXPECT_NE(look(9s), "");
    EXPECT_EQ(look(1s), "");
  }
}

TEST_F(DropWatchTest, says_when_more_is_sent_than_passes_of_what_is_not_telemetry)
{
  for (const TrafficClass traffic :
       {TrafficClass::command, TrafficClass::ordered, TrafficClass::other})
  {
    ++of(traffic).full;
    EXPECT_EQ(
      look(), "commands, parameters or files are dropped: more is sent than link radio takes");
    EXPECT_EQ(look(10s), "");
    ++of(traffic).stale;
    EXPECT_NE(look(), "");
    EXPECT_EQ(look(10s), "");
  }
  ++of(TrafficClass::telemetry).full;
  ++of(TrafficClass::telemetry).stale;
  ++of(TrafficClass::stream).stale;
  ++of(TrafficClass::unproved).full;
  EXPECT_EQ(look(), "");
}

}  // namespace
}  // namespace pqc_tunnel::test
