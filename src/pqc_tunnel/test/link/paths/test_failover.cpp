// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "link/paths/path_set.hpp"
#include "support/deterministic_random.hpp"

namespace pqc_tunnel
{

namespace
{

using namespace std::chrono_literals;

constexpr Duration step = 1ms;
constexpr Duration spacing = 3ms;  // of datagrams

Endpoint at(std::uint8_t link) { return {AddressFamily::ipv4, 14550, 0, {10, 0, link, 1}, link}; }

const LinkSettings radio = {"radio", LinkType::serial, Carry::all, 240, 57.6};

struct Weather
{
  Duration delay = 10ms;  // one way
  double loss = 0;
  bool out = true;  // frames of this end arrive
  bool in = true;
};

// This end of two links to a peer that answers probes where they arrive. Both may send a datagram every 3 ms.
class TwoLinks
{
public:
  explicit TwoLinks(Schedule schedule = Schedule::failover)
  : TwoLinks({{"lte"}, {"radio"}}, schedule)
  {
  }
  explicit TwoLinks(std::vector<LinkSettings> links, Schedule schedule = Schedule::failover)
  : settings_{std::move(links), schedule}, set_(settings_, random_)
  {
    set_.set_remote(at(0), now_);
    set_.set_remote(at(1), now_);
  }

  void run(Duration duration)
  {
    for (const Instant end = now_ + duration; now_ < end; now_ += step) {
      deliver();
      if (now_ >= next_datagram_) {
        next_datagram_ += spacing;
        send_datagram();
        if (peer_sends) {
          hear(peer_link, true, 0);
        }
      }
      set_.handle_timeout(now_);
      while (const auto probe = set_.take_probe(now_)) {
        ++probes.at(probe->to.link);
        if (passes(probe->to.link, true)) {
          hear(probe->to.link, false, probe->nonce);
        }
      }
      while (const auto change = set_.take_change()) {
        changes.push_back(*change);
      }
    }
  }

  PathState state(std::size_t link) const { return set_.report(now_)[link].state; }
  bool carries(std::uint8_t link)
  {
    return set_.routes(TrafficClass::telemetry, 100, now_).begin()->link == link;
  }

  std::array<Weather, 2> weather;
  bool peer_sends = false;
  std::uint8_t peer_link = 0;
  int sent = 0;
  int arrived = 0;  // at the peer, by any link
  std::vector<PathChange> changes;
  std::array<int, 2> probes = {};  // sent, by link

private:
  struct Arrival
  {
    std::uint8_t link;
    bool frame;  // or the answer to a probe
    std::uint64_t nonce;
  };

  bool passes(std::uint8_t link, bool out)
  {
    const Weather & here = weather.at(link);
    return (out ? here.out : here.in) && std::bernoulli_distribution(1 - here.loss)(dice_);
  }
  void hear(std::uint8_t link, bool frame, std::uint64_t nonce)
  {
    if (passes(link, false)) {
      arrivals_.emplace(
        now_ + weather.at(link).delay * (frame ? 1 : 2), Arrival{link, frame, nonce});
    }
  }
  void deliver()
  {
    while (!arrivals_.empty() && arrivals_.begin()->first <= now_) {
      const Arrival arrival = arrivals_.begin()->second;
      arrivals_.erase(arrivals_.begin());
      set_.handle_frame(at(arrival.link), {1, ++sequence_}, 100, now_);
      if (!arrival.frame) {
        set_.handle_answer(arrival.nonce, at(arrival.link), now_);
      }
    }
  }
  void send_datagram()
  {
    ++sent;
    bool any = false;
    for (const Endpoint & to : set_.routes(TrafficClass::telemetry, 100, now_)) {
      any = passes(to.link, true) || any;
    }
    arrived += any ? 1 : 0;
  }

