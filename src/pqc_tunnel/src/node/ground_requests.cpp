// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "ground_requests.hpp"

#include <chrono>
#include <cmath>
#include <type_traits>
#include <utility>

#include "pqc_tunnel/base/shown_text.hpp"
#include "pqc_tunnel/crypto/random.hpp"

namespace pqc_tunnel
{

namespace
{

constexpr auto tick = std::chrono::milliseconds(100);

Duration from_seconds(double seconds)
{
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
}

double in_seconds(Duration time) { return std::chrono::duration<double>(time).count(); }

bool is_within(double seconds, Duration longest)
{
  return std::isfinite(seconds) && seconds > 0 && seconds <= in_seconds(longest);
}

std::string sentence(const AskOutcome & outcome)
{
  if (!outcome.answered && outcome.answer.text.empty()) {
    return "The drone has not answered: whether it has done it is unknown.";
  }
  return outcome.answer.text;
}

bool succeeded(const AskOutcome & outcome)
{
  return outcome.answered && outcome.answer.state == AnswerState::done;
}

AskOutcome failed(const std::string & text) { return {0, false, {AnswerState::refused, {}, text}}; }

}  // namespace

std::string request_fault(const HoldSuite::Request & request, RequestContent & content)
{
  if (request.suite.empty()) {
    content = HoldRequest{true, nullptr, {}};
    return {};
  }
  const Suite * suite = registry().find(request.suite);
  if (suite == nullptr) {
    return "There is no suite " + request.suite + ".";
  }
  if (!is_within(request.seconds, HoldRequest::longest)) {
    return "A hold lasts more than 0 and at most 86400 s.";
  }
  content = HoldRequest{false, suite, from_seconds(request.seconds)};
  return {};
}

std::string request_fault(const CapturePower::Request & request, RequestContent & content)
{
  if (std::string fault = name_fault(request.name); !fault.empty()) {
    return fault;
  }
  if (!is_within(request.seconds, CaptureRequest::longest)) {
    return "A capture takes more than 0 and at most 86400 s.";
  }
  const bool in_range =
    request.rate_hz == 0 ||
    (request.rate_hz >= 1 && request.rate_hz <= CaptureRequest::highest_rate_hz);
  if (!in_range) {
    return "A capture's rate is from 1 to 1000 per second, or 0 for the highest.";
  }
  content = CaptureRequest{from_seconds(request.seconds), request.rate_hz, request.name};
  return {};
}

void fill(HoldSuite::Response & response, const AskOutcome & outcome)
{
  response.success = succeeded(outcome);
  response.message = shown(sentence(outcome));
}

void fill(CapturePower::Response & response, const AskOutcome & outcome, const std::string & name)
{
  const CaptureResult & result = outcome.answer.capture;
  response.success = succeeded(outcome);
  response.message = shown(sentence(outcome));
  if (!outcome.answered || result.samples == 0) {
    return;
  }
  response.file = name.ends_with(".csv") ? name : name + ".csv";
  response.samples = result.samples;
  response.seconds = in_seconds(result.time);
  response.energy_j = result.energy_j;
  response.mean_w = response.seconds > 0 ? result.energy_j / response.seconds : 0;
}

GroundRequests::GroundRequests(
  rclcpp::Node & node, Engine & engine, const std::vector<std::string> & prefixes)
: node_(node), engine_(engine)
{
  SystemRandom random;
  for (std::size_t i = 0; i < prefixes.size(); ++i) {
    drones_.push_back(std::make_unique<Drone>(
      Drone{GroundAsker(draw<std::uint32_t>(random)), {}, nullptr, nullptr}));
    drones_.back()->hold = offer<HoldSuite>(prefixes[i] + "hold_suite", i);
    drones_.back()->capture = offer<CapturePower>(prefixes[i] + "capture_power", i);
  }
  timer_ = node.create_wall_timer(tick, [this] { handle_time(); });
  timer_->cancel();
}

template <class Service>
typename rclcpp::Service<Service>::SharedPtr GroundRequests::offer(
  const std::string & name, std::size_t peer)
{
  // rclcpp knows callbacks by their exact signatures.
  // NOLINTBEGIN(performance-unnecessary-value-param)
  return node_.create_service<Service>(
    name,
    [this, peer](
      std::shared_ptr<rclcpp::Service<Service>> service, std::shared_ptr<rmw_request_id_t> header,
      std::shared_ptr<typename Service::Request> request) {
      RequestContent content;
      const std::string fault = request_fault(*request, content);
      ask(peer, fault, std::move(content), [service, header, request](const AskOutcome & outcome) {
        typename Service::Response response;
        if constexpr (std::is_same_v<Service, CapturePower>) {
          fill(response, outcome, request->name);
        } else {
          fill(response, outcome);
        }
        service->send_response(*header, response);
      });
    });
  // NOLINTEND(performance-unnecessary-value-param)
}

void GroundRequests::ask(
  std::size_t peer, const std::string & fault, RequestContent content, Respond respond)
{
  if (!fault.empty()) {
    respond(failed(fault));
    return;
  }
  if (engine_.snapshot().peers.at(peer).suite == nullptr) {
    respond(failed("There is no session with the drone."));
    return;
  }
  Drone & drone = *drones_.at(peer);
  if (const auto id = drone.asker.ask(std::move(content), monotonic_now())) {
    drone.waiting[*id] = std::move(respond);
    timer_->reset();
    handle_time();
  } else {
    respond(failed("Too many requests wait for the drone's answers."));
  }
}

void GroundRequests::handle_notices(const std::vector<NoticeArrived> & notices)
{
  bool any = false;
  for (const auto & arrived : notices) {
    if (const auto piece = answer_piece(arrived.notice)) {
      drones_.at(static_cast<std::size_t>(arrived.peer))->asker.handle_piece(*piece, arrived.time);
      any = true;
    }
  }
  if (any) {
    handle_time();
  }
}

void GroundRequests::handle_time()
{
  const Instant now = monotonic_now();
  bool idle = true;
  for (std::size_t i = 0; i < drones_.size(); ++i) {
    Drone & drone = *drones_[i];
    while (const auto notice = drone.asker.take_notice(now)) {
      engine_.send_notice(PeerIndex{static_cast<std::uint32_t>(i)}, *notice);
    }
    while (const auto outcome = drone.asker.take_outcome(now)) {
      if (const auto respond = drone.waiting.extract(outcome->id)) {
        respond.mapped()(*outcome);
      }
    }
    idle = idle && drone.waiting.empty();
  }
  if (idle) {
    timer_->cancel();
  }
}

void GroundRequests::give_up(const std::string & message)
{
  timer_->cancel();
  for (const auto & drone : drones_) {
    for (auto & [id, respond] : std::exchange(drone->waiting, {})) {
      respond(failed(message));
    }
  }
}

}  // namespace pqc_tunnel
