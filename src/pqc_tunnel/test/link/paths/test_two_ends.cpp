// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "link/paths/path_set.hpp"
#include "support/deterministic_random.hpp"

namespace pqc_tunnel
{

namespace
{

using namespace std::chrono_literals;

constexpr Duration spacing = 3ms;  // of datagrams, each way
constexpr Duration lte_delay = 30ms;
constexpr Duration radio_delay = 45ms;

struct Datagram
{
};
struct Request
{
  std::uint64_t nonce;
};
struct Response
{
  std::uint64_t nonce;
};

struct Frame
{
  std::uint64_t sequence = 0;
  std::variant<Datagram, Request, Response> content;
};

// Drone (0) and ground station (1), joined by two links that can be cut. The ground station learns the drone's addresses
// from what arrives. A frame that has arrived before is dropped, as by the replay window.
class TwoEnds
{
public:
  TwoEnds(const std::vector<LinkSettings> & links, Schedule schedule) : settings_{links, schedule}
  {
    for (End & end : ends_) {
      end.set = std::make_unique<PathSet>(settings_, end.random);
    }
    for (std::uint8_t link = 0; link < 2; ++link) {
      ends_[0].set->set_remote(address(1, link), now_);
    }
  }

  void run(Duration duration)
  {
    for (const Instant end = now_ + duration; now_ < end; now_ += 1ms) {
      while (!flying_.empty() && flying_.begin()->first <= now_) {
        const Flight flight = flying_.begin()->second;
        flying_.erase(flying_.begin());
        arrive(flight);
      }
      for (std::size_t from = 0; from < 2; ++from) {
        if (now_ >= next_datagram_ && is_known(from)) {
          send_datagram(from);
        }
        ends_[from].set->handle_timeout(now_);
        while (const auto probe = ends_[from].set->take_probe(now_)) {
          send(from, probe->to.link, {++ends_[from].sequence, Request{probe->nonce}});
        }
      }
      next_datagram_ += now_ >= next_datagram_ ? spacing : Duration{};
    }
  }

  void cut(std::size_t link, bool cut) { cut_.at(link) = cut; }
  std::uint64_t lost(std::size_t from) const
  {
    return ends_.at(from).sent - ends_.at(1 - from).arrived;
  }
  // Nothing is sent any more, and all has arrived.
  void settle()
  {
    next_datagram_ = Instant::max();
    run(1s);
    next_datagram_ = now_;
  }
  PathReport report(std::size_t end, std::size_t link) const
  {
    return ends_.at(end).set->report(now_).at(link);
  }

private:
  struct End
  {
    test::DeterministicRandom random{4};
    std::unique_ptr<PathSet> set;
    std::uint64_t sequence = 0;
    std::set<std::uint64_t> seen;
    std::uint64_t sent = 0;
    std::uint64_t arrived = 0;
  };
  struct Flight
  {
    std::size_t to;
    std::uint8_t link;
    Frame frame;
  };

  static Endpoint address(std::size_t end, std::uint8_t link)
  {
    return {AddressFamily::ipv4, 14550, 0, {10, 0, link, static_cast<std::uint8_t>(end)}, link};
  }
  bool is_known(std::size_t from)
  {
    return !ends_.at(from).set->routes(TrafficClass::control, 100, now_).empty();
  }
  void send(std::size_t from, std::uint8_t link, const Frame & frame)
  {
    if (!cut_.at(link)) {
      flying_.emplace(now_ + (link == 0 ? lte_delay : radio_delay), Flight{1 - from, link, frame});
    }
  }
  void send_datagram(std::size_t from)
  {
    End & end = ends_.at(from);
    ++end.sent;
    const Frame frame{++end.sequence, Datagram{}};
    for (const Endpoint & to : end.set->routes(TrafficClass::telemetry, 100, now_)) {
      send(from, to.link, frame);
    }
  }
  void arrive(const Flight & flight)
  {
    if (cut_.at(flight.link)) {
      return;
    }
    End & end = ends_.at(flight.to);
    if (!end.seen.insert(flight.frame.sequence).second) {
      return;
    }
    end.set->handle_frame(
      address(1 - flight.to, flight.link), {1, flight.frame.sequence}, 100, now_);
    if (const auto * request = std::get_if<Request>(&flight.frame.content)) {
      send(flight.to, flight.link, {++end.sequence, Response{request->nonce}});
    } else if (const auto * response = std::get_if<Response>(&flight.frame.content)) {
      EXPECT_TRUE(
        end.set->handle_answer(response->nonce, address(1 - flight.to, flight.link), now_));
    } else {
      ++end.arrived;
    }
  }

