// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "protocol/handshake/hello_messages.hpp"
#include "support/hostile/false_ground.hpp"
#include "support/hostile/insider.hpp"
#include "support/pair/traffic.hpp"

// The drone's attempts at a session: which answers count, how long it waits, and what it says about each.

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

bool nothing(Side, Bytes &) { return false; }

std::string cause(WiredPair & pair) { return pair.snapshot(Side::drone).likely_cause; }

std::size_t attempts(const WiredPair & pair)
{
  return pair.count(Side::drone, EventKind::handshake_started);
}

EventSeverity severity_of_newest(WiredPair & pair, EventKind kind, Side side = Side::drone)
{
  const auto & events = pair.events(side);
  const auto newest = std::ranges::find(events.rbegin(), events.rend(), kind, &Event::kind);
  EXPECT_NE(newest, events.rend());
  return severity(*newest);
}

// No genuine ground station answers: the test plays it.
class AttemptWithoutGround : public testing::Test
{
protected:
  AttemptWithoutGround()
  {
    pair_.set_datagram_filter(nothing);
    pair_.run_for(10ms);
  }
  PeerState state() { return pair_.snapshot(Side::drone).state; }
  bool failed() const { return pair_.saw(Side::drone, EventKind::handshake_failed); }
  // Until so many attempts have begun.
  bool run_to_attempt(std::size_t number)
  {
    return pair_.run_until([&] { return attempts(pair_) == number; }, 10min);
  }

  WiredPair pair_;
  FalseGround ground_{pair_, suite("cs-mlkem768-aesgcm-mldsa65")};
};

// --- What the holder of the PSK may say ---

TEST_F(AttemptWithoutGround, is_not_ended_by_a_reject_before_the_address_is_proved)
{
  pair_.inject(Side::drone, ground_.reject(ground_.hello(), 1));
  EXPECT_FALSE(failed());
  ground_.challenge();
  EXPECT_EQ(state(), PeerState::handshaking);
  pair_.inject(Side::drone, ground_.reject(ground_.hello(), 1));
  EXPECT_TRUE(failed());
}

TEST_F(AttemptWithoutGround, is_not_ended_by_a_reject_for_an_unknown_reason)
{
  ground_.challenge();
  for (const int reason : {0, 5, 255}) {
    pair_.inject(Side::drone, ground_.reject(ground_.hello(), static_cast<std::uint8_t>(reason)));
  }
  EXPECT_FALSE(failed());
  EXPECT_EQ(state(), PeerState::handshaking);
}

TEST_F(AttemptWithoutGround, counts_a_hello_that_comes_back_as_malformed)
{
  const Bytes hello = ground_.hello();
  const auto before = pair_.drops(Side::drone, Drop::malformed);
  pair_.inject(Side::drone, hello);
  EXPECT_EQ(pair_.drops(Side::drone, Drop::malformed), before + 1);
  EXPECT_FALSE(failed());
}

TEST_F(AttemptWithoutGround, verifies_one_prekey_at_a_time)
{
  ground_.challenge();
  pair_.hold_jobs(Side::drone, true);
  for (std::uint8_t id = 1; id <= 3; ++id) {
    EXPECT_TRUE(ground_.say_message(id, Bytes(20, 1)).peer);
  }
  EXPECT_EQ(pair_.jobs_run(Side::drone), 1u);
}

TEST_F(AttemptWithoutGround, is_not_completed_by_a_confirmation_before_its_finish)
{
  ground_.challenge();
  EXPECT_TRUE(ground_.say({0, Confirm{}}).peer);
  EXPECT_FALSE(pair_.saw(Side::drone, EventKind::handshake_completed));
  EXPECT_EQ(state(), PeerState::handshaking);
}

TEST_F(AttemptWithoutGround, goes_on_after_control_frames_that_have_no_place_in_it)
{
  ground_.challenge();
  const auto before = pair_.snapshot(Side::drone).traffic.control_ignored;
  const ControlBody out_of_place[] = {Keepalive{}, Want{},       RekeyRequest{},
                                      RatchetOk{}, Superseded{}, LinkReport{}};
  for (const ControlBody & body : out_of_place) {
    EXPECT_TRUE(ground_.say({0, body}).peer);
  }
  EXPECT_EQ(pair_.snapshot(Side::drone).traffic.control_ignored, before + std::size(out_of_place));
  EXPECT_FALSE(failed());
}

