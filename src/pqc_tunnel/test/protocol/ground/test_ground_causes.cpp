// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "protocol/handshake/likely_cause.hpp"
#include "support/hostile/insiders_rekey.hpp"

// What the ground station says of a drone: its state, the likely cause of a trouble, and for how long; and what it wipes.

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

constexpr Duration memory = 1min;
constexpr Duration instantly{1};

std::string cause(WiredPair & pair) { return pair.snapshot(Side::gcs).likely_cause; }
PeerState state(WiredPair & pair) { return pair.snapshot(Side::gcs).state; }

bool nothing(Side, Bytes &) { return false; }

std::optional<JobResult> no_finish_holds(Side, Job & job)
{
  return std::holds_alternative<CompleteFinish>(job)
           ? std::optional(JobFailed{JobError::authenticated, "made to fail by the test"})
           : std::nullopt;
}

// --- Attempts that fail ---

TEST(CauseOnTheGround, is_the_failed_handshake_for_a_minute_while_there_is_no_session)
{
  WiredPair pair;
  pair.set_job_filter(no_finish_holds);
  const auto failed = [&] { return pair.saw(Side::gcs, EventKind::handshake_failed); };
  ASSERT_TRUE(pair.run_until(failed));
  pair.set_datagram_filter(nothing);
  EXPECT_TRUE(pair.events(Side::gcs).back().text.starts_with("handshake failed: made to fail"));
  EXPECT_EQ(cause(pair), "made to fail by the test");
  pair.run_for(memory - instantly);
  EXPECT_EQ(cause(pair), "made to fail by the test");
  pair.run_for(instantly);
  EXPECT_TRUE(cause(pair).starts_with("no hello of this drone arrives"));
}

TEST(CauseOnTheGround, is_a_failed_handshake_beside_a_session_only_if_the_session_was_lost_before)
{
  for (const bool is_lost : {false, true}) {
    WiredPair pair;
    ASSERT_TRUE(pair.establish());
    pair.run_for(3s);
    if (is_lost) {
      pair.set_datagram_filter(nothing);
      ASSERT_TRUE(pair.run_until([&] { return state(pair) == PeerState::lost; }));
      pair.set_datagram_filter(nullptr);
    }
    pair.set_job_filter(no_finish_holds);
    pair.restart(Side::drone);
    ASSERT_TRUE(pair.run_until([&] { return pair.saw(Side::gcs, EventKind::handshake_failed); }));
    pair.set_datagram_filter(nothing);
    ASSERT_TRUE(pair.run_until([&] { return state(pair) == PeerState::lost; }));
    EXPECT_EQ(cause(pair) == "made to fail by the test", is_lost) << cause(pair);
  }
}

TEST(LogOnTheGround, of_tries_after_a_failure_is_for_the_debugger_until_one_succeeds)
{
  WiredPair pair;
  bool fails = true;
  pair.set_job_filter(
    [&](Side at, Job & job) { return fails ? no_finish_holds(at, job) : std::nullopt; });
  const auto severities = [&](EventKind kind) {
    std::vector<EventSeverity> found;
    for (const Event & event : pair.events(Side::gcs)) {
      if (event.kind == kind) {
        found.push_back(severity(event));
      }
    }
    return found;
  };
  using Severities = std::vector<EventSeverity>;
  ASSERT_TRUE(
    pair.run_until([&] { return pair.count(Side::gcs, EventKind::handshake_failed) == 1; }));
  fails = false;
  ASSERT_TRUE(pair.establish());
  EXPECT_EQ(
    severities(EventKind::handshake_started),
    (Severities{EventSeverity::info, EventSeverity::debug}));
  EXPECT_EQ(severities(EventKind::handshake_completed), Severities{EventSeverity::info});
  pair.restart(Side::drone);
  ASSERT_TRUE(pair.run_until([&] { return severities(EventKind::handshake_started).size() == 3; }));
  EXPECT_EQ(severities(EventKind::handshake_started).back(), EventSeverity::info);
}

// --- Sessions that stay silent ---

