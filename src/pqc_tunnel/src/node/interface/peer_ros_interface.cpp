// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "peer_ros_interface.hpp"

#include <memory>
#include <utility>

#include "node/diagnosis/diagnosis_report.hpp"
#include "node/messages/suite_list.hpp"
#include "peer_messages.hpp"

namespace pqc_tunnel
{

namespace
{

constexpr std::size_t message_depth = 100;

std::size_t index_of(PeerIndex peer) { return static_cast<std::size_t>(peer); }

}  // namespace

PeerRosInterface::PeerRosInterface(
  rclcpp::Node & node, diagnostic_updater::Updater & diagnostics, const std::string & prefix,
  PeerIndex peer, Engine & engine, RekeyRequests & requests)
: node_(node),
  diagnostics_(diagnostics),
  diagnostic_(prefix + "encryption"),
  peer_(peer),
  engine_(engine),
  requests_(requests)
{
  status_ = node.create_publisher<pqc_msgs::msg::TunnelStatus>(
    prefix + "status", rclcpp::QoS(1).reliable().transient_local());
  suites_ = node.create_publisher<pqc_msgs::msg::SuiteList>(
    prefix + "suites", rclcpp::QoS(1).reliable().transient_local());
  link_ = node.create_publisher<pqc_msgs::msg::LinkReport>(prefix + "link", rclcpp::QoS(10));
  messages_in_ = node.create_publisher<pqc_msgs::msg::PeerMessage>(
    prefix + "messages_in", rclcpp::QoS(message_depth));
  messages_out_ = node.create_subscription<pqc_msgs::msg::PeerMessage>(
    prefix + "messages_out", rclcpp::QoS(message_depth),
    [this](const pqc_msgs::msg::PeerMessage & message) { handle_message(message); });
  // rclcpp recognizes callbacks by their exact signatures.
  // NOLINTBEGIN(performance-unnecessary-value-param)
  rekey_ = node.create_service<Rekey>(
    prefix + "rekey",
    [this](
      std::shared_ptr<rclcpp::Service<Rekey>> service, std::shared_ptr<rmw_request_id_t> header,
      std::shared_ptr<Rekey::Request> request) {
      handle_rekey(std::move(service), std::move(header), *request);
    });
  if (engine.config().role == Role::drone) {
    prefetch_ = node.create_service<Prefetch>(
      prefix + "prefetch",
      [this](
        std::shared_ptr<rclcpp::Service<Prefetch>> service,
        std::shared_ptr<rmw_request_id_t> header, std::shared_ptr<Prefetch::Request> request) {
        handle_prefetch(std::move(service), std::move(header), *request);
      });
  }
  list_suites_ = node.create_service<ListSuites>(
    prefix + "list_suites",
    [this](std::shared_ptr<ListSuites::Request>, std::shared_ptr<ListSuites::Response> response) {
      handle_list_suites(*response);
    });
  wipe_ = node.create_service<Wipe>(
    prefix + "wipe",
    [this](std::shared_ptr<Wipe::Request>, std::shared_ptr<Wipe::Response> response) {
      handle_wipe(*response);
    });
  // NOLINTEND(performance-unnecessary-value-param)
  diagnostics.add(diagnostic_, [this](diagnostic_updater::DiagnosticStatusWrapper & wrapper) {
    handle_diagnostics(wrapper);
  });
}

PeerRosInterface::~PeerRosInterface() { diagnostics_.removeByName(diagnostic_); }

void PeerRosInterface::publish_status(const PeerSnapshots::Shared & peer, const ClockPair & now)
{
  seen_ = peer;
  last_status_ = status_message(engine_.config().role, *peer, now);
  status_->publish(*last_status_);
}

void PeerRosInterface::publish_status_if_changed(
  const PeerSnapshots::Shared & peer, const ClockPair & now)
{
  if (std::exchange(seen_, peer) == peer) {
    return;
  }
  const auto message = status_message(engine_.config().role, *peer, now);
  if (!last_status_ || differs_notably(*last_status_, message)) {
    last_status_ = message;
    status_->publish(message);
  }
}

void PeerRosInterface::publish_suites_if_changed(
  const std::vector<BlacklistEntry> & blacklist, const ClockPair & now)
{
  // The list is published again after the clock was set back, because a new policy would refuse one from the future.
  if (last_blacklist_ == blacklist && now.ros_ns >= suites_ros_ns_) {
    return;
  }
  last_blacklist_ = blacklist;
  suites_ros_ns_ = now.ros_ns;
  pqc_msgs::msg::SuiteList message;
  message.stamp = to_stamp(now.engine, now);
  message.suites = suite_list(engine_.config().settings.suites, blacklist, now);
  suites_->publish(message);
}

void PeerRosInterface::publish_link(const PeerSnapshot & peer, const ClockPair & now)
{
  link_->publish(link_message(peer, now));
}

void PeerRosInterface::publish_message(const NoticeArrived & arrived, const ClockPair & now)
{
  messages_in_->publish(peer_message(arrived, now));
}

void PeerRosInterface::handle_message(const pqc_msgs::msg::PeerMessage & message)
{
  if (const auto notice = notice_from(message)) {
    engine_.send_notice(peer_, *notice);
  }
}

ClockPair PeerRosInterface::now() const { return {monotonic_now(), node_.now().nanoseconds()}; }

void PeerRosInterface::handle_rekey(
  std::shared_ptr<rclcpp::Service<Rekey>> service, std::shared_ptr<rmw_request_id_t> header,
  const Rekey::Request & request)
{
  const auto id = engine_.request_rekey(
    peer_, request.suite, request.reason, request.ratchet, request.one_time_key);
  requests_.add(
    id, [service = std::move(service), header = std::move(header)](const RekeyReply & reply) {
      auto response = rekey_response(reply);
      service->send_response(*header, response);
    });
}

void PeerRosInterface::handle_prefetch(
  std::shared_ptr<rclcpp::Service<Prefetch>> service, std::shared_ptr<rmw_request_id_t> header,
  const Prefetch::Request & request)
{
  const auto id = engine_.request_prefetch(peer_, request.suite);
  requests_.add(
    id, [service = std::move(service), header = std::move(header)](const RekeyReply & reply) {
      Prefetch::Response response;
      response.success = reply.success;
      response.message = reply.message;
      service->send_response(*header, response);
    });
}

void PeerRosInterface::handle_wipe(Wipe::Response & response)
{
  response.message = wipe_limit_.refusal(monotonic_now());
  if (response.message.empty()) {
    response.success = engine_.wipe(peer_);
    response.message = response.success ? "The keys are wiped." : "The tunnel has stopped.";
  }
}

void PeerRosInterface::handle_list_suites(ListSuites::Response & response) const
{
  const auto snapshot = engine_.snapshot();
  response.suites = suite_list(
    engine_.config().settings.suites, snapshot.peers.at(index_of(peer_)).blacklist, now());
}

void PeerRosInterface::handle_diagnostics(diagnostic_updater::DiagnosticStatusWrapper & wrapper)
{
  const auto snapshot = engine_.snapshot();
  const auto & peer = snapshot.peers.at(index_of(peer_));
  const auto diagnosis = diagnose(
    {peer, last_diagnosed_.value_or(peer), snapshot.time, engine_.config().settings.max_key_age,
     peer.blacklist.size(), engine_.config().role});
  last_diagnosed_ = peer;
  report(diagnosis, wrapper);
}

}  // namespace pqc_tunnel
