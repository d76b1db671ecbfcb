// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "protocol/handshake/key_messages.hpp"
#include "support/hostile/insider.hpp"
#include "support/pair/traffic.hpp"

// What the drone makes of requests for rekeys, and of answers and aborts that do not belong to the one under way.

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

const Suite & in_use() { return suite("cs-mlkem768-aesgcm-mldsa65"); }
const Suite & other_suite() { return suite("cs-mlkem512-aesgcm-mldsa44"); }

// A message in the form of a prekey of this kind; nobody has signed it.
Bytes prekey_form(const SuiteWireId & suite)
{
  Bytes message{static_cast<std::uint8_t>(KeyMessageType::prekey)};
  message.resize(1 + sizeof(KeyId::bytes), 7);
  const auto code = prekey_code(suite);
  message.insert(message.end(), code.begin(), code.end());
  return message;
}

RekeyCommand ratchet(const Suite * suite = nullptr)
{
  RekeyCommand command = rekey_to(suite);
  command.ratchet = true;
  return command;
}

// The insider is far ahead in sequence, and the true ends are heard beside him.
WiredPair::Options for_insider(WiredPair::Options options)
{
  options.settings.replay_window = 2 * Insider::first_sequence;
  options.settings.max_age = 5min;
  options.identities = {other_suite().signature};
  return options;
}

// An insider reads the control frames that the drone sends under the keys of its first session, and says what no ground
// station would.
class DroneRekeys : public testing::Test
{
protected:
  explicit DroneRekeys(WiredPair::Options options = {}) : pair_(for_insider(std::move(options)))
  {
    EXPECT_TRUE(pair_.establish());
    pair_.set_datagram_filter([this](Side from, Bytes & bytes) {
      if (from == Side::drone && !is_hello(bytes)) {
        if (auto frame = insider_.read_control(Side::gcs, bytes)) {
          said_.push_back(*frame);
        }
      }
      return (passes_ && !is_hello(bytes)) || (hellos_ && is_hello(bytes));
    });
  }

  template <class Body>
  std::ptrdiff_t said(std::optional<std::uint32_t> transaction = std::nullopt) const
  {
    return std::ranges::count_if(said_, [&](const ControlFrame & frame) {
      return std::holds_alternative<Body>(frame.body) &&
             frame.transaction == transaction.value_or(frame.transaction);
    });
  }
  // Only the last request may succeed later.
  void expect_refused_for_their_fault()
  {
    using enum AbortReason;
    SuiteWireId unknown = in_use().wire_id;
    unknown.aead ^= 0xff;
    const Suite & without_keys = suite("cs-mlkem512-aesgcm-falcon512");
    for (const RekeyRequest & asked :
         {RekeyRequest{unknown}, RekeyRequest{without_keys.wire_id},
          RekeyRequest{in_use().wire_id, true, true}, RekeyRequest{in_use().wire_id}})
    {
      EXPECT_TRUE(insider_.say(Side::gcs, {next_asked_++, asked}).peer);
    }
    std::vector<AbortReason> reasons;
    for (const ControlFrame & frame : said_) {
      if (const auto * abort = std::get_if<Abort>(&frame.body)) {
        reasons.push_back(abort->reason);
      }
    }
    EXPECT_EQ(reasons, (std::vector{suite_refused, suite_refused, unknown_anchor, in_progress}));
    EXPECT_EQ(count(EventKind::refused), 3u);
  }
  void request(const RekeyCommand & command)
  {
    pair_.drone().request_rekey(command, pair_.now());
    pair_.pump();
  }
  // The ground station asks for it.
  void ask(std::uint32_t transaction, const Suite & suite = in_use(), bool ratchet = false)
  {
    EXPECT_TRUE(insider_.say(Side::gcs, {transaction, RekeyRequest{suite.wire_id, ratchet}}).peer);
  }
  std::size_t count(EventKind kind) const { return pair_.count(Side::drone, kind); }
  std::size_t answers() { return pair_.outcomes(Side::drone).size(); }
  const RekeyReply & answer() { return pair_.outcomes(Side::drone).back(); }
  bool run_until_answered(Duration limit = 60s)
  {
    return pair_.run_until([this, before = answers()] { return answers() > before; }, limit);
  }
  std::uint64_t ignored() { return pair_.snapshot(Side::drone).traffic.control_ignored; }