TEST_F(AttemptWithoutGround, hands_nothing_to_applications)
{
  ground_.challenge();
  const auto before = pair_.drops(Side::drone, Drop::malformed);
  EXPECT_FALSE(ground_.say(FrameKind::data, numbered(1)).forward);
  EXPECT_FALSE(ground_.say(FrameKind::bundle, numbered(1)).forward);
  EXPECT_EQ(pair_.drops(Side::drone, Drop::malformed), before + 2);
  Notice notice;
  notice.kind = NoticeKind::computer;
  notice.assign(Bytes{1, 2, 3});
  ground_.say({0, notice});
  EXPECT_TRUE(pair_.notices(Side::drone).empty());
}

TEST_F(AttemptWithoutGround, follows_no_answer_to_a_question_that_it_has_not_asked)
{
  ground_.challenge();
  std::vector<Bytes> older;
  for (int i = 0; i < 30; ++i) {
    older.push_back(ground_.seal(FrameKind::control, encode(ControlFrame{0, TimeRequest{i}})));
  }
  const Bytes answer = ground_.seal(FrameKind::control, encode(ControlFrame{0, PathResponse{7}}));
  pair_.inject(Side::drone, answer, WiredPair::stranger());
  const std::size_t here = pair_.datagrams_sent(Side::drone).size();
  pair_.sent_elsewhere(Side::drone).clear();
  for (const Bytes & frame : older) {
    pair_.inject(Side::drone, frame);
  }
  EXPECT_GE(pair_.datagrams_sent(Side::drone).size(), here + older.size());
  EXPECT_LE(pair_.sent_elsewhere(Side::drone).size(), 3u);
}

TEST_F(AttemptWithoutGround, ends_if_the_ground_station_has_wiped_its_keys)
{
  ground_.challenge();
  ground_.say({0, Wiped{}});
  EXPECT_TRUE(pair_.reported(Side::drone, EventKind::handshake_failed, "it has wiped its keys"));
}

TEST(Attempt, with_a_finish_verifies_no_other_prekey)
{
  WiredPair pair;
  pair.set_job_filter([&pair](Side at, Job & job) {
    if (at == Side::gcs && std::holds_alternative<CompleteFinish>(job)) {
      pair.hold_jobs(Side::gcs, true);
    }
    return std::optional<JobResult>();
  });
  ASSERT_TRUE(pair.run_until([&] { return pair.jobs_run(Side::drone) == 2; }));
  pair.run_for(100ms);
  FalseGround ground(pair, suite("cs-mlkem768-aesgcm-mldsa65"));
  ground.take_boot_keys(100);
  EXPECT_TRUE(ground.say_message(9, Bytes(20, 1)).peer);
  EXPECT_EQ(pair.jobs_run(Side::drone), 2u);
  pair.set_job_filter(nullptr);
  pair.hold_jobs(Side::gcs, false);
  EXPECT_TRUE(pair.establish());
  EXPECT_EQ(attempts(pair), 1u);
}

// --- Late answers ---

TEST_F(
  AttemptWithoutGround, learns_nothing_from_a_late_answer_to_a_former_one_once_it_is_challenged)
{
  const Bytes late = ground_.retry(ground_.hello(), 1);
  ASSERT_TRUE(run_to_attempt(2));
  ground_.challenge();
  pair_.inject(Side::drone, late);
  pair_.run_for(30s);  // attempts without any answer follow
  EXPECT_NE(cause(pair_).find("no answer from"), std::string::npos);
}

