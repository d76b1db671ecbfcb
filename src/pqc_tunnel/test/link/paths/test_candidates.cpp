// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "link/paths/candidates.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <map>
#include <random>

#include "paths.hpp"

// What an address gets that has not proved itself.

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

constexpr std::uint64_t most = 3;  // times what came from there

// Whoever repeats a frame once from the address of a third party, or every 2.5 s, has it flooded.
TEST(Candidate, that_never_answers_gets_three_times_what_came_from_it)
{
  for (const bool always_the_same : {true, false}) {
    Paths paths({link()});
    paths.prove(at(0, 1));
    std::uint64_t received = 0;
    std::uint64_t sent = 0;
    for (int i = 0; i < 24'000; ++i, paths.now += 10ms) {
      if (i % 250 == 0) {
        const auto host = static_cast<std::uint8_t>(always_the_same ? 2 : 2 + i / 250);
        paths.set.handle_frame(at(0, host), {1, ++paths.sequence}, 36, paths.now);
        received += 36;
      }
      sent += probe_frame * paths.probes().size();
      for (const TrafficClass traffic : {TrafficClass::telemetry, TrafficClass::stream}) {
        ASSERT_EQ(paths.routes(traffic, 1000), Endpoints{at(0, 1)});
      }
      sent += paths.set.take_copy(0, 30, paths.now) ? 30 : 0;
      ASSERT_LE(sent, most * received);
    }
    EXPECT_GT(sent, 0U);
  }
}

// Adversaries of all kinds: some repeat everything, some little, from few addresses or ever new ones, on several links.
TEST(Candidate, whoever_repeats_what_gets_three_times_what_he_sent_and_all_together_a_small_rate)
{
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    std::mt19937_64 random(seed);
    const auto any = [&random](std::uint64_t n) { return static_cast<std::uint8_t>(random() % n); };
    Paths paths({link(), link(Carry::all, any(2) == 0 ? 64 : 0)}, Schedule{any(2)});
    paths.prove(at(0, 0));
    paths.prove(at(1, 0));
    struct Account
    {
      std::uint64_t received = 0;
      std::uint64_t sent = 0;
    };
    std::map<std::pair<std::uint8_t, std::uint8_t>, Account> strangers;
    std::uint64_t all = 0;
    const auto note = [&](const Endpoint & to, std::size_t bytes) {
      if (to.address[3] != 0) {
        Account & account = strangers[{to.link, to.address[3]}];
        account.sent += bytes;
        all += bytes;
        ASSERT_LE(account.sent, most * account.received);
      }
    };
    const std::uint8_t hosts = 1 + any(200);
    const std::uint8_t share = 1 + any(20);
    const Instant begun = paths.now;
    for (int step = 0; step < 5000; ++step, paths.now += 2ms) {
      const bool repeats = any(share) == 0;
      const Endpoint from = at(any(2), repeats ? 1 + any(hosts) : 0);
      const std::size_t bytes = 30 + any(200);
      paths.set.handle_frame(from, {1, ++paths.sequence}, bytes, paths.now);
      strangers[{from.link, from.address[3]}].received += bytes;
      if (any(4) == 0 && paths.set.take_answer(from, probe_frame, paths.now)) {
        note(from, probe_frame);
      }
      for (const Endpoint & to : paths.routes()) {
        ASSERT_EQ(to.address[3], 0);
        const std::size_t size = 40 + any(200);
        if (const auto copy = paths.set.take_copy(to.link, size, paths.now)) {
          note(*copy, size);
        }
      }
      for (const PathProbe & probe : paths.probes()) {
        note(probe.to, probe_frame);
        EXPECT_EQ(probe.proved, probe.to.address[3] == 0);
      }
      ASSERT_GT(paths.set.next_timeout(), paths.now);
    }
    const std::chrono::duration<double> time = paths.now - begun;
    EXPECT_LE(static_cast<double>(all), 2 * (8000 + 1000 * time.count()));
  }
}

TEST(Candidate, is_proved_by_an_answer_from_itself_to_a_probe_that_it_got)
{
  Paths paths({link(), link()});
  paths.prove(at(0, 1));
  paths.prove(at(1, 1));
  paths.frame(at(0, 2));
  paths.frame(at(0, 3));
  std::map<std::uint8_t, std::uint64_t> nonces;
  for (const PathProbe & probe : paths.probes()) {
    if (probe.to.link == 0) {
      nonces[probe.to.address[3]] = probe.nonce;
    }
  }
  ASSERT_EQ(nonces.size(), 3U);
  for (const Endpoint & from : {at(0, 1), at(0, 3), at(0, 4), at(1, 2)}) {
    EXPECT_FALSE(paths.set.handle_answer(nonces[2], from, paths.now));
  }
  EXPECT_FALSE(paths.set.handle_answer(nonces[3], at(0, 2), paths.now));
  EXPECT_FALSE(paths.set.handle_answer(nonces[2] + 1, at(0, 2), paths.now));
  EXPECT_EQ(paths.set.remote(0), at(0, 1));
  EXPECT_TRUE(paths.set.handle_answer(nonces[2], at(0, 2), paths.now));
  EXPECT_EQ(paths.set.remote(0), at(0, 2));
}