  WiredPair pair_;
  Insider insider_{pair_};
  std::vector<ControlFrame> said_;
  std::uint32_t next_asked_ = 100;
  bool passes_ = true;
  bool hellos_ = true;
};

// --- Requests ---

TEST_F(
  DroneRekeys, asked_for_twice_by_the_ground_station_is_one_rekey_and_its_failure_is_told_again)
{
  pair_.run_for(3s);
  pair_.hold_jobs(Side::gcs, true);
  ask(7);
  for (int i = 0; i < 3; ++i) {
    pair_.run_for(1s);
    ask(7);
  }
  EXPECT_EQ(count(EventKind::rekey_started), 1u);
  EXPECT_EQ(said<Abort>(), 0);
  ASSERT_TRUE(pair_.run_until([&] { return count(EventKind::rekey_failed) == 1; }, 60s));
  EXPECT_EQ(said<Abort>(7), 1);
  ask(7);
  EXPECT_EQ(said<Abort>(7), 2);
  EXPECT_EQ(count(EventKind::rekey_started), 1u);

  // Another rekey that fails is none of the ground station's.
  request(rekey_to(nullptr));
  ASSERT_TRUE(run_until_answered(5min));
  EXPECT_EQ(said<Abort>(7), 2);

  pair_.hold_jobs(Side::gcs, false);
  pair_.run_for(1s);
  ask(8);
  ASSERT_TRUE(pair_.run_until([&] { return count(EventKind::rekey_confirmed) == 1; }));
  const std::size_t sent = pair_.datagrams_sent(Side::drone).size();
  ask(8);
  EXPECT_EQ(pair_.datagrams_sent(Side::drone).size(), sent);
}

TEST_F(DroneRekeys, asked_for_in_vain_are_reported_once_each)
{
  pair_.run_for(1s);
  for (int i = 0; i < 3; ++i) {
    ask(9, other_suite(), true);
  }
  EXPECT_EQ(count(EventKind::refused), 1u);
  EXPECT_EQ(said<Abort>(9), 3);
  ask(10, other_suite(), true);
  EXPECT_EQ(count(EventKind::refused), 2u);
  EXPECT_EQ(count(EventKind::rekey_started), 0u);
}

TEST_F(DroneRekeys, that_can_never_be_are_refused_for_their_fault_while_another_waits_for_its_key)
{
  pair_.hold_jobs(Side::gcs, true);
  request(rekey_to(&other_suite()));
  EXPECT_EQ(pair_.snapshot(Side::drone).state, PeerState::established);
  expect_refused_for_their_fault();
}

TEST_F(DroneRekeys, that_can_never_be_are_refused_for_their_fault_while_another_is_under_way)
{
  pair_.run_for(3s);
  pair_.hold_jobs(Side::gcs, true);
  request(rekey_to(nullptr));
  EXPECT_EQ(pair_.snapshot(Side::drone).state, PeerState::rekeying);
  expect_refused_for_their_fault();
}

TEST_F(DroneRekeys, wait_until_the_keys_of_a_new_session_are_confirmed)
{
  pair_.run_for(1s);
  pair_.gcs().wipe(PeerIndex{0}, "test", pair_.now());
  ASSERT_TRUE(pair_.run_until([&] { return count(EventKind::handshake_completed) == 2; }));
  EXPECT_EQ(pair_.snapshot(Side::drone).state, PeerState::handshaking);
  ask(11);
  EXPECT_EQ(count(EventKind::refused), 0u);  // it may ask again
  request(rekey_to(nullptr));
  EXPECT_NE(answer().message.find("has not confirmed the current keys"), std::string::npos);
}