TEST_F(AttemptWithoutGround, learns_how_slow_the_link_is_from_a_late_answer_after_it_has_ended)
{
  const Bytes late = ground_.retry(ground_.hello(), 1);
  ASSERT_TRUE(run_to_attempt(2));
  ground_.challenge();
  ASSERT_TRUE(pair_.run_until([&] { return cause(pair_).find("halfway") != std::string::npos; }));
  pair_.inject(Side::drone, late);
  pair_.run_for(20s);
  EXPECT_NE(cause(pair_).find("answers, but only after"), std::string::npos);
}

TEST_F(AttemptWithoutGround, learns_nothing_from_a_reject_of_a_former_hello)
{
  const Bytes reject = ground_.reject(ground_.hello(), 4);
  ASSERT_TRUE(run_to_attempt(2));
  pair_.inject(Side::drone, reject);
  pair_.run_for(10s);
  EXPECT_NE(cause(pair_).find("no answer from"), std::string::npos);
}

TEST_F(AttemptWithoutGround, knows_the_hellos_of_the_eight_attempts_before)
{
  std::vector<Bytes> late;
  for (std::size_t number = 1; number <= max_challenges + 1; ++number) {
    ASSERT_TRUE(run_to_attempt(number));
    late.push_back(ground_.retry(ground_.hello(), 1));
  }
  ASSERT_TRUE(run_to_attempt(max_challenges + 2));
  const auto answered = [&] { return cause(pair_).find("only after") != std::string::npos; };
  pair_.inject(Side::drone, late[0]);
  EXPECT_FALSE(answered());
  pair_.inject(Side::drone, late[1]);
  EXPECT_TRUE(answered());
}

TEST(SlowAttempt, that_stops_halfway_does_not_make_the_drone_forget_how_slow_the_link_is)
{
  WiredPair::Options options;
  options.latency = 3s;
  WiredPair pair(options);
  pair.set_datagram_filter(
    [](Side from, Bytes & bytes) { return from == Side::drone || is_hello(bytes); });
  pair.run_for(2min);
  EXPECT_GT(attempts(pair), 5u);
  const auto waited = std::ranges::count_if(pair.events(Side::drone), [](const Event & event) {
    return event.text.find("halfway") == std::string::npos &&
           event.kind == EventKind::handshake_failed;
  });
  EXPECT_EQ(waited, 1);
}

// --- Patience ---

TEST_F(AttemptWithoutGround, that_gets_challenges_only_says_so)
{
  ground_.challenge();
  pair_.run_for(10s);
  EXPECT_TRUE(pair_.reported(Side::drone, EventKind::handshake_failed, "the first hello only"));
}

TEST(Attempt, waits_for_jobs_of_this_machine)
{
  WiredPair::Options options;
  options.time_of_job = [](const Job & job) {
    return std::holds_alternative<VerifyPrekey>(job) ? Duration(12s) : Duration(1ms);
  };
  WiredPair pair(options);
  // Meanwhile the ground station is silent.
  pair.set_datagram_filter(
    [&](Side from, Bytes &) { return from == Side::drone || pair.jobs_run(Side::drone) != 1; });
  EXPECT_TRUE(pair.establish());
  EXPECT_EQ(attempts(pair), 1u);
}

TEST(Attempt, waits_for_a_ground_station_that_says_that_it_is_at_work)
{
  WiredPair::Options options;
  options.time_of_job = [](const Job & job) {
    return std::holds_alternative<IssuePrekey>(job) ? Duration(50s) : Duration(1ms);
  };
  WiredPair pair(options);
  const auto before = pair.snapshot(Side::drone).traffic.control_ignored;
  EXPECT_TRUE(pair.establish());
  EXPECT_EQ(attempts(pair), 1u);
  EXPECT_EQ(pair.snapshot(Side::drone).traffic.control_ignored, before);
}

// --- Hellos and probes ---

TEST_F(AttemptWithoutGround, sends_no_hello_because_something_else_is_due)
{
  const std::size_t sent = pair_.datagrams_sent(Side::drone).size();
  for (int i = 0; i < 20; ++i) {
    pair_.drone().handle_timeout(pair_.now());
    pair_.pump();
  }
  EXPECT_EQ(pair_.datagrams_sent(Side::drone).size(), sent);
}

