// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "link/mavlink/radio_status.hpp"

#include <gtest/gtest.h>

#include "link/shaping/shaped_line.hpp"
#include "support/hex.hpp"

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

constexpr Instant start{1h};
constexpr std::size_t place_of_room = 6 + 6;

std::optional<int> room(RadioStatus & status, Duration load, Instant now)
{
  status.look_for_radio(mavlink(attitude, 1));
  const auto frame = status.next(load, 1s, now);
  return frame ? std::optional<int>(frame->at(place_of_room)) : std::nullopt;
}

// As pymavlink packs it: MAVLink(None, 51, 68), radio_status(255, 0, 100, 255, 255, 0, 0), MAVLink 1.
TEST(RadioStatus, is_the_frame_that_pymavlink_makes)
{
  for (const auto & [load, frame] :
       {std::pair{0ms, "fe090733446d00000000ff0064ffff8686"},
        std::pair{750ms, "fe090733446d00000000ff0019ffff4c57"}})
  {
    RadioStatus status;
    for (int i = 0; i < 7; ++i) {
      ASSERT_TRUE(room(status, 0s, start + i * 1s));
    }
    EXPECT_EQ(status.next(load, 1s, start + 7s), from_hex(frame));
  }
}

TEST(RadioStatus, tells_once_a_second_how_much_room_there_is)
{
  RadioStatus status;
  EXPECT_EQ(status.next(0s, 1s, start), std::nullopt) << "nobody has sent MAVLink";
  EXPECT_EQ(room(status, 0s, start), 100);
  EXPECT_EQ(room(status, 0s, start + 900ms), std::nullopt);
  EXPECT_EQ(room(status, 100ms, start + 1s), 90);
  EXPECT_EQ(room(status, 1s, start + 2s), 0);
  EXPECT_EQ(room(status, 5s, start + 3s), 0);
}

TEST(RadioStatus, tells_of_no_more_room_for_a_while_once_the_vehicle_has_filled_it_again)
{
  RadioStatus status;
  Instant now = start;
  const auto rooms = [&](Duration load, int reports) {
    std::vector<int> told;
    for (; reports > 0; --reports, now += 1s) {
      told.push_back(room(status, load, now).value_or(-1));
    }
    return told;
  };
  EXPECT_EQ(rooms(510ms, 2), (std::vector{49, 49}));
  EXPECT_EQ(rooms(0s, 6), (std::vector{100, 100, 100, 100, 100, 100})) << "once is no rule";
  EXPECT_EQ(rooms(900ms, 1), (std::vector{10}));
  EXPECT_EQ(rooms(0s, 5), (std::vector{50, 50, 50, 100, 100}));
  EXPECT_EQ(rooms(510ms, 1), (std::vector{49}));
  EXPECT_EQ(rooms(200ms, 9), (std::vector{50, 50, 50, 50, 50, 50, 50, 80, 80}));
  now += 1min;
  EXPECT_EQ(rooms(510ms, 1), (std::vector{49}));
  EXPECT_EQ(rooms(0s, 1), (std::vector{100})) << "it has been well for long";
}

TEST(RadioStatus, says_half_the_room_while_the_vehicle_leaves_less_again_and_again)
{
  RadioStatus status;
  EXPECT_EQ(room(status, 500ms, start), 50) << "half the room is not little";
  EXPECT_EQ(room(status, 0s, start + 1s), 100);
  EXPECT_EQ(room(status, 510ms, start + 4s), 49);
  EXPECT_EQ(room(status, 510ms, start + 7s), 49) << "three seconds later it is the same scarcity";
  EXPECT_EQ(room(status, 0s, start + 8s), 100);
  EXPECT_EQ(room(status, 510ms, start + 11s), 49);
  EXPECT_EQ(room(status, 510ms, start + 12s), 49);
  EXPECT_EQ(room(status, 0s, start + 15s), 50) << "a scarcity that lasts keeps its hold";
  EXPECT_EQ(room(status, 0s, start + 16s), 100);
  EXPECT_EQ(room(status, 510ms, start + 36s), 49) << "twenty seconds after that it is another one";
  EXPECT_EQ(room(status, 0s, start + 37s), 100);
}

TEST(RadioStatus, is_left_to_a_radio_that_reports_by_itself)
{
  for (const std::uint32_t message : {109U, 166U}) {
    RadioStatus status;
    EXPECT_EQ(room(status, 0s, start), 100);
    Bytes both = mavlink(attitude, 2);
    const Bytes radio = mavlink(message, 3, 9, 51);
    both.insert(both.end(), radio.begin(), radio.end());
    status.look_for_radio(both);
    EXPECT_EQ(room(status, 0s, start + 2s), std::nullopt);
    EXPECT_EQ(room(status, 0s, start + 11s), std::nullopt);
    EXPECT_EQ(room(status, 0s, start + 12s), 100);
  }
}

}  // namespace
}  // namespace pqc_tunnel::test
