// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "support/hostile/insiders_rekey.hpp"

// What the ground station answers to exchanges of a drone that are repeated, replaced, given up or wrong, and which jobs,
// keys and sentences come of them.

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

// --- One exchange beside another ---

TEST_F(InsidersRekey, that_is_cut_off_in_its_opening_gets_no_answer)
{
  establish();
  listen();
  for (const std::size_t size : {std::size_t{1}, rekey_opening_size - 1}) {
    Bytes cut = encode(opening(in_use()));
    cut.resize(size);
    EXPECT_FALSE(costs_a_job(cut));
  }
  EXPECT_EQ(count<Abort>(), 0u);
}

TEST_F(InsidersRekey, that_is_repeated_while_its_job_is_at_work_gets_no_answer)
{
  establish();
  listen();
  pair_->hold_jobs(Side::gcs, true);
  const Bytes message = rekey(opening(in_use()));
  EXPECT_TRUE(costs_a_job(message));
  EXPECT_FALSE(costs_a_job(message));
  pair_->hold_jobs(Side::gcs, false);
  pair_->run_for(50ms);
  EXPECT_TRUE(holds(made_id_));
  EXPECT_EQ(count<Abort>(), 0u);
}

TEST_F(InsidersRekey, that_is_repeated_after_its_keys_are_in_use_gets_an_answer)
{
  establish();
  listen();
  const Bytes message = rekey(opening(in_use()));
  ASSERT_TRUE(is_accepted(message));
  const auto found = pair_->snapshot(Side::gcs).keys;
  ASSERT_EQ(found.front().use, KeyUse::pending);
  EXPECT_FALSE(costs_a_job(message));
  EXPECT_EQ(count<Abort>(), 0u);
  EXPECT_GE(count<Confirm>(), 2u);
}

TEST_F(InsidersRekey, that_begins_while_the_job_of_another_is_at_work_replaces_it)
{
  establish();
  insider_->say(Side::drone, {77, Want{of_another_signature().wire_id}});
  pair_->run_for(500ms);
  pair_->hold_jobs(Side::gcs, true);
  EXPECT_TRUE(costs_a_job(rekey(opening(in_use()))));
  const FrameKeyId given_up = made_id_;
  const Suite & later = of_another_signature();
  is_accepted(rekey(opening(later), later, later));
  pair_->hold_jobs(Side::gcs, false);
  pair_->run_for(100ms);
  EXPECT_TRUE(holds(made_id_));
  EXPECT_FALSE(holds(given_up));
  EXPECT_EQ(pair_->snapshot(Side::gcs).epoch, Epoch{0});
}

TEST_F(InsidersRekey, keeps_no_prekey_waiting_that_is_asked_for_meanwhile)
{
  establish();
  pair_->hold_jobs(Side::gcs, true);
  EXPECT_TRUE(costs_a_job(rekey(opening(in_use()))));
  insider_->say(Side::drone, {77, Want{of_another_signature().wire_id}});
  const auto prekeys = pair_->snapshot(Side::gcs).prekeys;
  pair_->hold_jobs(Side::gcs, false);
  pair_->run_for(200ms);
  EXPECT_TRUE(holds(made_id_));
  EXPECT_EQ(pair_->snapshot(Side::gcs).prekeys, prekeys + 1);
}

// --- Which failures are told ---

TEST_F(InsidersRekey, to_an_unknown_suite_is_declined)
{
  establish();
  listen();
  RekeyOpening altered = opening(in_use());
  altered.suite = {99, 99, 99, 99, 99};
  EXPECT_FALSE(costs_a_job(rekey(altered)));
  ASSERT_TRUE(answer<Abort>());
  EXPECT_EQ(answer<Abort>()->reason, AbortReason::suite_refused);
  EXPECT_TRUE(pair_->reported(Side::gcs, EventKind::refused, "no such suite is known here"));
}

TEST_F(InsidersRekey, that_does_not_prove_the_psk_gets_no_answer)
{
  establish();
  listen();
  Bytes message = rekey(opening(in_use()));
  message.at(message.size() - mac_size - 1) ^= 1;
  EXPECT_TRUE(costs_a_job(message));
  EXPECT_EQ(count<Abort>(), 0u);
}

TEST_F(InsidersRekey, that_proves_the_psk_and_does_not_confirm_its_keys_is_declined)
{
  establish();
  listen();
  Bytes message = rekey(opening(in_use()));
  message.back() ^= 1;
  EXPECT_TRUE(costs_a_job(message));
  ASSERT_TRUE(answer<Abort>());
  EXPECT_EQ(answer<Abort>()->reason, AbortReason::failed);
}