TEST_F(AttemptWithoutGround, asks_the_network_after_two_seconds_without_a_challenge)
{
  const auto begun = pair_.events(Side::drone).front().time;
  ASSERT_TRUE(pair_.run_until([&] { return pair_.probes() == 1; }));
  EXPECT_EQ(pair_.now() - begun, 2s);
  ASSERT_TRUE(run_to_attempt(2));
  ground_.challenge();
  pair_.run_for(3s);
  pair_.drone().handle_timeout(pair_.now());
  pair_.pump();
  EXPECT_EQ(attempts(pair_), 2u);
  EXPECT_EQ(pair_.probes(), 1u);
}

TEST_F(AttemptWithoutGround, asks_the_network_nothing_while_no_address_is_known)
{
  pair_.drone().handle_change(GcsAddresses{{}}, pair_.now());
  pair_.run_for(20s);
  EXPECT_EQ(pair_.probes(), 0u);
}

TEST_F(AttemptWithoutGround, that_ends_as_an_address_becomes_known_asks_the_network_nothing)
{
  pair_.drone().handle_change(GcsAddresses{{}}, pair_.now());
  pair_.run_for(3900ms);
  pair_.drone().handle_change(GcsAddresses{{WiredPair::address_of(Side::gcs)}}, pair_.now());
  pair_.drone().handle_timeout(pair_.now() + 200ms);
  pair_.pump();
  EXPECT_TRUE(failed());
  EXPECT_EQ(pair_.probes(), 0u);
}

TEST_F(AttemptWithoutGround, asks_anew_only_what_the_network_tells)
{
  for (const GroundTrouble trouble :
       {GroundTrouble::unreachable, GroundTrouble::refused, GroundTrouble::unknown_name,
        GroundTrouble::other_family})
  {
    const bool of_network =
      trouble == GroundTrouble::unreachable || trouble == GroundTrouble::refused;
    pair_.drone().note_trouble(trouble);
    pair_.run_for(20s);
    EXPECT_EQ(cause(pair_).find("no answer from") != std::string::npos, of_network);
  }
}

// Two addresses of the ground station, of which one has challenged.
TEST_F(AttemptWithoutGround, sends_each_address_the_hello_that_it_has_not_challenged)
{
  const std::size_t before = pair_.datagrams_sent(Side::drone).size();
  EXPECT_EQ(before, 1u);
  pair_.drone().handle_change(
    GcsAddresses{{WiredPair::address_of(Side::gcs), WiredPair::stranger()}}, pair_.now());
  ground_.challenge();
  pair_.run_for(3s);
  const auto & here = pair_.datagrams_sent(Side::drone);
  const auto & there = pair_.sent_elsewhere(Side::drone);
  EXPECT_GT(here.size(), before + 2);
  EXPECT_GT(there.size(), 2u);
  for (std::size_t i = before; i < here.size(); ++i) {
    EXPECT_NE(parse_client_hello(here[i]).challenge, Random32{});
  }
  for (const auto & [to, hello] : there) {
    EXPECT_EQ(parse_client_hello(hello).challenge, Random32{});
  }
}

TEST_F(AttemptWithoutGround, sends_all_who_bring_the_same_challenge_the_hello_that_answers_it)
{
  const Bytes retry = ground_.retry(ground_.hello(), 1);
  pair_.inject(Side::drone, retry, WiredPair::stranger());
  pair_.inject(Side::drone, retry);
  pair_.run_for(3s);
  const auto & sent = pair_.datagrams_sent(Side::drone);
  EXPECT_GT(sent.size(), 3u);
  EXPECT_NE(parse_client_hello(sent.back()).challenge, Random32{});
  for (const Bytes & hello : std::span(sent).last(2)) {
    EXPECT_NE(parse_client_hello(hello).challenge, Random32{});
  }
}

