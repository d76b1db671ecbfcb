// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "link/paths/path_set.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <vector>

#include "paths.hpp"
#include "protocol/wire/control_frame.hpp"
#include "protocol/wire/wire.hpp"

namespace pqc_tunnel
{

namespace
{

using namespace std::chrono_literals;
using namespace test;

static_assert(sealed_header == frame_header_size && sealed_overhead == frame_overhead);

constexpr std::size_t size = Paths::size;

}  // namespace

TEST(PathSet, a_probe_has_the_size_that_is_reckoned_with)
{
  EXPECT_EQ(encode(ControlFrame{0, PathRequest{1}}).size() + frame_overhead, probe_frame);
  EXPECT_EQ(encode(ControlFrame{0, PathResponse{1}}).size() + frame_overhead, probe_frame);
}

TEST(PathSet, without_an_address_nothing_has_a_route)
{
  Paths paths({link(), link()});
  EXPECT_TRUE(paths.routes().empty());
  EXPECT_EQ(paths.set.next_timeout(), Instant::max());
}

TEST(PathSet, one_link_with_one_address_takes_everything_and_is_never_probed)
{
  Paths paths({link()});
  paths.set.set_remote(at(0), paths.now);
  EXPECT_EQ(paths.routes(), Endpoints{at(0)});
  paths.frame(at(0));
  for (int i = 0; i < 1000; ++i) {
    paths.now += 100ms;
    EXPECT_TRUE(paths.probes().empty());
    EXPECT_EQ(paths.routes(), Endpoints{at(0)});
    EXPECT_EQ(paths.routes(TrafficClass::control), Endpoints{at(0)});
  }
  EXPECT_EQ(paths.state(0), PathState::down);
  paths.frame(at(0));
  EXPECT_EQ(paths.state(0), PathState::up);
}

// Whoever forwards one frame from elsewhere, before the link was ever heard, took the link away for the whole session.
TEST(PathSet, an_address_that_was_only_configured_gives_way_to_one_that_answers)
{
  for (const std::size_t links : {1U, 2U}) {
    Paths paths(std::vector(links, link()));
    paths.set.set_remote(at(0, 1), paths.now);
    paths.frame(at(0, 2));
    EXPECT_EQ(paths.routes(), Endpoints{at(0, 1)});
    const auto probe = paths.probe_to(at(0, 2));
    ASSERT_TRUE(probe);
    EXPECT_TRUE(paths.set.handle_answer(probe->nonce, probe->to, paths.now + 30ms));
    EXPECT_EQ(paths.routes(), Endpoints{at(0, 2)});
    paths.set.set_remote(at(0, 1), paths.now);
    EXPECT_EQ(paths.routes(), Endpoints{at(0, 2)});
  }
}

// Whoever forwarded frames and answers for a while, and then no more, took the link away for the whole session.
TEST(PathSet, the_configured_address_is_tried_again_when_another_one_has_fallen_silent)
{
  for (const std::size_t links : {1U, 2U}) {
    Paths paths(std::vector(links, link()));
    paths.set.set_remote(at(0, 1), paths.now);
    paths.frame(at(0, 2));
    for (const PathProbe & probe : paths.probes()) {
      if (probe.to == at(0, 2)) {
        ASSERT_TRUE(paths.set.handle_answer(probe.nonce, probe.to, paths.now));
      }
    }
    ASSERT_EQ(paths.set.remote(0), at(0, 2));
    // Nobody answers for a minute, and then who is at the configured address does.
    const Instant back = paths.now + 1min;
    std::size_t asked = 0;
    for (; paths.now < back + 12s && paths.set.remote(0) == at(0, 2); paths.now += 10ms) {
      for (const PathProbe & probe : paths.probes()) {
        asked += probe.to == at(0, 1) ? 1 : 0;
        if (probe.to == at(0, 1) && paths.now >= back) {
          EXPECT_TRUE(paths.set.handle_answer(probe.nonce, probe.to, paths.now));
        }
      }
    }
    EXPECT_GE(paths.now, back);
    EXPECT_GT(asked, 5U);
    EXPECT_EQ(paths.routes(), Endpoints{at(0, 1)});
  }
}

TEST(PathSet, an_address_that_was_only_configured_outlives_one_that_never_answers)
{
  Paths paths({link(), link()});
  paths.set.set_remote(at(0, 1), paths.now);
  paths.frame(at(0, 2));
  paths.run(4s, {});
  EXPECT_EQ(paths.set.remote(0), at(0, 1));
  paths.run(2s, {0});
  EXPECT_EQ(paths.state(0), PathState::up);
}

TEST(PathSet, a_new_address_gets_copies_until_it_answers_a_probe_then_all)
{
  for (const std::size_t links : {1U, 2U}) {
    Paths paths(std::vector(links, link()));
    paths.prove(at(0, 1));
    paths.run(1s, {0});
    while (paths.set.take_change()) {
    }
    paths.frame(at(0, 2));
    EXPECT_EQ(paths.routes(), Endpoints{at(0, 1)});
    EXPECT_EQ(paths.set.take_copy(0, size, paths.now), at(0, 2));
    EXPECT_EQ(paths.set.report(paths.now)[0].candidate, at(0, 2));
    paths.now += 20ms;
    const auto probe = paths.probe_to(at(0, 2));
    ASSERT_TRUE(probe);
    paths.now += 30ms;
    EXPECT_TRUE(paths.set.handle_answer(probe->nonce, probe->to, paths.now));
    EXPECT_EQ(paths.routes(), Endpoints{at(0, 2)});
    EXPECT_FALSE(paths.set.take_copy(0, size, paths.now));
    const auto change = paths.set.take_change();
    ASSERT_TRUE(change);
    EXPECT_EQ(change->kind, PathChange::Kind::moved);
    EXPECT_EQ(change->remote, at(0, 2));
    EXPECT_FALSE(paths.set.take_change());
    EXPECT_EQ(paths.state(0), PathState::up);
    paths.now += 1s;
    EXPECT_EQ(paths.probes().empty(), links == 1);
  }
}

TEST(PathSet, a_new_address_that_never_answers_is_forgotten)
{
  Paths paths({link()});
  paths.prove(at(0, 1));
  paths.frame(at(0, 2));
  paths.frame(at(0, 1));
  paths.run(2900ms, {});
  EXPECT_EQ(paths.set.report(paths.now)[0].candidate, at(0, 2));
  paths.run(200ms, {});
  EXPECT_FALSE(paths.set.report(paths.now)[0].candidate);
}

TEST(PathSet, an_old_frame_from_elsewhere_changes_nothing)
{
  Paths paths({link()});
  const auto candidate = [&paths] { return paths.set.report(paths.now)[0].candidate; };
  paths.prove(at(0, 1));
  paths.frame(at(0, 1), 10);
  paths.frame(at(0, 2), 9);
  EXPECT_FALSE(candidate());
  paths.set.handle_frame(at(0, 2), {0, 1000}, size, paths.now);
  EXPECT_FALSE(candidate());
  paths.set.handle_frame(at(0, 2), {2, 0}, size, paths.now);
  EXPECT_EQ(candidate(), at(0, 2));
}

TEST(PathSet, a_link_that_is_always_behind_another_one_still_follows_the_peer)
{
  Paths paths({link(), link()});
  paths.prove(at(0));
  paths.prove(at(1, 1));
  for (std::uint64_t i = 1; i <= 100; ++i) {
    paths.frame(at(0), 1000 + i);
    paths.frame(at(1, i < 50 ? 1 : 2), i);
  }
  EXPECT_EQ(paths.set.report(paths.now)[1].candidate, at(1, 2));
  EXPECT_TRUE(paths.set.is_known(at(0)));
  EXPECT_TRUE(paths.set.is_known(at(1, 1)));
  EXPECT_FALSE(paths.set.is_known(at(1, 2)));  // anybody can be there
}

TEST(PathSet, an_answer_counts_once_and_on_its_own_link)
{
  Paths paths({link(), link()});
  paths.prove(at(0));
  const auto probes = paths.probes();
  ASSERT_EQ(probes.size(), 1U);
  paths.now += 40ms;
  EXPECT_FALSE(paths.set.handle_answer(probes[0].nonce + 1, at(0), paths.now));
  EXPECT_FALSE(paths.set.handle_answer(probes[0].nonce, at(1), paths.now));
  EXPECT_FALSE(paths.set.handle_answer(0, at(0), paths.now));
  EXPECT_FALSE(paths.set.handle_answer(probes[0].nonce, at(0, 2), paths.now));
  EXPECT_TRUE(paths.set.handle_answer(probes[0].nonce, at(0), paths.now));
  EXPECT_FALSE(paths.set.handle_answer(probes[0].nonce, at(0), paths.now));
  const auto report = paths.set.report(paths.now)[0];
  EXPECT_EQ(report.rtt, 40ms);
  EXPECT_EQ(report.state, PathState::up);
}

TEST(PathSet, a_new_address_is_proved_by_the_answer_to_its_own_probe_and_by_no_other)
{
  for (const std::size_t links : {1U, 2U}) {
    Paths paths(std::vector(links, link()));
    paths.frame(at(0, 1));
    paths.run(1s, {0});
    paths.frame(at(0, 2));
    std::vector<PathProbe> probes = paths.probes();
    paths.now += 1s;
    std::ranges::copy(paths.probes(), std::back_inserter(probes));
    for (const PathProbe & probe : probes) {
      paths.set.handle_answer(probe.nonce + 1, at(0, 2), paths.now);
      if (probe.to == at(0, 1)) {
        paths.set.handle_answer(probe.nonce, at(0, 1), paths.now);
      }
    }
    paths.set.handle_answer(0, at(0, 2), paths.now);
    EXPECT_EQ(paths.set.remote(0), at(0, 1));
    const auto own = std::ranges::find(probes, at(0, 2), &PathProbe::to);
    ASSERT_NE(own, probes.end());
    for (const Endpoint & other : {at(0, 1), at(0, 3), at(1, 2)}) {
      EXPECT_FALSE(paths.set.handle_answer(own->nonce, other, paths.now));
    }
    EXPECT_EQ(paths.set.remote(0), at(0, 1));
    EXPECT_TRUE(paths.set.handle_answer(own->nonce, at(0, 2), paths.now));
    EXPECT_EQ(paths.set.remote(0), at(0, 2));
  }
}

TEST(PathSet, an_unplugged_link_is_left_at_once_and_proves_itself_when_it_is_back)
{
  Paths paths({link(), link()});
  paths.set.set_remote(at(0), paths.now);
  paths.set.set_remote(at(1), paths.now);
  paths.run(1s, {0, 1});
  paths.set.handle_link_down(0);
  EXPECT_EQ(paths.routes(), Endpoints{at(1)});
  paths.run(5s, {0, 1});
  EXPECT_EQ(paths.state(0), PathState::down);
  EXPECT_EQ(paths.routes(), Endpoints{at(1)});
  paths.set.handle_link_up(0, paths.now);
  paths.run(500ms, {0, 1});
  EXPECT_EQ(paths.routes(), Endpoints{at(1)});
  paths.run(1s, {0, 1});
  EXPECT_EQ(paths.routes(), Endpoints{at(0)});
}

TEST(PathSet, a_link_that_is_not_plugged_in_yet_needs_no_timer)
{
  Paths paths({link(), link()});
  paths.set.handle_link_down(0);
  paths.set.set_remote(at(0), paths.now);
  EXPECT_TRUE(paths.probes().empty());
  EXPECT_EQ(paths.set.next_timeout(), Instant::max());
  paths.set.handle_link_up(0, paths.now);
  EXPECT_EQ(paths.probes().size(), 1U);
}

TEST(PathSet, probes_of_a_slow_link_that_carries_nothing_take_less_than_a_hundredth_of_it)
{
  for (const LinkType type : {LinkType::serial, LinkType::udp}) {
    auto radio = link(Carry::all, 57.6);
    radio.type = type;
    Paths paths({link(), radio});
    paths.set.set_remote(at(0), paths.now);
    paths.set.set_remote(at(1), paths.now);
    double bytes = 0;
    const Instant end = paths.now + 100s;
    for (; paths.now < end; paths.now += 5ms) {
      paths.routes();
      for (const PathProbe & probe : paths.probes()) {
        if (probe.to.link == 1) {
          // The peer's own probe, and the answer to it, take as much.
          bytes += 2 * static_cast<double>(radio.line_bytes(probe_frame));
        }
        paths.set.handle_answer(probe.nonce, probe.to, paths.now);
      }
    }
    EXPECT_EQ(paths.state(1), PathState::up);
    EXPECT_LE(bytes, 0.0102 * 100 * radio.bytes_per_s());
    EXPECT_GT(bytes, 0);
  }
}

TEST(PathSet, idle_links_are_probed_once_a_second)
{
  Paths paths({link(), link(Carry::standby)});
  paths.set.set_remote(at(0), paths.now);
  paths.set.set_remote(at(1), paths.now);
  paths.run(1s, {0, 1});
  std::array<int, 2> count = {};
  for (const Instant end = paths.now + 10s; paths.now < end; paths.now += 10ms) {
    for (const PathProbe & probe : paths.probes()) {
      ++count.at(probe.to.link);
      paths.set.handle_answer(probe.nonce, probe.to, paths.now);
    }
  }
  EXPECT_LE(count[0], 11);
  EXPECT_LE(count[1], 11);
  EXPECT_GE(count[1], 9);
}

TEST(PathSet, the_report_counts_frames_and_lost_probes)
{
  Paths paths({link(), link()});
  paths.prove(at(0));
  paths.frame(at(0));
  paths.frame(at(0, 7), 0);  // old, from elsewhere
  paths.set.handle_sent(at(0), 500, paths.now);
  paths.set.handle_sent(at(1), 50, paths.now);
  int n = 0;
  for (const Instant end = paths.now + 60s; paths.now < end; paths.now += 10ms) {
    for (const PathProbe & probe : paths.probes()) {
      if (++n % 4 != 0) {
        paths.set.handle_answer(probe.nonce, probe.to, paths.now);
      }
    }
  }
  const auto report = paths.set.report(paths.now);
  EXPECT_EQ(report[0].frames_in, 2U);
  EXPECT_EQ(report[0].bytes_in, 2 * size);
  EXPECT_EQ(report[0].frames_out, 1U);
  EXPECT_EQ(report[0].bytes_out, 500U);
  EXPECT_EQ(report[1].bytes_out, 50U);
  EXPECT_NEAR(report[0].loss, 0.25, 0.05);
  EXPECT_EQ(report[1].remote.family, AddressFamily::none);
}

// Whatever happens: a timer is never due again at once, a peer that is known somewhere has a route, and no address gets a
// frame twice.
TEST(PathSet, holds_its_invariants_under_random_events)
{
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    std::mt19937_64 random(seed);
    const auto any = [&random](std::uint64_t n) { return static_cast<std::uint8_t>(random() % n); };
    std::vector<LinkSettings> links;
    for (int n = 1 + any(4); n > 0; --n) {
      links.push_back(link(links.empty() ? Carry::all : Carry{any(3)}, any(3) == 0 ? 57.6 : 0));
    }
    Paths paths(links, Schedule{any(2)});
    std::vector<PathProbe> asked;
    std::vector<bool> present(links.size(), true);
    std::vector<bool> known(links.size());
    for (int step = 0; step < 500; ++step) {
      const std::uint8_t where = any(links.size());
      paths.now += std::chrono::milliseconds(any(10) == 0 ? random() % 3000 : any(20));
      switch (any(8)) {
        case 0:
          paths.set.set_remote(at(where), paths.now);
          known[where] = true;
          break;
        case 1:
        case 2:
          paths.frame(at(where, any(3)), random() % 3 == 0 ? paths.sequence / 2 : ++paths.sequence);
          break;
        case 3:
          present[where] = false;
          paths.set.handle_link_down(where);
          break;
        case 4:
          present[where] = true;
          paths.set.handle_link_up(where, paths.now);
          break;
        default:
          if (!asked.empty()) {
            const PathProbe & probe = asked[random() % asked.size()];
            const bool proved = paths.set.handle_answer(probe.nonce, probe.to, paths.now);
            known[probe.to.link] = known[probe.to.link] || proved;
          }
      }
      const auto probes = paths.probes();
      asked.insert(asked.end(), probes.begin(), probes.end());
      EXPECT_GT(paths.set.next_timeout(), paths.now);
      bool reachable = false;
      for (std::size_t i = 0; i < links.size(); ++i) {
        reachable = reachable || (present[i] && known[i]);
      }
      const auto routes = paths.routes(TrafficClass::command);
      EXPECT_EQ(!routes.empty(), reachable);
      for (auto route = routes.begin(); route != routes.end(); ++route) {
        EXPECT_TRUE(present.at(route->link));
        EXPECT_EQ(std::find(route + 1, routes.end(), *route), routes.end());
      }
    }
    int count = 0;
    while (paths.set.take_change()) {
      ++count;
    }
    EXPECT_LE(count, 64);
  }
}

}  // namespace pqc_tunnel
