// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "support/hostile/insiders_rekey.hpp"
#include "support/hostile/psk_thief.hpp"

// New sessions at the ground station: hellos that are refused, attempts that replace each other, what comes under boot keys.

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

// A ground station, and somebody with a drone's PSK.
class GroundStation : public testing::Test
{
protected:
  GroundStation()
  {
    settings_.initial_suite = &suite("cs-mlkem768-aesgcm-mldsa65");
    options_.settings = settings_;
    start();
  }
  void start()
  {
    pair_ = std::make_unique<WiredPair>(options_);
    thief_ = std::make_unique<PskThief>(*pair_, settings_);
  }
  void silence_drone()
  {
    pair_->set_datagram_filter([](Side from, Bytes &) { return from == Side::gcs; });
  }
  std::size_t count(EventKind kind) const { return pair_->count(Side::gcs, kind); }
  std::size_t started() const { return count(EventKind::handshake_started); }
  std::size_t jobs() const { return pair_->jobs_run(Side::gcs); }
  // Whether the ground station tells the thief that its prekey takes a while.
  bool says_later()
  {
    return std::ranges::any_of(thief_->answers(), [](const ControlFrame & frame) {
      return std::holds_alternative<Later>(frame.body);
    });
  }
  const Event & newest_event() { return pair_->events(Side::gcs).back(); }

  const Endpoint first_ = WiredPair::stranger(101);
  const Endpoint second_ = WiredPair::stranger(102);
  TunnelSettings settings_;
  WiredPair::Options options_;
  std::unique_ptr<WiredPair> pair_;
  std::unique_ptr<PskThief> thief_;
};

// --- Hellos that are refused ---

TEST_F(GroundStation, names_what_is_wrong_with_the_hello_of_a_stranger)
{
  silence_drone();
  const auto expect = [&](const Bytes & hello, std::string_view words) {
    pair_->run_for(2s);
    pair_->inject(Side::gcs, hello, first_);
    pair_->pump();
    EXPECT_TRUE(newest_event().text.starts_with("hello of a stranger dropped: it "));
    EXPECT_NE(newest_event().text.find(words), std::string::npos) << newest_event().text;
  };
  expect(Bytes(client_hello_size, 0x81), "is no hello of this protocol (1 so far)");
  Bytes forged = thief_->frame();
  forged.back() ^= 1;
  expect(forged, "has the id of drone 1, but a different key (1 so far)");
  thief_->hello().drone_id.bytes.fill(0xee);
  expect(thief_->frame(), "has the id of no known drone");
}

TEST_F(GroundStation, names_sessions_that_begin_too_often_for_a_minute)
{
  silence_drone();
  for (int i = 0; i < 3; ++i) {
    thief_->begin_session(first_);
  }
  EXPECT_EQ(started(), 2u);
  EXPECT_EQ(
    newest_event().text,
    "hello of a stranger dropped: sessions with the key of drone 1 begin too often (1 so far)");
  const auto crowded = [&] {
    return pair_->snapshot(Side::gcs).likely_cause.starts_with("sessions begin too often");
  };
  EXPECT_TRUE(crowded());
  pair_->run_for(1min - Duration(1));
  EXPECT_TRUE(crowded());
  pair_->run_for(Duration(1));
  EXPECT_FALSE(crowded());
}

TEST_F(GroundStation, warns_of_strangers_anew_after_they_have_been_quiet_for_20_minutes)
{
  silence_drone();
  const auto come = [&] {
    pair_->inject(Side::gcs, Bytes(client_hello_size, 0x81), first_);
    pair_->pump();
    return severity(newest_event());
  };
  for (const auto & [quiet, anew] : {std::pair<Duration, bool>{20min, true}, {19min, false}}) {
    for (int second = 0; second < 100; ++second) {
      come();
      pair_->run_for(1s);
    }
    pair_->run_for(quiet - 1s);
    come();
    pair_->run_for(6s);
    EXPECT_EQ(come() == EventSeverity::warning, anew);
  }
}

