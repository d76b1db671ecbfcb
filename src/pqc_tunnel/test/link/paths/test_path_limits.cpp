// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "link/paths/path_set.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "paths.hpp"

// What a set of paths makes of links, addresses and frames that are not as they should be.

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

constexpr std::size_t size = Paths::size;

// Whoever calls may name any link: a datagram's address says by which it came.
TEST(PathSet, knows_nothing_of_a_link_that_it_does_not_have)
{
  for (const std::uint8_t unknown : std::initializer_list<std::uint8_t>{1, 2, 255}) {
    Paths paths({link()});
    paths.set.set_remote(at(unknown), paths.now);
    paths.set.use(at(unknown), paths.now);
    paths.frame(at(unknown));
    paths.set.handle_stream_part(unknown, size, {}, paths.now);
    paths.set.set_found_rate(unknown, 1000.0);
    paths.set.handle_sent(at(unknown), size, paths.now);
    paths.set.handle_link_down(unknown);
    paths.set.handle_link_up(unknown, paths.now);
    paths.set.note_trouble(unknown, "trouble");
    EXPECT_FALSE(paths.set.handle_answer(1, at(unknown), paths.now));
    EXPECT_FALSE(paths.set.take_copy(unknown, size, paths.now));
    EXPECT_FALSE(paths.set.take_answer(at(unknown), size, paths.now));
    EXPECT_EQ(paths.set.remote(unknown), Endpoint{});
    EXPECT_FALSE(paths.set.is_down(unknown));
    EXPECT_FALSE(paths.settings.is_serial(unknown));
    EXPECT_EQ(paths.set.report(paths.now).size(), 1U);
    EXPECT_EQ(paths.set.troubles(), std::vector<std::string>{""});
    EXPECT_TRUE(paths.routes().empty());
    EXPECT_FALSE(paths.set.stream_rate());
    EXPECT_FALSE(paths.set.slowest(TrafficClass::control));
    EXPECT_FALSE(paths.set.take_change());
  }
}

TEST(LinkSettings, add_the_headers_of_a_datagram_or_the_framing_of_a_line_to_a_frame)
{
  LinkSettings settings;
  settings.type = LinkType::udp;
  EXPECT_EQ(settings.line_bytes(300), 348U);
  settings.type = LinkType::serial;
  EXPECT_EQ(settings.line_bytes(300), 303U);
}

TEST(PathSet, has_one_to_four_links)
{
  for (const std::size_t links : {0U, 5U}) {
    const PathSettings settings{std::vector(links, link())};
    DeterministicRandom random{1};
    EXPECT_DEATH(PathSet(settings, random), "one to four links") << links;
  }
  Paths paths(std::vector(PathSettings::max_links, link()));
}

TEST(PathSet, an_address_that_is_configured_anew_replaces_one_that_was_never_heard)
{
  Paths paths({link()});
  paths.set.set_remote(at(0, 1), paths.now);
  paths.set.set_remote(at(0, 2), paths.now);
  EXPECT_EQ(paths.set.remote(0), at(0, 2));
  paths.frame(at(0, 2));
  paths.set.set_remote(at(0, 1), paths.now);
  EXPECT_EQ(paths.set.remote(0), at(0, 2));
}

// Its interface may go while a datagram that came by it waits.
TEST(PathSet, a_link_that_is_not_there_takes_nothing_in_and_sends_nothing)
{
  for (const std::size_t links : {1U, 2U}) {
    Paths paths(std::vector(links, link()));
    paths.prove(at(0, 1));
    paths.frame(at(0, 2));
    const auto probe = paths.probe_to(at(0, 2));
    ASSERT_TRUE(probe);
    paths.set.handle_link_down(0);
    ASSERT_EQ(paths.state(0), PathState::down);
    EXPECT_FALSE(paths.set.handle_answer(probe->nonce, probe->to, paths.now));
    paths.frame(at(0, 1));
    paths.frame(at(0, 3));
    paths.prove(at(0, 4));
    EXPECT_EQ(paths.state(0), PathState::down);
    EXPECT_EQ(paths.set.remote(0), at(0, 1));
    EXPECT_FALSE(paths.set.report(paths.now)[0].candidate);
    EXPECT_FALSE(paths.set.take_copy(0, size, paths.now));
    EXPECT_FALSE(paths.set.take_answer(at(0, 3), size, paths.now));
    EXPECT_TRUE(paths.probes().empty());
    EXPECT_TRUE(paths.routes().empty());
    EXPECT_TRUE(paths.set.is_down(0));
    EXPECT_FALSE(paths.set.is_down(1));
    paths.set.handle_link_up(0, paths.now);
    EXPECT_FALSE(paths.set.is_down(0));
  }
}