// Whoever begins sessions with a stolen PSK ends no rekey of the live session.
TEST(AttemptsFailure, is_not_told_under_the_keys_of_the_live_session)
{
  for (const bool makes_prekey : {false, true}) {
    WiredPair pair;
    Insider insider(pair);
    ASSERT_TRUE(pair.establish());
    pair.run_for(3s);
    std::size_t aborts = 0;
    pair.set_datagram_filter([&](Side from, Bytes & bytes) {
      const auto frame =
        from == Side::gcs ? insider.read_control(Side::drone, bytes) : std::nullopt;
      aborts += frame && std::holds_alternative<Abort>(frame->body) ? 1 : 0;
      return true;
    });
    pair.set_job_filter([&](Side at, Job & job) -> std::optional<JobResult> {
      const bool fails = makes_prekey ? std::holds_alternative<IssuePrekey>(job)
                                      : std::holds_alternative<CompleteFinish>(job);
      return at == Side::gcs && fails
               ? std::optional(JobFailed{JobError::authenticated, "made to fail by the test"})
               : std::nullopt;
    });
    pair.restart(Side::drone);
    ASSERT_TRUE(pair.run_until([&] { return pair.saw(Side::drone, EventKind::handshake_failed); }));
    EXPECT_TRUE(pair.reported(Side::drone, EventKind::handshake_failed, "refuses the handshake"));
    EXPECT_EQ(aborts, 0u);
  }
}

TEST(AttemptsFailure, is_not_told_to_whoever_does_not_prove_the_psk)
{
  WiredPair pair;
  pair.set_job_filter([](Side, Job & job) -> std::optional<JobResult> {
    return std::holds_alternative<CompleteFinish>(job)
             ? std::optional(JobFailed{JobError::unauthenticated, "made to fail by the test"})
             : std::nullopt;
  });
  ASSERT_TRUE(pair.run_until([&] { return pair.saw(Side::drone, EventKind::handshake_failed); }));
  EXPECT_TRUE(pair.reported(Side::gcs, EventKind::handshake_failed, "made to fail by the test"));
  EXPECT_TRUE(pair.reported(Side::drone, EventKind::handshake_failed, "stopped halfway"));
}

// --- CONFIRM, and what ends it ---

TEST_F(InsidersRekey, is_confirmed_again_and_again_until_it_is_given_up)
{
  establish();
  listen();
  const RekeyOpening begun = opening(in_use());
  ASSERT_TRUE(is_accepted(rekey(begun)));
  const std::uint32_t transaction = transaction_of(begun.client_random);
  const auto ignored = pair_->snapshot(Side::gcs).traffic.control_ignored;
  for (const std::uint32_t other : {0u, transaction + 1}) {
    insider_->say(Side::drone, {other, Abort{AbortReason::failed}});
  }
  EXPECT_EQ(pair_->snapshot(Side::gcs).traffic.control_ignored, ignored + 2);
  const auto before = count<Confirm>();
  pair_->run_for(500ms);
  EXPECT_GT(count<Confirm>(), before);
  insider_->say(Side::drone, {transaction, Abort{AbortReason::failed}});
  const auto after = count<Confirm>();
  pair_->run_for(1s);
  EXPECT_EQ(count<Confirm>(), after);
}

TEST_F(InsidersRekey, is_confirmed_for_a_limited_time)
{
  establish();
  std::size_t confirms = 0;
  pair_->set_datagram_filter([&](Side from, Bytes & bytes) {
    const auto frame =
      from == Side::gcs ? insider_->read_control(Side::drone, bytes) : std::nullopt;
    confirms += frame && std::holds_alternative<Confirm>(frame->body) ? 1 : 0;
    return false;
  });
  ASSERT_TRUE(is_accepted(rekey(opening(in_use()))));
  pair_->run_for(5min);
  EXPECT_EQ(confirms, static_cast<std::size_t>(max_confirms) + 1);
}

TEST(Rekey, that_is_not_used_yet_is_no_session_that_stays_silent)
{
  WiredPair pair;
  ASSERT_TRUE(pair.establish());
  pair.run_for(3s);
  const auto handshakes = pair.snapshot(Side::gcs).handshakes;
  pair.set_datagram_filter(
    [&](Side, Bytes &) { return pair.snapshot(Side::gcs).handshakes == handshakes; });
  pair.drone().request_rekey(rekey_to(nullptr), pair.now());
  ASSERT_TRUE(pair.run_until([&] { return pair.snapshot(Side::gcs).handshakes > handshakes; }));
  pair.run_for(2900ms);
  EXPECT_FALSE(pair.saw(Side::gcs, EventKind::handshake_failed));
}