TEST_F(DroneRekeys, are_refused_with_a_sentence)
{
  pair_.run_for(1s);
  const auto refusal = [this](const RekeyCommand & command) {
    const std::size_t before = answers();
    request(command);
    EXPECT_EQ(answers(), before + 1);
    EXPECT_FALSE(answer().success);
    return answer().message;
  };
  EXPECT_EQ(
    refusal(ratchet(&other_suite())),
    "a ratchet keeps the suite; cs-mlkem512-aesgcm-mldsa44 needs a full rekey");
  RekeyCommand command = rekey_to(nullptr);
  command.suite_id = "cs-mlkem768-aesgcm-mldsa66";
  EXPECT_NE(refusal(command).find("cs-mlkem768-aesgcm-mldsa65"), std::string::npos);
  command.suite_id = "cs-mlkem768-aesgcm-falcon51";
  EXPECT_EQ(refusal(command).find("falcon512"), std::string::npos);  // there is no key for it
  passes_ = hellos_ = false;
  ASSERT_TRUE(pair_.run_until([&] { return count(EventKind::peer_lost) == 1; }));
  EXPECT_EQ(refusal(rekey_to(nullptr)), "there is no session to rekey yet");
  EXPECT_EQ(refusal(ratchet()), "there is no session to rekey yet");
}

TEST(RatchetToTheLastEpoch, is_followed_by_a_new_session)
{
  WiredPair::Options options;
  options.settings.max_ratchets = 0;
  WiredPair pair(options);
  ASSERT_TRUE(pair.establish());
  const SessionId session = pair.snapshot(Side::drone).session;
  const auto request = [&](const RekeyCommand & command) {
    pair.outcomes(Side::drone).clear();
    pair.drone().request_rekey(command, pair.now());
    EXPECT_TRUE(pair.run_until([&] { return !pair.outcomes(Side::drone).empty(); }));
    return pair.outcomes(Side::drone).back();
  };
  for (int n = 1; n <= 255; ++n) {
    ASSERT_TRUE(request(ratchet()).success) << n;
  }
  EXPECT_EQ(request(ratchet()).message, "the session is at its last epoch and needs a full rekey");
  EXPECT_EQ(pair.snapshot(Side::drone).session, session);
  std::size_t finishes = 0;  // none is offered that the ground station would have to decline
  pair.set_job_filter([&finishes](Side, const Job & job) {
    finishes += std::holds_alternative<MakeFinish>(job) ? 1 : 0;
    return std::optional<JobResult>();
  });
  const RekeyReply reply = request(rekey_to(nullptr));
  EXPECT_TRUE(reply.success);
  EXPECT_LT(reply.timing.bytes, 200u);  // nothing that was sent under boot keys
  EXPECT_EQ(finishes, 1u);
  EXPECT_NE(pair.snapshot(Side::drone).session, session);
}

TEST_F(DroneRekeys, say_what_they_are_and_why)
{
  pair_.run_for(3s);
  for (const auto & [command, text] :
       {std::pair(rekey_to(nullptr, "cold"), "rekey started: cold"),
        std::pair(rekey_to(nullptr, ""), "rekey started"),
        std::pair(ratchet(), "ratchet started: test")})
  {
    request(command);
    ASSERT_TRUE(run_until_answered());
    const auto & events = pair_.events(Side::drone);
    const auto newest = std::find_if(events.rbegin(), events.rend(), [](const Event & event) {
      return event.kind == EventKind::rekey_started;
    });
    ASSERT_NE(newest, events.rend());
    EXPECT_EQ(newest->text, text);
    pair_.run_for(1s);
  }
}

TEST_F(DroneRekeys, say_whether_they_fetched_a_prekey_and_what_they_took)
{
  request(rekey_to(nullptr));
  ASSERT_TRUE(run_until_answered());
  EXPECT_FALSE(answer().timing.prepared_ahead);
  EXPECT_GT(answer().timing.fetch, 0s);
  EXPECT_GT(answer().timing.fetch_bytes, kem_sizes(in_use().kem).public_key);
  pair_.run_for(3s);
  request(rekey_to(nullptr));
  ASSERT_TRUE(run_until_answered());
  EXPECT_TRUE(answer().timing.prepared_ahead);
  EXPECT_EQ(answer().timing.fetch_bytes, 0u);
}