TEST(PathSet, a_serial_line_has_its_other_end_and_no_other_link_has_one)
{
  Endpoint line{AddressFamily::serial, 0, 0, {}, 0};
  LinkSettings radio = link(Carry::all, 57.6);
  radio.type = LinkType::serial;
  Paths paths({radio, link()});
  EXPECT_TRUE(paths.settings.is_serial(0));
  EXPECT_FALSE(paths.settings.is_serial(1));
  paths.frame(line, 10);
  EXPECT_EQ(paths.set.remote(0), line);
  paths.frame(at(1), 11);
  EXPECT_EQ(paths.set.remote(1), Endpoint{}) << "it has to answer first";
}

TEST(PathSet, a_link_that_is_coming_back_is_neither_up_nor_down_again)
{
  Paths paths({link(), link()});
  paths.set.set_remote(at(0), paths.now);
  paths.run(1s, {0});
  paths.run(5s, {});
  ASSERT_EQ(paths.state(0), PathState::down);
  for (const auto kind : {PathChange::Kind::up, PathChange::Kind::down}) {
    const auto change = paths.set.take_change();
    ASSERT_TRUE(change);
    EXPECT_EQ(change->kind, kind);
  }
  paths.run(1s, {0});
  ASSERT_EQ(paths.state(0), PathState::probing);
  EXPECT_FALSE(paths.set.take_change());
  paths.run(5s, {0});
  const auto change = paths.set.take_change();
  ASSERT_TRUE(change);
  EXPECT_EQ(change->kind, PathChange::Kind::up);
}

TEST(PathSet, a_link_that_is_up_and_whose_peer_moves_is_not_down_while_the_new_address_is_tried)
{
  Paths paths({link(), link()});
  paths.prove(at(0, 1));
  paths.run(1s, {0});
  while (paths.set.take_change()) {
  }
  paths.prove(at(0, 2));
  ASSERT_EQ(paths.state(0), PathState::probing);
  const auto change = paths.set.take_change();
  ASSERT_TRUE(change);
  EXPECT_EQ(change->kind, PathChange::Kind::moved);
  EXPECT_FALSE(paths.set.take_change());
}

TEST(PathSet, remembers_64_changes_until_they_are_fetched)
{
  Paths paths({link(), link()});
  for (std::uint8_t i = 0; i < 200; ++i) {
    paths.prove(at(0, i));
  }
  int count = 0;
  while (paths.set.take_change()) {
    ++count;
  }
  EXPECT_EQ(count, 64);
}

TEST(PathSet, of_a_link_that_has_no_address_any_change_is_told_without_one)
{
  Paths paths({link()});
  for (int i = 0; i < 200; ++i) {
    paths.frame(at(0, 2));
    paths.set.take_copy(0, 250, paths.now);
  }
  paths.probes();
  const auto change = paths.set.take_change();
  ASSERT_TRUE(change);
  EXPECT_EQ(change->kind, PathChange::Kind::crowded);
  EXPECT_EQ(change->remote, Endpoint{});
}

TEST(PathSet, takes_no_frame_for_the_newest_that_an_old_one_has_made_way_for)
{
  Paths paths({link()});
  paths.prove(at(0, 1));
  paths.frame(at(0, 1), 10);
  paths.frame(at(0, 1), 5);
  paths.frame(at(0, 2), 7);
  EXPECT_FALSE(paths.set.report(paths.now)[0].candidate);
}

TEST(PathSet, answers_an_address_that_has_to_prove_itself_for_all_that_came_from_it)
{
  Paths paths({link()});
  paths.prove(at(0, 1));
  paths.frame(at(0, 1), 10);
  EXPECT_FALSE(paths.set.has_candidates());
  EXPECT_FALSE(paths.set.take_answer(at(0, 2), 1, paths.now));
  EXPECT_EQ(paths.set.take_answer(at(0, 1), 1'000'000, paths.now), TrafficClass::control);
  paths.frame(at(0, 2), 11);
  EXPECT_TRUE(paths.set.has_candidates());
  EXPECT_EQ(paths.set.take_answer(at(0, 2), 3 * size, paths.now), TrafficClass::unproved);
  EXPECT_FALSE(paths.set.take_answer(at(0, 2), 1, paths.now));
  paths.frame(at(0, 2), 9);  // one that was overtaken
  EXPECT_EQ(paths.set.take_answer(at(0, 2), 3 * size, paths.now), TrafficClass::unproved);
}