TEST(Attempt, whose_answer_took_long_measures_from_the_newest_hello_before_it)
{
  WiredPair pair;
  Bytes retry;
  const Instant begun = pair.now();
  bool lost = false;  // the first second hello
  pair.set_datagram_filter([&](Side from, Bytes & bytes) {
    if (from == Side::gcs && is_hello(bytes) && pair.now() < begun + 1600ms) {
      retry = bytes;
      return false;
    }
    const bool second =
      from == Side::drone && is_hello(bytes) && parse_client_hello(bytes).challenge != Random32{};
    return !second || std::exchange(lost, true);
  });
  pair.run_for(1600ms);
  pair.inject(Side::drone, retry);
  ASSERT_TRUE(pair.establish());
  EXPECT_GT(pair.snapshot(Side::drone).timing.connect, 500ms);
}

TEST_F(AttemptWithoutGround, sends_its_hello_at_once_to_an_address_that_becomes_known)
{
  pair_.drone().handle_change(GcsAddresses{{WiredPair::stranger()}}, pair_.now());
  pair_.run_for(1ms);
  EXPECT_EQ(pair_.sent_elsewhere(Side::drone).size(), 1u);
}

TEST_F(AttemptWithoutGround, that_has_begun_is_wiped_and_nothing_else_is)
{
  const auto wiped = [this] { return pair_.count(Side::drone, EventKind::keys_wiped); };
  pair_.drone().wipe(PeerIndex{0}, "test", pair_.now());
  pair_.pump();
  EXPECT_EQ(wiped(), 1u);
  ASSERT_TRUE(pair_.run_until([this] { return failed(); }));
  pair_.drone().wipe(PeerIndex{0}, "test", pair_.now());
  pair_.pump();
  EXPECT_EQ(wiped(), 1u);
}

TEST_F(AttemptWithoutGround, that_has_ended_is_recognized_by_its_late_boot_frames)
{
  ground_.challenge();
  ASSERT_TRUE(run_to_attempt(2));
  EXPECT_FALSE(ground_.say({0, Keepalive{}}).peer);
  EXPECT_EQ(pair_.drops(Side::drone), 0u);
}

TEST_F(AttemptWithoutGround, answers_where_the_newest_frame_of_several_addresses_came_from)
{
  const Endpoint second = WiredPair::stranger(50);
  pair_.drone().handle_change(
    GcsAddresses{{WiredPair::address_of(Side::gcs), second}}, pair_.now());
  ground_.challenge();
  const auto question = [this] {
    return ground_.seal(FrameKind::control, encode(ControlFrame{0, TimeRequest{1}}));
  };
  const Bytes older = question();
  const Bytes newer = question();
  const Bytes newest = question();
  // Returns how many frames went to each of the two.
  const auto ask = [&](const Bytes & frame, const Endpoint & from) {
    pair_.sent_elsewhere(Side::drone).clear();
    const std::size_t before = pair_.datagrams_sent(Side::drone).size();
    pair_.inject(Side::drone, frame, from);
    return std::pair(
      pair_.datagrams_sent(Side::drone).size() - before, pair_.sent_elsewhere(Side::drone).size());
  };
  EXPECT_EQ(
    ask(newer, WiredPair::address_of(Side::gcs)), std::pair(std::size_t{1}, std::size_t{0}));
  EXPECT_EQ(ask(older, second), std::pair(std::size_t{1}, std::size_t{0}));
  EXPECT_EQ(ask(newest, second), std::pair(std::size_t{0}, std::size_t{1}));
}

TEST(Prekey, of_an_attempt_that_has_ended_is_not_kept)
{
  WiredPair pair;
  ASSERT_TRUE(pair.establish());
  pair.hold_jobs(Side::drone, true);
  pair.drone().wipe(PeerIndex{0}, "test", pair.now());
  const std::size_t jobs = pair.jobs_run(Side::drone);
  ASSERT_TRUE(pair.run_until([&] { return pair.jobs_run(Side::drone) > jobs; }));
  pair.drone().wipe(PeerIndex{0}, "test", pair.now());
  pair.set_datagram_filter(nothing);
  pair.hold_jobs(Side::drone, false);
  pair.run_for(100ms);
  EXPECT_EQ(pair.snapshot(Side::drone).prekeys, 0u);
}