  PathSettings settings_;
  test::DeterministicRandom random_{2};
  PathSet set_;
  Instant now_{1h};
  Instant next_datagram_{1h};
  std::mt19937_64 dice_{3};
  std::multimap<Instant, Arrival> arrivals_;
  std::uint64_t sequence_ = 0;
};

int most_lost(Duration silence) { return static_cast<int>(silence / spacing); }

}  // namespace

TEST(Failover, a_cut_link_costs_no_more_datagrams_than_the_time_of_failover)
{
  for (const Duration delay : {1ms, 30ms, 300ms}) {
    for (const bool peer_sends : {false, true}) {
      TwoLinks links;
      links.weather[0].delay = links.weather[1].delay = delay;
      links.peer_sends = peer_sends;
      links.run(5s);
      ASSERT_TRUE(links.carries(0));
      ASSERT_EQ(links.arrived, links.sent);
      links.weather[0].out = links.weather[0].in = false;
      links.peer_link = 1;
      links.run(10s);
      EXPECT_TRUE(links.carries(1));
      // What was on its way when the link was cut still arrives here.
      EXPECT_LE(links.sent - links.arrived, most_lost(300ms + 2 * delay) + 1);
      EXPECT_EQ(links.state(0), PathState::down);
    }
  }
}

TEST(Failover, a_thin_link_that_is_cut_costs_no_more_datagrams_than_the_time_of_failover)
{
  for (const Duration delay : {5ms, 30ms, 60ms, 200ms}) {
    for (const bool peer_sends : {false, true}) {
      TwoLinks links({radio, {"lte"}});
      links.weather[0].delay = delay;
      links.peer_sends = peer_sends;
      links.run(15s);
      ASSERT_TRUE(links.carries(0));
      ASSERT_EQ(links.arrived, links.sent);
      links.weather[0].out = links.weather[0].in = false;
      links.peer_link = 1;
      links.run(2s);
      EXPECT_TRUE(links.carries(1));
      // Nobody can tell a failure from a silence before a round trip is over.
      const Duration asking = 100ms + 3 * delay;
      EXPECT_LE(
        links.sent - links.arrived, most_lost(std::max<Duration>(300ms, asking) + 2 * delay) + 1)
        << delay.count();
    }
  }
}

TEST(Failover, a_thin_link_behind_another_one_that_is_cut_costs_nothing)
{
  TwoLinks links({{"lte"}, radio});
  links.run(15s);
  links.weather[1].out = links.weather[1].in = false;
  links.run(15s);
  EXPECT_EQ(links.arrived, links.sent);
  EXPECT_EQ(links.state(1), PathState::down);
}

TEST(
  Failover,
  probes_take_a_hundredth_of_a_thin_link_that_needs_no_close_watch_and_a_tenth_of_one_that_does)
{
  const auto share = [](std::vector<LinkSettings> settings, std::uint8_t link, bool peer_sends) {
    TwoLinks links(std::move(settings));
    links.peer_sends = peer_sends;
    links.run(5s);
    const int before = links.probes[link];
    links.run(100s);
    return (links.probes[link] - before) * static_cast<double>(radio.line_bytes(probe_frame)) /
           (100 * radio.bytes_per_s());
  };
  EXPECT_LE(share({{"lte"}, radio}, 1, true), 0.01);
  EXPECT_LE(share({radio, {"lte"}}, 0, false), 0.1);
  EXPECT_GE(share({radio, {"lte"}}, 0, false), 0.03);
  // A peer that speaks all the time is not asked so often.
  EXPECT_LE(share({radio, {"lte"}}, 0, true), 0.01);
}

TEST(Failover, a_thin_link_that_loses_a_little_is_not_left)
{
  TwoLinks links({radio, {"lte"}});
  links.weather[0].delay = 40ms;
  links.weather[0].loss = 0.02;
  links.run(15s);
  links.changes.clear();
  links.run(600s);
  EXPECT_LE(links.changes.size(), 4U);
}

TEST(Failover, a_link_that_loses_all_in_one_direction_is_left)
{
  for (const bool outward : {true, false}) {
    TwoLinks links;
    links.peer_sends = true;
    links.run(3s);
    (outward ? links.weather[0].out : links.weather[0].in) = false;
    links.run(1200ms);
    EXPECT_TRUE(links.carries(1)) << outward;
    links.run(20s);
    EXPECT_TRUE(links.carries(1)) << outward;
  }
}

TEST(Failover, redundant_links_lose_nothing_when_one_is_cut)
{
  for (const std::size_t cut : {0U, 1U}) {
    TwoLinks links(Schedule::redundant);
    links.run(3s);
    for (int i = 0; i < 10; ++i) {
      links.weather.at(cut).out = links.weather.at(cut).in = i % 2 != 0;
      links.run(std::chrono::milliseconds(100 + 700 * i));
    }
    EXPECT_EQ(links.arrived, links.sent);
  }
}

TEST(Failover, a_link_carries_again_only_after_it_was_stable)
{
  TwoLinks links;
  links.run(3s);
  links.weather[0].out = links.weather[0].in = false;
  links.run(5s);
  links.weather[0].out = links.weather[0].in = true;
  links.run(900ms);
  EXPECT_TRUE(links.carries(1));
  links.run(1500ms);
  EXPECT_TRUE(links.carries(0));
  const int lost = links.sent - links.arrived;
  links.run(5s);
  EXPECT_EQ(links.sent - links.arrived, lost);
}

TEST(Failover, a_link_that_comes_and_goes_is_not_used)
{
  TwoLinks links;
  links.run(3s);
  links.weather[0].out = links.weather[0].in = false;
  links.run(1s);
  const int lost = links.sent - links.arrived;
  for (int i = 0; i < 100; ++i) {
    links.weather[0].out = links.weather[0].in = i % 2 == 0;
    links.run(600ms);
  }
  EXPECT_EQ(links.sent - links.arrived, lost);
}

TEST(Failover, loss_alone_moves_nothing_while_the_peer_sends)
{
  TwoLinks links;
  links.peer_sends = true;
  links.weather[0].loss = 0.2;
  links.run(2s);
  links.changes.clear();
  links.run(300s);
  EXPECT_TRUE(links.changes.empty());
}

TEST(Failover, of_a_silent_peer_a_fifth_may_be_lost_without_much_moving)
{
  TwoLinks links;
  links.weather[0].loss = links.weather[1].loss = 0.2;
  links.run(2s);
  links.sent = links.arrived = 0;
  links.run(300s);
  // However often the link changes, no more is lost than the links lose.
  EXPECT_NEAR(1 - static_cast<double>(links.arrived) / links.sent, 0.2, 0.01);
  EXPECT_LT(links.changes.size(), 80U);
}

TEST(Failover, both_links_cut_and_one_back_carries_at_once)
{
  TwoLinks links;
  links.run(3s);
  for (Weather & weather : links.weather) {
    weather.out = weather.in = false;
  }
  links.run(10s);
  links.weather[1].out = links.weather[1].in = true;
  links.run(1100ms);
  EXPECT_TRUE(links.carries(1));
  const int lost = links.sent - links.arrived;
  links.run(10s);
  EXPECT_EQ(links.sent - links.arrived, lost);
}

}  // namespace pqc_tunnel
