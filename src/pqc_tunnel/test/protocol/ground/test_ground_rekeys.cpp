// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>

#include "support/hostile/insiders_rekey.hpp"

// Rekeys that the ground station requests: which it refuses itself, what ends them, and what is no answer to them.

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

class GroundsRequest : public testing::Test
{
protected:
  void SetUp() override
  {
    ASSERT_TRUE(pair_.establish());
    pair_.run_for(3s);
  }
  void request(const Suite * suite, bool ratchet = false)
  {
    RekeyCommand command = rekey_to(suite, "");
    command.ratchet = ratchet;
    pair_.gcs().request_rekey(command, pair_.now());
    pair_.pump();
  }
  const RekeyReply & reply() { return pair_.outcomes(Side::gcs).back(); }
  bool is_answered(std::size_t count = 1)
  {
    return pair_.run_until([&] { return pair_.outcomes(Side::gcs).size() >= count; }, 5s);
  }
  std::string newest(EventKind kind)
  {
    const auto & events = pair_.events(Side::gcs);
    const auto found = std::find_if(
      events.rbegin(), events.rend(), [kind](const Event & event) { return event.kind == kind; });
    return found == events.rend() ? "" : found->text;
  }

  const Suite & another_ = suite("cs-mlkem768-chacha20poly1305-mldsa65");
  WiredPair pair_;
};

TEST_F(GroundsRequest, of_a_ratchet_keeps_the_suite)
{
  request(&another_, true);
  ASSERT_TRUE(is_answered());
  EXPECT_FALSE(reply().success);
  EXPECT_NE(reply().message.find("needs a full rekey"), std::string::npos);
  const Suite * in_use = pair_.snapshot(Side::gcs).suite;
  for (std::size_t n = 1; n <= 2; ++n) {
    request(n == 1 ? nullptr : in_use, true);
    ASSERT_TRUE(is_answered(1 + n));
    EXPECT_TRUE(reply().success) << reply().message;
    EXPECT_EQ(pair_.snapshot(Side::gcs).ratchets, n);
  }
  EXPECT_FALSE(pair_.saw(Side::gcs, EventKind::rekey_failed));
}

TEST_F(GroundsRequest, is_refused_while_the_drone_is_lost)
{
  pair_.set_datagram_filter([](Side, Bytes &) { return false; });
  ASSERT_TRUE(pair_.run_until([&] { return pair_.saw(Side::gcs, EventKind::peer_lost); }));
  request(nullptr);
  ASSERT_EQ(pair_.outcomes(Side::gcs).size(), 1u);
  EXPECT_NE(reply().message.find("there is no session"), std::string::npos);
}

TEST_F(GroundsRequest, of_a_misspelled_suite_is_told_the_nearest_one_that_has_keys)
{
  RekeyCommand command = rekey_to(nullptr);
  command.suite_id = "cs-mlkem768-aesgcm-sphincs192x";
  pair_.gcs().request_rekey(command, pair_.now());
  pair_.pump();
  EXPECT_NE(reply().message.find("did you mean cs-mlkem768-aesgcm-"), std::string::npos);
  EXPECT_EQ(reply().message.find("sphincs192s?"), std::string::npos) << reply().message;
  EXPECT_EQ(reply().message.find("sphincs192f?"), std::string::npos) << reply().message;
}

TEST_F(GroundsRequest, is_repeated_ever_more_seldom_while_the_drone_does_not_answer)
{
  constexpr std::size_t size = frame_overhead + 5 + 6;
  pair_.set_datagram_filter(
    [](Side from, Bytes & bytes) { return from == Side::drone || bytes.size() != size; });
  request(nullptr);
  pair_.run_for(10s);
  const auto requests = std::ranges::count(pair_.datagrams_sent(Side::gcs), size, &Bytes::size);
  EXPECT_GE(requests, 5);
  EXPECT_LE(requests, 9);
}

TEST_F(GroundsRequest, names_no_reason_if_it_has_none)
{
  request(&another_);
  ASSERT_TRUE(is_answered());
  EXPECT_EQ(newest(EventKind::rekey_started), "the drone starts the requested rekey");
}

TEST_F(GroundsRequest, is_not_taken_for_done_by_a_rekey_to_another_suite)
{
  pair_.set_datagram_filter([](Side from, Bytes & bytes) {
    return from == Side::drone || bytes.size() != frame_overhead + 5 + 6;  // no REKEY_REQUEST
  });
  request(&another_);
  pair_.drone().request_rekey(rekey_to(nullptr), pair_.now());
  ASSERT_TRUE(pair_.run_until([&] { return pair_.snapshot(Side::gcs).rekeys == 1; }));
  EXPECT_EQ(newest(EventKind::rekey_started), "the drone starts a rekey");
  EXPECT_TRUE(pair_.outcomes(Side::gcs).empty());
  ASSERT_TRUE(pair_.run_until([&] { return pair_.outcomes(Side::drone).size() == 1; }));
  pair_.drone().request_rekey(rekey_to(&another_), pair_.now());
  ASSERT_TRUE(is_answered());
  EXPECT_TRUE(reply().success);
  EXPECT_EQ(pair_.snapshot(Side::gcs).ratchets, 0u);
  ASSERT_TRUE(pair_.run_until([&] { return pair_.outcomes(Side::drone).size() == 2; }));
  // Once answered, it is nobody's reason any more.
  pair_.drone().request_rekey(rekey_to(&another_), pair_.now());
  ASSERT_TRUE(pair_.run_until([&] { return pair_.snapshot(Side::gcs).rekeys == 3; }));
  EXPECT_EQ(newest(EventKind::rekey_started), "the drone starts a rekey");
}

TEST_F(GroundsRequest, is_done_by_a_new_session_too)
{
  pair_.set_datagram_filter([](Side from, Bytes & bytes) {
    return from == Side::drone || bytes.size() != frame_overhead + 5 + 6;  // no REKEY_REQUEST
  });
  request(nullptr);
  pair_.restart(Side::drone);
  ASSERT_TRUE(is_answered());
  EXPECT_TRUE(reply().success);
}

TEST_F(InsidersRekey, requested_by_the_ground_station_ends_with_the_abort_of_its_transaction_alone)
{
  establish();
  listen();
  pair_->gcs().request_rekey(rekey_to(nullptr), pair_->now());
  pair_->pump();
  ASSERT_TRUE(answer<RekeyRequest>());
  const std::uint32_t transaction = answers_.back().transaction;
  insider_->say(Side::drone, {transaction + 1, Abort{AbortReason::in_progress}});
  EXPECT_TRUE(pair_->outcomes(Side::gcs).empty());
  insider_->say(Side::drone, {transaction, Abort{AbortReason::in_progress}});
  ASSERT_EQ(pair_->outcomes(Side::gcs).size(), 1u);
  EXPECT_FALSE(pair_->outcomes(Side::gcs).front().success);
}

}  // namespace
}  // namespace pqc_tunnel::test
