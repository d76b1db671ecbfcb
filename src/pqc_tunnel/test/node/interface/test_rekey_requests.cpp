// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <chrono>
#include <vector>

#include "crypto/suites/suite.hpp"
#include "node/interface/rekey_requests.hpp"

namespace pqc_tunnel
{
namespace
{

using Response = RekeyRequests::Response;

struct Caller
{
  std::vector<Response> responses;
  RekeyRequests::Respond respond()
  {
    return [this](Response & response) { responses.push_back(response); };
  }
};

RekeyReply success(std::uint64_t id)
{
  RekeyReply reply{RekeyId{id}, true, "Done.", registry().find("cs-mlkem768-aesgcm-mldsa65"),
                   Epoch{3},    {}};
  reply.timing.total = std::chrono::milliseconds(25);
  return reply;
}

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
  EXPECT_EQ(second.responses[0].suite, "cs-mlkem768-aesgcm-mldsa65");
  EXPECT_EQ(second.responses[0].epoch, 3);
  EXPECT_DOUBLE_EQ(second.responses[0].timing.total_s, 0.025);
}

TEST(RekeyRequests, an_answer_without_a_session_names_no_suite)
{
  Caller caller;
  RekeyRequests requests;
  requests.add(RekeyId{1}, caller.respond());
  requests.answer({RekeyId{1}, false, "There is no session.", nullptr, Epoch{}, {}});
  ASSERT_EQ(caller.responses.size(), 1u);
  EXPECT_FALSE(caller.responses[0].success);
  EXPECT_EQ(caller.responses[0].suite, "");
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
