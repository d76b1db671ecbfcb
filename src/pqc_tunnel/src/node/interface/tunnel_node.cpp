// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "tunnel_node.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <exception>
#include <rcl_interfaces/msg/set_parameters_result.hpp>
#include <stdexcept>
#include <string>
#include <utility>

#include "config/config.hpp"
#include "node/diagnosis/diagnosis_report.hpp"
#include "node/messages/messages.hpp"
#include "parameters.hpp"
#include "peer_names.hpp"

namespace pqc_tunnel
{

namespace
{

using pqc_msgs::msg::TunnelStatus;

std::int64_t nanoseconds(const builtin_interfaces::msg::Time & stamp)
{
  return std::int64_t{1'000'000'000} * stamp.sec + stamp.nanosec;
}

struct StartFailure : std::runtime_error
{
  explicit StartFailure(const Error & error) : std::runtime_error(error.message), code(error.code)
  {
  }
  ErrorCode code;
};

template <class T>
T value_or_throw(Result<T> result)
{
  if (!result) {
    throw StartFailure(result.error());
  }
  return std::move(*result);
}

// The QoS that the policy offers, by which a tunnel that starts later gets the newest decision.
rclcpp::QoS decision_qos()
{
  return rclcpp::QoS(1)
    .reliable()
    .transient_local()
    .deadline(std::chrono::seconds(3))
    .liveliness(rclcpp::LivelinessPolicy::Automatic)
    .liveliness_lease_duration(std::chrono::seconds(5));
}

// Refuses to change use_sim_time, because the policy would take every status for years old.
rcl_interfaces::msg::SetParametersResult same_time(
  const std::vector<rclcpp::Parameter> & parameters, bool simulated)
{
  rcl_interfaces::msg::SetParametersResult result;
  result.successful = std::ranges::none_of(parameters, [&](const rclcpp::Parameter & one) {
    return one.get_name() == "use_sim_time" && one.as_bool() != simulated;
  });
  if (!result.successful) {
    result.reason =
      "use_sim_time can't change while the node runs, because all its times would jump: start the "
      "node with it.";
  }
  return result;
}

}  // namespace

TunnelNode::TunnelNode(
  const std::vector<std::string> & parameter_files, const rclcpp::NodeOptions & options)
: rclcpp::Node("tunnel", options), diagnostics_(this)
{
  try {
    for (const auto & file : parameter_files) {
      value_or_throw(load_parameter_file(file, get_fully_qualified_name()));
    }
    start();
  } catch (const StartFailure & error) {
    failure_ = error.what();
    misconfigured_ =
      error.code == ErrorCode::invalid_argument || error.code == ErrorCode::permission;
  } catch (const std::exception & error) {
    failure_ = error.what();
  }
}

TunnelNode::~TunnelNode() = default;

void TunnelNode::start()
{
  const auto values =
    value_or_throw(tunnel_parameters(get_node_parameters_interface()->get_parameter_overrides()));
  const Role role = value_or_throw(role_of(values));
  auto config = value_or_throw(make_engine_config(role, values));
  declare_tunnel_parameters(*this, role, values);
  same_time_ = add_on_set_parameters_callback([simulated = get_parameter("use_sim_time").as_bool()](
                                                const std::vector<rclcpp::Parameter> & parameters) {
    return same_time(parameters, simulated);
  });

  events_ = create_publisher<pqc_msgs::msg::TunnelEvent>("events", rclcpp::QoS(50).reliable());
  activity_ = create_wall_timer(std::chrono::nanoseconds(0), [this] { handle_activity(); });
  every_second_ = create_wall_timer(std::chrono::seconds(1), [this] { handle_second(); });

  engine_ = value_or_throw(Engine::start(std::move(config), [this] { activity_->reset(); }));
  diagnostics_.setHardwareID(get_fully_qualified_name());
  std::vector<std::string> names;
  for (const PeerSnapshot & peer : engine_->latest().peers) {
    names.push_back(peer.name);
  }
  prefixes_ = value_or_throw(name_prefixes(names));
  serve_peers();
  reload_ = create_service<pqc_msgs::srv::Reload>(
    "reload", [this](
                // rclcpp recognizes callbacks by their exact signatures.
                // NOLINTNEXTLINE(performance-unnecessary-value-param)
                std::shared_ptr<pqc_msgs::srv::Reload::Request>,
                // NOLINTNEXTLINE(performance-unnecessary-value-param)
                std::shared_ptr<pqc_msgs::srv::Reload::Response> response) {
      response->message = reload_limit_.refusal(monotonic_now());
      if (response->message.empty()) {
        const auto done = engine_->reload();
        response->success = done.has_value();
        response->message = done ? *done : done.error().message;
      }
    });
  if (role == Role::gcs) {
    diagnostics_.add("strangers", [this](diagnostic_updater::DiagnosticStatusWrapper & wrapper) {
      report_strangers(wrapper);
    });
  } else {
    watch_companions();
  }
  if (!prefixes_.empty()) {
    watch_graph(prefixes_.front());
  }
  std::string links;
  for (const LinkStatus & link : engine_->latest().links) {
    links += (links.empty() ? "" : ", ") + link.where;
  }
  std::string plaintext;
  for (const std::uint16_t port : engine_->ports().plaintext) {
    plaintext += (plaintext.empty() ? "" : ", ") + std::to_string(port);
  }
  RCLCPP_INFO(
    get_logger(), "Encrypted side on %s, readable side on UDP %s.", links.c_str(),
    plaintext.empty() ? "no port" : plaintext.c_str());
  open_control();
}

// Gives each drone that is served its topics and services, and takes them from the others. The names of the drones at the
// start stay.
void TunnelNode::serve_peers()
{
  const PeerSnapshots peers = engine_->latest().peers;
  for (std::size_t i = prefixes_.size(); i < peers.size(); ++i) {
    const auto prefix = name_prefix(peers[i].name, prefixes_);
    if (!prefix) {
      RCLCPP_ERROR(get_logger(), "%s", prefix.error().message.c_str());
    }
    prefixes_.push_back(prefix.value_or(""));
  }
  peers_.resize(peers.size());
  for (std::size_t i = 0; i < peers_.size(); ++i) {
    const bool has_names = i == 0 || !prefixes_[i].empty();
    if (!peers[i].served) {
      peers_[i].reset();
    } else if (!peers_[i] && has_names) {
      peers_[i] = std::make_unique<PeerRosInterface>(
        *this, diagnostics_, prefixes_[i], PeerIndex{static_cast<std::uint32_t>(i)}, *engine_,
        requests_);
    }
  }
}

void TunnelNode::reload()
{
  if (const auto done = engine_->reload(); !done) {
    RCLCPP_WARN(get_logger(), "%s", done.error().message.c_str());
  }
}

void TunnelNode::watch_companions()
{
  companions_.emplace(get_parameter("expect_policy").as_bool(), monotonic_now());
  vehicle_ = create_subscription<pqc_msgs::msg::VehicleState>(
    "vehicle", rclcpp::SensorDataQoS(),
    [this](const pqc_msgs::msg::VehicleState & state) { companions_->handle_armed(state.armed); });
  decision_ = create_subscription<pqc_msgs::msg::PolicyDecision>(
    "decision", decision_qos(), [this](const pqc_msgs::msg::PolicyDecision &) {
      companions_->handle_decision(monotonic_now());
    });
  diagnostics_.add("companions", [this](diagnostic_updater::DiagnosticStatusWrapper & wrapper) {
    report(companions_->diagnose(monotonic_now()), wrapper);
  });
}

void TunnelNode::open_control()
{
  const std::string & name = engine_->config().control_name;
  if (name.empty()) {
    return;
  }
  if (auto control = cli::ControlServer::open_named(*engine_, name)) {
    control_ = std::move(*control);
  } else {
    RCLCPP_WARN(get_logger(), "%s%s", control.error().message.c_str(), cli::without_control);
  }
}

void TunnelNode::answer_rekeys()
{
  for (const auto & reply : engine_->take_rekey_replies()) {
    requests_.answer(reply);
    if (control_) {
      control_->answer(reply);
    }
  }
}

void TunnelNode::publish_messages(const ClockPair & now)
{
  for (const NoticeArrived & arrived : engine_->take_notices()) {
    const auto index = static_cast<std::size_t>(arrived.peer);
    if (index < peers_.size() && peers_[index]) {
      peers_[index]->publish_message(arrived, now);
    }
  }
}

void TunnelNode::watch_graph(const std::string & prefix)
{
  const std::string self = get_fully_qualified_name();
  status_topic_ = self.substr(0, self.rfind('/') + 1) + prefix + "status";
  rekey_service_ = self.substr(0, self.rfind('/') + 1) + prefix + "rekey";
  graph_.emplace(self, status_topic_, rekey_service_, monotonic_now());
  statuses_ = create_subscription<TunnelStatus>(
    status_topic_, rclcpp::SensorDataQoS(), [this](const TunnelStatus & status) {
      graph_->handle_status(nanoseconds(status.stamp), monotonic_now());
    });
  diagnostics_.add("graph", [this](diagnostic_updater::DiagnosticStatusWrapper & wrapper) {
    report(graph_->diagnose(), wrapper);
  });
}

void TunnelNode::note_own_status()
{
  if (graph_ && peers_.front() && peers_.front()->last_status()) {
    graph_->note_own_status(nanoseconds(peers_.front()->last_status()->stamp));
  }
}

void TunnelNode::check_graph(const ClockPair & now)
{
  if (!graph_) {
    return;  // no drone was served at the start
  }
  std::vector<std::string> publishers;
  for (const auto & info : get_publishers_info_by_topic(status_topic_)) {
    const std::string & name_space = info.node_namespace();
    publishers.push_back((name_space == "/" ? "" : name_space) + "/" + info.node_name());
  }
  graph_->handle_second(
    std::move(publishers), count_services(rekey_service_), get_parameter("use_sim_time").as_bool(),
    now.ros_ns, now.engine);
  while (const auto warning = graph_->take_warning()) {
    RCLCPP_WARN(get_logger(), "%s", warning->c_str());
  }
  // The updater's timer follows the ROS clock, and after that was set back waits until the old time is reached again.
  if (graph_->clock_is_missing() || now.ros_ns < newest_ros_ns_) {
    diagnostics_.force_update();
  }
  newest_ros_ns_ = std::max(newest_ros_ns_, now.ros_ns);
}

void TunnelNode::request_stop()
{
  stop_requested_ = true;
  wake_up();
}

void TunnelNode::request_reload()
{
  reload_requested_ = true;
  wake_up();
}

void TunnelNode::wake_up() { activity_->reset(); }

void TunnelNode::handle_second()
{
  const auto snapshot = engine_->snapshot();
  const auto now = clocks();
  for (std::size_t i = 0; i < peers_.size(); ++i) {
    if (peers_[i]) {
      peers_[i]->publish_status(snapshot.peers.shared(i), now);
      peers_[i]->publish_link(snapshot.peers[i], now);
    }
  }
  note_own_status();
  check_graph(now);
  if (companions_) {
    companions_->handle_mavlink(snapshot.peers.front().traffic.plain_in_packets, now.engine);
    if (const auto notice = companions_->take_policy_notice(now.engine)) {
      engine_->send_notice(PeerIndex{0}, to_notice(*notice));
    }
  }
  handle_activity();
}

void TunnelNode::handle_activity()
{
  // The timer is cancelled first, so that later activity triggers it again.
  activity_->cancel();

  if (reload_requested_.exchange(false)) {
    reload();
  }
  serve_peers();
  const auto snapshot = engine_->latest();
  const auto now = clocks();
  publish_events(snapshot, now);
  for (std::size_t i = 0; i < peers_.size(); ++i) {
    if (peers_[i]) {
      peers_[i]->publish_status_if_changed(snapshot.peers.shared(i), now);
      peers_[i]->publish_suites_if_changed(snapshot.peers[i].blacklist, now);
    }
  }
  note_own_status();
  answer_rekeys();
  publish_messages(now);

  if (!snapshot.running) {
    const auto ended = engine_->wait();
    failure_ = ended ? "The tunnel's engine has ended." : ended.error().message;
    stop(failure_);
  } else if (stop_requested_) {
    stop("The tunnel node is being stopped.");
  }
}

void TunnelNode::report_strangers(diagnostic_updater::DiagnosticStatusWrapper & wrapper)
{
  const auto snapshot = engine_->snapshot();
  report(
    diagnose_strangers(
      snapshot.strangers.unassigned, snapshot.strangers, snapshot.hellos_discarded),
    wrapper);
}

void TunnelNode::publish_events(const EngineSnapshot & snapshot, const ClockPair & now)
{
  for (const auto & event : engine_->take_events()) {
    const auto index = static_cast<std::size_t>(event.peer.value_or(PeerIndex{}));
    const auto peer =
      event.peer && index < snapshot.peers.size() ? snapshot.peers[index].name : std::string();
    events_->publish(event_message(event, peer, now));
    log(event, peer);
  }
}

void TunnelNode::log(const Event & event, const std::string & peer)
{
  // A drone has one peer, which its sentences name.
  const bool names_peer = !peer.empty() && engine_->config().role == Role::gcs;
  const std::string line = names_peer ? peer + ": " + event.text : event.text;
  switch (severity(event)) {
    case EventSeverity::debug:
      break;
    case EventSeverity::info:
      RCLCPP_INFO(get_logger(), "%s", line.c_str());
      break;
    case EventSeverity::warning:
      RCLCPP_WARN(get_logger(), "%s", line.c_str());
      break;
    case EventSeverity::error:
      RCLCPP_ERROR(get_logger(), "%s", line.c_str());
      break;
  }
}

void TunnelNode::stop(const std::string & reason)
{
  every_second_->cancel();
  engine_->stop();
  answer_rekeys();
  requests_.give_up(reason);
  rclcpp::shutdown();
}

}  // namespace pqc_tunnel