// The policy hash covers the mode; whoever has the PSK can send one without the other.
TEST_F(GroundStation, rejects_another_mode_and_an_unknown_suite_whatever_else_the_hello_says)
{
  silence_drone();
  const auto expect_rejected = [&](std::string_view words) {
    thief_->begin_session(first_);
    ASSERT_EQ(pair_->sent_elsewhere(Side::gcs).size(), 1u);
    EXPECT_EQ(hello_type(pair_->sent_elsewhere(Side::gcs).back().second), HelloType::reject);
    EXPECT_TRUE(newest_event().text.starts_with("handshake refused: ")) << newest_event().text;
    EXPECT_NE(newest_event().text.find(words), std::string::npos) << newest_event().text;
  };
  thief_->hello().mode = HandshakeMode{true, false}.to_wire();
  expect_rejected("must be configured alike");
  thief_->hello().mode = HandshakeMode{}.to_wire();
  thief_->hello().suite = {99, 99, 99, 99, 99};
  expect_rejected("a suite that is unknown here");
  EXPECT_EQ(started(), 0u);
  EXPECT_EQ(jobs(), 0u);
}

TEST_F(GroundStation, refuses_a_drone_that_signs_with_a_key_that_nobody_has_told_it)
{
  options_.settings.mode.drone_signature = true;
  options_.alter_gcs = [](GcsIdentity &, DroneRecord & record) { record.drone_keys.clear(); };
  start();
  EXPECT_FALSE(pair_->establish());
  EXPECT_TRUE(pair_->reported(Side::gcs, EventKind::refused, "no public key of drone 1 is known"));
  EXPECT_EQ(jobs(), 0u);
}

// --- Attempts that replace each other ---

TEST_F(GroundStation, lets_the_newer_of_two_hosts_of_the_same_standing_begin)
{
  silence_drone();
  thief_->begin_session(first_);
  thief_->begin_session(second_);
  EXPECT_EQ(started(), 2u);
}

TEST_F(GroundStation, begins_no_less_when_the_job_of_an_attempt_that_was_replaced_fails)
{
  silence_drone();
  pair_->hold_jobs(Side::gcs, true);
  int failed = 0;
  pair_->set_job_filter([&](Side, Job & job) -> std::optional<JobResult> {
    return std::holds_alternative<IssuePrekey>(job) && failed++ == 0
             ? std::optional(JobFailed{JobError::authenticated, "made to fail by the test"})
             : std::nullopt;
  });
  thief_->begin_session(first_);
  thief_->begin_session(second_);
  pair_->hold_jobs(Side::gcs, false);
  pair_->run_for(100ms);
  EXPECT_EQ(failed, 2);
  EXPECT_EQ(count(EventKind::handshake_failed), 0u);
}

TEST_F(GroundStation, lets_another_host_begin_once_that_of_the_live_session_gets_on_no_more)
{
  ASSERT_TRUE(pair_->establish());
  pair_->restart(Side::drone);
  ASSERT_TRUE(pair_->run_until([&] { return started() == 2; }));
  silence_drone();
  const Instant begun = pair_->now();
  pair_->run_for(1s);
  thief_->begin_session(first_);
  EXPECT_EQ(started(), 2u);
  pair_->run_for(begun + answer_patience - pair_->now() + 100ms);
  thief_->begin_session(first_);
  EXPECT_EQ(started(), 3u);
}

TEST_F(GroundStation, counts_a_repeated_hello_of_an_attempt_that_has_ended)
{
  silence_drone();
  thief_->begin_session(first_);
  const Bytes former = thief_->frame();
  thief_->begin_session(second_);
  const auto expect_counted = [&](const Bytes & hello, const Endpoint & from) {
    const auto before = pair_->gcs().strangers().repeated;
    pair_->sent_elsewhere(Side::gcs).clear();
    pair_->inject(Side::gcs, hello, from);
    pair_->run_for(10ms);
    EXPECT_EQ(pair_->gcs().strangers().repeated, before + 1);
    EXPECT_EQ(
      std::ranges::count(
        pair_->sent_elsewhere(Side::gcs), from, [](const auto & sent) { return sent.first; }),
      0);
  };
  expect_counted(former, first_);
  ASSERT_TRUE(pair_->run_until([&] { return count(EventKind::handshake_failed) > 0; }));
  expect_counted(thief_->frame(), second_);
}