TEST(PathSet, follows_any_frame_while_the_configured_address_was_never_heard)
{
  Paths paths({link()});
  paths.set.set_remote(at(0, 1), paths.now);
  paths.frame(at(0, 2), 10);
  paths.frame(at(0, 3), 5);
  EXPECT_EQ(paths.set.report(paths.now)[0].candidate, at(0, 3));
}

TEST(PathSet, says_that_the_peer_has_moved_and_not_that_the_link_went_down_for_it)
{
  Paths paths({link(), link()});
  paths.prove(at(0, 1));
  paths.run(2s, {0});
  ASSERT_EQ(paths.state(0), PathState::up);
  while (paths.set.take_change()) {
  }
  paths.prove(at(0, 1));
  EXPECT_FALSE(paths.set.take_change()) << "it is still there";
  EXPECT_EQ(paths.state(0), PathState::up);
  paths.prove(at(0, 2));
  const auto change = paths.set.take_change();
  ASSERT_TRUE(change);
  EXPECT_EQ(change->kind, PathChange::Kind::moved);
  EXPECT_FALSE(paths.set.take_change());
}

TEST(PathSet, keeps_a_serial_line_up_while_frames_come)
{
  const Endpoint line{AddressFamily::serial, 0, 0, {}, 0};
  LinkSettings radio = link(Carry::all, 57.6);
  radio.type = LinkType::serial;
  Paths paths({radio, link()});
  paths.frame(line);
  paths.run(5s, {0});
  ASSERT_EQ(paths.state(0), PathState::up);
  paths.frame(line);
  EXPECT_EQ(paths.state(0), PathState::up);
}

TEST(PathSet, asks_nobody_at_the_configured_address_while_the_peer_answers_elsewhere)
{
  Paths paths({link(), link()});
  paths.set.set_remote(at(0, 1), paths.now);
  paths.prove(at(0, 2));
  for (const Instant end = paths.now + 60s; paths.now < end; paths.now += 10ms) {
    for (const PathProbe & probe : paths.probes()) {
      EXPECT_EQ(probe.to, at(0, 2));
      paths.set.handle_answer(probe.nonce, probe.to, paths.now);
    }
  }
}

TEST(PathSet, says_for_three_seconds_that_a_link_carries_what_is_not_control)
{
  for (const std::size_t links : {1U, 2U}) {
    Paths paths(std::vector(links, link()));
    const auto carries = [&paths] { return paths.set.report(paths.now)[0].carries; };
    paths.prove(at(0));
    paths.routes(TrafficClass::control);
    EXPECT_FALSE(carries());
    paths.routes(TrafficClass::telemetry);
    paths.now += 3s - 1ms;
    EXPECT_TRUE(carries());
    paths.routes(TrafficClass::control);
    paths.now += 1ms;
    EXPECT_FALSE(carries());
  }
}