class SilentSession : public testing::Test
{
protected:
  SilentSession()
  {
    pair_.set_datagram_filter([this](Side, Bytes &) {
      const bool made = pair_.count(Side::gcs, EventKind::handshake_completed) > made_before_;
      return !made;
    });
  }
  bool is_made()
  {
    return pair_.run_until(
      [&] { return pair_.count(Side::gcs, EventKind::handshake_completed) > made_before_; });
  }
  static constexpr std::string_view silent =
    "handshake completed, but nothing arrives from the drone";

  WiredPair pair_;
  Insider insider_{pair_};
  std::size_t made_before_ = 0;
};

TEST_F(SilentSession, is_named_after_two_seconds_and_a_round_trip)
{
  ASSERT_TRUE(is_made());
  pair_.run_for(datagram_patience - 1ms);
  EXPECT_FALSE(cause(pair_).starts_with(silent));
  EXPECT_FALSE(pair_.saw(Side::gcs, EventKind::handshake_failed));
  pair_.run_for(25ms);
  EXPECT_TRUE(cause(pair_).starts_with(silent));
  EXPECT_TRUE(pair_.reported(Side::gcs, EventKind::handshake_failed, silent));
  pair_.run_for(20s);
  EXPECT_FALSE(pair_.reported(Side::gcs, EventKind::handshake_failed, "did not complete"));
}

TEST_F(SilentSession, that_is_made_again_is_for_the_debugger)
{
  ASSERT_TRUE(is_made());
  pair_.run_for(10s);
  pair_.restart(Side::drone);
  made_before_ = pair_.count(Side::gcs, EventKind::handshake_completed);
  ASSERT_TRUE(is_made());
  const auto & events = pair_.events(Side::gcs);
  const auto completed = std::find_if(events.rbegin(), events.rend(), [](const Event & event) {
    return event.kind == EventKind::handshake_completed;
  });
  EXPECT_EQ(severity(*completed), EventSeverity::debug);
}

TEST_F(SilentSession, is_waited_for_from_the_newest_one_on)
{
  ASSERT_TRUE(is_made());
  pair_.run_for(1500ms);
  pair_.restart(Side::drone);
  made_before_ = pair_.count(Side::gcs, EventKind::handshake_completed);
  ASSERT_TRUE(is_made());
  pair_.run_for(datagram_patience - 1ms);
  EXPECT_FALSE(pair_.saw(Side::gcs, EventKind::handshake_failed));
  pair_.run_for(100ms);
  EXPECT_TRUE(pair_.saw(Side::gcs, EventKind::handshake_failed));
}

TEST_F(SilentSession, is_waited_for_as_long_as_the_round_trip_of_a_newer_attempt)
{
  ASSERT_TRUE(is_made());
  const Instant made = pair_.now();
  pair_.run_for(200ms);
  pair_.restart(Side::drone);
  made_before_ = pair_.count(Side::gcs, EventKind::handshake_completed);
  pair_.set_channel([](Side, Bytes &) { return std::vector<Duration>{300ms}; });
  pair_.set_job_filter([this](Side, Job & job) {
    if (std::holds_alternative<CompleteFinish>(job)) {
      pair_.hold_jobs(Side::gcs, true);
    }
    return std::optional<JobResult>();
  });
  pair_.run_for(made + datagram_patience + 300ms - pair_.now());
  EXPECT_FALSE(pair_.saw(Side::gcs, EventKind::handshake_failed));
  pair_.run_for(600ms);
  EXPECT_TRUE(pair_.reported(Side::gcs, EventKind::handshake_failed, silent));
}

TEST_F(SilentSession, is_no_trouble_while_the_session_before_it_is_in_use)
{
  made_before_ = 1;
  ASSERT_TRUE(pair_.establish());
  pair_.run_for(3s);
  pair_.restart(Side::drone);
  ASSERT_TRUE(is_made());
  pair_.run_for(1s);
  EXPECT_TRUE(insider_.say(Side::drone, {0, Keepalive{}}).peer);
  pair_.run_for(1500ms);
  EXPECT_FALSE(pair_.saw(Side::gcs, EventKind::handshake_failed));
  EXPECT_EQ(cause(pair_), "");
}

// --- Keys that are overdue ---

