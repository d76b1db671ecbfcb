// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "node/drone_reports.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace pqc_tunnel::test
{
namespace
{

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

pqc_msgs::msg::PolicyDecision example_decision()
{
  pqc_msgs::msg::PolicyDecision message;
  message.strategy = "telemetry_aware";
  message.action = "DOWN";
  message.rule = "link";
  message.from_suite = "cs-mlkem768-aesgcm-mldsa65";
  message.to_suite = "cs-mlkem512-aesgcm-mldsa44";
  message.inputs.link_age_s = 0.5;
  message.inputs.link_loss = 0.25;
  message.inputs.link_rtt_s = nan;
  message.inputs.battery_age_s = 9.0;
  message.inputs.battery_voltage_v = 15.0;
  message.inputs.thermal_age_s = -1.0;
  message.inputs.armed_age_s = 0.1;
  message.inputs.armed = true;
  message.inputs.advisor_age_s = 0.1;
  message.inputs.advisor_verdict = "attack";
  message.inputs.advisor_class = "jamming";
  message.inputs.phase_age_s = 0.1;
  message.inputs.phase = "transit";
  message.inputs.held_suite = "cs-mlkem1024-aesgcm-mldsa87";
  message.asked = true;
  message.missing = {"thermal", "battery"};
  message.cue = "The link is jammed: gain height, change the channel, or turn back.";
  message.cue_id = "jammed";
  return message;
}

TEST(DroneReports, of_a_decision_have_what_was_known_and_fresh)
{
  const auto read = decision_notice(to_notice(decision_content(example_decision())));
  ASSERT_TRUE(read);
  const auto message = decision_message(*read);
  EXPECT_EQ(message.action, "DOWN");
  EXPECT_EQ(message.rule, "link");
  EXPECT_EQ(message.strategy, "telemetry_awar");
  EXPECT_EQ(message.from_suite, "cs-mlkem768-aesgcm-mldsa65");
  EXPECT_EQ(message.to_suite, "cs-mlkem512-aesgcm-mldsa44");
  EXPECT_DOUBLE_EQ(message.link_loss, 0.25);
  EXPECT_TRUE(std::isnan(message.link_rtt_s));
  EXPECT_TRUE(std::isnan(message.battery_voltage_v)) << "stale";
  EXPECT_TRUE(std::isnan(message.temperature_c)) << "never received";
  EXPECT_TRUE(message.armed_known);
  EXPECT_TRUE(message.armed);
  EXPECT_EQ(message.advisor_verdict, "attack");
  EXPECT_EQ(message.attack_class, "jamming");
  EXPECT_EQ(message.phase, "transit");
  EXPECT_EQ(message.held_suite, "cs-mlkem1024-aesgcm-mldsa87");
  EXPECT_TRUE(message.asked);
  EXPECT_EQ(message.missing, (std::vector<std::string>{"battery", "thermal"}));
  EXPECT_EQ(message.cue_id, "jammed");
  EXPECT_EQ(message.cue, "jammed: climb, change channel, or turn back");
  EXPECT_EQ(message.hold, "");
}

TEST(DroneReports, of_advice_say_that_the_tunnel_is_not_asked)
{
  auto advised = example_decision();
  advised.asked = false;
  const auto content = decision_content(advised);
  EXPECT_FALSE(content.changes_suite());
  const auto message = decision_message(content);
  EXPECT_EQ(message.to_suite, "cs-mlkem512-aesgcm-mldsa44");
  EXPECT_FALSE(message.asked);
}

TEST(DroneReports, of_a_change_that_is_held_back_say_why)
{
  auto held = example_decision();
  held.action = "HOLD";
  held.hold = "limit";
  held.to_suite = "";
  held.asked = false;
  const auto message = decision_message(decision_content(held));
  EXPECT_EQ(message.hold, "limit");
  EXPECT_FALSE(message.asked);
}

TEST(DroneReports, call_what_they_have_no_name_for_other)
{
  auto later = example_decision();
  later.cue_id = "meteor";
  later.hold = "patience";
  later.inputs.phase = "orbit";
  later.inputs.advisor_class = "gnomes";
  later.missing = {"link", "moon"};
  const auto message = decision_message(decision_content(later));
  EXPECT_EQ(message.cue_id, "other");
  EXPECT_EQ(message.cue, "cue: see the drone's decision");
  EXPECT_EQ(message.hold, "other");
  EXPECT_EQ(message.phase, "other");
  EXPECT_EQ(message.attack_class, "other");
  EXPECT_EQ(message.missing, (std::vector<std::string>{"link", "other"}));
  later.cue_id = "";
  EXPECT_EQ(decision_message(decision_content(later)).cue_id, "other") << "an earlier policy";
}

TEST(DroneReports, of_stale_inputs_have_neither_phase_nor_class)
{
  auto stale = example_decision();
  stale.inputs.phase_age_s = stale.inputs.advisor_age_s = 9.0;
  const auto message = decision_message(decision_content(stale));
  EXPECT_EQ(message.phase, "");
  EXPECT_EQ(message.attack_class, "");
}

TEST(DroneReports, of_a_decision_without_a_session_name_no_suites)
{
  const auto message = decision_message(decision_content(pqc_msgs::msg::PolicyDecision()));
  EXPECT_EQ(message.from_suite, "");
  EXPECT_EQ(message.to_suite, "");
  EXPECT_EQ(message.action, "");
}

TEST(DroneReports, of_the_computer_have_only_fresh_readings)
{
  ComputerReadings readings;
  const Instant now(std::chrono::seconds(100));
  EXPECT_FALSE(readings.content(now));
  pqc_msgs::msg::ComputerLoad load;
  load.load = 0.5;
  load.memory = nan;
  load.frequency_hz = 1.5e9;
  load.throttled = pqc_msgs::msg::ComputerLoad::THROTTLED_YES;
  readings.handle(load, now - std::chrono::seconds(4));
  EXPECT_FALSE(readings.content(now));
  readings.handle(load, now);
  pqc_msgs::msg::PowerReading power;
  power.power_w = 4.2;
  readings.handle(power, now);
  const auto content = readings.content(now);
  ASSERT_TRUE(content);
  const auto message = computer_message(*computer_notice(to_notice(*content)));
  EXPECT_DOUBLE_EQ(message.load, 0.5);
  EXPECT_TRUE(std::isnan(message.memory));
  EXPECT_DOUBLE_EQ(message.frequency_hz, 1.5e9);
  EXPECT_EQ(message.throttled, pqc_msgs::msg::ComputerLoad::THROTTLED_YES);
  EXPECT_TRUE(std::isnan(message.temperature_c));
  EXPECT_NEAR(message.power_w, 4.2, 1e-9);
}

}  // namespace
}  // namespace pqc_tunnel::test
