// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "support/insider.hpp"
#include "support/traffic.hpp"

// Control frames out of place, from an end that has the keys and misbehaves.

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

const Suite & current_suite() { return suite("cs-mlkem768-aesgcm-mldsa65"); }
const Suite & another_suite() { return suite("cs-mlkem768-chacha20poly1305-mldsa65"); }

TEST(InsidersControl, of_an_unknown_type_is_ignored_and_counted)
{
  WiredPair pair;
  Insider insider(pair);
  ASSERT_TRUE(pair.establish());
  for (const Side as : both_sides) {
    for (unsigned type = 0; type < 256; ++type) {
      if (type >= 1 && type <= 11) {
        continue;
      }
      const auto before = pair.snapshot(other(as)).traffic.control_ignored;
      EXPECT_TRUE(
        insider.say_control(as, Bytes({static_cast<std::uint8_t>(type), 0, 0, 0, 0, 0, 0, 0}))
          .peer);
      EXPECT_EQ(pair.snapshot(other(as)).traffic.control_ignored, before + 1) << type;
    }
    EXPECT_TRUE(insider.say_control(as, {}).peer);
  }
  pair.run_for(1s);
  EXPECT_TRUE(pair.agreed());
}

TEST(InsidersControl, out_of_place_changes_nothing)
{
  WiredPair pair;
  Insider insider(pair);
  ASSERT_TRUE(pair.establish());
  const auto jobs = pair.jobs_run(Side::gcs);
  const std::vector<ControlFrame> frames = {
    {7, Ready{1}},
    {7, Busy{0xffffffff}},
    {7, Commit{SessionId{{1}}, Epoch{9}, {}}},
    {7, CommitAck{}},
    {7, Abort{AbortReason::failed}},
    {7, TimeResponse{}},
    {7, TimeResponse{INT64_MIN, INT64_MAX, INT64_MIN}},
    {7, TimeResponse{INT64_MAX, INT64_MIN, INT64_MAX}},
    {7, TimeRequest{INT64_MIN}},
    {7, Keepalive{}},
  };
  for (const Side as : both_sides) {
    for (const ControlFrame & frame : frames) {
      EXPECT_TRUE(insider.say(as, frame).peer);
    }
  }
  // A ground station does not announce a rekey, nor does a drone ask for one.
  EXPECT_TRUE(insider.say(Side::gcs, {7, Prepare{Epoch{1}, current_suite().wire_id}}).peer);
  EXPECT_TRUE(insider.say(Side::drone, {7, RekeyRequest{current_suite().wire_id}}).peer);
  pair.run_for(1s);  // not longer: to the replay windows, the true ends are far behind now
  EXPECT_TRUE(pair.agreed());
  EXPECT_EQ(pair.snapshot(Side::drone).epoch, Epoch{0});
  EXPECT_EQ(pair.jobs_run(Side::gcs), jobs);
  EXPECT_TRUE(pair.drone().blacklist(PeerIndex{0}, pair.now()).empty());
}

TEST(InsidersControl, prepare_repeated_without_end_keeps_one_job_at_work)
{
  WiredPair::Options options;
  options.time_of_job = [](const Job & job) {
    return std::holds_alternative<PrepareHello>(job) ? Duration(1s) : Duration(1ms);
  };
  WiredPair pair(options);
  Insider insider(pair);
  ASSERT_TRUE(pair.establish());
  const auto jobs = pair.jobs_run(Side::gcs);
  for (std::uint32_t transaction = 0; transaction < 1000; ++transaction) {
    const Suite & wanted = transaction % 2 == 0 ? current_suite() : another_suite();
    insider.say(Side::drone, {transaction, Prepare{Epoch{1}, wanted.wire_id}});
    pair.run_for(10ms);
  }
  EXPECT_LE(pair.jobs_run(Side::gcs) - jobs, 11u);
}

TEST(InsidersControl, of_random_content_does_no_more_than_its_type_may)
{
  WiredPair pair;
  Insider insider(pair);
  ASSERT_TRUE(pair.establish());
  const SessionId session = pair.snapshot(Side::drone).session;
  constexpr std::uint8_t sizes[] = {6, 4, 4, 25, 0, 1, 8, 24, 64, 0, 5};
  for (int i = 0; i < 20'000; ++i) {
    const auto type = static_cast<std::size_t>(pair.random().uniform() * 11);
    Bytes frame(8 + sizes[type]);
    pair.random().fill(frame);
    frame[0] = static_cast<std::uint8_t>(type + 1);
    frame[6] = 0;
    frame[7] = sizes[type];
    const Side as = i % 2 == 0 ? Side::drone : Side::gcs;
    ASSERT_TRUE(insider.say_control(as, frame).peer);
  }
  pair.run_for(1s);
  for (const Side side : both_sides) {
    EXPECT_EQ(pair.snapshot(side).session, session);
    EXPECT_EQ(pair.snapshot(side).epoch, Epoch{0});
    EXPECT_EQ(pair.snapshot(side).state, PeerState::established);
  }
  EXPECT_TRUE(pair.drone().blacklist(PeerIndex{0}, pair.now()).empty());
}

}  // namespace
}  // namespace pqc_tunnel::test
