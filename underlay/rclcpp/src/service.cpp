// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "rclcpp/service.hpp"

#include "communication.hpp"
#include "rclcpp/logging.hpp"

namespace rclcpp
{

ServiceBase::ServiceBase(
  node_interfaces::NodeBaseInterface & node, const rosidl_service_type_support_t & type,
  const std::string & name, const QoS & qos, CallbackGroup::SharedPtr callback_group)
: Entity(Kind::service, detail::group_or_default(std::move(callback_group), node))
{
  auto options = rcl_service_get_default_options();
  options.qos = qos.get_rmw_qos_profile();
  const auto init = [&](rcl_service_t * service, rcl_node_t * owner) {
    return rcl_service_init(service, owner, &type, name.c_str(), &options);
  };
  rcl_handle = detail::make_handle<exceptions::InvalidServiceNameError>(
    node, name, rcl_get_zero_initialized_service(), init, &rcl_service_fini);
}

void ServiceBase::execute()
{
  auto request = create_request();
  auto header = std::make_shared<rmw_request_id_t>();
  const auto ret = rcl_take_request(handle(), header.get(), request.get());
  if (ret == RCL_RET_SERVICE_TAKE_FAILED) {
    rcl_reset_error();
    return;
  }
  detail::check(ret, "failed to take request");
  handle_request(std::move(header), std::move(request));
}

void ServiceBase::send_response_message(rmw_request_id_t & header, void * response)
{
  const auto ret = rcl_send_response(handle(), &header, response);
  if (ret == RCL_RET_TIMEOUT) {
    RCLCPP_WARN(
      get_logger("rclcpp"), "failed to send response to %s (timeout): %s", get_service_name(),
      rcl_get_error_string().str);
    rcl_reset_error();
    return;
  }
  detail::check(ret, "failed to send response");
}

}  // namespace rclcpp