TEST(Attempt, needs_no_signing_key_of_the_drone_unless_it_signs)
{
  WiredPair::Options options;
  options.alter_drone = [](DroneIdentity & drone) { drone.signing_keys.clear(); };
  WiredPair pair(options);
  EXPECT_TRUE(pair.establish());
}

// --- Frames of other versions ---

class OtherVersions : public AttemptWithoutGround
{
protected:
  void come(std::uint8_t version, int times = 1)
  {
    for (int i = 0; i < times; ++i) {
      pair_.inject(Side::drone, Bytes{0x82, version});
      pair_.run_for(100ms);
    }
  }
  bool reported() const { return pair_.saw(Side::drone, EventKind::refused); }
};

TEST_F(OtherVersions, are_reported_when_the_same_one_has_come_three_times)
{
  come(5, 2);
  EXPECT_FALSE(reported());
  come(5);
  EXPECT_TRUE(reported());
}

TEST_F(OtherVersions, that_differ_are_noise)
{
  for (std::uint8_t version = 5; version < 41; ++version) {
    come(version);
  }
  EXPECT_FALSE(reported());
}

TEST_F(OtherVersions, are_none_if_a_frame_of_this_one_is_malformed)
{
  for (int i = 0; i < 10; ++i) {
    pair_.inject(Side::drone, ByteView(ground_.hello()).first(20));
  }
  EXPECT_FALSE(reported());
}

// --- What is reported ---

TEST(Reports, of_the_first_attempts_are_for_everybody_and_those_of_repetitions_are_not)
{
  WiredPair pair;
  ASSERT_TRUE(pair.establish());
  for (const Side side : both_sides) {
    EXPECT_EQ(severity_of_newest(pair, EventKind::handshake_started, side), EventSeverity::info);
    EXPECT_EQ(severity_of_newest(pair, EventKind::handshake_completed, side), EventSeverity::info);
  }
  pair.restart(Side::gcs);
  ASSERT_TRUE(pair.run_until([&] { return attempts(pair) == 2; }));
  EXPECT_EQ(severity_of_newest(pair, EventKind::handshake_started), EventSeverity::info);
  pair.set_datagram_filter(nothing);
  ASSERT_TRUE(pair.run_until([&] { return attempts(pair) == 4; }));
  EXPECT_EQ(severity_of_newest(pair, EventKind::handshake_started), EventSeverity::debug);
}

TEST(Reports, of_the_ground_station_begin_again_with_the_session_that_ends_the_failures)
{
  WiredPair pair;
  const auto failed = [&pair] { return pair.count(Side::gcs, EventKind::handshake_failed); };
  pair.set_datagram_filter([&failed](Side from, Bytes & bytes) {
    return from == Side::gcs || is_hello(bytes) || failed() > 0;
  });
  ASSERT_TRUE(pair.establish());
  EXPECT_GE(failed(), 1u);
  EXPECT_EQ(
    severity_of_newest(pair, EventKind::handshake_started, Side::gcs), EventSeverity::debug);
  EXPECT_EQ(
    severity_of_newest(pair, EventKind::handshake_completed, Side::gcs), EventSeverity::info);
}

TEST(Reports, of_a_drone_that_is_turned_away_begin_with_a_warning_and_stay_until_it_is_not)
{
  WiredPair::Options options;
  options.gcs_settings.emplace().suites = SuitePolicy(SecurityLevel::l3, true);
  WiredPair pair(options);
  ASSERT_TRUE(pair.run_until([&] { return pair.saw(Side::drone, EventKind::handshake_failed); }));
  EXPECT_EQ(severity_of_newest(pair, EventKind::handshake_failed), EventSeverity::warning);
  // A challenge is no answer to why.
  pair.set_datagram_filter([](Side from, Bytes & bytes) {
    return from == Side::drone || hello_type(bytes) == HelloType::hello_retry;
  });
  const std::size_t before = attempts(pair);
  ASSERT_TRUE(pair.run_until([&] {
    return attempts(pair) > before && pair.snapshot(Side::drone).state == PeerState::handshaking;
  }));
  EXPECT_NE(cause(pair).find("must be configured alike"), std::string::npos);
}

