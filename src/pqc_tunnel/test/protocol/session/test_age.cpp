// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cstring>
#include <deque>

#include "support/hostile/insider.hpp"
#include "support/pair/traffic.hpp"
#include "support/repetitions.hpp"

// No datagram is delivered that is older than max_age and the usual way, and none that is younger is refused.

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

// Datagrams both ways, and how old each was when it was delivered.
class AgedTraffic
{
public:
  explicit AgedTraffic(WiredPair & pair) : pair_(pair)
  {
    pair.watch_arrivals([this](Side to, const Endpoint &, ByteView, const Opened & opened) {
      if (opened.forward) {
        std::uint32_t number = 0;
        std::memcpy(&number, opened.plaintext.data(), sizeof(number));
        oldest[to] = std::max(oldest[to], pair_.now() - sent_at_.at(number));
        ++delivered[to];
      }
    });
  }

  void run_for(Duration time, Duration interval = 20ms)
  {
    const Instant end = pair_.now() + time;
    while (pair_.now() < end) {
      for (const Side from : both_sides) {
        sent_at_.push_back(pair_.now());
        sent[from] += pair_.send(from, numbered(next_++)) ? 1 : 0;
      }
      pair_.run_for(interval);
    }
  }

  std::map<Side, Duration> oldest;
  std::map<Side, std::size_t> sent;
  std::map<Side, std::size_t> delivered;

private:
  WiredPair & pair_;
  std::uint32_t next_ = 0;
  std::vector<Instant> sent_at_;
};

struct Clocks
{
  Side held;
  Duration drone_ahead;
};

class HeldBack : public testing::TestWithParam<Clocks>
{
protected:
  HeldBack()
  {
    options_.drone_ahead = GetParam().drone_ahead;
    options_.settings.find_rate =
      false;  // what is held back looks like a queue, which would bundle
    pair_ = std::make_unique<WiredPair>(options_);
    EXPECT_TRUE(pair_->establish());
    traffic_ = std::make_unique<AgedTraffic>(*pair_);
    traffic_->run_for(3s);
  }

  // Sealed frames of the one end wait; hellos pass, so that a new session is possible.
  void hold()
  {
    pair_->set_datagram_filter([this](Side side, Bytes & bytes) {
      if (side == from_ && !is_hello(bytes)) {
        held_.push_back(bytes);
        return false;
      }
      return true;
    });
  }
  void release(std::size_t count)
  {
    for (; count > 0 && !held_.empty(); --count, held_.pop_front()) {
      pair_->deliver_later(to_, held_.front(), WiredPair::address_of(from_), 0ns);
    }
  }
  // Of the way back, which nobody holds.
  Duration usual_way() const { return options_.latency; }

  void expect_refused_and_told()
  {
    const Duration bound = options_.settings.max_age + usual_way();
    EXPECT_LE(traffic_->oldest[to_], bound);
    EXPECT_GT(pair_->drops(to_, Drop::stale), 0u);
    EXPECT_TRUE(pair_->saw(to_, EventKind::link_stretched));
    EXPECT_LE(traffic_->oldest[from_], bound);
    EXPECT_EQ(pair_->drops(from_, Drop::stale), 0u);
  }

  WiredPair::Options options_;
  Side from_ = GetParam().held;
  Side to_ = other(from_);
  std::unique_ptr<WiredPair> pair_;
  std::unique_ptr<AgedTraffic> traffic_;
  std::deque<Bytes> held_;
};

TEST_P(HeldBack, and_released_at_once_again_and_again)
{
  for (int round = 0; round < 10; ++round) {
    hold();
    traffic_->run_for(2800ms);
    pair_->set_datagram_filter(nullptr);
    release(held_.size());
    pair_->run_for(400ms);
  }
  expect_refused_and_told();
  EXPECT_TRUE(pair_->snapshot(to_).stretched);
  EXPECT_NE(pair_->snapshot(to_).likely_cause.find("max_age_s"), std::string::npos);
  EXPECT_TRUE(pair_->saw(from_, EventKind::link_stretched));  // its questions are answered late
}

