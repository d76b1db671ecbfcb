// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rcl/service.h>

#include <functional>
#include <memory>
#include <rosidl_typesupport_cpp/service_type_support.hpp>
#include <string>
#include <type_traits>
#include <utility>

#include "rclcpp/detail/entity.hpp"
#include "rclcpp/macros.hpp"
#include "rclcpp/node_interfaces/node_base_interface.hpp"
#include "rclcpp/qos.hpp"

namespace rclcpp
{

class ServiceBase : public detail::Entity
{
public:
  RCLCPP_SMART_PTR_ALIASES_ONLY(ServiceBase)

  ServiceBase(
    node_interfaces::NodeBaseInterface & node, const rosidl_service_type_support_t & type,
    const std::string & name, const QoS & qos, CallbackGroup::SharedPtr group);

  const char * get_service_name() const { return rcl_service_get_service_name(handle()); }

  void execute() override;

protected:
  virtual std::shared_ptr<void> create_request() = 0;
  virtual void handle_request(
    std::shared_ptr<rmw_request_id_t> header, std::shared_ptr<void> request) = 0;

  /// Warns where the client doesn't take the response in time; throws RCLError otherwise.
  void send_response_message(rmw_request_id_t & header, void * response);

private:
  rcl_service_t * handle() const { return static_cast<rcl_service_t *>(rcl_handle.get()); }
};

template <typename ServiceT>
class Service : public ServiceBase
{
public:
  RCLCPP_SMART_PTR_DEFINITIONS(Service<ServiceT>)
  using Request = typename ServiceT::Request;
  using Response = typename ServiceT::Response;

  template <typename CallbackT>
  Service(
    node_interfaces::NodeBaseInterface & node, const std::string & name, CallbackT && callback,
    const QoS & qos, CallbackGroup::SharedPtr group)
  : ServiceBase(
      node, *rosidl_typesupport_cpp::get_service_type_support_handle<ServiceT>(), name, qos,
      std::move(group)),
    callback_(adapted(std::forward<CallbackT>(callback)))
  {
  }

  void send_response(rmw_request_id_t & header, Response & response)
  {
    send_response_message(header, &response);
  }

private:
  using Header = std::shared_ptr<rmw_request_id_t>;
  using SharedRequest = std::shared_ptr<Request>;
  using SharedResponse = std::shared_ptr<Response>;
  using Callback = std::function<void(Service &, Header, SharedRequest)>;

  static std::shared_ptr<Service> shared(Service & service)
  {
    return std::static_pointer_cast<Service>(service.shared_from_this());
  }

  /// Callbacks that are given a response have it sent on return; the others answer later through
  /// send_response().
  template <typename CallbackT>
  static Callback adapted(CallbackT && callback)
  {
    auto call = std::forward<CallbackT>(callback);
    using Call = decltype(call);
    if constexpr (std::is_invocable_v<const Call &, SharedRequest, SharedResponse>) {
      return [call](Service & service, Header header, SharedRequest request) {
        auto response = std::make_shared<Response>();
        call(std::move(request), response);
        service.send_response(*header, *response);
      };
    } else if constexpr (std::is_invocable_v<const Call &, Header, SharedRequest, SharedResponse>) {
      return [call](Service & service, Header header, SharedRequest request) {
        auto response = std::make_shared<Response>();
        call(header, std::move(request), response);
        service.send_response(*header, *response);
      };
    } else if constexpr (std::is_invocable_v<const Call &, Header, SharedRequest>) {
      return [call](Service &, Header header, SharedRequest request) {
        call(std::move(header), std::move(request));
      };
    } else {
      static_assert(
        std::is_invocable_v<const Call &, std::shared_ptr<Service>, Header, SharedRequest>,
        "not a service callback");
      return [call](Service & service, Header header, SharedRequest request) {
        call(shared(service), std::move(header), std::move(request));
      };
    }
  }

  std::shared_ptr<void> create_request() override { return std::make_shared<Request>(); }
  void handle_request(Header header, std::shared_ptr<void> request) override
  {
    callback_(*this, std::move(header), std::static_pointer_cast<Request>(std::move(request)));
  }

  Callback callback_;
};

}  // namespace rclcpp