  PathSettings settings_;
  std::array<End, 2> ends_;
  std::array<bool, 2> cut_ = {};
  std::multimap<Instant, Flight> flying_;
  Instant now_{1h};
  Instant next_datagram_{1h};
};

const std::vector<LinkSettings> lte_and_radio = {{"lte"}, {"radio"}};

}  // namespace

TEST(TwoEnds, random_cuts_of_one_link_at_a_time_cost_at_most_the_time_of_failover_each)
{
  for (const Schedule schedule : {Schedule::failover, Schedule::redundant}) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      std::mt19937_64 random(seed);
      TwoEnds pair(lte_and_radio, schedule);
      pair.run(3s);
      for (int i = 0; i < 5; ++i) {
        pair.settle();
        const std::array before = {pair.lost(0), pair.lost(1)};
        const std::size_t link = random() % 2;
        pair.cut(link, true);
        pair.run(std::chrono::milliseconds(100 + random() % 6000));
        pair.cut(link, false);
        pair.run(std::chrono::milliseconds(5000 + random() % 1000));
        pair.settle();
        for (const std::size_t from : {0U, 1U}) {
          // A frame that left before the cut arrives in vain, and the last one of the peer is one delay old.
          const Duration most =
            schedule == Schedule::failover && link == 0 ? 300ms + 2 * lte_delay : Duration{};
          EXPECT_LE(pair.lost(from) - before.at(from), static_cast<std::uint64_t>(most / spacing))
            << seed << " " << i << " " << from;
        }
      }
    }
  }
}

TEST(TwoEnds, a_slower_link_of_which_only_copies_arrive_stays_up)
{
  TwoEnds pair(lte_and_radio, Schedule::redundant);
  pair.run(30s);
  for (const std::size_t end : {0U, 1U}) {
    for (const std::size_t link : {0U, 1U}) {
      EXPECT_EQ(pair.report(end, link).state, PathState::up);
      EXPECT_EQ(pair.report(end, link).loss, 0);
    }
    EXPECT_EQ(pair.report(end, 0).rtt, 2 * lte_delay);
    EXPECT_EQ(pair.report(end, 1).rtt, 2 * radio_delay);
  }
}

TEST(TwoEnds, a_link_of_known_rate_takes_over_and_gives_back)
{
  for (const std::size_t first : {0U, 1U}) {
    auto links = lte_and_radio;
    links[1 - first].rate_kbit = 57.6;
    links[1 - first].type = LinkType::serial;
    TwoEnds pair(links, Schedule::failover);
    pair.run(5s);
    pair.cut(first, true);
    pair.run(15s);
    for (const std::size_t end : {0U, 1U}) {
      EXPECT_EQ(pair.report(end, first).state, PathState::down);
      EXPECT_EQ(pair.report(end, 1 - first).state, PathState::up);
    }
    pair.cut(first, false);
    pair.run(10s);
    for (const std::size_t end : {0U, 1U}) {
      EXPECT_EQ(pair.report(end, first).state, PathState::up);
      EXPECT_EQ(pair.report(end, 0).carries, true);
      EXPECT_EQ(pair.report(end, 1).carries, false);
    }
  }
}

}  // namespace pqc_tunnel
