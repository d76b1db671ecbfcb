// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <optional>
#include <utility>
#include <vector>

#include "link/paths/path_set.hpp"
#include "paths.hpp"

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

// Reports take a share of the slowest link that carries them.
TEST(Routes, the_slowest_link_is_one_of_those_that_carry_the_traffic)
{
  struct Case
  {
    std::vector<LinkSettings> links;
    Schedule schedule;
    TrafficClass traffic;
    std::optional<std::size_t> slowest;
  };
  const LinkSettings slow = link(Carry::all, 16);
  const LinkSettings fast = link(Carry::all, 64);
  const LinkSettings unknown = link();
  const LinkSettings priority = link(Carry::priority, 16);
  for (const auto & [links, schedule, traffic, slowest] : std::vector<Case>{
         {{fast, slow}, Schedule::failover, TrafficClass::control, 0},
         {{fast, slow}, Schedule::redundant, TrafficClass::control, 1},
         {{slow, fast}, Schedule::redundant, TrafficClass::control, 0},
         {{slow, slow}, Schedule::redundant, TrafficClass::control, 0},
         {{unknown, slow}, Schedule::failover, TrafficClass::control, std::nullopt},
         {{unknown, slow}, Schedule::redundant, TrafficClass::control, 1},
         {{fast, priority}, Schedule::failover, TrafficClass::control, 1},
         {{fast, priority}, Schedule::failover, TrafficClass::telemetry, 0}})
  {
    Paths paths(links, schedule);
    EXPECT_FALSE(paths.set.slowest(traffic)) << "no address is known";
    EXPECT_FALSE(paths.set.stream_rate());
    paths.prove(at(0));
    paths.prove(at(1));
    paths.run(1s, {0, 1});
    const auto found = paths.set.slowest(traffic);
    ASSERT_EQ(found.has_value(), slowest.has_value());
    if (found) {
      EXPECT_EQ(found->settings, &paths.settings.links[*slowest]);
      EXPECT_EQ(found->rate, paths.settings.links[*slowest].bytes_per_s());
    }
  }
}

TEST(Routes, a_link_of_which_nothing_was_found_has_no_rate)
{
  Paths paths({link()});
  paths.prove(at(0));
  paths.set.set_found_rate(0, 0.0);
  EXPECT_FALSE(paths.set.slowest(TrafficClass::control));
  paths.set.set_found_rate(0, 500.0);
  ASSERT_TRUE(paths.set.slowest(TrafficClass::control));
  EXPECT_EQ(paths.set.slowest(TrafficClass::control)->rate, 500.0);
  EXPECT_EQ(paths.set.stream_rate(), 500.0);
}

// A copy that comes by a second link is no attack then.
TEST(Routes, copies_are_sent_by_several_links_that_are_redundant_or_urgent)
{
  const LinkSettings all = link();
  const LinkSettings priority = link(Carry::priority);
  const LinkSettings standby = link(Carry::standby);
  const auto sends_copies = [](std::vector<LinkSettings> links, Schedule schedule) {
    return PathSettings{std::move(links), schedule}.sends_copies();
  };
  EXPECT_FALSE(sends_copies({all}, Schedule::redundant));
  EXPECT_FALSE(sends_copies({priority}, Schedule::failover));
  EXPECT_FALSE(sends_copies({all, all, standby}, Schedule::failover));
  EXPECT_TRUE(sends_copies({all, all}, Schedule::redundant));
  EXPECT_TRUE(sends_copies({all, standby, priority}, Schedule::failover));
}

TEST(Routes, without_a_destination_are_empty)
{
  Routes routes;
  EXPECT_TRUE(routes.empty());
  routes.add(at(0));
  EXPECT_FALSE(routes.empty());
}

TEST(Routes, links_are_named_by_their_type_and_add_their_headers)
{
  LinkSettings serial = link();
  serial.type = LinkType::serial;
  EXPECT_EQ(link().line_bytes(100), 148u);
  EXPECT_EQ(serial.line_bytes(100), 102u);
  EXPECT_STREQ(to_string(LinkType::udp), "udp");
  EXPECT_STREQ(to_string(LinkType::serial), "serial");
}

}  // namespace pqc_tunnel
