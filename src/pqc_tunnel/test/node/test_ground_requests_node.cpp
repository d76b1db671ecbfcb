// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "node/ground_request_server.hpp"
#include "node/ground_requests.hpp"

namespace pqc_tunnel::test
{
namespace
{

HoldSuite::Request hold_of(const std::string & suite, double seconds)
{
  HoldSuite::Request request;
  request.suite = suite;
  request.seconds = seconds;
  return request;
}

CapturePower::Request capture_of(const std::string & name, double seconds, double rate_hz)
{
  CapturePower::Request request;
  request.name = name;
  request.seconds = seconds;
  request.rate_hz = rate_hz;
  return request;
}

TEST(GroundRequests, for_a_hold_travel_with_suite_and_time)
{
  RequestContent content;
  EXPECT_EQ(request_fault(hold_of("cs-mlkem768-aesgcm-mldsa65", 90.5), content), "");
  const auto & hold = std::get<HoldRequest>(content);
  EXPECT_EQ(hold.suite, registry().find("cs-mlkem768-aesgcm-mldsa65"));
  EXPECT_EQ(hold.time, std::chrono::milliseconds(90500));
  EXPECT_EQ(request_fault(hold_of("", 0), content), "");
  EXPECT_TRUE(std::get<HoldRequest>(content).release);
}

TEST(GroundRequests, that_make_no_sense_are_refused_before_they_travel)
{
  RequestContent content;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(request_fault(hold_of("cs-none", 9), content), "There is no suite cs-none.");
  for (const double seconds : {0.0, -1.0, 86401.0, nan}) {
    EXPECT_NE(request_fault(hold_of("cs-mlkem768-aesgcm-mldsa65", seconds), content), "");
    EXPECT_NE(request_fault(capture_of("hover", seconds, 0), content), "");
  }
  for (const double rate_hz : {-1.0, 0.5, 10000.0, nan}) {
    EXPECT_NE(request_fault(capture_of("hover", 5, rate_hz), content), "");
  }
  EXPECT_NE(request_fault(capture_of("two words", 5, 0), content), "");
  EXPECT_EQ(request_fault(capture_of("hover", 5, 0), content), "");
}

TEST(GroundRequests, that_nobody_answered_say_that_the_result_is_unknown)
{
  HoldSuite::Response response;
  fill(response, {1, false, {}});
  EXPECT_FALSE(response.success);
  EXPECT_EQ(response.message, "The drone has not answered: whether it has done it is unknown.");
}

TEST(GroundRequests, bring_the_result_of_a_capture_as_the_drone_s_node_told_it)
{
  CapturePower::Response told;
  told.success = true;
  told.message = "3000 samples.";
  told.samples = 3000;
  told.seconds = 12.5;
  told.energy_j = 50;
  CapturePower::Response response;
  fill(response, {1, true, ground_answer(told)}, "hover");
  EXPECT_TRUE(response.success);
  EXPECT_EQ(response.message, "3000 samples.");
  EXPECT_EQ(response.file, "hover.csv");
  EXPECT_EQ(response.samples, 3000u);
  EXPECT_DOUBLE_EQ(response.seconds, 12.5);
  EXPECT_DOUBLE_EQ(response.energy_j, 50);
  EXPECT_DOUBLE_EQ(response.mean_w, 4);
}

TEST(GroundRequests, that_the_drone_refuses_have_its_reason)
{
  HoldSuite::Response told;
  told.message = "The policy may not choose it.";
  HoldSuite::Response response;
  fill(response, {1, true, ground_answer(told)});
  EXPECT_FALSE(response.success);
  EXPECT_EQ(response.message, told.message);
}

}  // namespace
}  // namespace pqc_tunnel::test
