// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <initializer_list>
#include <optional>
#include <set>

#include "protocol/wire/control_frame.hpp"
#include "support/hostile/insider.hpp"
#include "support/pair/traffic.hpp"

// What someone holds back while nothing else passes, and releases before anything newer, is not delivered.

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

constexpr std::uint32_t command = 77;

// A pair whose datagrams stop at once, in one or both directions.
class Blackout
{
public:
  Blackout()
  {
    EXPECT_TRUE(pair_.establish());
    pair_.run_for(1s);
  }

  WiredPair & pair() { return pair_; }

  // The command is sent, held, and the last thing that passes to the other end.
  void hold_a_command(Side from)
  {
    pair_.received(other(from)).clear();
    pair_.set_datagram_filter([this, from](Side side, Bytes & bytes) {
      if (side == from && !is_hello(bytes)) {
        held_.push_back(bytes);
      }
      return false;
    });
    ASSERT_TRUE(pair_.send(from, numbered(command)));
  }
  std::vector<Bytes> & held() { return held_; }
  void open_the_link() { pair_.set_datagram_filter(nullptr); }

  bool delivered(Side to, std::uint32_t number = command)
  {
    const auto & all = pair_.received(to);
    return std::ranges::find(all, numbered(number)) != all.end();
  }

private:
  WiredPair pair_;
  std::vector<Bytes> held_;
};

class HeldThroughABlackout : public testing::TestWithParam<std::tuple<Side, int>>
{
protected:
  Side from_ = std::get<0>(GetParam());
  Duration time_ = std::chrono::seconds(std::get<1>(GetParam()));
};

TEST_P(HeldThroughABlackout, a_command_that_is_released_first_is_not_delivered)
{
  Blackout blackout;
  blackout.hold_a_command(from_);
  blackout.pair().run_for(time_);
  blackout.open_the_link();
  const std::uint64_t before = blackout.pair().drops(other(from_), Drop::stale);
  const Opened opened = blackout.pair().inject(other(from_), blackout.held().front());
  EXPECT_TRUE(opened.peer);
  EXPECT_FALSE(opened.forward);
  EXPECT_TRUE(opened.stale);
  EXPECT_EQ(blackout.pair().drops(other(from_), Drop::stale), before + 1);
  blackout.pair().run_for(5s);
  EXPECT_TRUE(blackout.pair().agreed());
  EXPECT_FALSE(blackout.delivered(other(from_)));
  ASSERT_TRUE(blackout.pair().send(from_, numbered(command + 1)));
  blackout.pair().run_for(100ms);
  EXPECT_TRUE(blackout.delivered(other(from_), command + 1));
}

TEST_P(HeldThroughABlackout, a_notice_or_a_request_for_a_rekey_has_no_effect)
{
  Blackout blackout;
  WiredPair & pair = blackout.pair();
  blackout.hold_a_command(from_);
  blackout.held().clear();
  Notice notice;
  notice.kind = NoticeKind::computer;
  notice.assign(Bytes{1, 2, 3});
  ASSERT_TRUE(pair.end(from_).send_message(PeerIndex{0}, notice, pair.now()));
  if (from_ == Side::gcs) {
    pair.gcs().request_rekey(rekey_to(nullptr), pair.now());
  }
  pair.pump();
  const std::vector<Bytes> held = blackout.held();
  EXPECT_EQ(held.size(), from_ == Side::gcs ? 2u : 1u);
  pair.run_for(time_);
  const Side to = other(from_);
  const std::size_t started = pair.count(to, EventKind::rekey_started);
  const std::uint64_t before = pair.drops(to, Drop::stale);
  for (const Bytes & bytes : held) {
    pair.inject(to, bytes);
  }
  pair.pump();
  EXPECT_TRUE(pair.notices(to).empty());
  EXPECT_EQ(pair.count(to, EventKind::rekey_started), started);
  EXPECT_EQ(pair.drops(to, Drop::stale), before + held.size());
}

TEST_P(HeldThroughABlackout, a_command_is_not_delivered_right_after_the_link_has_proved_fresh)
{
  Blackout blackout;
  blackout.hold_a_command(from_);
  blackout.pair().run_for(time_);
  blackout.open_the_link();
  const std::uint64_t plain = blackout.pair().snapshot(other(from_)).traffic.plain_out_packets;
  Traffic traffic(blackout.pair());
  EXPECT_TRUE(traffic.run_until(
    [&] { return blackout.pair().snapshot(other(from_)).traffic.plain_out_packets > plain; }));
  EXPECT_FALSE(blackout.pair().inject(other(from_), blackout.held().front()).forward);
  EXPECT_FALSE(blackout.delivered(other(from_)));
}