// No frame under the drone's keys of sessions passes, in either direction.
void stop_sessions(WiredPair & pair)
{
  pair.set_datagram_filter([&pair](Side, Bytes & bytes) {
    const auto header = decode_frame_header(bytes);
    const auto of_session = [&](const InstalledKeys & keys) {
      return keys.send_id == header->key_id || keys.receive_id == header->key_id;
    };
    return !header || std::ranges::none_of(pair.snapshot(Side::drone).keys, of_session);
  });
}

TEST(Reports, of_sessions_that_carry_nothing_grow_slower_and_so_do_the_attempts)
{
  WiredPair pair;
  stop_sessions(pair);
  pair.run_for(10min);
  std::map<EventKind, std::size_t> shown;
  for (const Event & event : pair.events(Side::drone)) {
    shown[event.kind] += severity(event) == EventSeverity::debug ? 0 : 1;
  }
  EXPECT_EQ(shown[EventKind::handshake_started], 1u);
  EXPECT_EQ(shown[EventKind::handshake_completed], 1u);
  EXPECT_GE(shown[EventKind::peer_lost], 2u);
  EXPECT_LE(shown[EventKind::peer_lost], 10u);
  // Each is silent for 3 s, and pauses of up to 6 s follow.
  const auto sessions = [&] { return pair.count(Side::drone, EventKind::handshake_completed); };
  EXPECT_GE(sessions(), 60u);
  EXPECT_LE(sessions(), 100u);
  const std::size_t before = sessions();
  ASSERT_TRUE(pair.run_until([&] { return sessions() > before; }));
  EXPECT_NE(cause(pair).find("handshake completed, but nothing arrives"), std::string::npos);
}

TEST(Reports, of_a_session_after_a_wait_are_for_everybody)
{
  WiredPair pair;
  pair.set_datagram_filter(nothing);
  ASSERT_TRUE(pair.run_until([&] { return attempts(pair) == 3; }));
  pair.set_datagram_filter(nullptr);
  ASSERT_TRUE(pair.establish());
  EXPECT_EQ(severity_of_newest(pair, EventKind::handshake_completed), EventSeverity::info);
}

// --- Loss and return ---

TEST(Loss, of_keys_that_were_in_use_begins_an_attempt_at_once)
{
  WiredPair pair;
  ASSERT_TRUE(pair.establish());
  pair.restart(Side::gcs);
  ASSERT_TRUE(pair.run_until([&] { return attempts(pair) == 2; }));
  const auto & events = pair.events(Side::drone);
  const auto lost = std::ranges::find(events, EventKind::peer_lost, &Event::kind);
  ASSERT_NE(lost, events.end());
  EXPECT_EQ(pair.now(), lost->time);
  const auto & sent = pair.datagrams_sent(Side::drone);
  const std::size_t hellos = static_cast<std::size_t>(
    std::ranges::count_if(sent, [](const Bytes & bytes) { return is_hello(bytes); }));
  EXPECT_EQ(hellos, 3u);  // two for the first session
}

TEST(Loss, by_wiped_keys_is_told_once_and_begins_one_attempt)
{
  WiredPair pair;
  Insider insider(pair);
  ASSERT_TRUE(pair.establish());
  pair.set_datagram_filter(nothing);
  for (int i = 0; i < 5; ++i) {
    insider.say(Side::gcs, {0, Wiped{}});
    pair.run_for(100ms);
  }
  EXPECT_EQ(pair.count(Side::drone, EventKind::peer_lost), 1u);
  EXPECT_EQ(attempts(pair), 2u);
}

