// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "drone_reports.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <string_view>

#include "protocol/decision_names.hpp"

namespace pqc_tunnel
{

namespace
{

constexpr Duration fresh = std::chrono::seconds(3);
constexpr double fresh_s = 3.0;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr std::array<std::string_view, 3> verdicts = {"clear", "suspicious", "attack"};
constexpr unsigned other_input = 0x80;
static_assert(input_names.size() < 8);
static_assert(verdicts[DecisionNotice::verdict_clear] == "clear");
static_assert(verdicts[DecisionNotice::verdict_suspicious] == "suspicious");
static_assert(verdicts[DecisionNotice::verdict_attack] == "attack");

std::optional<double> known(double value)
{
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

// Of an input with an age; below 0: never received.
std::optional<double> known(double value, double age_s)
{
  return age_s >= 0 && age_s <= fresh_s ? known(value) : std::nullopt;
}

template <class Newest>
bool is_fresh(const std::optional<Newest> & newest, Instant now)
{
  return newest && now - newest->at <= fresh;
}

std::string id_of(const Suite * suite) { return suite != nullptr ? std::string(suite->id) : ""; }

std::uint8_t missing_bits(const std::vector<std::string> & names)
{
  unsigned bits = 0;
  for (const std::string & name : names) {
    const auto found = std::ranges::find(input_names, name);
    bits |= found == input_names.end() ? other_input : 1u << (found - input_names.begin());
  }
  return static_cast<std::uint8_t>(bits);
}

std::vector<std::string> missing_names(std::uint8_t bits)
{
  std::vector<std::string> names;
  for (std::size_t i = 0; i < input_names.size(); ++i) {
    if ((bits >> i & 1u) != 0) {
      names.emplace_back(input_names.at(i));
    }
  }
  if (bits >> input_names.size() != 0) {
    names.emplace_back(other_name);
  }
  return names;
}

// A policy of an earlier version gives its cue no id.
std::uint8_t cue_code(const pqc_msgs::msg::PolicyDecision & message)
{
  if (message.cue_id.empty() && !message.cue.empty()) {
    return other_code;
  }
  return code_of(cue_names, message.cue_id);
}

}  // namespace

DecisionNotice decision_content(const pqc_msgs::msg::PolicyDecision & message)
{
  const auto & inputs = message.inputs;
  DecisionNotice content;
  content.action = decision_action(message.action);
  content.ratchet = message.ratchet;
  content.advice_only = !message.to_suite.empty() && !message.asked;
  content.rule = message.rule;
  content.strategy = message.strategy;
  content.from = registry().find(message.from_suite);
  content.to = registry().find(message.to_suite);
  if (inputs.armed_age_s >= 0 && inputs.armed_age_s <= fresh_s) {
    content.armed = inputs.armed;
  }
  content.loss = known(inputs.link_loss, inputs.link_age_s);
  content.rtt_s = known(inputs.link_rtt_s, inputs.link_age_s);
  content.gap_p95_s = known(inputs.link_gap_p95_s, inputs.link_age_s);
  content.voltage_v = known(inputs.battery_voltage_v, inputs.battery_age_s);
  content.charge = known(inputs.battery_charge, inputs.battery_age_s);
  content.temperature_c = known(inputs.thermal_temperature_c, inputs.thermal_age_s);
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    if (inputs.advisor_age_s <= fresh_s && inputs.advisor_verdict == verdicts[i]) {
      content.verdict = static_cast<std::uint8_t>(i);
      content.attack = code_of(attack_names, inputs.advisor_class);
    }
  }
  content.hold = code_of(hold_names, message.hold);
  if (inputs.phase_age_s >= 0 && inputs.phase_age_s <= fresh_s) {
    content.phase = code_of(phase_names, inputs.phase);
  }
  content.missing = missing_bits(message.missing);
  content.cue = cue_code(message);
  content.held = registry().find(inputs.held_suite);
  return content;
}

pqc_msgs::msg::DroneDecision decision_message(const DecisionNotice & content)
{
  pqc_msgs::msg::DroneDecision message;
  message.strategy = content.strategy;
  message.action = to_string(content.action);
  message.rule = content.rule;
  message.from_suite = id_of(content.from);
  message.to_suite = id_of(content.to);
  message.asked = content.to != nullptr && !content.advice_only;
  message.ratchet = content.ratchet;
  message.armed_known = content.armed.has_value();
  message.armed = content.armed.value_or(false);
  message.link_loss = content.loss.value_or(nan);
  message.link_rtt_s = content.rtt_s.value_or(nan);
  message.link_gap_p95_s = content.gap_p95_s.value_or(nan);
  message.battery_voltage_v = content.voltage_v.value_or(nan);
  message.battery_charge = content.charge.value_or(nan);
  message.temperature_c = content.temperature_c.value_or(nan);
  if (content.verdict && *content.verdict < verdicts.size()) {
    message.advisor_verdict = verdicts.at(*content.verdict);
  }
  message.hold = name_of(hold_names, content.hold);
  message.phase = name_of(phase_names, content.phase);
  message.attack_class = name_of(attack_names, content.attack);
  message.missing = missing_names(content.missing);
  message.cue_id = name_of(cue_names, content.cue);
  message.cue = cue_text(content.cue);
  message.held_suite = id_of(content.held);
  return message;
}

pqc_msgs::msg::DroneComputer computer_message(const ComputerNotice & content)
{
  pqc_msgs::msg::DroneComputer message;
  message.load = content.load.value_or(nan);
  message.memory = content.memory.value_or(nan);
  message.throttled = content.throttled;
  message.frequency_hz = content.frequency_hz.value_or(nan);
  message.temperature_c = content.temperature_c.value_or(nan);
  message.power_w = content.power_w.value_or(nan);
  return message;
}

void ComputerReadings::handle(const pqc_msgs::msg::ComputerLoad & load, Instant now)
{
  load_ = {load, now};
}
void ComputerReadings::handle(const pqc_msgs::msg::ThermalReading & thermal, Instant now)
{
  thermal_ = {thermal, now};
}
void ComputerReadings::handle(const pqc_msgs::msg::PowerReading & power, Instant now)
{
  power_ = {power, now};
}

std::optional<ComputerNotice> ComputerReadings::content(Instant now) const
{
  ComputerNotice content;
  if (is_fresh(load_, now)) {
    const auto & load = load_->message;
    content.load = known(load.load);
    content.memory = known(load.memory);
    content.frequency_hz = known(load.frequency_hz);
    content.throttled = load.throttled <= 2 ? load.throttled : 0;
  }
  if (is_fresh(thermal_, now)) {
    content.temperature_c = known(thermal_->message.temperature_c);
  }
  if (is_fresh(power_, now)) {
    content.power_w = known(power_->message.power_w);
  }
  return content == ComputerNotice{} ? std::nullopt : std::optional(content);
}

DroneReportSender::DroneReportSender(rclcpp::Node & node, Engine & engine) : engine_(engine)
{
  load_ = node.create_subscription<pqc_msgs::msg::ComputerLoad>(
    "computer", rclcpp::SensorDataQoS(), [this](const pqc_msgs::msg::ComputerLoad & message) {
      readings_.handle(message, monotonic_now());
    });
  thermal_ = node.create_subscription<pqc_msgs::msg::ThermalReading>(
    "thermal", rclcpp::SensorDataQoS(), [this](const pqc_msgs::msg::ThermalReading & message) {
      readings_.handle(message, monotonic_now());
    });
  power_ = node.create_subscription<pqc_msgs::msg::PowerReading>(
    "power", rclcpp::SensorDataQoS(), [this](const pqc_msgs::msg::PowerReading & message) {
      readings_.handle(message, monotonic_now());
    });
  decision_ = node.create_subscription<pqc_msgs::msg::PolicyDecision>(
    "decision", rclcpp::SensorDataQoS(), [this](const pqc_msgs::msg::PolicyDecision & message) {
      const auto told = repeater_.handle(decision_content(message), monotonic_now());
      engine_.send_notice(PeerIndex{0}, to_notice(told));
    });
}

void DroneReportSender::handle_second()
{
  if (const auto content = readings_.content(monotonic_now())) {
    engine_.send_notice(PeerIndex{0}, to_notice(*content));
  }
}

DroneReportPublisher::DroneReportPublisher(
  rclcpp::Node & node, const std::vector<std::string> & prefixes)
{
  for (const auto & prefix : prefixes) {
    computers_.push_back(node.create_publisher<pqc_msgs::msg::DroneComputer>(
      prefix + "drone_computer", rclcpp::QoS(10)));
    decisions_.push_back(
      node.create_publisher<pqc_msgs::msg::DroneDecision>(prefix + "decision", rclcpp::QoS(10)));
  }
}

void DroneReportPublisher::publish(
  const std::vector<NoticeArrived> & notices, const ClockPair & now)
{
  for (const auto & arrived : notices) {
    const auto peer = static_cast<std::size_t>(arrived.peer);
    if (const auto computer = computer_notice(arrived.notice)) {
      auto message = computer_message(*computer);
      message.stamp = to_stamp(arrived.time, now);
      computers_.at(peer)->publish(message);
    } else if (const auto decision = decision_notice(arrived.notice)) {
      auto message = decision_message(*decision);
      message.stamp = to_stamp(arrived.time, now);
      decisions_.at(peer)->publish(message);
    }
  }
}

}  // namespace pqc_tunnel
