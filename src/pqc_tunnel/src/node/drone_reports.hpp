// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__NODE__DRONE_REPORTS_HPP_
#define PQC_TUNNEL__NODE__DRONE_REPORTS_HPP_

#include <memory>
#include <optional>
#include <pqc_msgs/msg/computer_load.hpp>
#include <pqc_msgs/msg/drone_computer.hpp>
#include <pqc_msgs/msg/drone_decision.hpp>
#include <pqc_msgs/msg/policy_decision.hpp>
#include <pqc_msgs/msg/power_reading.hpp>
#include <pqc_msgs/msg/thermal_reading.hpp>
#include <rclcpp/rclcpp.hpp>
#include <string>
#include <vector>

#include "engine/decision_repeater.hpp"
#include "engine/engine.hpp"
#include "messages.hpp"
#include "pqc_tunnel/base/time.hpp"
#include "protocol/drone_notices.hpp"

namespace pqc_tunnel
{

// --- Pure: messages to notices and back ---

DecisionNotice decision_content(const pqc_msgs::msg::PolicyDecision & message);
pqc_msgs::msg::DroneDecision decision_message(const DecisionNotice & content);
pqc_msgs::msg::DroneComputer computer_message(const ComputerNotice & content);

// The newest readings of the drone's computer; those that are no longer fresh are unknown.
class ComputerReadings
{
public:
  void handle(const pqc_msgs::msg::ComputerLoad & load, Instant now);
  void handle(const pqc_msgs::msg::ThermalReading & thermal, Instant now);
  void handle(const pqc_msgs::msg::PowerReading & power, Instant now);
  // Nothing if nothing is known.
  std::optional<ComputerNotice> content(Instant now) const;

private:
  template <class Message>
  struct Newest
  {
    Message message;
    Instant at;
  };
  std::optional<Newest<pqc_msgs::msg::ComputerLoad>> load_;
  std::optional<Newest<pqc_msgs::msg::ThermalReading>> thermal_;
  std::optional<Newest<pqc_msgs::msg::PowerReading>> power_;
};

// Drone: hands what sensing and policy publish to the ground station, in band.
class DroneReportSender
{
public:
  // The referenced objects must outlive it.
  DroneReportSender(rclcpp::Node & node, Engine & engine);
  DroneReportSender(const DroneReportSender &) = delete;
  DroneReportSender & operator=(const DroneReportSender &) = delete;

  void handle_second();

private:
  Engine & engine_;
  ComputerReadings readings_;
  DecisionRepeater repeater_;
  rclcpp::Subscription<pqc_msgs::msg::ComputerLoad>::SharedPtr load_;
  rclcpp::Subscription<pqc_msgs::msg::ThermalReading>::SharedPtr thermal_;
  rclcpp::Subscription<pqc_msgs::msg::PowerReading>::SharedPtr power_;
  rclcpp::Subscription<pqc_msgs::msg::PolicyDecision>::SharedPtr decision_;
};

// Ground station: publishes what its drones hand over.
class DroneReportPublisher
{
public:
  // One prefix for each peer (see name_prefixes).
  DroneReportPublisher(rclcpp::Node & node, const std::vector<std::string> & prefixes);
  DroneReportPublisher(const DroneReportPublisher &) = delete;
  DroneReportPublisher & operator=(const DroneReportPublisher &) = delete;

  // Notices of unknown kinds are ignored.
  void publish(const std::vector<NoticeArrived> & notices, const ClockPair & now);

private:
  std::vector<rclcpp::Publisher<pqc_msgs::msg::DroneComputer>::SharedPtr> computers_;
  std::vector<rclcpp::Publisher<pqc_msgs::msg::DroneDecision>::SharedPtr> decisions_;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__NODE__DRONE_REPORTS_HPP_