TEST_F(DroneRekeys, by_a_ratchet_take_its_two_frames_and_those_that_prove_the_keys)
{
  pair_.run_for(3s);
  request(ratchet());
  insider_.say(Side::gcs, {0x99, Later{4000}});  // it is of a fetch
  ASSERT_TRUE(run_until_answered());
  EXPECT_EQ(answer().timing.fetch_bytes, 0u);
  std::size_t bytes = 0;
  for (const ControlBody & body :
       {ControlBody(Ratchet{}), ControlBody(RatchetOk{}), ControlBody(Keepalive{}),
        ControlBody(Keepalive{})})
  {
    bytes += frame_overhead + encode(ControlFrame{0, body}).size();
  }
  EXPECT_EQ(answer().timing.bytes, bytes);
}

// --- Answers that prove nothing ---

TEST_F(DroneRekeys, are_confirmed_by_nothing_but_the_proof_of_the_same_keys)
{
  pair_.run_for(3s);
  pair_.hold_jobs(Side::gcs, true);
  pair_.hold_jobs(Side::drone, true);
  const auto say = [this] {
    const std::uint64_t before = ignored();
    insider_.say(Side::gcs, {0, Confirm{}});
    insider_.say(Side::gcs, {0, RatchetOk{}});
    EXPECT_EQ(ignored(), before + 2);
    EXPECT_EQ(count(EventKind::rekey_committed), 0u);
  };
  say();
  request(rekey_to(nullptr));
  say();  // the Finish is being made
  pair_.hold_jobs(Side::drone, false);
  pair_.run_for(1s);
  say();  // it is on its way
  pair_.hold_jobs(Side::gcs, false);
  ASSERT_TRUE(run_until_answered());
  EXPECT_TRUE(answer().success) << answer().message;
}

TEST_F(DroneRekeys, are_not_put_off_by_word_of_another_prekey)
{
  pair_.run_for(3s);
  passes_ = false;
  request(rekey_to(&other_suite()));
  // Meanwhile the drone is not lost.
  for (int i = 0; i < 16 && answers() == 0; ++i) {
    insider_.say(Side::gcs, {0x99, Later{4000}});
    const std::int64_t now = pair_.now().time_since_epoch().count();
    insider_.say(Side::gcs, {0, TimeResponse{now, now, now}});
    pair_.run_for(1s);
  }
  ASSERT_EQ(answers(), 1u);
  EXPECT_NE(answer().message.find("sends no prekey"), std::string::npos) << answer().message;
  EXPECT_EQ(said<Abort>(), 0);  // there is no exchange to call off
}

TEST_F(DroneRekeys, asked_for_by_the_ground_station_that_wait_in_vain_are_told_there)
{
  pair_.run_for(3s);
  passes_ = false;
  ask(7, other_suite());
  for (int i = 0; i < 16 && count(EventKind::rekey_failed) == 0; ++i) {
    const std::int64_t now = pair_.now().time_since_epoch().count();
    insider_.say(Side::gcs, {0, TimeResponse{now, now, now}});
    pair_.run_for(1s);
  }
  EXPECT_EQ(count(EventKind::rekey_failed), 1u);
  EXPECT_EQ(said<Abort>(7), 1);
}

TEST_F(DroneRekeys, that_wait_for_a_prekey_go_on_after_an_abort_of_something_else)
{
  pair_.run_for(3s);
  pair_.hold_jobs(Side::gcs, true);
  request(rekey_to(&other_suite()));
  pair_.run_for(100ms);
  const auto want = std::ranges::find_if(said_, [](const ControlFrame & frame) {
    const auto * body = std::get_if<Want>(&frame.body);
    return body != nullptr && body->suite == other_suite().wire_id;
  });
  ASSERT_NE(want, said_.end());
  const std::uint32_t transaction = want->transaction;
  insider_.say(Side::gcs, {transaction + 50, Abort{AbortReason::failed}});
  const auto before = said<Want>(transaction);
  pair_.run_for(3s);
  EXPECT_GT(said<Want>(transaction), before) << "it asks again";
  pair_.hold_jobs(Side::gcs, false);
  ASSERT_TRUE(run_until_answered());
  EXPECT_TRUE(answer().success) << answer().message;
}

