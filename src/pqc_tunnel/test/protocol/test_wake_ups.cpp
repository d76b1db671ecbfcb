// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <vector>

#include "support/wired_pair.hpp"

// The drone wakes up for what is due, although it has no report to send for long.

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

constexpr std::size_t question_size = frame_overhead + 5 + 8;

class RareReportsOfTheDrone : public testing::Test
{
protected:
  void establish(Duration peer_timeout, Duration max_key_age)
  {
    WiredPair::Options options;
    options.settings.report_interval = options.settings.keepalive_interval = 1h;
    options.settings.wipe_after = 0s;
    options.settings.peer_timeout = peer_timeout;
    options.settings.max_key_age = max_key_age;
    pair_ = std::make_unique<WiredPair>(options);
    pair_->watch_arrivals([this](Side to, const Endpoint &, ByteView, const Opened & opened) {
      heard_ = to == Side::drone && opened.peer ? pair_->now() : heard_;
    });
    ASSERT_TRUE(pair_->establish());
  }
  bool runs_until_prekey(Duration limit)
  {
    return pair_->run_until([this] { return pair_->snapshot(Side::drone).prekeys > 0; }, limit);
  }

  Instant heard_;
  std::unique_ptr<WiredPair> pair_;
};

TEST_F(RareReportsOfTheDrone, let_a_lost_ground_station_be_noticed_in_time)
{
  establish(4777ms, 0s);
  pair_->run_for(1s);
  pair_->set_datagram_filter([](Side, Bytes &) { return false; });
  ASSERT_TRUE(pair_->run_until([&] { return pair_->saw(Side::drone, EventKind::peer_lost); }, 7s));
  EXPECT_EQ(pair_->now(), heard_ + 4777ms);
}

TEST_F(RareReportsOfTheDrone, let_keys_be_renewed_in_time)
{
  establish(1h, 67s);
  const Instant exchanged = pair_->snapshot(Side::drone).key_installed;
  ASSERT_TRUE(pair_->run_until([&] { return pair_->saw(Side::drone, EventKind::key_limit); }, 80s));
  EXPECT_EQ(pair_->now(), exchanged + 67s);
}

TEST_F(RareReportsOfTheDrone, let_a_prekey_be_fetched_ahead_in_time)
{
  establish(1h, 0s);
  EXPECT_TRUE(runs_until_prekey(3s));
}

TEST_F(RareReportsOfTheDrone, let_a_request_for_a_prekey_be_repeated_in_time)
{
  establish(1h, 0s);
  constexpr std::size_t want_size = frame_overhead + 5 + sizeof(SuiteWireId);
  std::vector<Instant> lost;
  pair_->set_datagram_filter([&](Side from, Bytes & bytes) {
    const bool want = from == Side::drone && bytes.size() == want_size;
    if (want) {
      lost.push_back(pair_->now());
    }
    return !want;
  });
  ASSERT_TRUE(pair_->run_until([&lost] { return lost.size() == 2; }, 5s));
  EXPECT_LE(lost[1] - lost[0], control_retry_first * 6 / 5);
}

// Under boot keys, with pauses that double: at once, and after 125, 375, 875 and 1,875 ms.
TEST(QuestionsOfTheTime, under_boot_keys_are_repeated_until_one_is_answered)
{
  for (const bool answered : {true, false}) {
    WiredPair pair;
    pair.hold_jobs(Side::gcs, true);  // it says so every 2 s
    std::map<Side, std::size_t> questions;
    pair.set_datagram_filter([&](Side from, Bytes & bytes) {
      const bool question = bytes.size() == question_size;
      questions[from] += question ? 1 : 0;
      return answered || !question;
    });
    ASSERT_TRUE(pair.run_until([&] { return pair.saw(Side::gcs, EventKind::handshake_started); }));
    pair.run_for(3s);
    for (const Side side : both_sides) {
      EXPECT_EQ(questions[side], answered ? 1u : 5u);
    }
  }
}

// What is known of the ground station after a session was made and nothing has come since.
TEST(MissingDatagrams, are_a_fault_once_the_patience_ends)
{
  WiredPair pair;
  pair.set_datagram_filter(
    [&pair](Side, Bytes &) { return !pair.saw(Side::drone, EventKind::handshake_completed); });
  ASSERT_TRUE(
    pair.run_until([&] { return pair.saw(Side::drone, EventKind::handshake_completed); }));
  pair.run_for(datagram_patience - 100ms);
  EXPECT_EQ(pair.snapshot(Side::drone).likely_cause, "");
  pair.run_for(500ms);
  EXPECT_TRUE(pair.snapshot(Side::drone)
                .likely_cause.starts_with("handshake completed, but nothing arrives"));
}

}  // namespace
}  // namespace pqc_tunnel::test