// Answers that were held back with the command prove nothing, nor does a trickle of what was held.
TEST_P(HeldThroughABlackout, a_command_is_not_delivered_among_all_else_that_was_held)
{
  for (const Duration pause : {Duration(1ms), Duration(200ms)}) {
    Blackout blackout;
    blackout.hold_a_command(from_);
    // The other direction works: questions pass, and their answers are held.
    auto & held = blackout.held();
    blackout.pair().set_datagram_filter([&](Side side, Bytes & bytes) {
      if (side == from_ && !is_hello(bytes)) {
        held.push_back(bytes);
      }
      return side != from_ && !is_hello(bytes);
    });
    blackout.pair().run_for(time_ / 2);
    blackout.pair().send(from_, numbered(command + 1));
    blackout.pair().run_for(time_ / 2);
    const std::vector<Bytes> released = held;
    for (const Bytes & bytes : released) {
      EXPECT_FALSE(blackout.pair().inject(other(from_), bytes).forward);
      blackout.pair().run_for(std::min(pause, time_ / 100));
    }
  }
}

TEST_P(HeldThroughABlackout, a_command_is_not_delivered_after_a_new_session)
{
  Blackout blackout;
  WiredPair & pair = blackout.pair();
  const SessionId session = pair.snapshot(Side::drone).session;
  blackout.hold_a_command(from_);
  pair.run_for(time_);
  const Bytes held = blackout.held().front();
  // Everything passes from now on, except what the old keys seal.
  pair.set_datagram_filter([&](Side, Bytes & bytes) {
    if (is_hello(bytes)) {
      return true;
    }
    const FrameKeyId id = decode_frame_header(bytes)->key_id;
    for (const Side side : both_sides) {
      for (const InstalledKeys & keys : pair.snapshot(side).keys) {
        if (keys.session == session && (keys.send_id == id || keys.receive_id == id)) {
          return false;
        }
      }
    }
    return true;
  });
  ASSERT_TRUE(
    pair.run_until([&] { return pair.agreed() && pair.snapshot(Side::drone).session != session; }));
  EXPECT_FALSE(pair.inject(other(from_), held).forward);
  pair.run_for(50ms);
  ASSERT_TRUE(pair.send(from_, numbered(command + 1)));
  pair.run_for(50ms);
  EXPECT_TRUE(blackout.delivered(other(from_), command + 1));
  EXPECT_FALSE(blackout.delivered(other(from_)));
}

INSTANTIATE_TEST_SUITE_P(
  Seconds, HeldThroughABlackout,
  testing::Combine(testing::Values(Side::drone, Side::gcs), testing::Values(4, 60, 300)));

// The ground station has the keys of a rekey, and the first frames under them are held.
TEST(HeldUnderNewKeys, a_command_is_not_delivered_long_after_they_were_installed)
{
  WiredPair pair;
  ASSERT_TRUE(pair.establish());
  pair.run_for(1s);
  std::vector<Bytes> held;
  pair.set_datagram_filter([&](Side from, Bytes & bytes) {
    if (!pair.saw(Side::drone, EventKind::rekey_committed)) {
      return true;
    }
    if (from == Side::drone && !is_hello(bytes)) {
      held.push_back(bytes);
    }
    return false;
  });
  pair.drone().request_rekey(rekey_to(nullptr), pair.now());
  ASSERT_TRUE(pair.run_until([&] { return pair.saw(Side::drone, EventKind::rekey_committed); }));
  for (std::uint32_t number = command; number < command + 5; ++number) {
    ASSERT_TRUE(pair.send(Side::drone, numbered(number)));
    pair.run_for(100ms);
  }
  pair.run_for(60s);
  std::size_t opened = 0;
  for (const Bytes & bytes : std::vector(held)) {
    const Opened result = pair.inject(Side::gcs, bytes);
    opened += result.peer ? 1 : 0;
    EXPECT_FALSE(result.forward);
  }
  EXPECT_GT(opened, 0u);
}

// The ground station is there again once it has answered a question that was asked after the loss.
TEST(Outage, makes_each_end_ask_more_often_once_an_answer_is_overdue)
{
  Blackout blackout;
  WiredPair & pair = blackout.pair();
  pair.run_for(5s);
  for (const Side side : both_sides) {
    const auto sent_in = [&](Duration time) {
      const std::size_t before = pair.datagrams_sent(side).size();
      pair.run_for(time);
      return pair.datagrams_sent(side).size() - before;
    };
    const std::size_t usual = sent_in(1s);
    pair.set_datagram_filter([](Side, Bytes &) { return false; });
    pair.run_for(1750ms);
    EXPECT_GE(sent_in(1s), 2 * usual);
    blackout.open_the_link();
    pair.run_for(5s);
  }
}

