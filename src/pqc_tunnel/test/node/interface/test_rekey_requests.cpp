// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <vector>

#include "node/interface/rekey_requests.hpp"

namespace pqc_tunnel
{
namespace
{

struct Caller
{
  std::vector<RekeyReply> responses;
  RekeyRequests::Respond respond()
  {
    return [this](const RekeyReply & reply) { responses.push_back(reply); };
  }
};

RekeyReply success(std::uint64_t id) { return {RekeyId{id}, true, "Done.", nullptr, Epoch{3}, {}}; }

TEST(RekeyRequests, a_request_is_answered_by_its_own_reply_and_once)
{
  Caller first;
  Caller second;
  RekeyRequests requests;
  requests.add(RekeyId{1}, first.respond());
  requests.add(RekeyId{2}, second.respond());
  requests.answer(success(2));
  requests.answer(success(2));
  EXPECT_TRUE(first.responses.empty());
  ASSERT_EQ(second.responses.size(), 1u);
  EXPECT_TRUE(second.responses[0].success);
  EXPECT_EQ(second.responses[0].message, "Done.");
}

TEST(RekeyRequests, giving_up_answers_every_waiting_request_once)
{
  Caller first;
  Caller second;
  RekeyRequests requests;
  requests.add(RekeyId{1}, first.respond());
  requests.add(RekeyId{2}, second.respond());
  requests.answer(success(1));
  requests.give_up("Stopping.");
  requests.give_up("Stopping.");
  EXPECT_EQ(first.responses.size(), 1u);
  ASSERT_EQ(second.responses.size(), 1u);
  EXPECT_FALSE(second.responses[0].success);
  EXPECT_EQ(second.responses[0].message, "Stopping.");
}

TEST(RekeyRequests, a_reply_without_a_waiting_request_is_ignored)
{
  RekeyRequests requests;
  requests.answer(success(9));
  requests.give_up("Stopping.");
}

}  // namespace
}  // namespace pqc_tunnel