TEST_P(HeldBack, and_let_through_one_by_one)
{
  hold();
  for (int frame = 0; frame < 40; ++frame) {
    traffic_->run_for(2500ms);
    release(1);
  }
  expect_refused_and_told();
}

TEST_P(HeldBack, a_little_longer_each_second)
{
  const Instant begin = pair_->now();
  pair_->set_channel([&](Side side, Bytes &) {
    const Duration late = std::min<Duration>((pair_->now() - begin) / 10, 5500ms);
    return std::vector<Duration>{side == from_ ? late : Duration{}};
  });
  traffic_->run_for(90s);
  expect_refused_and_told();
}

TEST_P(HeldBack, all_but_every_fiftieth)
{
  std::size_t count = 0;
  pair_->set_datagram_filter([&](Side side, Bytes & bytes) {
    if (side != from_ || is_hello(bytes) || ++count % 50 == 0) {
      return true;
    }
    held_.push_back(bytes);
    return false;
  });
  for (int round = 0; round < 60; ++round) {
    traffic_->run_for(1s);
    release(held_.size() > 150 ? 25 : 0);
  }
  EXPECT_LE(traffic_->oldest[to_], options_.settings.max_age + usual_way());
}

// From the first frame of a session on the way seems to be long; more than max_age is not taken for usual.
TEST_P(HeldBack, from_the_start_of_a_session)
{
  WiredPair pair(options_);
  pair.set_channel([&](Side side, Bytes & bytes) {
    return std::vector<Duration>{side == from_ && !is_hello(bytes) ? 3s : 0s};
  });
  pair.run_for(10s);
  AgedTraffic traffic(pair);
  traffic.run_for(60s);
  EXPECT_LE(traffic.oldest[to_], 2 * options_.settings.max_age);
}

INSTANTIATE_TEST_SUITE_P(
  EitherWay, HeldBack,
  testing::Values(
    Clocks{Side::drone, 0s}, Clocks{Side::gcs, 0s}, Clocks{Side::drone, 12'345'678ms},
    Clocks{Side::gcs, 12'345'678ms}, Clocks{Side::drone, -511s}, Clocks{Side::gcs, 513s}),
  [](const auto & test) {
    return std::string(test.param.held == Side::drone ? "drone" : "gcs") + "_" +
           std::to_string(test.index);
  });

// Frames that were held back, while nothing else comes.
class OldFrames : public testing::TestWithParam<Side>
{
protected:
  OldFrames()
  {
    EXPECT_TRUE(pair_.establish());
    pair_.run_for(3s);
    silent_from_ = pair_.now();
    for (int i = 0; i < 50; ++i) {
      held_.push_back(insider_.seal(from_, FrameKind::data, numbered(1)));
    }
    pair_.set_datagram_filter([](Side, Bytes &) { return false; });
    pair_.run_for(1200ms);
  }

  WiredPair pair_;
  Insider insider_{pair_};
  Side to_ = GetParam();
  Side from_ = other(to_);
  std::deque<Bytes> held_;
  Instant silent_from_;
};

TEST_P(OldFrames, are_no_sign_of_life)
{
  const auto lost = [this] { return pair_.saw(to_, EventKind::peer_lost); };
  for (; !held_.empty() && !lost(); held_.pop_front()) {
    EXPECT_TRUE(pair_.inject(to_, held_.front()).stale);
    pair_.run_for(100ms);
  }
  EXPECT_LE(pair_.now() - silent_from_, 3200ms);
  EXPECT_TRUE(pair_.reported(to_, EventKind::peer_lost, "arrive, but no answer does"));
}