// --- Prekeys that are fetched ahead ---

class FetchesAhead : public DroneRekeys
{
protected:
  FetchesAhead()
  {
    pair_.hold_jobs(Side::gcs, true);
    EXPECT_TRUE(pair_.run_until([&] { return said<Want>() == 1; }));
  }
  const ControlFrame & first_want() const
  {
    return *std::ranges::find_if(
      said_, [](const ControlFrame & frame) { return std::holds_alternative<Want>(frame.body); });
  }
};

TEST_F(FetchesAhead, go_on_after_an_abort_of_something_else)
{
  for (const auto reason : {AbortReason::failed, AbortReason::unknown_prekey}) {
    insider_.say(Side::gcs, {first_want().transaction + 50, Abort{reason}});
  }
  insider_.say(Side::gcs, {first_want().transaction, Confirm{}});
  pair_.hold_jobs(Side::gcs, false);
  ASSERT_TRUE(pair_.run_until([&] { return pair_.snapshot(Side::drone).prekeys > 0; }, 3s));
  EXPECT_EQ(said<Want>(), said<Want>(first_want().transaction));
}

TEST_F(FetchesAhead, end_for_this_session_if_the_ground_station_has_none)
{
  const auto transaction = first_want().transaction;
  const auto wanted = std::get<Want>(first_want().body).suite;
  insider_.say(Side::gcs, {transaction, Abort{AbortReason::suite_refused}});
  pair_.run_for(30s);
  EXPECT_EQ(
    std::ranges::count_if(
      said_,
      [&](const ControlFrame & frame) {
        const auto * want = std::get_if<Want>(&frame.body);
        return want != nullptr && want->suite == wanted;
      }),
    1);
  EXPECT_GT(said<Want>(), 1);  // others are asked for
}

TEST_F(FetchesAhead, that_are_refused_leave_a_rekey_alone_that_waits_for_another_key)
{
  request(rekey_to(&other_suite()));
  insider_.say(Side::gcs, {first_want().transaction, Abort{AbortReason::suite_refused}});
  pair_.hold_jobs(Side::gcs, false);
  ASSERT_TRUE(run_until_answered());
  EXPECT_TRUE(answer().success);
  EXPECT_EQ(count(EventKind::handshake_started), 1u);
}

TEST_F(FetchesAhead, that_are_asked_for_besides_are_not_hurried)
{
  pair_.run_for(50ms);  // its own word has come
  insider_.say(Side::gcs, {first_want().transaction, Later{4000}});
  const auto asked = said<Want>();
  RekeyCommand command = rekey_to(nullptr);
  command.fetch_only = true;
  request(command);
  EXPECT_TRUE(answer().success);
  EXPECT_EQ(said<Want>(), asked);
}

TEST_F(FetchesAhead, serve_a_rekey_that_begins_meanwhile)
{
  request(rekey_to(nullptr));
  pair_.run_for(1s);
  EXPECT_EQ(said<Want>(), said<Want>(first_want().transaction));
  pair_.hold_jobs(Side::gcs, false);
  ASSERT_TRUE(run_until_answered());
  EXPECT_TRUE(answer().success);
}

TEST_F(FetchesAhead, give_way_to_a_rekey_that_needs_another_prekey)
{
  request(rekey_to(&other_suite()));
  pair_.hold_jobs(Side::gcs, false);
  ASSERT_TRUE(run_until_answered());
  EXPECT_TRUE(answer().success);
  EXPECT_EQ(answer().suite, &other_suite());
}