// The drone may be at any of them; the challenge of each is its own.
TEST_F(GroundStation, sends_to_all_addresses_from_which_an_attempts_hello_comes)
{
  silence_drone();
  pair_->hold_jobs(Side::gcs, true);
  thief_->begin_session(first_);
  const Endpoint third = WiredPair::stranger(103);
  for (const Endpoint & from : {second_, third}) {
    thief_->hello().challenge = {};
    pair_->sent_elsewhere(Side::gcs).clear();
    pair_->inject(Side::gcs, thief_->frame(), from);
    ASSERT_EQ(pair_->sent_elsewhere(Side::gcs).size(), 1u);
    thief_->hello().challenge = parse_hello_retry(pair_->sent_elsewhere(Side::gcs).back().second);
    pair_->inject(Side::gcs, thief_->frame(), from);
  }
  pair_->sent_elsewhere(Side::gcs).clear();
  pair_->hold_jobs(Side::gcs, false);
  pair_->run_for(100ms);
  for (const Endpoint & to : {first_, second_, third}) {
    EXPECT_GT(
      std::ranges::count(
        pair_->sent_elsewhere(Side::gcs), to, [](const auto & sent) { return sent.first; }),
      2);
  }
}

TEST_F(GroundStation, answers_a_repeated_hello_at_once_while_it_makes_the_prekey_and_not_after)
{
  silence_drone();
  pair_->hold_jobs(Side::gcs, true);
  thief_->begin_session(first_);
  pair_->run_for(500ms);
  EXPECT_TRUE(says_later());
  pair_->run_for(500ms);
  EXPECT_FALSE(says_later());
  pair_->inject(Side::gcs, thief_->frame(), first_);
  pair_->run_for(1ms);
  EXPECT_TRUE(says_later());
  pair_->hold_jobs(Side::gcs, false);
  pair_->run_for(100ms);
  thief_->answers();
  pair_->inject(Side::gcs, thief_->frame(), first_);
  pair_->run_for(100ms);
  EXPECT_FALSE(says_later());
  EXPECT_EQ(pair_->gcs().strangers().repeated, 0u);
}

TEST_F(GroundStation, reports_no_failure_of_an_attempt_whose_prekey_the_drone_does_not_have)
{
  pair_->hold_jobs(Side::gcs, true);
  ASSERT_TRUE(pair_->run_until([&] { return started() == 1; }));
  pair_->restart(Side::drone);
  ASSERT_TRUE(pair_->run_until([&] { return started() == 2; }));
  // Now it is on its way, and nothing of it arrives.
  pair_->set_datagram_filter(
    [](Side from, Bytes & bytes) { return from == Side::drone || bytes.size() < 100; });
  pair_->hold_jobs(Side::gcs, false);
  pair_->run_for(500ms);
  pair_->restart(Side::drone);
  ASSERT_TRUE(pair_->run_until([&] { return started() == 3; }));
  EXPECT_EQ(count(EventKind::handshake_failed), 0u);
}

// --- Under boot keys ---

TEST_F(GroundStation, takes_under_boot_keys_one_finish_and_only_after_its_prekey)
{
  silence_drone();
  pair_->hold_jobs(Side::gcs, true);
  thief_->begin_session(first_);
  std::uint8_t messages = 0;
  const auto jobs_for = [&](KeyMessageType type) {
    const std::size_t before = jobs();
    Bytes message(1 + finish_size(*settings_.initial_suite, settings_.mode).max);
    message[0] = static_cast<std::uint8_t>(type);
    thief_->say_message(++messages, message, first_);
    return jobs() - before;
  };
  EXPECT_EQ(jobs_for(KeyMessageType::finish), 0u);
  pair_->hold_jobs(Side::gcs, false);
  pair_->run_for(100ms);
  EXPECT_EQ(jobs_for(KeyMessageType::rekey), 0u);
  EXPECT_EQ(jobs_for(KeyMessageType::prekey), 0u);
  pair_->hold_jobs(Side::gcs, true);
  EXPECT_EQ(jobs_for(KeyMessageType::finish), 1u);
  EXPECT_EQ(jobs_for(KeyMessageType::finish), 0u);
}