TEST(Outage, is_not_ended_by_frames_that_answer_nothing)
{
  WiredPair pair;
  Insider insider(pair);
  ASSERT_TRUE(pair.establish());
  pair.run_for(1s);
  pair.set_datagram_filter([](Side, Bytes &) { return false; });
  const Instant asked_before = pair.now();
  const auto is_lost = [&] { return pair.snapshot(Side::drone).state == PeerState::lost; };
  ASSERT_TRUE(pair.run_until(is_lost, 10s));
  for (int i = 0; i < 100; ++i) {
    insider.say(Side::gcs, {0, Keepalive{}});
    const std::int64_t t1 = asked_before.time_since_epoch().count();
    insider.say(Side::gcs, {0, TimeResponse{t1, t1, t1}});
    pair.run_for(10ms);
    ASSERT_TRUE(is_lost());
  }
  EXPECT_FALSE(pair.saw(Side::drone, EventKind::peer_back));
  const std::int64_t t1 = pair.now().time_since_epoch().count();
  insider.say(Side::gcs, {0, TimeResponse{t1, t1, t1}});
  EXPECT_FALSE(is_lost());
  EXPECT_TRUE(pair.saw(Side::drone, EventKind::peer_back));
}

// The end whose datagrams pass used to see nothing wrong, as the other had received something once.
TEST(Link, that_passes_one_direction_only_is_named_at_both_ends_until_it_is_mended)
{
  for (const Side blocked : both_sides) {
    WiredPair pair;
    ASSERT_TRUE(pair.establish());
    Traffic traffic(pair);
    traffic.run_for(3s, 20ms);
    pair.set_datagram_filter([&](Side from, Bytes &) { return from != blocked; });
    traffic.run_for(3500ms, 20ms);
    const std::string name = blocked == Side::drone ? "the ground station" : "the drone";
    EXPECT_TRUE(pair.snapshot(blocked).likely_cause.starts_with(
      name + " receives nothing of what this end sends: UDP"))
      << pair.snapshot(blocked).likely_cause;
    EXPECT_NE(
      pair.snapshot(other(blocked)).likely_cause.find("nothing is received"), std::string::npos);
    traffic.run_for(4s, 20ms);
    for (const Side side : both_sides) {
      EXPECT_EQ(pair.snapshot(side).state, PeerState::lost);
    }
    EXPECT_TRUE(pair.reported(blocked, EventKind::peer_lost, "receives nothing of what this end"));
    EXPECT_EQ(pair.count(blocked, EventKind::peer_lost), 1u);
    traffic.run_for(15s, 20ms);
    EXPECT_NE(
      pair.snapshot(blocked).likely_cause.find("receives nothing of what"), std::string::npos);
    pair.set_datagram_filter(nullptr);
    EXPECT_TRUE(traffic.run_until([&] { return pair.agreed(); }, 10s, 20ms));
    traffic.run_for(2s, 20ms);
    for (const Side side : both_sides) {
      EXPECT_EQ(pair.snapshot(side).likely_cause, "");
      EXPECT_TRUE(pair.agreed());
    }
  }
}

// Whoever lets datagrams pass, but no answer, is found out by that, and a drone that answers is back.
TEST(GroundStation, takes_a_drone_that_does_not_answer_for_lost_until_it_does)
{
  WiredPair pair;
  ASSERT_TRUE(pair.establish());
  pair.run_for(1s);
  std::set<std::size_t> answers;
  for (const ControlBody & body : std::initializer_list<ControlBody>{
         TimeResponse{}, LinkReport{{}, std::nullopt, TimeResponse{}},
         LinkReport{{}, TimeRequest{}, TimeResponse{}}})
  {
    answers.insert(frame_overhead + encode(ControlFrame{0, body}).size());
  }
  pair.set_datagram_filter(
    [&](Side from, Bytes & bytes) { return from == Side::gcs || !answers.contains(bytes.size()); });
  pair.run_for(7s);
  EXPECT_EQ(pair.snapshot(Side::gcs).state, PeerState::lost);
  EXPECT_TRUE(pair.reported(Side::gcs, EventKind::peer_lost, "but no answer does"));
  EXPECT_FALSE(pair.saw(Side::gcs, EventKind::peer_back));
  pair.set_datagram_filter(nullptr);
  EXPECT_TRUE(pair.run_until([&] { return pair.saw(Side::gcs, EventKind::peer_back); }, 2s));
  EXPECT_TRUE(pair.agreed());
}

}  // namespace
}  // namespace pqc_tunnel::test
