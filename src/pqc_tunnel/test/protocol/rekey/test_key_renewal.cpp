// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "support/hostile/insider.hpp"
#include "support/pair/traffic.hpp"

// Nobody without the PSK ends the renewal of keys, nor has a suite blamed, whatever he drops, holds, releases, or says
// under live keys that he has stolen.

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

std::size_t pending_keys(WiredPair & pair)
{
  const auto held = pair.snapshot(Side::gcs).keys;
  return static_cast<std::size_t>(std::ranges::count(held, KeyUse::pending, &InstalledKeys::use));
}

bool is_under_session_keys(WiredPair & pair, Side from, ByteView frame)
{
  const auto header = is_hello(frame) ? std::nullopt : decode_frame_header(frame);
  const auto held = pair.snapshot(from).keys;
  return header && std::ranges::find(held, header->key_id, &InstalledKeys::send_id) != held.end();
}

void expect_no_blame(WiredPair & pair)
{
  EXPECT_TRUE(pair.snapshot(Side::drone).blacklist.empty());
  EXPECT_EQ(pair.snapshot(Side::drone).rollbacks, 0u);
}

void expect_full_rekey(WiredPair & pair, Duration limit = 5s)
{
  const std::size_t answers = pair.outcomes(Side::drone).size();
  pair.drone().request_rekey(rekey_to(nullptr), pair.now());
  ASSERT_TRUE(pair.run_until([&] { return pair.outcomes(Side::drone).size() > answers; }, limit));
  EXPECT_TRUE(pair.outcomes(Side::drone).back().success)
    << pair.outcomes(Side::drone).back().message;
  pair.run_for(50ms);
  EXPECT_TRUE(pair.agreed());
}

// Two first exchanges are pending at the ground station. Nothing under the keys of the first one arrived, and the CONFIRM
// of the second one is lost; then a frame under the first keys is let go.
class TwoFirstExchanges : public testing::Test
{
protected:
  TwoFirstExchanges()
  {
    pair_.set_datagram_filter([this](Side from, Bytes & bytes) {
      if (is_under_session_keys(pair_, from, bytes)) {
        if (from == Side::drone && !passes_) {
          held_ = held_.empty() ? bytes : held_;
          return false;
        }
        return true;
      }
      return from == Side::drone || is_hello(bytes) || pending_keys(pair_) < 2 || confirms_;
    });
    EXPECT_TRUE(pair_.run_until([this] { return pending_keys(pair_) == 2; }, 20s));
  }
  void release()
  {
    passes_ = true;
    pair_.inject(Side::gcs, held_);
  }

  WiredPair pair_;
  Bytes held_;
  bool passes_ = false;
  bool confirms_ = false;
};

TEST_F(TwoFirstExchanges, of_which_the_older_wins_leave_prekeys_that_hold)
{
  release();
  pair_.run_for(2s);
  confirms_ = true;
  ASSERT_TRUE(pair_.establish());
  pair_.run_for(5s);
  expect_full_rekey(pair_);
  expect_no_blame(pair_);
}

TEST_F(TwoFirstExchanges, of_which_the_older_wins_leave_the_newer_to_be_confirmed)
{
  const SessionId older = pair_.snapshot(Side::drone).session;
  // The drone hears nothing under the older keys, and so waits for the newer ones.
  pair_.set_datagram_filter([&, this](Side from, Bytes & bytes) {
    const bool is_older = pair_.snapshot(Side::drone).session == older;
    return !is_older || !is_under_session_keys(pair_, from, bytes);
  });
  release();
  EXPECT_EQ(pair_.snapshot(Side::gcs).session, older);
  ASSERT_TRUE(pair_.run_until([&] { return pair_.snapshot(Side::drone).session != older; }, 3s));
  ASSERT_TRUE(pair_.run_until([&] { return pair_.agreed(); }, 1s));
  expect_full_rekey(pair_);
  expect_no_blame(pair_);
}