TEST_F(FetchesAhead, ask_again_only_while_nothing_has_come)
{
  pair_.hold_jobs(Side::drone, true);
  pair_.hold_jobs(Side::gcs, false);
  ASSERT_TRUE(pair_.run_until([&] { return pair_.jobs_run(Side::drone) == 3; }));  // it is verified
  const auto asked = said<Want>();
  EXPECT_LE(asked, 2);
  // A second one is not verified beside it.
  insider_.say_message(Side::gcs, 0x54, prekey_form(std::get<Want>(first_want().body).suite));
  pair_.run_for(5s);
  EXPECT_EQ(pair_.jobs_run(Side::drone), 3u);
  EXPECT_EQ(said<Want>(), asked);
}

TEST_F(FetchesAhead, wait_as_long_as_the_ground_station_says)
{
  pair_.run_for(50ms);  // its own word has come
  insider_.say(Side::gcs, {first_want().transaction, Later{4000}});
  const auto asked = said<Want>();
  pair_.run_for(3s);
  EXPECT_EQ(said<Want>(), asked);
}

TEST_F(FetchesAhead, that_fail_during_a_rekey_do_not_end_it)
{
  pair_.hold_jobs(Side::gcs, false);
  const auto wanted = [this] { return std::get<Want>(said_.back().body).suite; };
  ASSERT_TRUE(pair_.run_until([&] {
    return pair_.snapshot(Side::drone).prekeys == 1 && !said_.empty() &&
           std::holds_alternative<Want>(said_.back().body);
  }));
  const SuiteWireId second = wanted();
  pair_.hold_jobs(Side::drone, true);
  insider_.say_message(Side::gcs, 0x54, prekey_form(second));  // nobody has signed it
  const auto jobs = pair_.jobs_run(Side::drone);
  request(rekey_to(nullptr));
  ASSERT_EQ(pair_.jobs_run(Side::drone), jobs + 1);
  pair_.hold_jobs(Side::drone, false);
  ASSERT_TRUE(run_until_answered());
  EXPECT_TRUE(answer().success) << answer().message;
  EXPECT_TRUE(pair_.snapshot(Side::drone).blacklist.empty());
}

TEST_F(FetchesAhead, verify_no_prekey_of_another_kind)
{
  insider_.say_message(Side::gcs, 0x54, prekey_form(other_suite().wire_id));
  insider_.say_message(Side::gcs, 0x55, Bytes(100, 1));
  EXPECT_EQ(pair_.jobs_run(Side::drone), 2u);
}

TEST_F(FetchesAhead, that_fail_begin_no_session)
{
  insider_.say_message(Side::gcs, 0x54, prekey_form(std::get<Want>(first_want().body).suite));
  pair_.run_for(1s);
  EXPECT_EQ(pair_.jobs_run(Side::drone), 3u);
  EXPECT_EQ(count(EventKind::handshake_started), 1u);
  EXPECT_EQ(pair_.snapshot(Side::drone).prekeys, 0u);
}

TEST_F(FetchesAhead, that_fail_do_not_end_a_ratchet)
{
  passes_ = hellos_ = false;
  request(ratchet());
  for (int i = 0; i < 20; ++i) {
    const std::int64_t now = pair_.now().time_since_epoch().count();
    insider_.say(Side::gcs, {0, TimeResponse{now, now, now}});
    pair_.run_for(1s);
  }
  EXPECT_EQ(answers(), 0u);
  EXPECT_EQ(pair_.snapshot(Side::drone).state, PeerState::rekeying);
}

TEST(PrekeysAhead, fill_the_room_that_there_is)
{
  WiredPair::Options options;
  options.settings.prefetch_max_bytes = kem_sizes(in_use().kem).public_key;
  for (const std::size_t missing : {0u, 1u}) {
    options.settings.prefetch_max_bytes -= missing;
    WiredPair pair(options);
    ASSERT_TRUE(pair.establish());
    pair.run_for(30s);
    EXPECT_EQ(pair.snapshot(Side::drone).prekeys, 1u - missing);
  }
}