// Whoever has the PSK knows the boot keys, but answers under them say nothing about the session that is lost.
TEST(Loss, is_not_ended_by_an_answer_under_boot_keys)
{
  WiredPair pair;
  ASSERT_TRUE(pair.establish());
  pair.run_for(1s);
  Bytes held;
  pair.set_datagram_filter([&](Side from, Bytes & bytes) {
    if (from == Side::gcs && !is_hello(bytes)) {
      held = bytes;
    }
    return false;
  });
  ASSERT_TRUE(pair.run_until([&] { return attempts(pair) == 2; }));
  pair.run_for(10ms);
  FalseGround ground(pair, suite("cs-mlkem768-aesgcm-mldsa65"));
  ground.challenge();
  const std::int64_t now = pair.now().time_since_epoch().count();
  EXPECT_TRUE(ground.say({0, TimeResponse{now, now, now}}).peer);
  EXPECT_TRUE(pair.inject(Side::drone, held).peer);
  EXPECT_EQ(pair.snapshot(Side::drone).state, PeerState::lost);
}

TEST(Loss, of_keys_that_nothing_confirmed_is_not_ended_by_an_answer_under_older_ones)
{
  WiredPair pair;
  Insider insider(pair);
  ASSERT_TRUE(pair.establish());
  pair.run_for(1s);
  const auto committed = [&] { return pair.saw(Side::drone, EventKind::rekey_committed); };
  pair.set_datagram_filter([&](Side, Bytes &) { return !committed(); });
  pair.drone().request_rekey(rekey_to(nullptr), pair.now());
  ASSERT_TRUE(pair.run_until(committed));
  const auto is_lost = [&] { return pair.snapshot(Side::drone).state == PeerState::lost; };
  ASSERT_TRUE(pair.run_until(is_lost, 10s));
  const std::int64_t t1 = pair.now().time_since_epoch().count();
  EXPECT_TRUE(insider.say(Side::gcs, {0, TimeResponse{t1, t1, t1}}).peer);
  EXPECT_TRUE(is_lost());
}

// --- New sessions for a rekey ---

class SessionForRekey : public testing::Test
{
protected:
  // The ground station declines the first Finish, and a new session follows; no hello of it passes.
  SessionForRekey()
  {
    EXPECT_TRUE(pair_.establish());
    pair_.set_job_filter([this](Side, Job & job) -> std::optional<JobResult> {
      if (!std::holds_alternative<CompleteFinish>(job) || std::exchange(declined_, true)) {
        return std::nullopt;
      }
      return JobFailed{JobError::authenticated, "declined by the test"};
    });
    pair_.set_datagram_filter([](Side, Bytes & bytes) { return !is_hello(bytes); });
    pair_.drone().request_rekey(rekey_to(nullptr), pair_.now());
    EXPECT_TRUE(pair_.run_until([&] { return attempts(pair_) == 2; }));
  }
  std::vector<RekeyReply> & outcomes() { return pair_.outcomes(Side::drone); }

  WiredPair pair_;
  bool declined_ = false;
};

TEST_F(SessionForRekey, is_tried_again_after_an_attempt_without_an_answer)
{
  ASSERT_TRUE(pair_.run_until([&] { return attempts(pair_) == 3; }));
  EXPECT_TRUE(outcomes().empty());
  pair_.set_datagram_filter(nullptr);
  ASSERT_TRUE(pair_.run_until([&] { return !outcomes().empty(); }));
  EXPECT_TRUE(outcomes().front().success);
}

TEST_F(SessionForRekey, that_the_ground_station_turns_away_ends_it_without_blame)
{
  FalseGround ground(pair_, suite("cs-mlkem768-aesgcm-mldsa65"));
  ground.challenge();
  pair_.inject(
    Side::drone,
    ground.reject(ground.hello(), static_cast<std::uint8_t>(RejectReason::policy_mismatch)));
  ASSERT_EQ(outcomes().size(), 1u);
  EXPECT_FALSE(outcomes().front().success);
  EXPECT_FALSE(pair_.saw(Side::drone, EventKind::rollback));
}

TEST_F(SessionForRekey, is_no_handshake_after_which_nothing_ever_came)
{
  stop_sessions(pair_);
  ASSERT_TRUE(pair_.run_until([&] { return outcomes().size() == 1; }));
  EXPECT_EQ(pair_.count(Side::drone, EventKind::handshake_completed), 2u);
  EXPECT_EQ(cause(pair_).find("handshake completed"), std::string::npos);
}

}  // namespace
}  // namespace pqc_tunnel::test