TEST(PathSet, says_where_the_rate_of_a_link_comes_from)
{
  Paths paths({link(Carry::all, 64), link()});
  const auto source = [&paths](std::size_t of) {
    return paths.set.report(paths.now)[of].rate_source;
  };
  EXPECT_EQ(source(1), RateSource::unknown);
  EXPECT_EQ(paths.set.report(paths.now)[1].rate_bytes_s, 0);
  for (const std::uint8_t of : std::initializer_list<std::uint8_t>{0, 1}) {
    for (int part = 0; part < 7; ++part) {
      paths.now += 100ms;
      paths.set.handle_stream_part(of, 1000, {}, paths.now);
    }
  }
  EXPECT_EQ(source(1), RateSource::streams);
  EXPECT_EQ(paths.set.report(paths.now)[1].rate_bytes_s, 10'000);
  paths.set.set_found_rate(0, 500.0);
  paths.set.set_found_rate(1, 500.0);
  EXPECT_EQ(source(1), RateSource::saturation);
  EXPECT_EQ(paths.set.report(paths.now)[1].rate_bytes_s, 500);
  EXPECT_EQ(source(0), RateSource::configured);
  EXPECT_EQ(paths.set.report(paths.now)[0].rate_bytes_s, 8000);
}

TEST(PathSet, asks_the_configured_address_at_once_and_keeps_what_it_knows_of_it)
{
  Paths paths({link(), link()});
  paths.set.set_remote(at(0), paths.now);
  EXPECT_EQ(paths.set.next_timeout(), paths.now);
  EXPECT_EQ(paths.probes().size(), 1U);
  paths.set.set_remote(at(0), paths.now);
  EXPECT_TRUE(paths.probes().empty()) << "it is the same";
}

TEST(PathSet, has_no_routes_and_no_rate_without_an_address)
{
  Paths paths({link(Carry::all, 64)});
  EXPECT_TRUE(paths.set.routes(TrafficClass::telemetry, size, paths.now).empty());
  EXPECT_FALSE(paths.set.stream_rate());
  paths.prove(at(0));
  EXPECT_FALSE(paths.set.routes(TrafficClass::telemetry, size, paths.now).empty());
  EXPECT_EQ(paths.set.stream_rate(), 8000);
}

TEST(PathSet, of_links_that_are_all_down_takes_the_one_that_was_heard_last)
{
  Paths paths({link(), link(Carry::standby)});
  paths.prove(at(0));
  paths.prove(at(1));
  paths.run(2s, {0, 1});
  paths.run(2s, {1});
  paths.run(10s, {});
  ASSERT_EQ(paths.state(0), PathState::down);
  ASSERT_EQ(paths.state(1), PathState::down);
  EXPECT_EQ(paths.routes(), Endpoints{at(1)});
}

// The only link is not probed any more: what was measured once would be told for ever.
TEST(PathSet, tells_no_round_trip_of_the_only_link)
{
  Paths paths({link()});
  paths.frame(at(0));
  const auto probe = paths.probe_to(at(0));
  ASSERT_TRUE(probe);
  EXPECT_TRUE(paths.set.handle_answer(probe->nonce, probe->to, paths.now + 40ms));
  EXPECT_EQ(paths.state(0), PathState::up);
  EXPECT_FALSE(paths.set.report(paths.now)[0].rtt);
}

TEST(PathSet, watches_a_link_closely_only_while_another_one_could_carry_its_data_and_does_not)
{
  const auto state_after_silence = [](Schedule schedule, bool other_known, bool other_present) {
    Paths paths({link(), link()}, schedule);
    paths.prove(at(0));
    if (other_known) {
      paths.prove(at(1));
    }
    paths.run(2s, {0, 1});
    EXPECT_EQ(paths.state(0), PathState::up);
    if (!other_present) {
      paths.set.handle_link_down(1);
    }
    paths.routes();
    paths.run(500ms, {});
    return paths.state(0);
  };
  EXPECT_EQ(state_after_silence(Schedule::failover, true, true), PathState::down);
  EXPECT_EQ(state_after_silence(Schedule::failover, true, false), PathState::up);
  EXPECT_EQ(state_after_silence(Schedule::failover, false, true), PathState::up);
  EXPECT_EQ(state_after_silence(Schedule::redundant, true, true), PathState::up);
}

// The peer's address has fallen silent; the configured one is another.
TEST(PathSet, tries_the_configured_address_every_ten_seconds_and_no_more_than_once_at_a_time)
{
  Paths paths({link()});
  paths.set.set_remote(at(0, 1), paths.now);
  paths.prove(at(0, 2));
  paths.run(10s, {});
  EXPECT_EQ(paths.state(0), PathState::down);
  while (!paths.set.has_candidates()) {
    ASSERT_LT(paths.set.next_timeout(), Instant::max());
    paths.now = paths.set.next_timeout();
    paths.probes();
  }
  const Instant tried = paths.now;
  for (; paths.now < tried + 4s; paths.now += 10ms) {
    paths.probes();
  }
  EXPECT_FALSE(paths.set.has_candidates());
  EXPECT_EQ(paths.set.next_timeout(), tried + 10s);
  paths.now = tried + 9s;
  paths.frame(at(0, 1));
  paths.now = tried + 10s;
  paths.set.handle_timeout(paths.now);
  const auto probes = paths.probes();
  EXPECT_EQ(probes.size(), 1U) << "it is asked already";
}

}  // namespace
}  // namespace pqc_tunnel::test