TEST_F(DroneRekeys, that_blacklist_a_suite_end_the_fetching_of_its_prekeys)
{
  pair_.run_for(5s);
  pair_.set_job_filter([](Side, Job & job) -> std::optional<JobResult> {
    return std::holds_alternative<MakeFinish>(job)
             ? std::optional(JobFailed{JobError::authenticated, "made to fail by the test"})
             : std::nullopt;
  });
  request(rekey_to(&other_suite()));
  ASSERT_TRUE(run_until_answered());
  ASSERT_EQ(pair_.snapshot(Side::drone).blacklist.size(), 1u);
  const auto wanted = [this] {
    return std::ranges::count_if(said_, [](const ControlFrame & frame) {
      const auto * want = std::get_if<Want>(&frame.body);
      return want != nullptr &&
             PrekeyKind(*registry().find(want->suite)) == PrekeyKind(other_suite());
    });
  };
  const auto before = wanted();
  pair_.run_for(30s);
  EXPECT_EQ(wanted(), before);
}

TEST_F(DroneRekeys, that_are_declined_ask_for_no_prekey_any_more)
{
  pair_.run_for(2500ms);
  passes_ = hellos_ = false;
  request(rekey_to(&other_suite()));
  const auto want = std::ranges::find_if(said_, [](const ControlFrame & frame) {
    const auto * body = std::get_if<Want>(&frame.body);
    return body != nullptr && body->suite == other_suite().wire_id;
  });
  ASSERT_NE(want, said_.end());
  const std::uint32_t transaction = want->transaction;
  insider_.say(Side::gcs, {transaction, Abort{AbortReason::failed}});
  EXPECT_EQ(count(EventKind::handshake_started), 2u);
  pair_.run_for(2s);
  EXPECT_EQ(said<Want>(transaction), 1);
}

// The ground station has lost the WANT, and the ratchet that it declines is not about that.
TEST_F(DroneRekeys, by_a_ratchet_that_is_declined_leave_alone_what_is_fetched_ahead)
{
  passes_ = false;
  ASSERT_TRUE(pair_.run_until([&] { return said<Want>() > 0; }, 5s));
  const std::uint32_t fetch = said_.back().transaction;
  request(ratchet());
  ASSERT_TRUE(std::holds_alternative<Ratchet>(said_.back().body));
  insider_.say(Side::gcs, {said_.back().transaction, Abort{AbortReason::failed}});
  EXPECT_EQ(answers(), 1u);
  const auto before = said<Want>(fetch);
  pair_.run_for(1s);
  EXPECT_GT(said<Want>(fetch), before);
}

// --- Rekeys by itself ---

class RenewedKeys : public DroneRekeys
{
protected:
  RenewedKeys()
  : DroneRekeys([] {
      WiredPair::Options options;
      options.settings.max_key_age = 60s;
      return options;
    }())
  {
  }
  std::vector<std::string> reported()
  {
    std::vector<std::string> texts;
    for (const Event & event : pair_.events(Side::drone)) {
      if (event.kind == EventKind::key_limit) {
        texts.push_back(event.text);
      }
    }
    return texts;
  }
};

TEST_F(RenewedKeys, are_those_of_the_next_epoch_at_first)
{
  const SessionId session = pair_.snapshot(Side::drone).session;
  ASSERT_TRUE(pair_.run_until([&] { return count(EventKind::rekey_confirmed) == 1; }, 70s));
  EXPECT_EQ(pair_.snapshot(Side::drone).session, session);
  EXPECT_EQ(reported(), std::vector<std::string>{"the keys are due for renewal"});
}

TEST_F(RenewedKeys, are_tried_for_once_a_minute_whatever_ratchets_succeed)
{
  pair_.set_job_filter([](Side, Job & job) -> std::optional<JobResult> {
    return std::holds_alternative<CompleteFinish>(job)
             ? std::optional(JobFailed{JobError::unauthenticated, "made to fail by the test"})
             : std::nullopt;
  });
  hellos_ = false;
  ASSERT_TRUE(pair_.run_until([&] { return count(EventKind::rekey_failed) == 1; }, 110s));
  EXPECT_EQ(pair_.snapshot(Side::drone).likely_cause, "");
  request(ratchet());
  ASSERT_TRUE(run_until_answered());
  EXPECT_TRUE(answer().success);
  const Instant tried =
    std::ranges::find(pair_.events(Side::drone), EventKind::key_limit, &Event::kind)->time;
  ASSERT_TRUE(pair_.run_until([&] { return reported().size() == 2; }, 70s));
  EXPECT_EQ(pair_.now() - tried, 60s);
  EXPECT_EQ(reported().back(), "the keys are due for renewal, and no renewal has succeeded");
}

