// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__NODE__GROUND_REQUEST_SERVER_HPP_
#define PQC_TUNNEL__NODE__GROUND_REQUEST_SERVER_HPP_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <pqc_msgs/srv/capture_power.hpp>
#include <pqc_msgs/srv/hold_suite.hpp>
#include <rclcpp/rclcpp.hpp>
#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "protocol/ground_answerer.hpp"

namespace pqc_tunnel
{

// --- Pure: what a service has answered, and how it travels to the ground ---

GroundAnswer ground_answer(const pqc_msgs::srv::HoldSuite::Response & response);
GroundAnswer ground_answer(const pqc_msgs::srv::CapturePower::Response & response);

// Drone: hands what the ground station asks for to the policy and the sensing node by their own services, so that they
// check it as they check what is asked for here; the answer goes back in band.
class GroundRequestServer
{
public:
  // The referenced objects must outlive it.
  GroundRequestServer(rclcpp::Node & node, Engine & engine);
  GroundRequestServer(const GroundRequestServer &) = delete;
  GroundRequestServer & operator=(const GroundRequestServer &) = delete;

  void handle_notices(const std::vector<NoticeArrived> & notices);
  // To be called each second: services that have not answered in time are given up.
  void handle_second();

private:
  using HoldSuite = pqc_msgs::srv::HoldSuite;
  using CapturePower = pqc_msgs::srv::CapturePower;
  struct Waiting
  {
    Instant until;
    std::function<void()> forget;
  };

  void carry_out(std::uint32_t id, const HoldRequest & hold);
  void carry_out(std::uint32_t id, const CaptureRequest & capture);
  template <class Service>
  void call(
    std::uint32_t id, rclcpp::Client<Service> & client,
    const std::shared_ptr<typename Service::Request> & request, Duration patience);
  void finish(std::uint32_t id, const GroundAnswer & answer);
  void refuse(std::uint32_t id, const std::string & text);
  void send(const std::optional<Notice> & notice);

  rclcpp::Node & node_;
  Engine & engine_;
  GroundAnswerer answerer_;
  std::map<std::uint32_t, Waiting> waiting_;
  rclcpp::Client<HoldSuite>::SharedPtr hold_;
  rclcpp::Client<CapturePower>::SharedPtr capture_;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__NODE__GROUND_REQUEST_SERVER_HPP_
