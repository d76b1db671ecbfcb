// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <cstdio>
#include <memory>
#include <rclcpp/rclcpp.hpp>
#include <std_msgs/msg/string.hpp>
#include <std_srvs/srv/set_bool.hpp>

namespace
{

using std_msgs::msg::String;
using std_srvs::srv::SetBool;

/// What test_with_rclpy.py talks to.
class Peer : public rclcpp::Node
{
public:
  Peer() : Node("peer")
  {
    rcl_interfaces::msg::ParameterDescriptor descriptor;
    descriptor.description = "how loud";
    auto & range = descriptor.floating_point_range.emplace_back();
    range.from_value = 0.0;
    range.to_value = 10.0;
    const double volume = declare_parameter("volume", 1.0, descriptor);

    latched_ = create_publisher<String>("latched", rclcpp::QoS(1).transient_local());
    String message;
    message.data = std::to_string(volume);
    latched_->publish(message);

    echo_ = create_publisher<String>("echo", 10);
    say_ = create_subscription<String>("say", rclcpp::SensorDataQoS(), [this](const String & said) {
      RCLCPP_INFO(get_logger(), "heard %s", said.data.c_str());
      echo_->publish(said);
    });

    service_ = create_service<SetBool>(
      "later",
      [this](std::shared_ptr<rmw_request_id_t> header, SetBool::Request::SharedPtr request) {
        header_ = header;
        request_ = request;
      });
    release_ = create_subscription<String>("release", 10, [this](const String & said) {
      SetBool::Response response;
      response.success = request_->data;
      response.message = said.data;
      service_->send_response(*header_, response);
    });
  }

private:
  rclcpp::Publisher<String>::SharedPtr latched_;
  rclcpp::Publisher<String>::SharedPtr echo_;
  rclcpp::Subscription<String>::SharedPtr say_;
  rclcpp::Subscription<String>::SharedPtr release_;
  rclcpp::Service<SetBool>::SharedPtr service_;
  std::shared_ptr<rmw_request_id_t> header_;
  SetBool::Request::SharedPtr request_;
};

}  // namespace

int main(int argc, char ** argv)
{
  rclcpp::init(argc, argv);
  rclcpp::on_shutdown([] { std::puts("shut down"); });
  try {
    rclcpp::spin(std::make_shared<Peer>());
  } catch (const std::exception & error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
  rclcpp::shutdown();
  return 0;
}
