// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <optional>

#include "protocol/rekey/rekey.hpp"
#include "support/identities.hpp"

// The drone's rekey, alone: which step follows on what, and what changes nothing because it is out of place.

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

constexpr Duration instantly{1};
constexpr Duration exchange_patience = 30s;
constexpr std::uint32_t transaction = 7;

class Steps : public testing::Test
{
protected:
  Steps() { rekey_.emplace(random_); }

  RekeyStep start(RekeyKind kind, bool again = false)
  {
    rekey_.emplace(random_);
    const RekeyStep step = rekey_->start(suite_, kind, again, 250ms, begun_);
    rekey_->set_transaction(transaction);
    return step;
  }
  RekeyStep abort(AbortReason reason, std::uint32_t of = transaction)
  {
    return rekey_->handle_abort(of, reason, begun_);
  }

  const Suite & suite_ = suite("cs-mlkem768-aesgcm-mldsa65");
  const Instant begun_{1000s};
  SeededRandom random_{1};
  std::optional<Rekey> rekey_;
};

TEST_F(Steps, of_a_rekey_follow_on_nothing_while_none_is_under_way)
{
  EXPECT_EQ(abort(AbortReason::failed, 0), RekeyStep::none);
  EXPECT_EQ(rekey_->handle_failed(true, "text"), RekeyStep::none);
  EXPECT_EQ(rekey_->handle_session_failed("text", begun_), RekeyStep::none);
  EXPECT_EQ(rekey_->handle_confirmed(), RekeyStep::none);
  EXPECT_EQ(rekey_->handle_session_lost(), RekeyStep::none);
  EXPECT_EQ(rekey_->handle_timeout(begun_ + 100h), RekeyStep::none);
  EXPECT_EQ(rekey_->next_timeout(), Instant::max());
  EXPECT_FALSE(rekey_->active());
}

TEST_F(Steps, follow_on_an_abort_of_their_own_transaction_alone)
{
  for (const RekeyKind kind : {RekeyKind::full, RekeyKind::ratchet}) {
    start(kind);
    EXPECT_EQ(abort(AbortReason::failed, transaction + 1), RekeyStep::none);
    EXPECT_TRUE(rekey_->active());
    EXPECT_NE(abort(AbortReason::failed), RekeyStep::none);
  }
}

TEST_F(Steps, after_an_abort_give_a_ratchet_up_and_begin_a_full_rekey_anew)
{
  EXPECT_EQ(start(RekeyKind::ratchet), RekeyStep::send_ratchet);
  EXPECT_EQ(abort(AbortReason::failed), RekeyStep::give_up);
  EXPECT_FALSE(rekey_->active());
  EXPECT_EQ(start(RekeyKind::full), RekeyStep::make_finish);
  EXPECT_EQ(abort(AbortReason::failed), RekeyStep::begin_session);
  EXPECT_EQ(abort(AbortReason::failed), RekeyStep::none);  // of what it has left behind
}

TEST_F(Steps, wait_for_another_prekey_once_if_the_ground_station_does_not_know_the_one_in_use)
{
  EXPECT_EQ(start(RekeyKind::full), RekeyStep::make_finish);
  EXPECT_EQ(abort(AbortReason::unknown_prekey), RekeyStep::await_prekey);
  EXPECT_FALSE(rekey_->active());
  EXPECT_EQ(start(RekeyKind::full, true), RekeyStep::make_finish);
  EXPECT_EQ(abort(AbortReason::unknown_prekey), RekeyStep::begin_session);
}

TEST_F(Steps, give_an_exchange_up_that_does_not_get_on_for_half_a_minute)
{
  EXPECT_EQ(start(RekeyKind::full), RekeyStep::make_finish);
  const Instant progress = begun_ + 5s;
  rekey_->note_progress(progress);
  const Instant end = progress + exchange_patience;
  EXPECT_EQ(rekey_->next_timeout(), end);
  EXPECT_EQ(rekey_->handle_timeout(end - instantly), RekeyStep::none);
  EXPECT_EQ(rekey_->handle_timeout(end), RekeyStep::give_up);

  start(RekeyKind::ratchet);
  std::size_t repeated = 0;
  RekeyStep step = RekeyStep::none;
  Instant now = begun_;
  while (step != RekeyStep::give_up) {
    now = rekey_->next_timeout();
    step = rekey_->handle_timeout(now);
    repeated += step == RekeyStep::send_ratchet ? 1 : 0;
  }
  EXPECT_EQ(now, begun_ + exchange_patience);
  EXPECT_GT(repeated, 10u);
}

TEST_F(Steps, wait_for_a_proof_as_long_as_it_takes)
{
  start(RekeyKind::full);
  EXPECT_EQ(rekey_->handle_installed(begun_ + 1h), RekeyStep::send_keepalive);
  EXPECT_EQ(rekey_->handle_timeout(begun_ + 1h + exchange_patience), RekeyStep::send_keepalive);
  EXPECT_EQ(rekey_->handle_confirmed(), RekeyStep::succeed);
}

TEST_F(Steps, try_a_new_session_again_for_half_a_minute)
{
  EXPECT_EQ(start(RekeyKind::full), RekeyStep::make_finish);
  EXPECT_EQ(rekey_->handle_session_failed("text", begun_), RekeyStep::none);
  EXPECT_EQ(rekey_->next_timeout(), begun_ + exchange_patience);  // it goes on
  EXPECT_EQ(start(RekeyKind::new_session), RekeyStep::begin_session);
  const Instant end = begun_ + new_session_patience;
  EXPECT_EQ(rekey_->handle_session_failed("text", end - instantly), RekeyStep::none);
  EXPECT_EQ(rekey_->handle_timeout(rekey_->next_timeout()), RekeyStep::begin_session);
  EXPECT_EQ(rekey_->handle_session_failed("text", end), RekeyStep::give_up);
}

}  // namespace
}  // namespace pqc_tunnel::test