TEST_P(OldFrames, are_reported_and_make_the_end_ask_for_the_time_at_once)
{
  const std::size_t sent = pair_.datagrams_sent(to_).size();
  pair_.inject(to_, held_[0]);
  EXPECT_TRUE(pair_.reported(to_, EventKind::link_stretched, "datagrams arrive"));
  EXPECT_FALSE(pair_.reported(to_, EventKind::link_stretched, ";")) << "the machine is well";
  EXPECT_EQ(pair_.datagrams_sent(to_).size(), sent + 1);
  const auto asked = insider_.read_control(from_, pair_.datagrams_sent(to_).back());
  ASSERT_TRUE(asked);
  EXPECT_TRUE(std::holds_alternative<TimeRequest>(asked->body));
  pair_.inject(to_, held_[1]);
  EXPECT_EQ(pair_.datagrams_sent(to_).size(), sent + 1);
}

INSTANTIATE_TEST_SUITE_P(
  At, OldFrames, testing::Values(Side::drone, Side::gcs),
  [](const auto & at) { return at.param == Side::drone ? "drone" : "ground"; });

// --- What is young is delivered ---

struct Way
{
  const char * name;
  Duration latency;
  double loss;
};

class Lossy : public testing::TestWithParam<Way>
{
};

TEST_P(Lossy, links_lose_nothing_more)
{
  for (std::uint64_t seed = 1; seed <= repetitions(std::uint64_t{40}); ++seed) {
    WiredPair::Options options;
    options.latency = GetParam().latency;
    options.seed = seed;
    options.drone_ahead = std::chrono::seconds(seed * 37);
    WiredPair pair(options);
    SeededRandom random(seed);
    AgedTraffic traffic(pair);
    pair.set_datagram_filter([&](Side, Bytes &) { return random.uniform() >= GetParam().loss; });
    traffic.run_for(15s, 50ms);
    RekeyCommand ratchet = rekey_to(nullptr);
    ratchet.ratchet = true;
    pair.drone().request_rekey(ratchet, pair.now(Side::drone));
    traffic.run_for(10s, 50ms);
    for (const Side side : both_sides) {
      EXPECT_EQ(pair.drops(side, Drop::stale), 0u) << seed;
      EXPECT_FALSE(pair.saw(side, EventKind::link_stretched)) << seed;
      EXPECT_GT(traffic.delivered[side], 0u);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
  Links, Lossy,
  testing::Values(
    Way{"wifi", 2ms, 0}, Way{"wifi_5", 2ms, 0.05}, Way{"wifi_20", 2ms, 0.2},
    Way{"lte_20", 45ms, 0.2}, Way{"satellite", 300ms, 0}, Way{"satellite_5", 300ms, 0.05},
    Way{"satellite_20", 300ms, 0.2}),
  [](const auto & way) { return way.param.name; });

TEST(Young, datagrams_of_a_long_flight_are_delivered)
{
  WiredPair::Options options;
  options.drone_ahead = 77s;
  WiredPair pair(options);
  ASSERT_TRUE(pair.establish());
  AgedTraffic traffic(pair);
  traffic.run_for(45min, 500ms);
  for (const Side side : both_sides) {
    EXPECT_EQ(traffic.delivered[side], traffic.sent[side]);
  }
}

TEST(Young, datagrams_pass_at_once_after_an_outage)
{
  for (const Duration outage : {1s, 10s, 100s}) {
    WiredPair pair;
    ASSERT_TRUE(pair.establish());
    pair.run_for(3s);
    pair.set_datagram_filter([](Side, Bytes &) { return false; });
    pair.run_for(outage);
    pair.set_datagram_filter([](Side, Bytes & bytes) { return !is_hello(bytes); });
    AgedTraffic traffic(pair);
    traffic.run_for(2s);
    pair.run_for(100ms);
    for (const Side side : both_sides) {
      EXPECT_EQ(traffic.delivered[side], traffic.sent[side]);
    }
  }
}

TEST(Young, datagrams_come_by_a_fast_and_a_slow_link)
{
  for (const Schedule schedule : {Schedule::failover, Schedule::redundant}) {
    WiredPair::Options options;
    options.settings.paths =
      PathSettings{{{.name = "wifi", .mtu = 1500}, {.name = "satellite", .mtu = 1500}}};
    options.settings.paths.schedule = schedule;
    WiredPair pair(options);
    SeededRandom random(5);
    bool fast_works = true;
    pair.set_link_weather([&](Side, std::uint8_t link) -> std::optional<Duration> {
      if (link == 0) {
        return fast_works ? std::optional<Duration>(0ms) : std::nullopt;
      }
      return random.uniform() < 0.2 ? std::nullopt : std::optional<Duration>(300ms);
    });
    ASSERT_TRUE(pair.establish());
    AgedTraffic traffic(pair);
    for (int change = 0; change < 10; ++change) {
      traffic.run_for(15s, 50ms);
      fast_works = !fast_works;
    }
    for (const Side side : both_sides) {
      EXPECT_EQ(pair.drops(side, Drop::stale), 0u);
    }
  }
}

// --- Clocks that jump ---

TEST(Clocks, that_jump_are_known_again_after_a_round_trip)
{
  for (const Duration jump : {1s, 5s, 600s, 1024s}) {
    WiredPair::Options options;
    options.latency = 100ms;
    options.settings.find_rate = false;  // a jump looks like a queue, which would bundle
    WiredPair pair(options);
    ASSERT_TRUE(pair.establish());
    pair.run_for(3s);
    AgedTraffic traffic(pair);
    traffic.run_for(1s);
    pair.set_drone_ahead(jump);
    traffic.run_for(10s);
    for (const Side side : both_sides) {
      EXPECT_LE(pair.drops(side, Drop::stale), 60u) << jump.count();
      const std::size_t before = traffic.delivered[side];
      traffic.run_for(2s);
      EXPECT_GE(traffic.delivered[side], before + 90) << jump.count();
    }
  }
}

TEST(Clocks, of_an_end_that_starts_again_are_known_with_its_session)
{
  for (const Side side : both_sides) {
    WiredPair pair;
    ASSERT_TRUE(pair.establish());
    pair.run_for(3s);
    pair.set_drone_ahead(500s);
    pair.restart(side);
    if (side == Side::gcs) {
      pair.restart(Side::drone);
    }
    ASSERT_TRUE(pair.establish());
    AgedTraffic traffic(pair);
    traffic.run_for(5s);
    EXPECT_EQ(pair.drops(Side::gcs, Drop::stale) + pair.drops(Side::drone, Drop::stale), 0u);
  }
}

// --- Nothing gets young again ---

TEST(Age, is_not_forgotten_after_a_whole_period_of_the_time_in_frames)
{
  for (const Side from : both_sides) {
    for (const Duration more : {-1s, 0s, 1s}) {
      WiredPair::Options options;
      options.settings.wipe_after = 0s;
      WiredPair pair(options);
      ASSERT_TRUE(pair.establish());
      pair.run_for(3s);
      std::vector<Bytes> held;
      pair.set_datagram_filter([&](Side side, Bytes & bytes) {
        if (side == from && !is_hello(bytes)) {
          held.push_back(bytes);
        }
        return false;
      });
      ASSERT_TRUE(pair.send(from, numbered(1)));
      ASSERT_TRUE(pair.send(from, numbered(2)));
      pair.run_for(1024s + more);
      EXPECT_FALSE(pair.inject(other(from), held[0]).forward);
      // An answer proves what is sealed after it, and nothing before.
      pair.set_datagram_filter([](Side, Bytes & bytes) { return !is_hello(bytes); });
      pair.run_for(600ms);
      EXPECT_FALSE(pair.inject(other(from), held[1]).forward);
      pair.received(other(from)).clear();
      ASSERT_TRUE(pair.send(from, numbered(3)));
      pair.run_for(20ms);
      EXPECT_EQ(pair.received(other(from)).size(), 1u);
    }
  }
}

}  // namespace
}  // namespace pqc_tunnel::test
