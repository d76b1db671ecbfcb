// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "link/shaping/shaped_line.hpp"
#include "support/pair/wired_pair.hpp"

// Somebody repeats a recorded hello of the drone, which is genuine, from ever new ports: the answers come after all else.

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

struct Flood
{
  double rate_kbit;
  int hellos_per_s;
};

class FloodedLink : public testing::TestWithParam<Flood>
{
protected:
  void SetUp() override
  {
    WiredPair::Options options;
    options.latency = 20ms;
    options.settings.paths.links = {
      {.name = "lte", .type = LinkType::udp, .rate_kbit = GetParam().rate_kbit}};
    pair_ = std::make_unique<WiredPair>(options);
    pair_->set_datagram_filter([this](Side from, Bytes & bytes) {
      if (from == Side::drone && is_hello(bytes) && hello_.empty()) {
        hello_ = bytes;
      }
      return true;
    });
    ASSERT_TRUE(pair_->establish());
    // What the link carries: the shaper keeps to its rate, whoever gets the bytes.
    pair_->set_channel([this](Side from, Bytes & bytes) {
      return from == Side::gcs ? carry(bytes.size()) : std::vector<Duration>{0ms};
    });
    pair_->watch_elsewhere([this](Side from, ByteView bytes) {
      if (from == Side::gcs) {
        to_strangers_ += 48 + bytes.size();
        carry(bytes.size());
      }
    });
    pair_->run_for(15s);
  }

  std::vector<Duration> carry(std::size_t bytes)
  {
    free_at_ = std::max(free_at_, pair_->now());
    if (free_at_ > pair_->now() + 1s) {
      return {};
    }
    const std::chrono::duration<double> airtime(
      static_cast<double>(bytes + 48) * 8 / (1000 * GetParam().rate_kbit));
    free_at_ += std::chrono::duration_cast<Duration>(airtime);
    return {free_at_ - pair_->now()};
  }

  // Commands of the ground, 20 a second, while the hellos come.
  void fly(Duration time)
  {
    const Instant end = pair_->now() + time;
    const Duration step = Duration(1s) / GetParam().hellos_per_s;
    for (Instant next = pair_->now(); pair_->now() < end; pair_->run_for(step)) {
      Endpoint from = WiredPair::stranger();
      from.port = ++port_;
      pair_->inject(Side::gcs, hello_, from);
      pair_->pump();
      if (pair_->now() >= next) {
        next += 50ms;
        pair_->offer(Side::gcs, mavlink(command_long, ++commands_));
      }
    }
  }

  std::unique_ptr<WiredPair> pair_;
  Bytes hello_;
  std::uint16_t port_ = 1000;
  std::uint32_t commands_ = 0;
  std::uint64_t to_strangers_ = 0;
  Instant free_at_;
};

TEST_P(FloodedLink, delivers_every_command_and_renews_its_keys)
{
  pair_->received(Side::drone).clear();
  fly(5s);
  pair_->drone().request_rekey(rekey_to(nullptr), pair_->now());
  fly(5s);
  pair_->run_for(1s);
  EXPECT_EQ(pair_->received(Side::drone).size(), commands_);
  ASSERT_EQ(pair_->outcomes(Side::drone).size(), 1u);
  EXPECT_TRUE(pair_->outcomes(Side::drone)[0].success) << pair_->outcomes(Side::drone)[0].message;
  EXPECT_GT(to_strangers_, 0u);
  const double share = GetParam().rate_kbit * 1000 / 8 * 0.05;
  EXPECT_LT(static_cast<double>(to_strangers_), 10 * share + std::max(600.0, share) + 200);
  EXPECT_TRUE(
    pair_->reported(Side::gcs, EventKind::refused, "link lte: hellos that prove no address"));
  EXPECT_EQ(pair_->count(Side::gcs, EventKind::refused), 1u);
}

TEST_P(FloodedLink, answers_the_drone_that_comes_back)
{
  fly(2s);
  pair_->restart(Side::drone);
  const Instant begun = pair_->now();
  while (!pair_->agreed() && pair_->now() < begun + 10s) {
    fly(50ms);
  }
  EXPECT_TRUE(pair_->agreed());
  EXPECT_LT(pair_->now() - begun, 3s);
}

// Somebody who is faster has every frame of the drone, or one of a hundred, come from elsewhere first.
TEST_P(FloodedLink, loses_no_command_to_copies)
{
  for (const std::uint64_t one_of : {1U, 100U}) {
    std::uint64_t seen = 0;
    pair_->set_datagram_filter([&](Side from, Bytes & bytes) {
      if (from == Side::drone && !is_hello(bytes) && seen++ % one_of == 0) {
        pair_->deliver_later(Side::gcs, bytes, WiredPair::stranger(77), 10ms);
      }
      return true;
    });
    pair_->received(Side::drone).clear();
    const std::uint32_t before = commands_;
    for (int i = 0; i < 500; ++i, pair_->run_for(20ms)) {
      pair_->offer(Side::drone, mavlink(attitude, static_cast<std::uint32_t>(i)));
      pair_->offer(Side::gcs, mavlink(command_long, ++commands_));
      pair_->offer(Side::gcs, mavlink(param_value, static_cast<std::uint32_t>(i)));
    }
    pair_->run_for(1s);
    EXPECT_EQ(pair_->received(Side::drone).size(), 2 * (commands_ - before));
    pair_->set_datagram_filter(nullptr);
  }
}

INSTANTIATE_TEST_SUITE_P(
  Rates, FloodedLink, testing::Values(Flood{64, 200}, Flood{256, 700}, Flood{1000, 3000}));

}  // namespace
}  // namespace pqc_tunnel::test