TEST(Renewal, does_not_wait_for_an_attempt_at_a_session_that_nobody_wants_any_more)
{
  WiredPair pair;
  ASSERT_TRUE(pair.establish());
  bool blocked = true;
  pair.set_datagram_filter([&](Side from, Bytes & bytes) {
    // The attempt gets as far as the prekey.
    return !blocked || is_hello(bytes) ||
           (from == Side::gcs && !is_under_session_keys(pair, from, bytes));
  });
  ASSERT_TRUE(
    pair.run_until([&] { return pair.count(Side::gcs, EventKind::handshake_started) == 2; }, 10s));
  pair.run_for(100ms);
  blocked = false;
  ASSERT_TRUE(pair.run_until([&] { return pair.agreed(); }, 2s));
  const Suite & other = suite("cs-mlkem768-chacha20poly1305-mldsa65");
  pair.drone().request_rekey(rekey_to(&other), pair.now());
  EXPECT_TRUE(pair.run_until([&] { return pair.snapshot(Side::gcs).suite == &other; }, 1s));
}

// --- Limits ---

// A ratchet every few seconds, as a policy asks for them.
void run_with_ratchets(WiredPair & pair, Duration every, Duration time)
{
  RekeyCommand command = rekey_to(nullptr);
  command.ratchet = true;
  for (const Instant end = pair.now() + time; pair.now() < end; pair.run_for(every)) {
    pair.drone().request_rekey(command, pair.now());
  }
}

std::uint32_t full_rekeys(WiredPair & pair)
{
  const PeerSnapshot drone = pair.snapshot(Side::drone);
  return drone.rekeys - drone.ratchets;
}

TEST(Renewal, by_age_comes_also_while_ratchets_run)
{
  WiredPair::Options options;
  options.settings.max_key_age = 10min;
  options.settings.max_ratchets = 0;
  WiredPair pair(options);
  ASSERT_TRUE(pair.establish());
  run_with_ratchets(pair, 50s, 65min);
  EXPECT_GE(full_rekeys(pair), 5u);
  EXPECT_LE(full_rekeys(pair), 6u);
}

TEST(Renewal, by_ratchets_comes_also_where_keys_live_less_than_a_minute)
{
  WiredPair::Options options;
  options.settings.max_key_age = 50s;
  options.settings.max_ratchets = 5;
  WiredPair pair(options);
  ASSERT_TRUE(pair.establish());
  run_with_ratchets(pair, 2s, 16s);
  EXPECT_EQ(full_rekeys(pair), 1u);
}

// --- Stolen live keys, without the PSK ---

class StolenKeys : public testing::Test
{
protected:
  StolenKeys()
  {
    EXPECT_TRUE(pair_.establish());
    pair_.set_datagram_filter([this](Side from, Bytes & bytes) {
      if (from == Side::gcs || is_hello(bytes)) {
        return true;
      }
      Bytes copy = bytes;
      const auto opened =
        thief_.keys(Side::gcs).open(*decode_frame_header(copy), copy, pair_.now());
      const auto frame =
        !opened.drop && opened.kind == static_cast<std::uint8_t>(FrameKind::control)
          ? decode_control(EpochKeys::payload(copy))
          : std::nullopt;
      if (!frame || !std::holds_alternative<Want>(frame->body)) {
        return true;
      }
      pair_.deliver_later(
        Side::drone,
        thief_.seal(
          Side::gcs, FrameKind::control, encode(ControlFrame{frame->transaction, answer_})),
        WiredPair::address_of(Side::gcs), 1ms);
      return false;
    });
  }
  static WiredPair::Options options()
  {
    WiredPair::Options options;
    options.settings.prefetch_max_bytes = 0;  // each rekey asks for its prekey
    options.settings.max_key_age = 10min;
    return options;
  }

  WiredPair pair_{options()};
  Insider thief_{pair_};
  ControlBody answer_ = Abort{AbortReason::failed};
};

TEST_F(StolenKeys, end_no_renewal_by_an_abort_for_any_reason)
{
  for (const AbortReason reason :
       {AbortReason::suite_refused, AbortReason::in_progress, AbortReason::failed,
        AbortReason::unknown_prekey})
  {
    answer_ = Abort{reason};
    const SessionId stolen = pair_.snapshot(Side::drone).session;
    expect_full_rekey(pair_);
    expect_no_blame(pair_);
    if (reason == AbortReason::suite_refused) {
      EXPECT_NE(pair_.snapshot(Side::drone).session, stolen);  // which the thief does not know
    }
  }
}

TEST_F(StolenKeys, have_no_other_suite_blamed)
{
  const Suite & other = suite("cs-mlkem768-chacha20poly1305-mldsa65");
  answer_ = Abort{AbortReason::suite_refused};
  pair_.drone().request_rekey(rekey_to(&other), pair_.now());
  ASSERT_TRUE(pair_.run_until([&] { return !pair_.outcomes(Side::drone).empty(); }, 5s));
  EXPECT_TRUE(pair_.outcomes(Side::drone).back().success);
  EXPECT_EQ(pair_.snapshot(Side::drone).suite, &other);
  expect_no_blame(pair_);
}

