// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "link/shaping/shared_shaper.hpp"
#include "shaped_line.hpp"

// Several drones on one link of known rate.

namespace pqc_tunnel
{

namespace
{

using namespace std::chrono_literals;
using namespace test;

class Fleet
{
public:
  explicit Fleet(std::size_t drones)
  : link_({"net", LinkType::udp, Carry::all, 1232, 64}), shaper_(link_, drones), bytes(drones, 0)
  {
  }

  void offer(std::size_t drone, const Bytes & datagram) { shaper_.of(drone).offer(datagram, now); }
  // Telemetry that no link of this rate takes.
  void flood(std::size_t drone)
  {
    for (int i = 0; i < 4; ++i) {
      offer(drone, mavlink(unknown, ++number_, 200));
    }
  }
  // The drone whose command leaves in this time is noted in `commands`.
  void run(Duration duration)
  {
    const Instant end = now + duration;
    while (shaper_.next_timeout() <= end) {
      now = std::max(now, shaper_.next_timeout());
      while (const auto turn = shaper_.next_frame(now)) {
        bytes.at(turn->peer) += link_.line_bytes(turn->shaped.frame.size());
        if (turn->shaped.traffic == TrafficClass::command) {
          commands.emplace_back(turn->peer, now);
        }
      }
    }
    now = end;
  }
  double share(std::size_t drone, Duration of) const
  {
    const double seconds = std::chrono::duration<double>(of).count();
    return static_cast<double>(bytes.at(drone)) / (seconds * link_.bytes_per_s());
  }

private:
  LinkSettings link_;
  SharedShaper shaper_;
  std::uint32_t number_ = 0;

public:
  Instant now{1h};
  std::vector<std::size_t> bytes;  // on the line, by drone
  std::vector<std::pair<std::size_t, Instant>> commands;
};

}  // namespace

TEST(SharedShaper, gives_all_drones_together_no_more_than_the_rate_and_each_the_same)
{
  Fleet fleet(2);
  for (int i = 0; i < 200; ++i) {
    fleet.flood(0);
    fleet.flood(1);
    fleet.run(50ms);
  }
  EXPECT_NEAR(fleet.share(0, 10s), 0.5, 0.02);
  EXPECT_NEAR(fleet.share(1, 10s), 0.5, 0.02);
}

TEST(SharedShaper, gives_equal_airtime_whatever_the_size_of_the_datagrams)
{
  Fleet fleet(2);
  for (int i = 0; i < 200; ++i) {
    fleet.flood(0);
    fleet.offer(1, mavlink(heartbeat, 1, 20));
    for (int j = 0; j < 12; ++j) {
      fleet.offer(1, mavlink(command_long, 1, 20));
    }
    fleet.run(50ms);
  }
  EXPECT_NEAR(fleet.share(0, 10s), 0.5, 0.05);
}

TEST(SharedShaper, leaves_one_drone_the_whole_rate_while_the_others_have_nothing_to_send)
{
  Fleet fleet(3);
  for (int i = 0; i < 100; ++i) {
    fleet.flood(2);
    fleet.run(50ms);
  }
  EXPECT_NEAR(fleet.share(2, 5s), 1.0, 0.03);
  // It has saved up no claim on what follows, and the others none while they were silent.
  for (int i = 0; i < 100; ++i) {
    fleet.flood(0);
    fleet.flood(2);
    fleet.run(50ms);
  }
  EXPECT_NEAR(fleet.share(0, 5s), 0.5, 0.04);
}

TEST(SharedShaper, lets_a_command_wait_for_no_more_than_a_frame_of_each_other_drone)
{
  Fleet fleet(3);
  const double frame_time = (1232 + 48) / 8000.0;
  for (int i = 0; i < 60; ++i) {
    fleet.flood(0);
    fleet.flood(1);
    fleet.flood(2);
    fleet.run(50ms);
    if (i < 20) {
      continue;
    }
    fleet.commands.clear();
    const std::size_t drone = static_cast<std::size_t>(i) % 3;
    const Instant asked = fleet.now;
    fleet.offer(drone, mavlink(command_long, static_cast<std::uint32_t>(i)));
    fleet.run(1s);
    ASSERT_EQ(fleet.commands.size(), 1U);
    EXPECT_EQ(fleet.commands.front().first, drone);
    EXPECT_LE(
      std::chrono::duration<double>(fleet.commands.front().second - asked).count(), 3 * frame_time);
  }
}

namespace
{

// The share of the rate that an end takes which could fill it, while frames of the other end take `heard` of it.
double share_beside(LinkType type, double heard)
{
  const LinkSettings link{"radio", type, Carry::all, 240, 57.6};
  SharedShaper shaper(link, 1);
  Instant now{1h};
  double bytes = 0;
  double arrived = 0;
  for (int i = 0; i < 10'000; ++i, now += 1ms) {
    shaper.of(0).offer(mavlink(unknown, static_cast<std::uint32_t>(i), 150), now);
    while (const auto turn = shaper.next_frame(now)) {
      bytes += static_cast<double>(link.line_bytes(turn->shaped.frame.size()));
    }
    for (; arrived < heard * link.bytes_per_s() * i / 1000; arrived += 100) {
      shaper.handle_arrival(100 - 2);
    }
  }
  return bytes / (10 * link.bytes_per_s());
}

}  // namespace

TEST(SharedShaper, strangers_let_data_of_every_drone_go_first_until_they_have_waited_too_long)
{
  const LinkSettings link{"radio", LinkType::serial, Carry::all, 240, 57.6};
  for (const bool overdue : {false, true}) {
    SharedShaper shaper(link, 2);
    Instant now{1h};
    shaper.of(1).offer_sealed({TrafficClass::unproved, {}}, Bytes(60, 1), {}, now);
    now += overdue ? 200ms : 199ms;
    shaper.of(0).offer(mavlink(command_long, 1), now);
    for (const std::size_t expected : {overdue ? 1U : 0U, overdue ? 0U : 1U}) {
      now = std::max(now, shaper.next_timeout());
      const auto turn = shaper.next_frame(now);
      ASSERT_TRUE(turn);
      EXPECT_EQ(turn->peer, expected);
    }
  }
}

TEST(SharedShaper, has_no_frame_if_all_that_waited_was_stale)
{
  const LinkSettings link{"radio", LinkType::serial, Carry::all, 240, 57.6};
  SharedShaper shaper(link, 2);
  shaper.of(0).offer(mavlink(command_long, 1), Instant{1h});
  EXPECT_FALSE(shaper.next_frame(Instant{1h} + 2s));
  EXPECT_EQ(shaper.of(0).counts(TrafficClass::command).stale, 1U);
}

// The drones that take_changed() names.
std::vector<std::size_t> changed(SharedShaper & shaper)
{
  std::vector<std::size_t> drones;
  while (const auto drone = shaper.take_changed()) {
    drones.push_back(*drone);
  }
  std::ranges::sort(drones);
  return drones;
}

TEST(SharedShaper, names_only_the_drones_whose_queue_has_changed)
{
  const LinkSettings link{"net", LinkType::udp, Carry::all, 1232, 64};
  SharedShaper shaper(link, 3);
  EXPECT_EQ(changed(shaper), (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_FALSE(shaper.next_frame(Instant{1h}));
  EXPECT_TRUE(changed(shaper).empty());
  shaper.of(1).offer(mavlink(command_long, 1), Instant{1h});
  EXPECT_EQ(changed(shaper), std::vector<std::size_t>{1});
  EXPECT_TRUE(shaper.next_frame(Instant{1h}));
  EXPECT_EQ(changed(shaper), std::vector<std::size_t>{1});
  EXPECT_EQ(shaper.next_timeout(), Instant::max());
}

TEST(SharedShaper, lets_no_drone_send_before_the_link_is_free_of_anothers_frame)
{
  const LinkSettings link{"net", LinkType::udp, Carry::all, 1232, 64};
  SharedShaper shaper(link, 2);
  shaper.of(0).offer(Bytes(1000), Instant{1h});
  const Instant begun = shaper.next_timeout();
  ASSERT_TRUE(shaper.next_frame(begun));
  const Instant free_at = shaper.of(0).free_at();
  EXPECT_GT(free_at, begun + 100ms);
  shaper.of(1).offer(mavlink(command_long, 1), begun);
  EXPECT_EQ(shaper.of(1).free_at(), free_at);
  EXPECT_FALSE(shaper.next_frame(begun + 50ms));
}

TEST(SharedShaper, yields_on_a_radio_what_the_other_end_takes_but_keeps_half)
{
  EXPECT_NEAR(share_beside(LinkType::serial, 0), 1.0, 0.02);
  EXPECT_NEAR(share_beside(LinkType::serial, 0.2), 0.8, 0.03);
  EXPECT_NEAR(share_beside(LinkType::serial, 0.9), 0.5, 0.03);
  EXPECT_NEAR(share_beside(LinkType::udp, 0.9), 1.0, 0.03);
}

}  // namespace pqc_tunnel
