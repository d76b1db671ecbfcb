// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__NODE__GROUND_REQUESTS_HPP_
#define PQC_TUNNEL__NODE__GROUND_REQUESTS_HPP_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <pqc_msgs/srv/capture_power.hpp>
#include <pqc_msgs/srv/hold_suite.hpp>
#include <rclcpp/rclcpp.hpp>
#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "protocol/ground_asker.hpp"

namespace pqc_tunnel
{

// --- Pure: messages to requests, and outcomes to messages ---

using HoldSuite = pqc_msgs::srv::HoldSuite;
using CapturePower = pqc_msgs::srv::CapturePower;

// Why such a request can't be asked, as a sentence; empty, and `content` is set, if it can.
std::string request_fault(const HoldSuite::Request & request, RequestContent & content);
std::string request_fault(const CapturePower::Request & request, RequestContent & content);
void fill(HoldSuite::Response & response, const AskOutcome & outcome);
// `name`: of the capture.
void fill(CapturePower::Response & response, const AskOutcome & outcome, const std::string & name);

// Ground station: offers the services of its drones' policies and sensors, and carries the requests there in band.
class GroundRequests
{
public:
  // One prefix for each peer (see name_prefixes). The referenced objects must outlive it.
  GroundRequests(rclcpp::Node & node, Engine & engine, const std::vector<std::string> & prefixes);
  GroundRequests(const GroundRequests &) = delete;
  GroundRequests & operator=(const GroundRequests &) = delete;

  void handle_notices(const std::vector<NoticeArrived> & notices);
  // Answers all requests that still wait: they have failed.
  void give_up(const std::string & message);

private:
  using Respond = std::function<void(const AskOutcome &)>;
  struct Drone
  {
    GroundAsker asker;
    std::map<std::uint32_t, Respond> waiting;
    rclcpp::Service<HoldSuite>::SharedPtr hold;
    rclcpp::Service<CapturePower>::SharedPtr capture;
  };
  template <class Service>
  typename rclcpp::Service<Service>::SharedPtr offer(const std::string & name, std::size_t peer);
  void ask(std::size_t peer, const std::string & fault, RequestContent content, Respond respond);
  void handle_time();

  rclcpp::Node & node_;
  Engine & engine_;
  std::vector<std::unique_ptr<Drone>> drones_;
  rclcpp::TimerBase::SharedPtr timer_;  // while a request waits
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__NODE__GROUND_REQUESTS_HPP_
