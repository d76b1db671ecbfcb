// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <vector>

#include "paths.hpp"
#include "paths/path_set.hpp"

namespace pqc_tunnel
{

namespace
{

using namespace std::chrono_literals;
using namespace test;

}  // namespace

TEST(Routes, the_first_link_in_order_that_is_up_carries)
{
  Paths paths({link(), link(), link()});
  paths.set.set_remote(at(1), paths.now);
  paths.set.set_remote(at(2), paths.now);
  paths.run(2s, {1, 2});
  EXPECT_EQ(paths.routes(), Endpoints{at(1)});
  paths.set.set_remote(at(0), paths.now);
  EXPECT_EQ(paths.routes(), Endpoints{at(1)});
  paths.run(2s, {0, 1, 2});
  EXPECT_EQ(paths.routes(), Endpoints{at(0)});
}

TEST(Routes, a_priority_link_gets_commands_too_and_never_telemetry)
{
  Paths paths({link(), link(Carry::priority)});
  paths.set.set_remote(at(0), paths.now);
  paths.set.set_remote(at(1), paths.now);
  paths.run(1s, {0, 1});
  for (const TrafficClass urgent : {TrafficClass::control, TrafficClass::command}) {
    EXPECT_EQ(paths.routes(urgent), (Endpoints{at(0), at(1)}));
  }
  for (const TrafficClass rest :
       {TrafficClass::ordered, TrafficClass::stream, TrafficClass::telemetry, TrafficClass::other})
  {
    EXPECT_EQ(paths.routes(rest), Endpoints{at(0)});
  }
  paths.set.handle_link_down(0);
  for (const TrafficClass flowing : {TrafficClass::telemetry, TrafficClass::other}) {
    EXPECT_TRUE(paths.routes(flowing).empty());
  }
  for (const TrafficClass rest :
       {TrafficClass::command, TrafficClass::ordered, TrafficClass::stream}) {
    EXPECT_EQ(paths.routes(rest), Endpoints{at(1)});
  }
}

TEST(Routes, a_standby_link_carries_only_while_no_other_is_up)
{
  for (const Schedule schedule : {Schedule::failover, Schedule::redundant}) {
    Paths paths({link(Carry::standby), link()}, schedule);
    paths.set.set_remote(at(0), paths.now);
    paths.set.set_remote(at(1), paths.now);
    paths.run(1s, {0, 1});
    EXPECT_EQ(paths.routes(TrafficClass::command), Endpoints{at(1)});
    paths.run(10s, {0});
    EXPECT_EQ(paths.state(1), PathState::down);
    EXPECT_EQ(paths.routes(TrafficClass::command), Endpoints{at(0)});
    paths.run(10s, {0, 1});
    EXPECT_EQ(paths.routes(), Endpoints{at(1)});
  }
}

TEST(Routes, redundant_links_all_carry_and_one_that_is_down_is_only_probed)
{
  Paths paths({link(), link(), link(Carry::priority)}, Schedule::redundant);
  for (std::uint8_t i = 0; i < 3; ++i) {
    paths.set.set_remote(at(i), paths.now);
  }
  paths.run(1s, {0, 1, 2});
  EXPECT_EQ(paths.routes(), (Endpoints{at(0), at(1)}));
  EXPECT_EQ(paths.routes(TrafficClass::command), (Endpoints{at(0), at(1), at(2)}));
  paths.run(10s, {1, 2});
  EXPECT_EQ(paths.routes(), Endpoints{at(1)});
  paths.run(1s, {0, 1, 2});
  EXPECT_EQ(paths.routes(), (Endpoints{at(0), at(1)})) << "coming back, it carries copies";
}

TEST(Routes, while_no_link_is_up_the_one_heard_last_carries)
{
  Paths paths({link(), link()});
  paths.set.set_remote(at(0), paths.now);
  paths.set.set_remote(at(1), paths.now);
  EXPECT_EQ(paths.routes(), Endpoints{at(0)});
  paths.frame(at(1));
  EXPECT_EQ(paths.routes(), Endpoints{at(1)});
  paths.run(20s, {});
  EXPECT_EQ(paths.state(0), PathState::down);
  EXPECT_EQ(paths.state(1), PathState::down);
  EXPECT_EQ(paths.routes(), Endpoints{at(1)});
}

TEST(Routes, a_frame_takes_no_link_that_it_does_not_fit)
{
  auto narrow = link();
  narrow.mtu = 240;
  Paths paths({narrow, link()});
  paths.set.set_remote(at(0), paths.now);
  paths.set.set_remote(at(1), paths.now);
  paths.run(1s, {0, 1});
  EXPECT_EQ(paths.routes(TrafficClass::ordered, 240), Endpoints{at(0)});
  EXPECT_EQ(paths.routes(TrafficClass::ordered, 241), Endpoints{at(1)});
  EXPECT_TRUE(paths.routes(TrafficClass::ordered, 1233).empty());
}

}  // namespace pqc_tunnel
