// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__NODE__INTERFACE__TUNNEL_NODE_HPP_
#define PQC_TUNNEL__NODE__INTERFACE__TUNNEL_NODE_HPP_

#include <atomic>
#include <cstdint>
#include <diagnostic_updater/diagnostic_updater.hpp>
#include <memory>
#include <optional>
#include <pqc_msgs/msg/policy_decision.hpp>
#include <pqc_msgs/msg/tunnel_event.hpp>
#include <pqc_msgs/msg/tunnel_status.hpp>
#include <pqc_msgs/msg/vehicle_state.hpp>
#include <pqc_msgs/srv/reload.hpp>
#include <rclcpp/rclcpp.hpp>
#include <string>
#include <vector>

#include "call_limit.hpp"
#include "control/control_server.hpp"
#include "engine/loop/engine.hpp"
#include "node/diagnosis/companions.hpp"
#include "node/diagnosis/graph_watch.hpp"
#include "peer_ros_interface.hpp"
#include "rekey_requests.hpp"

namespace pqc_tunnel
{

// One end of the tunnel as a ROS node. Threads of the engine move the datagrams; the node publishes
// and serves requests.
class TunnelNode : public rclcpp::Node
{
public:
  // If the tunnel cannot run with these parameters, failure() has the reason and the node need not be spun.
  // `parameter_files`: those of the command line. A file of which nothing applies is a failure.
  explicit TunnelNode(
    const std::vector<std::string> & parameter_files = {},
    const rclcpp::NodeOptions & options = rclcpp::NodeOptions());
  ~TunnelNode() override;

  // Answers pending requests, stops the engine and shuts ROS down. Any thread may call it.
  void request_stop();
  // Reads the keys of this end anew. Any thread may call it.
  void request_reload();
  // Makes the executor check its timers. Any thread may call it.
  void wake_up();
  // Returns why the tunnel could not start or continue; empty if it was asked to stop.
  const std::string & failure() const { return failure_; }
  // Returns whether parameters or keys must be changed before the tunnel can start.
  bool misconfigured() const { return misconfigured_; }

private:
  void start();
  void serve_peers();
  void reload();
  void watch_companions();
  void open_control();
  void answer_rekeys();
  void publish_messages(const ClockPair & now);
  void watch_graph(const std::string & prefix);
  void check_graph(const ClockPair & now);
  void note_own_status();
  void handle_second();
  void handle_activity();
  void report_strangers(diagnostic_updater::DiagnosticStatusWrapper & wrapper);
  void publish_events(const EngineSnapshot & snapshot, const ClockPair & now);
  void log(const Event & event, const std::string & peer);
  void stop(const std::string & reason);
  ClockPair clocks() const { return {monotonic_now(), now().nanoseconds()}; }

  std::atomic<bool> stop_requested_ = false;
  std::atomic<bool> reload_requested_ = false;
  std::string failure_;
  bool misconfigured_ = false;
  RekeyRequests requests_;
  diagnostic_updater::Updater diagnostics_;
  rclcpp::Publisher<pqc_msgs::msg::TunnelEvent>::SharedPtr events_;
  rclcpp::TimerBase::SharedPtr every_second_;
  rclcpp::TimerBase::SharedPtr activity_;  // idle until reset() from another thread
  std::unique_ptr<Engine> engine_;         // its threads use the members above
  std::unique_ptr<cli::ControlServer> control_;
  std::vector<std::string> prefixes_;                     // by peer
  std::vector<std::unique_ptr<PeerRosInterface>> peers_;  // by peer; null: it is not served
  rclcpp::Service<pqc_msgs::srv::Reload>::SharedPtr reload_;
  CallLimit reload_limit_{"The keys were read", "`pqc reload` and SIGHUP"};
  std::optional<Companions> companions_;  // drone only
  rclcpp::node_interfaces::OnSetParametersCallbackHandle::SharedPtr same_time_;
  rclcpp::Subscription<pqc_msgs::msg::VehicleState>::SharedPtr vehicle_;
  rclcpp::Subscription<pqc_msgs::msg::PolicyDecision>::SharedPtr decision_;
  std::string status_topic_;   // of the first peer at the start
  std::string rekey_service_;  // of the first peer at the start
  std::optional<GraphWatch> graph_;
  std::int64_t newest_ros_ns_ = 0;  // highest ROS time so far
  rclcpp::Subscription<pqc_msgs::msg::TunnelStatus>::SharedPtr statuses_;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__NODE__INTERFACE__TUNNEL_NODE_HPP_