TEST_F(RenewedKeys, are_not_tried_for_while_the_ground_station_is_lost)
{
  pair_.run_for(50s);
  passes_ = hellos_ = false;
  pair_.run_for(100s);
  EXPECT_TRUE(reported().empty());
}

TEST(UnconfirmedKeys, are_not_due_for_renewal)
{
  WiredPair::Options options;
  options.settings.max_key_age = 5s;
  options.settings.peer_timeout = 1h;
  WiredPair pair(options);
  const auto made = [&pair] { return pair.saw(Side::drone, EventKind::handshake_completed); };
  pair.set_datagram_filter([&made](Side, Bytes &) { return !made(); });
  ASSERT_TRUE(pair.run_until(made));
  pair.run_for(20s);
  EXPECT_EQ(pair.count(Side::drone, EventKind::key_limit), 0u);
}

TEST(UsedUpKeys, are_reported_once_however_long_a_new_session_takes)
{
  WiredPair::Options options;
  options.settings.packet_limits = {1000, 1000};
  options.settings.peer_timeout = 1h;
  WiredPair pair(options);
  ASSERT_TRUE(pair.establish());
  for (std::uint32_t n = 0; pair.send(Side::drone, numbered(n)); ++n) {
    ASSERT_LT(n, 1000u);
  }
  const auto used_up = [&] {
    return std::ranges::count_if(pair.events(Side::drone), [](const Event & event) {
      return event.text == "the keys are used up";
    });
  };
  std::size_t unsealed = 0;
  pair.set_datagram_filter([&unsealed](Side from, Bytes & bytes) {
    unsealed += from == Side::drone && !is_hello(bytes) ? 1 : 0;
    return false;
  });
  const std::size_t attempts = pair.count(Side::drone, EventKind::handshake_started);
  pair.run_for(2500ms);
  EXPECT_EQ(used_up(), 1);
  EXPECT_EQ(pair.count(Side::drone, EventKind::handshake_started), attempts + 1);
  pair.drone().request_rekey(rekey_to(nullptr), pair.now());
  pair.pump();
  EXPECT_EQ(
    pair.outcomes(Side::drone).back().message, "the keys are used up; a new session is on its way");
  pair.run_for(60s);
  EXPECT_EQ(used_up(), 1);
  EXPECT_EQ(pair.count(Side::drone, EventKind::key_limit), 1u);
  EXPECT_EQ(unsealed, 0u);  // reports and questions were due
  pair.set_datagram_filter(nullptr);
  EXPECT_TRUE(pair.establish());
}

TEST(PacketLimitForRekeys, is_met_with_the_last_packet_of_it)
{
  WiredPair::Options options;
  options.settings.packet_limits = {500, 1u << 20};
  WiredPair pair(options);
  ASSERT_TRUE(pair.establish());
  pair.run_for(3s);
  while (pair.snapshot(Side::drone).packets_under_key < 499) {
    ASSERT_TRUE(pair.send(Side::drone, numbered(1)));
  }
  pair.drone().handle_timeout(pair.now());
  pair.pump();
  EXPECT_EQ(pair.count(Side::drone, EventKind::key_limit), 0u);
  pair.send(Side::drone, numbered(1));
  ASSERT_EQ(pair.snapshot(Side::drone).packets_under_key, 500u);
  pair.drone().handle_timeout(pair.now());
  pair.pump();
  EXPECT_EQ(pair.count(Side::drone, EventKind::key_limit), 1u);
}

}  // namespace
}  // namespace pqc_tunnel::test