// Somebody on the way drops what new keys need, and lets all other traffic pass.
TEST(Renewal, that_somebody_stops_is_named_at_both_ends_and_comes_by_a_new_session_once_that_passes)
{
  WiredPair::Options options;
  options.settings.max_key_age = 10min;
  WiredPair pair(options);
  bool boot_passes = true;
  pair.set_datagram_filter([&](Side from, Bytes & bytes) {
    const bool large = bytes.size() > 300;
    return !large || (boot_passes && !is_under_session_keys(pair, from, bytes));
  });
  ASSERT_TRUE(pair.establish());
  const SessionId before = pair.snapshot(Side::drone).session;
  boot_passes = false;
  pair.run_for(15min);
  for (const Side side : both_sides) {
    EXPECT_NE(pair.snapshot(side).likely_cause.find("due for renewal"), std::string::npos)
      << pair.snapshot(side).likely_cause;
  }
  EXPECT_GE(pair.count(Side::drone, EventKind::rekey_failed), 2u);
  EXPECT_EQ(pair.snapshot(Side::drone).session, before);
  boot_passes = true;
  ASSERT_TRUE(pair.run_until([&] { return pair.snapshot(Side::drone).session != before; }, 3min));
  pair.run_for(1s);
  EXPECT_TRUE(pair.agreed());
  for (const Side side : both_sides) {
    EXPECT_EQ(pair.snapshot(side).likely_cause, "");
  }
  expect_no_blame(pair);
}

// --- What a suite is blamed for ends with what it is about ---

class Blamed : public testing::Test
{
protected:
  Blamed()
  {
    pair_.set_job_filter([this](Side, Job & job) -> std::optional<JobResult> {
      const auto * make = std::get_if<MakeFinish>(&job);
      return make != nullptr && make->suite == broken_
               ? std::optional(JobFailed{JobError::unavailable, "made to fail by the test"})
               : std::nullopt;
    });
    EXPECT_TRUE(pair_.establish());
  }
  bool rekey(const Suite & to)
  {
    const std::size_t answers = pair_.outcomes(Side::drone).size();
    pair_.drone().request_rekey(rekey_to(&to), pair_.now());
    EXPECT_TRUE(pair_.run_until([&] { return pair_.outcomes(Side::drone).size() > answers; }, 60s));
    return pair_.outcomes(Side::drone).back().success;
  }
  std::size_t blamed() { return pair_.snapshot(Side::drone).blacklist.size(); }

  WiredPair pair_;
  const Suite & live_ = suite("cs-mlkem768-aesgcm-mldsa65");
  const Suite & other_ = suite("cs-mlkem768-chacha20poly1305-mldsa65");
  const Suite * broken_ = &other_;
};

TEST_F(Blamed, the_suite_in_use_is_never)
{
  broken_ = &live_;
  pair_.restart(Side::drone);
  broken_ = nullptr;
  ASSERT_TRUE(pair_.establish());
  broken_ = &live_;
  EXPECT_FALSE(rekey(live_));
  EXPECT_EQ(blamed(), 0u);
  RekeyCommand ratchet = rekey_to(nullptr);
  ratchet.ratchet = true;
  pair_.drone().request_rekey(ratchet, pair_.now());
  pair_.run_for(1s);
  EXPECT_EQ(pair_.snapshot(Side::drone).ratchets, 1u);
  broken_ = nullptr;
  expect_full_rekey(pair_);
}

TEST_F(Blamed, a_suite_is_not_beyond_a_wipe)
{
  EXPECT_FALSE(rekey(other_));
  EXPECT_EQ(blamed(), 1u);
  pair_.drone().wipe(PeerIndex{0}, "asked for", pair_.now());
  EXPECT_EQ(blamed(), 0u);
}

TEST_F(Blamed, a_suite_is_not_beyond_a_new_session)
{
  EXPECT_FALSE(rekey(other_));
  broken_ = nullptr;
  pair_.restart(Side::gcs);
  pair_.run_for(10s);
  ASSERT_TRUE(pair_.agreed());
  EXPECT_EQ(blamed(), 0u);
  EXPECT_TRUE(rekey(other_));
}

}  // namespace
}  // namespace pqc_tunnel::test