TEST(CauseOnTheGround, is_keys_that_are_overdue_from_two_minutes_after_their_age_on)
{
  for (const Duration age : {Duration(10min), Duration()}) {
    WiredPair::Options options;
    options.settings.max_key_age = 10min;
    options.gcs_settings = options.settings;
    options.gcs_settings->max_key_age = age;
    WiredPair pair(options);
    ASSERT_TRUE(pair.establish());
    const Instant made = pair.now();
    pair.set_job_filter([](Side, Job & job) -> std::optional<JobResult> {
      return std::holds_alternative<CompleteFinish>(job)
               ? std::optional(JobFailed{JobError::unauthenticated, "made to fail by the test"})
               : std::nullopt;
    });
    pair.run_for(made + 11min + 59s - pair.now());
    EXPECT_EQ(cause(pair), "");
    pair.run_for(2s);
    EXPECT_EQ(cause(pair).starts_with("the keys are due for renewal"), age > Duration{});
  }
}

// --- Hellos that nothing follows ---

TEST(CauseOnTheGround, is_a_port_that_is_blocked_from_the_eighth_hello_on)
{
  WiredPair pair;
  std::vector<Bytes> hellos;
  pair.set_datagram_filter([&](Side from, Bytes & bytes) {
    if (from == Side::drone) {
      hellos.push_back(bytes);
    }
    return false;
  });
  ASSERT_TRUE(pair.run_until([&] { return hellos.size() == 1; }));
  const auto is_unheard = [&] { return cause(pair).starts_with("the drone's hellos"); };
  for (std::uint8_t n = 1; n <= 8; ++n) {
    EXPECT_FALSE(is_unheard());
    pair.inject(Side::gcs, hellos.front(), WiredPair::stranger(n));
    pair.run_for(200ms);  // so that it is answered
  }
  EXPECT_TRUE(is_unheard());
  pair.run_for(memory - 201ms);
  EXPECT_TRUE(is_unheard());
  pair.run_for(2ms);
  EXPECT_FALSE(is_unheard());
}

// --- The state ---

TEST_F(InsidersRekey, shows_that_keys_are_made_from_its_job_to_its_end)
{
  establish();
  EXPECT_EQ(state(*pair_), PeerState::established);
  pair_->hold_jobs(Side::gcs, true);
  const RekeyOpening begun = opening(in_use());
  EXPECT_TRUE(costs_a_job(rekey(begun)));
  EXPECT_EQ(state(*pair_), PeerState::rekeying);
  pair_->hold_jobs(Side::gcs, false);
  pair_->run_for(50ms);
  EXPECT_TRUE(holds(made_id_));
  EXPECT_EQ(state(*pair_), PeerState::rekeying);
  insider_->say(Side::drone, {transaction_of(begun.client_random), Abort{AbortReason::failed}});
  EXPECT_EQ(state(*pair_), PeerState::established);
}

TEST(StateOnTheGround, does_not_show_a_new_session_that_is_made_beside_the_live_one)
{
  WiredPair pair;
  ASSERT_TRUE(pair.establish());
  pair.run_for(3s);
  pair.restart(Side::drone);
  ASSERT_TRUE(
    pair.run_until([&] { return pair.count(Side::gcs, EventKind::handshake_completed) == 2; }));
  EXPECT_EQ(state(pair), PeerState::established);
}

// --- Time-outs, with nothing else to wake the ground station ---

class RareReports : public testing::Test
{
protected:
  RareReports()
  {
    WiredPair::Options options;
    options.settings.report_interval = options.settings.keepalive_interval = 1h;
    options.settings.wipe_after = 0s;
    options.settings.peer_timeout = peer_timeout_;
    pair_ = std::make_unique<WiredPair>(options);
    pair_->watch_arrivals([this](Side to, const Endpoint &, ByteView, const Opened & opened) {
      heard_ = to == Side::gcs && opened.peer ? pair_->now() : heard_;
    });
    EXPECT_TRUE(pair_->establish());
    pair_->run_for(1s);
    pair_->set_datagram_filter(nothing);
  }
  const Duration peer_timeout_ = 4777ms;
  Instant heard_;
  std::unique_ptr<WiredPair> pair_;
};

TEST_F(RareReports, let_a_lost_drone_be_noticed_in_time)
{
  ASSERT_TRUE(pair_->run_until([&] { return pair_->saw(Side::gcs, EventKind::peer_lost); }, 7s));
  EXPECT_EQ(pair_->events(Side::gcs).back().time, heard_ + peer_timeout_);
}

