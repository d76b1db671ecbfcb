// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <chrono>
#include <cstdio>
#include <memory>
#include <rclcpp/rclcpp.hpp>
#include <std_msgs/msg/string.hpp>
#include <std_srvs/srv/set_bool.hpp>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace
{

using rclcpp::ParameterValue;
using std_msgs::msg::String;
using std_srvs::srv::SetBool;

String text(const std::string & data)
{
  String message;
  message.data = data;
  return message;
}

/// The peer of test_with_rclpy.py.
class Peer : public rclcpp::Node
{
public:
  Peer() : Node("peer")
  {
    rcl_interfaces::msg::ParameterDescriptor volume;
    volume.description = "how loud";
    auto & range = volume.floating_point_range.emplace_back();
    range.from_value = 0.0;
    range.to_value = 10.0;
    declare_parameter("volume", ParameterValue(1.0), volume);
    rcl_interfaces::msg::ParameterDescriptor channel;
    channel.read_only = true;
    auto & channels = channel.integer_range.emplace_back();
    channels.from_value = 1;
    channels.to_value = 9;
    channels.step = 2;
    constexpr bool ignore_override = true;
    declare_parameter("radio.channel", ParameterValue(std::int64_t{3}), channel, ignore_override);

    latched_ = create_publisher<String>("latched", rclcpp::QoS(1).reliable().transient_local());
    latched_->publish(text("first"));
    latched_->publish(text(std::to_string(get_parameter("volume").as_double())));
    echo_ = create_publisher<String>("echo", 10);
    timer_ = create_wall_timer(std::chrono::nanoseconds(0), [this] {
      timer_->cancel();
      echo_->publish(text("timer"));
    });
    timer_->cancel();
    say_ = create_subscription<String>(
      "say", rclcpp::SensorDataQoS(), [this](const String & said) { obey(said.data); });
    constexpr auto deadline = std::chrono::milliseconds(2500);
    punctual_ = create_subscription<String>(
      "punctual",
      rclcpp::QoS(1)
        .deadline(deadline)
        .liveliness(rclcpp::LivelinessPolicy::Automatic)
        .liveliness_lease_duration(2 * deadline),
      [](const String &) {});
    now_ = create_service<SetBool>(
      "now",
      [](std::shared_ptr<SetBool::Request> request, std::shared_ptr<SetBool::Response> response) {
        response->success = request->data;
      });
    later_ = create_service<SetBool>(
      "later",
      [this](
        std::shared_ptr<rclcpp::Service<SetBool>>, std::shared_ptr<rmw_request_id_t> header,
        std::shared_ptr<SetBool::Request> request) {
        header_ = header;
        request_ = request;
        echo_->publish(text("asked"));
      });
  }

private:
  void obey(const std::string & said)
  {
    RCLCPP_INFO(get_logger(), "received %s", said.c_str());
    if (said == "timer") {
      std::jthread([this] { timer_->reset(); });
    } else if (said == "time") {
      echo_->publish(text(std::to_string(now().nanoseconds())));
    } else if (said == "answer") {
      SetBool::Response response;
      response.success = request_->data;
      response.message = "later";
      later_->send_response(*header_, response);
    } else if (said == "deafen") {
      say_.reset();
    } else if (said == "publishers") {
      for (const auto & info : get_publishers_info_by_topic("/echo")) {
        echo_->publish(text(info.node_namespace() + " " + info.node_name()));
      }
    } else if (said == "servers") {
      echo_->publish(text(std::to_string(count_services("/now"))));
    } else if (said == "fix parameters") {
      fixed_ =
        add_on_set_parameters_callback([](const std::vector<rclcpp::Parameter> & parameters) {
          rcl_interfaces::msg::SetParametersResult result;
          result.successful = parameters.front().get_name() != "volume";
          result.reason = result.successful ? "" : "the volume is fixed";
          return result;
        });
    } else if (said == "throw") {
      throw std::domain_error("thrown by a callback");
    } else if (said == "stop") {
      rclcpp::shutdown();
    } else if (said == "overrides") {
      for (const auto & [name, value] : get_node_parameters_interface()->get_parameter_overrides())
      {
        echo_->publish(text(name + " " + rclcpp::to_string(value.get_type())));
      }
    } else {
      echo_->publish(text(said));
    }
  }

  rclcpp::Publisher<String>::SharedPtr latched_;
  rclcpp::Publisher<String>::SharedPtr echo_;
  rclcpp::TimerBase::SharedPtr timer_;
  rclcpp::node_interfaces::OnSetParametersCallbackHandle::SharedPtr fixed_;
  rclcpp::Subscription<String>::SharedPtr say_;
  rclcpp::Subscription<String>::SharedPtr punctual_;
  rclcpp::Service<SetBool>::SharedPtr now_;
  rclcpp::Service<SetBool>::SharedPtr later_;
  std::shared_ptr<rmw_request_id_t> header_;
  std::shared_ptr<SetBool::Request> request_;
};

}  // namespace

int main(int argc, char ** argv)
{
  try {
    rclcpp::init(argc, argv, rclcpp::InitOptions(), rclcpp::SignalHandlerOptions::None);
    rclcpp::spin(std::make_shared<Peer>());
  } catch (const std::exception & error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
  std::puts("stopped");
  return 0;
}
