// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__NODE__INTERFACE__PEER_ROS_INTERFACE_HPP_
#define PQC_TUNNEL__NODE__INTERFACE__PEER_ROS_INTERFACE_HPP_

#include <diagnostic_updater/diagnostic_updater.hpp>
#include <functional>
#include <optional>
#include <pqc_msgs/msg/link_report.hpp>
#include <pqc_msgs/msg/peer_message.hpp>
#include <pqc_msgs/msg/suite_list.hpp>
#include <pqc_msgs/msg/tunnel_status.hpp>
#include <pqc_msgs/srv/list_suites.hpp>
#include <pqc_msgs/srv/prefetch.hpp>
#include <pqc_msgs/srv/rekey.hpp>
#include <pqc_msgs/srv/wipe.hpp>
#include <rclcpp/rclcpp.hpp>
#include <string>
#include <vector>

#include "base/ids.hpp"
#include "call_limit.hpp"
#include "engine/loop/engine.hpp"
#include "node/messages/messages.hpp"
#include "protocol/session/snapshot.hpp"
#include "rekey_requests.hpp"

namespace pqc_tunnel
{

// The topics, services and diagnostics of one peer.
class PeerRosInterface
{
public:
  // `prefix` precedes the names (see name_prefixes). The referenced objects must outlive this one.
  PeerRosInterface(
    rclcpp::Node & node, diagnostic_updater::Updater & diagnostics, const std::string & prefix,
    PeerIndex peer, Engine & engine, RekeyRequests & requests);
  ~PeerRosInterface();
  PeerRosInterface(const PeerRosInterface &) = delete;
  PeerRosInterface & operator=(const PeerRosInterface &) = delete;

  void publish_status(const PeerSnapshots::Shared & peer, const ClockPair & now);
  // Publishes only if something has changed that a subscriber must know at once.
  void publish_status_if_changed(const PeerSnapshots::Shared & peer, const ClockPair & now);
  void publish_suites_if_changed(
    const std::vector<BlacklistEntry> & blacklist, const ClockPair & now);
  // Returns the newest published status.
  const std::optional<pqc_msgs::msg::TunnelStatus> & last_status() const { return last_status_; }
  void publish_link(const PeerSnapshot & peer, const ClockPair & now);
  void publish_message(const NoticeArrived & arrived, const ClockPair & now);

private:
  using Rekey = pqc_msgs::srv::Rekey;
  using Prefetch = pqc_msgs::srv::Prefetch;
  using ListSuites = pqc_msgs::srv::ListSuites;
  using Wipe = pqc_msgs::srv::Wipe;

  ClockPair now() const;
  void handle_message(const pqc_msgs::msg::PeerMessage & message);
  void handle_rekey(
    std::shared_ptr<rclcpp::Service<Rekey>> service, std::shared_ptr<rmw_request_id_t> header,
    const Rekey::Request & request);
  void handle_prefetch(
    std::shared_ptr<rclcpp::Service<Prefetch>> service, std::shared_ptr<rmw_request_id_t> header,
    const Prefetch::Request & request);
  void handle_wipe(Wipe::Response & response);
  void handle_list_suites(ListSuites::Response & response) const;
  void handle_diagnostics(diagnostic_updater::DiagnosticStatusWrapper & wrapper);

  rclcpp::Node & node_;
  diagnostic_updater::Updater & diagnostics_;
  std::string diagnostic_;  // its name
  PeerIndex peer_;
  Engine & engine_;
  RekeyRequests & requests_;
  CallLimit wipe_limit_{"The keys were wiped", "`pqc wipe` and SIGUSR2"};
  PeerSnapshots::Shared seen_;  // last
  std::optional<pqc_msgs::msg::TunnelStatus> last_status_;
  std::optional<std::vector<BlacklistEntry>> last_blacklist_;
  std::int64_t suites_ros_ns_ = 0;  // when last_blacklist_ was published
  std::optional<PeerSnapshot> last_diagnosed_;
  rclcpp::Publisher<pqc_msgs::msg::TunnelStatus>::SharedPtr status_;
  rclcpp::Publisher<pqc_msgs::msg::SuiteList>::SharedPtr suites_;
  rclcpp::Publisher<pqc_msgs::msg::LinkReport>::SharedPtr link_;
  rclcpp::Publisher<pqc_msgs::msg::PeerMessage>::SharedPtr messages_in_;
  rclcpp::Subscription<pqc_msgs::msg::PeerMessage>::SharedPtr messages_out_;
  rclcpp::Service<Rekey>::SharedPtr rekey_;
  rclcpp::Service<Prefetch>::SharedPtr prefetch_;  // drone only: it alone fetches keys
  rclcpp::Service<ListSuites>::SharedPtr list_suites_;
  rclcpp::Service<Wipe>::SharedPtr wipe_;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__NODE__INTERFACE__PEER_ROS_INTERFACE_HPP_