TEST_F(GroundStation, ignores_what_is_not_of_a_handshake_under_boot_keys)
{
  silence_drone();
  thief_->begin_session(first_);
  pair_->run_for(100ms);
  const auto ignored = pair_->snapshot(Side::gcs).traffic.control_ignored;
  const auto before = jobs();
  const Bytes want = encode(ControlFrame{7, Want{settings_.initial_suite->wire_id}});
  EXPECT_TRUE(thief_->say(FrameKind::control, want, first_).peer);
  EXPECT_EQ(pair_->snapshot(Side::gcs).traffic.control_ignored, ignored + 1);
  EXPECT_FALSE(thief_->say(FrameKind::data, Bytes(20), first_).forward);
  EXPECT_EQ(jobs(), before);
}

// --- How often it is told that a prekey takes a while ---

TEST_F(GroundStation, tells_every_two_seconds_that_it_still_works_and_no_longer_than_that)
{
  options_.settings.prekey_pool.max_bytes = 0;
  options_.time_of_job = [](const Job & job) {
    return std::holds_alternative<IssuePrekey>(job) || std::holds_alternative<CompleteFinish>(job)
             ? Duration(20s)
             : Duration(1ms);
  };
  start();
  constexpr std::size_t later = frame_overhead + 5 + 4;
  std::size_t told = 0;
  bool hears_drone = true;
  pair_->set_datagram_filter([&](Side from, Bytes & bytes) {
    told += from == Side::gcs && bytes.size() == later ? 1 : 0;
    return from == Side::gcs || hears_drone;
  });
  ASSERT_TRUE(pair_->run_until([&] { return count(EventKind::handshake_completed) == 1; }, 90s));
  EXPECT_GE(told, 18u);
  EXPECT_LE(told, 22u);
  hears_drone = false;
  pair_->run_for(14s);
  EXPECT_LE(told, 22u);
}

// --- What an attempt leaves behind ---

TEST_F(InsidersRekey, is_confirmed_on_while_attempts_with_a_stolen_psk_end)
{
  establish();
  listen();
  ASSERT_TRUE(is_accepted(rekey(opening(in_use()))));
  TunnelSettings settings;
  settings.initial_suite = &in_use();
  settings.suites = SuitePolicy(SecurityLevel::l1, false);
  PskThief thief(*pair_, settings);
  const auto started = pair_->count(Side::gcs, EventKind::handshake_started);
  thief.begin_session(WiredPair::stranger(101));
  thief.begin_session(WiredPair::stranger(102));
  ASSERT_EQ(pair_->count(Side::gcs, EventKind::handshake_started), started + 2);
  const auto before = count<Confirm>();
  pair_->run_for(500ms);
  EXPECT_GT(count<Confirm>(), before);
}

TEST_F(GroundStation, confirms_nothing_of_an_attempt_under_the_boot_keys_of_the_next)
{
  constexpr std::size_t confirm = frame_overhead + 5 + 32;
  std::size_t confirms = 0;
  pair_->set_datagram_filter([&](Side from, Bytes & bytes) {
    const bool is_confirm = from == Side::gcs && bytes.size() == confirm;
    confirms += is_confirm ? 1 : 0;
    return !is_confirm;
  });
  ASSERT_TRUE(pair_->run_until([&] { return confirms > 2; }));
  pair_->hold_jobs(Side::gcs, true);
  pair_->restart(Side::drone);
  ASSERT_TRUE(pair_->run_until([&] { return started() == 2; }));
  const std::size_t before = confirms;
  pair_->run_for(2s);
  EXPECT_EQ(confirms, before);
}

// Its attempt ends before the drone's first frame arrives.
TEST_F(GroundStation, takes_a_session_into_use_whose_proof_comes_late)
{
  std::vector<Bytes> held;
  pair_->set_datagram_filter([&](Side from, Bytes & bytes) {
    const bool holds = from == Side::drone && pair_->snapshot(Side::drone).suite != nullptr;
    if (holds && !is_hello(bytes)) {
      held.push_back(bytes);
    }
    return !holds;
  });
  ASSERT_TRUE(pair_->run_until([&] { return !held.empty(); }));
  pair_->run_for(20s);
  EXPECT_EQ(pair_->snapshot(Side::gcs).state, PeerState::disconnected);
  EXPECT_TRUE(pair_->inject(Side::gcs, held.front()).peer);
  EXPECT_EQ(pair_->snapshot(Side::gcs).state, PeerState::established);
}

}  // namespace
}  // namespace pqc_tunnel::test