TEST_F(RareReports, let_a_request_be_repeated_in_time)
{
  constexpr std::size_t size = frame_overhead + 5 + 6;
  pair_->gcs().request_rekey(rekey_to(nullptr), pair_->now());
  pair_->run_for(500ms);
  EXPECT_GE(std::ranges::count(pair_->datagrams_sent(Side::gcs), size, &Bytes::size), 2);
}

// --- Wiping ---

class Wiping : public testing::Test
{
protected:
  void wipe(WiredPair & pair)
  {
    pair.gcs().wipe(PeerIndex{0}, "test", pair.now());
    pair.pump();
  }
};

TEST_F(Wiping, is_reported_only_if_there_was_anything_to_wipe)
{
  WiredPair pair;
  wipe(pair);
  EXPECT_FALSE(pair.saw(Side::gcs, EventKind::keys_wiped));
  pair.hold_jobs(Side::gcs, true);
  ASSERT_TRUE(pair.run_until([&] { return state(pair) == PeerState::handshaking; }));
  wipe(pair);
  EXPECT_EQ(pair.count(Side::gcs, EventKind::keys_wiped), 1u);
  EXPECT_EQ(state(pair), PeerState::disconnected);
}

TEST_F(Wiping, ends_a_rekey_that_was_requested)
{
  WiredPair pair;
  ASSERT_TRUE(pair.establish());
  pair.gcs().request_rekey(rekey_to(nullptr), pair.now());
  wipe(pair);
  ASSERT_EQ(pair.outcomes(Side::gcs).size(), 1u);
  EXPECT_EQ(pair.outcomes(Side::gcs).front().message, "the session was wiped");
}

TEST_F(Wiping, after_a_silence_is_not_told_to_the_drone)
{
  WiredPair::Options options;
  options.settings.wipe_after = 60s;
  WiredPair pair(options);
  Insider insider(pair);
  ASSERT_TRUE(pair.establish());
  std::size_t told = 0;
  pair.set_datagram_filter([&](Side from, Bytes & bytes) {
    const auto frame = from == Side::gcs ? insider.read_control(Side::drone, bytes) : std::nullopt;
    told += frame && std::holds_alternative<Wiped>(frame->body) ? 1 : 0;
    return false;
  });
  ASSERT_TRUE(pair.run_until([&] { return pair.saw(Side::gcs, EventKind::keys_wiped); }, 100s));
  EXPECT_EQ(told, 0u);
}

// --- What is under the keys of a former session, and jobs of nobody ---

TEST(Superseded, is_told_of_a_clone_under_the_keys_of_a_former_session_alone)
{
  for (const bool former : {false, true}) {
    WiredPair pair;
    Insider insider(pair);
    ASSERT_TRUE(pair.establish());
    pair.run_for(3s);
    if (former) {
      pair.restart(Side::drone);
      ASSERT_TRUE(
        pair.run_until([&] { return pair.count(Side::gcs, EventKind::handshake_completed) == 2; }));
      ASSERT_TRUE(pair.establish());
      insider.say(Side::drone, {7, Abort{AbortReason::failed}});
      pair.inject(Side::gcs, insider.seal(Side::drone, FrameKind::data, Bytes(20)));
      EXPECT_EQ(cause(pair), "");
    }
    insider.say(Side::drone, {0, Superseded{}});
    EXPECT_EQ(cause(pair).find(identity_cloned) != std::string::npos, former) << cause(pair);
  }
}

TEST(JobResults, reach_the_stock_and_change_nothing_if_they_are_of_no_job_under_way)
{
  WiredPair pair;
  ASSERT_TRUE(pair.establish());
  pair.run_for(3s);
  EXPECT_GE(pair.snapshot(Side::gcs).pool.stored, 1u);
  pair.gcs().handle_job_result(
    JobId{0xffff}, JobFailed{JobError::authenticated, "made up by the test"}, pair.now());
  EXPECT_TRUE(pair.agreed());
  EXPECT_FALSE(pair.reported(Side::gcs, EventKind::rekey_failed, "made up"));
}

}  // namespace
}  // namespace pqc_tunnel::test