// Somebody who is faster repeats every frame from another address.
TEST(Candidate, that_is_right_proves_itself_beside_one_that_is_not)
{
  Paths paths({link()});
  paths.prove(at(0, 1));
  std::multimap<Instant, PathProbe> answers;
  const Instant begun = paths.now;
  for (; paths.set.remote(0) == at(0, 1) && paths.now < begun + 10s; paths.now += 10ms) {
    paths.frame(at(0, 9));
    paths.frame(
      at(0, 2), paths.sequence);  // the same one, later: a copy on another link would come so
    paths.frame(at(0, 2));
    for (const PathProbe & probe : paths.probes()) {
      if (probe.to == at(0, 2)) {
        answers.emplace(paths.now + 600ms, probe);
      }
    }
    while (!answers.empty() && answers.begin()->first <= paths.now) {
      paths.set.handle_answer(answers.begin()->second.nonce, at(0, 2), paths.now);
      answers.erase(answers.begin());
    }
  }
  EXPECT_EQ(paths.set.remote(0), at(0, 2));
  EXPECT_LE(paths.now - begun, 650ms);
}

TEST(Candidate, whose_probes_are_lost_is_asked_again)
{
  Paths paths({link(Carry::all, 64)});
  paths.prove(at(0, 1));
  std::size_t asked = 0;
  for (int i = 0; i < 100; ++i, paths.now += 10ms) {
    if (i % 20 == 0) {
      paths.frame(at(0, 2));
    }
    asked += paths.probe_to(at(0, 2)) ? 1 : 0;
    paths.set.take_copy(0, 50, paths.now);
  }
  EXPECT_GE(asked, 8U);
}

TEST(Candidate, that_costs_more_than_its_budget_is_reported_once_a_minute)
{
  Paths paths({link()});
  paths.prove(at(0, 1));
  std::size_t reports = 0;
  for (int i = 0; i < 9000; ++i, paths.now += 10ms) {
    paths.frame(at(0, 2));
    paths.set.take_copy(0, Paths::size, paths.now);
    paths.probes();
    while (const auto change = paths.set.take_change()) {
      reports += change->kind == PathChange::Kind::crowded ? 1 : 0;
    }
  }
  EXPECT_EQ(reports, 2U);
}

TEST(Candidate, gets_three_times_what_came_from_it_to_the_byte_and_a_stranger_nothing)
{
  const LinkSettings fast = link();
  Candidates candidates(fast);
  const Instant now{1h};
  EXPECT_FALSE(candidates.spend(at(0, 1), 1, now));
  candidates.add(at(0, 2), 100, now);
  EXPECT_FALSE(candidates.spend(at(0, 1), 1, now));
  EXPECT_FALSE(candidates.spend(at(0, 2), 301, now));
  EXPECT_TRUE(candidates.spend(at(0, 2), 299, now));
  EXPECT_TRUE(candidates.spend(at(0, 2), 1, now));
  EXPECT_FALSE(candidates.spend(at(0, 2), 1, now));
}

TEST(Candidate, is_one_of_the_four_from_which_frames_came_last)
{
  const LinkSettings fast = link();
  Candidates candidates(fast);
  const Instant now{1h};
  for (const std::uint8_t host : std::initializer_list<std::uint8_t>{1, 2, 3, 4, 1, 5, 6}) {
    candidates.add(at(0, host), 100, now);
  }
  for (const std::uint8_t host : std::initializer_list<std::uint8_t>{2, 3, 7}) {
    EXPECT_FALSE(candidates.contains(at(0, host))) << int{host};
  }
  for (const std::uint8_t host : std::initializer_list<std::uint8_t>{4, 1, 5, 6}) {
    EXPECT_TRUE(candidates.contains(at(0, host))) << int{host};
  }
}

TEST(Candidate, is_probed_as_soon_as_it_may_get_a_probe)
{
  const LinkSettings fast = link();
  DeterministicRandom random{1};
  Candidates candidates(fast);
  const Instant now{1h};
  EXPECT_EQ(candidates.next_timeout({}), Instant::max());
  candidates.add(at(0, 1), 1, now);
  EXPECT_FALSE(candidates.take_probe(random, now));
  EXPECT_EQ(candidates.next_timeout({}), now + 3s);
  EXPECT_EQ(candidates.next_timeout(2s), now + 5s);
  candidates.add(at(0, 1), 100, now);
  EXPECT_LE(candidates.next_timeout({}), now);
  EXPECT_TRUE(candidates.take_probe(random, now));
  EXPECT_GT(candidates.next_timeout({}), now);
  EXPECT_LT(candidates.next_timeout({}), now + 1s);
}

TEST(Candidate, gets_a_twentieth_of_a_thin_link_and_a_kilobyte_a_second_of_another)
{
  EXPECT_EQ(Candidates::rate(link()), 1000);
  EXPECT_EQ(Candidates::rate(link(Carry::all, 64)), 400);
  EXPECT_EQ(Candidates::rate(link(Carry::all, 10'000)), 1000);
}

TEST(Candidate, that_was_left_out_is_told_once_although_others_were_not)
{
  const LinkSettings fast = link();
  Candidates candidates(fast);
  const Instant now{1h};
  candidates.add(at(0, 1), 10'000, now);
  EXPECT_FALSE(candidates.spend(at(0, 1), 10'000, now));
  EXPECT_TRUE(candidates.spend(at(0, 1), 100, now));
  EXPECT_TRUE(candidates.take_excess());
  EXPECT_FALSE(candidates.take_excess());
}

}  // namespace
}  // namespace pqc_tunnel::test