TEST(Session, whose_drone_does_not_sign_needs_no_public_key_of_the_drone)
{
  WiredPair::Options options;
  options.alter_gcs = [](GcsIdentity &, DroneRecord & record) { record.drone_keys.clear(); };
  WiredPair pair(options);
  EXPECT_TRUE(pair.establish());
}

// --- Ratchets one after the other ---

// Somebody with all that the drone has, in its place.
class Ratcheting : public InsidersRatchet
{
protected:
  void SetUp() override
  {
    establish();
    live_ = &insider_->keys(Side::drone);
    pair_->set_datagram_filter([this](Side from, Bytes & bytes) {
      const auto header = decode_frame_header(bytes);
      if (from == Side::gcs && header && header->key_id == live_->receive_id()) {
        const auto opened = live_->open(*header, bytes, pair_->now());
        const auto frame = opened.drop ? std::nullopt : decode_control(EpochKeys::payload(bytes));
        if (frame && opened.kind == static_cast<std::uint8_t>(FrameKind::control)) {
          answers_.push_back(*frame);
        }
      }
      return false;  // the drone itself hears and says nothing any more
    });
  }
  void say(EpochKeys & keys, FrameKind kind, const Bytes & text)
  {
    Bytes sealed(text.size() + frame_overhead);
    std::ranges::copy(text, sealed.begin() + frame_header_size);
    keys.seal(kind, sealed, pair_->now());
    pair_->inject(Side::gcs, sealed);
  }
  void use(EpochKeys & keys)
  {
    say(keys, FrameKind::control, encode(ControlFrame{0, Keepalive{}}));
  }
  // The keys of the epoch that follows on the live one; none if the ground station does not agree.
  std::unique_ptr<EpochKeys> ratchet_to(Epoch epoch)
  {
    Ratchet next{epoch, {}, {}};
    pair_->random().fill(next.random);
    next.mac = ratchet_mac(psk(), *live_, next);
    answers_.clear();
    say(*live_, FrameKind::control, encode(ControlFrame{1, next}));
    const auto ok = answer<RatchetOk>();
    return !ok ? nullptr
               : std::make_unique<EpochKeys>(
                   ratchet_name(*live_), Role::drone,
                   ratchet_secrets(psk(), *live_, next, ok->random), TunnelSettings{}, pair_->now(),
                   live_->clock());
  }

  EpochKeys * live_ = nullptr;
};

TEST_F(Ratcheting, after_the_last_epoch_or_rekeying_begins_no_epoch_0_in_the_same_session)
{
  std::vector<std::unique_ptr<EpochKeys>> made;
  for (int epoch = 1; epoch <= 255; ++epoch) {
    pair_->run_for(50ms);
    made.push_back(ratchet_to(Epoch{static_cast<std::uint8_t>(epoch)}));
    ASSERT_TRUE(made.back()) << epoch;
    live_ = made.back().get();
    use(*live_);
  }
  ASSERT_EQ(pair_->snapshot(Side::gcs).epoch, last_epoch);
  const auto keys = pair_->snapshot(Side::gcs).keys.size();
  EXPECT_FALSE(ratchet_to(Epoch{0}));
  EXPECT_EQ(pair_->snapshot(Side::gcs).keys.size(), keys);
  RekeyOpening again = opening(in_use());
  again.next_epoch = Epoch{0};
  Bytes message = encode(again);
  message.resize(message.size() + finish_size(in_use(), {}).max);
  const auto jobs = pair_->jobs_run(Side::gcs);
  const auto whole = static_cast<std::uint32_t>(message.size());
  say(*live_, FrameKind::stream, encode(StreamPart{9, 0, 0, whole, message}));
  pair_->run_for(100ms);
  EXPECT_EQ(pair_->jobs_run(Side::gcs), jobs);
  EXPECT_EQ(count<Abort>(), 1u);
}

TEST_F(Ratcheting, to_the_epoch_in_use_is_not_what_the_ground_station_has_requested)
{
  const auto first = ratchet_to(Epoch{1});
  const auto second = ratchet_to(Epoch{1});
  ASSERT_TRUE(first && second);
  use(*first);
  EXPECT_EQ(pair_->snapshot(Side::gcs).epoch, Epoch{1});
  pair_->gcs().request_rekey(rekey_to(nullptr), pair_->now());
  use(*second);
  EXPECT_EQ(pair_->snapshot(Side::gcs).rekeys, 2u);
  EXPECT_TRUE(pair_->outcomes(Side::gcs).empty());
  live_ = second.get();
  const auto third = ratchet_to(Epoch{2});
  ASSERT_TRUE(third);
  use(*third);
  ASSERT_EQ(pair_->outcomes(Side::gcs).size(), 1u);
  EXPECT_TRUE(pair_->outcomes(Side::gcs).front().success);
}

}  // namespace
}  // namespace pqc_tunnel::test
