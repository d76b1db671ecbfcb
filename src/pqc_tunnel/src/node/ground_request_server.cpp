// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "ground_request_server.hpp"

#include <chrono>
#include <memory>
#include <utility>

namespace pqc_tunnel
{

namespace
{

constexpr Duration service_patience = std::chrono::seconds(5);

Duration from_seconds(double seconds)
{
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
}

double in_seconds(Duration time) { return std::chrono::duration<double>(time).count(); }

}  // namespace

GroundAnswer ground_answer(const pqc_msgs::srv::HoldSuite::Response & response)
{
  return {response.success ? AnswerState::done : AnswerState::refused, {}, response.message};
}

GroundAnswer ground_answer(const pqc_msgs::srv::CapturePower::Response & response)
{
  return {
    response.success ? AnswerState::done : AnswerState::refused,
    {response.samples, from_seconds(response.seconds), response.energy_j},
    response.message};
}

GroundRequestServer::GroundRequestServer(rclcpp::Node & node, Engine & engine)
: node_(node), engine_(engine)
{
  hold_ = node.create_client<HoldSuite>("hold_suite");
  capture_ = node.create_client<CapturePower>("capture_power");
}

void GroundRequestServer::handle_notices(const std::vector<NoticeArrived> & notices)
{
  for (const auto & arrived : notices) {
    const auto request = ground_request(arrived.notice);
    if (!request) {
      continue;
    }
    const auto taken = answerer_.handle_request(*request, monotonic_now());
    send(taken.answer);
    if (taken.is_new) {
      std::visit([&](const auto & content) { carry_out(request->id, content); }, request->content);
    }
  }
}

void GroundRequestServer::carry_out(std::uint32_t id, const HoldRequest & hold)
{
  if (!hold.release && hold.suite == nullptr) {
    refuse(id, "The drone knows no such suite.");
    return;
  }
  auto request = std::make_shared<HoldSuite::Request>();
  request->suite = hold.release ? "" : std::string(hold.suite->id);
  request->seconds = in_seconds(hold.time);
  RCLCPP_INFO(
    node_.get_logger(), "The ground station asks to %s.",
    hold.release ? "release the suite" : ("hold " + request->suite).c_str());
  call<HoldSuite>(id, *hold_, request, service_patience);
}

void GroundRequestServer::carry_out(std::uint32_t id, const CaptureRequest & capture)
{
  auto request = std::make_shared<CapturePower::Request>();
  request->seconds = in_seconds(capture.time);
  request->rate_hz = capture.rate_hz;
  request->name = capture.name;
  RCLCPP_INFO(node_.get_logger(), "The ground station asks to capture power.");
  call<CapturePower>(id, *capture_, request, capture.time + service_patience);
}

template <class Service>
void GroundRequestServer::call(
  std::uint32_t id, rclcpp::Client<Service> & client,
  const std::shared_ptr<typename Service::Request> & request, Duration patience)
{
  if (!client.service_is_ready()) {
    refuse(id, std::string("No node of the drone offers ") + client.get_service_name() + ".");
    return;
  }
  const auto sent = client.async_send_request(
    request, [this, id](typename rclcpp::Client<Service>::SharedFuture future) {
      if (waiting_.erase(id) > 0) {
        finish(id, ground_answer(*future.get()));
      }
    });
  waiting_[id] = {monotonic_now() + patience, [&client, number = sent.request_id] {
                    client.remove_pending_request(number);
                  }};
}

void GroundRequestServer::handle_second()
{
  const Instant now = monotonic_now();
  for (auto one = waiting_.begin(); one != waiting_.end();) {
    if (now < one->second.until) {
      ++one;
      continue;
    }
    one->second.forget();
    refuse(one->first, "The drone's node has not answered.");
    one = waiting_.erase(one);
  }
}

void GroundRequestServer::refuse(std::uint32_t id, const std::string & text)
{
  finish(id, {AnswerState::refused, {}, text});
}

void GroundRequestServer::finish(std::uint32_t id, const GroundAnswer & answer)
{
  send(answerer_.finish(id, answer));
}

void GroundRequestServer::send(const std::optional<Notice> & notice)
{
  if (notice) {
    engine_.send_notice(PeerIndex{0}, *notice);
  }
}

}  // namespace pqc_tunnel
