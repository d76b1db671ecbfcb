// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rcl/node.h>
#include <rcl/publisher.h>
#include <rcl/service.h>
#include <rcl/subscription.h>
#include <rcl/timer.h>

#include <builtin_interfaces/msg/time.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <rcl_interfaces/msg/parameter_descriptor.hpp>
#include <rcl_interfaces/msg/set_parameters_result.hpp>
#include <rosidl_typesupport_cpp/message_type_support.hpp>
#include <rosidl_typesupport_cpp/service_type_support.hpp>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "rclcpp/logging.hpp"
#include "rclcpp/parameter_value.hpp"
#include "rclcpp/qos.hpp"

namespace rclcpp
{

namespace detail
{

class NodeCore;

/// An entity that spin() waits for and whose callback it runs.
class Entity : public std::enable_shared_from_this<Entity>
{
public:
  enum class Kind
  {
    timer,
    subscription,
    service,
  };

  explicit Entity(Kind entity_kind) : kind(entity_kind) {}
  virtual ~Entity() = default;
  Entity(const Entity &) = delete;
  Entity & operator=(const Entity &) = delete;

  /// Takes an arrived message or request and runs the callback; does nothing if there is none.
  virtual void execute() = 0;

  const Kind kind;

  /// The rcl object of that kind, shared so that it outlives this object during a wait.
  std::shared_ptr<void> rcl_handle;
};

/// Lets spin() serve the entity for as long as it has an owner.
void add_entity(NodeCore & core, const std::shared_ptr<Entity> & entity);

class PublisherBase
{
public:
  PublisherBase(
    NodeCore & core, const rosidl_message_type_support_t & type, const std::string & topic,
    const QoS & qos);

protected:
  /// Throws on failure; does nothing after shutdown().
  void publish_message(const void * message);

private:
  std::shared_ptr<rcl_publisher_t> handle_;
};

class SubscriptionBase : public Entity
{
public:
  SubscriptionBase(
    NodeCore & core, const rosidl_message_type_support_t & type, const std::string & topic,
    const QoS & qos);

protected:
  /// Returns false if there is no message.
  bool take(void * message);
};

class ServiceBase : public Entity
{
public:
  ServiceBase(
    NodeCore & core, const rosidl_service_type_support_t & type, const std::string & name);

protected:
  /// Returns false if there is no request.
  bool take(rmw_request_id_t & header, void * request);
  /// Logs a warning if the client does not take the response in time; throws on other failures.
  void send(rmw_request_id_t & header, void * response);
};

}  // namespace detail

template <typename MessageT>
class Publisher : public detail::PublisherBase
{
public:
  using SharedPtr = std::shared_ptr<Publisher>;

  Publisher(detail::NodeCore & core, const std::string & topic, const QoS & qos)
  : PublisherBase(
      core, *rosidl_typesupport_cpp::get_message_type_support_handle<MessageT>(), topic, qos)
  {
  }

  void publish(const MessageT & message) { publish_message(&message); }
};

template <typename MessageT>
class Subscription : public detail::SubscriptionBase
{
public:
  using SharedPtr = std::shared_ptr<Subscription>;
  using Callback = std::function<void(const MessageT &)>;

  Subscription(
    detail::NodeCore & core, const std::string & topic, const QoS & qos, Callback callback)
  : SubscriptionBase(
      core, *rosidl_typesupport_cpp::get_message_type_support_handle<MessageT>(), topic, qos),
    callback_(std::move(callback))
  {
  }

  void execute() override
  {
    MessageT message;
    if (take(&message)) callback_(message);
  }

private:
  Callback callback_;
};

template <typename ServiceT>
class Service : public detail::ServiceBase
{
public:
  using SharedPtr = std::shared_ptr<Service>;
  using Request = typename ServiceT::Request;
  using Response = typename ServiceT::Response;
  using Header = std::shared_ptr<rmw_request_id_t>;

  template <typename CallbackT>
  Service(detail::NodeCore & core, const std::string & name, CallbackT callback)
  : ServiceBase(core, *rosidl_typesupport_cpp::get_service_type_support_handle<ServiceT>(), name),
    callback_(adapted(std::move(callback)))
  {
  }

  void send_response(rmw_request_id_t & header, Response & response) { send(header, &response); }

  void execute() override
  {
    auto header = std::make_shared<rmw_request_id_t>();
    auto request = std::make_shared<Request>();
    if (take(*header, request.get())) callback_(*this, std::move(header), std::move(request));
  }

private:
  using SharedRequest = std::shared_ptr<Request>;
  using SharedResponse = std::shared_ptr<Response>;
  using Callback = std::function<void(Service &, Header, SharedRequest)>;

  /// Adapts both forms of callbacks: if it takes a response, that is sent on return; the other form
  /// answers later with send_response().
  template <typename CallbackT>
  static Callback adapted(CallbackT call)
  {
    if constexpr (std::is_invocable_v<const CallbackT &, SharedRequest, SharedResponse>) {
      return [call](Service & service, const Header & header, SharedRequest request) {
        auto response = std::make_shared<Response>();
        call(std::move(request), response);
        service.send_response(*header, *response);
      };
    } else {
      return [call](Service & service, Header header, SharedRequest request) {
        call(
          std::static_pointer_cast<Service>(service.shared_from_this()), std::move(header),
          std::move(request));
      };
    }
  }

  Callback callback_;
};

/// Runs its callback once in each period of its clock, until it is cancelled or has no owner.
class TimerBase : public detail::Entity
{
public:
  using SharedPtr = std::shared_ptr<TimerBase>;

  TimerBase(
    std::shared_ptr<detail::NodeCore> core, std::shared_ptr<rcl_clock_t> clock,
    std::chrono::nanoseconds period, std::function<void()> callback);

  void cancel();
  /// Restarts the period, even after cancel(). Any thread may call it.
  void reset();

  void execute() override;

private:
  std::weak_ptr<detail::NodeCore> core_;
  std::function<void()> callback_;
};

/// A point in time, in nanoseconds since the epoch of the clock.
class Time
{
public:
  explicit Time(rcl_time_point_value_t nanoseconds) : nanoseconds_(nanoseconds) {}

  operator builtin_interfaces::msg::Time() const;  // NOLINT: implicit, as in the real API
  rcl_time_point_value_t nanoseconds() const { return nanoseconds_; }

private:
  rcl_time_point_value_t nanoseconds_;
};

/// A publisher in the ROS graph.
class TopicEndpointInfo
{
public:
  TopicEndpointInfo(std::string node_name, std::string node_namespace)
  : node_name_(std::move(node_name)), node_namespace_(std::move(node_namespace))
  {
  }

  const std::string & node_name() const { return node_name_; }
  const std::string & node_namespace() const { return node_namespace_; }

private:
  std::string node_name_;
  std::string node_namespace_;
};

namespace node_interfaces
{

/// The result of add_on_set_parameters_callback(), which keeps the callback registered.
struct OnSetParametersCallbackHandle
{
  using SharedPtr = std::shared_ptr<OnSetParametersCallbackHandle>;
  using OnSetParametersCallbackType =
    std::function<rcl_interfaces::msg::SetParametersResult(const std::vector<Parameter> &)>;

  OnSetParametersCallbackType callback;
};

class NodeParametersInterface
{
public:
  using SharedPtr = std::shared_ptr<NodeParametersInterface>;

  virtual ~NodeParametersInterface() = default;

  /// Returns the values from the command line and parameter files, declared or not.
  virtual const std::map<std::string, ParameterValue> & get_parameter_overrides() const = 0;
};

}  // namespace node_interfaces

/// Options of a node; only the defaults exist here.
class NodeOptions
{
};

/// A participant of the ROS graph: topics, services, timers, parameters, a clock and a logger.
class Node
{
public:
  explicit Node(const std::string & name, const NodeOptions & options = NodeOptions());
  virtual ~Node();
  Node(const Node &) = delete;
  Node & operator=(const Node &) = delete;

  const char * get_name() const;
  const char * get_fully_qualified_name() const;
  Logger get_logger() const;
  /// Returns system time, or that of /clock while the parameter use_sim_time is true.
  Time now() const;

  template <typename MessageT>
  typename Publisher<MessageT>::SharedPtr create_publisher(
    const std::string & topic, const QoS & qos)
  {
    return std::make_shared<Publisher<MessageT>>(*core_, topic, qos);
  }

  template <typename MessageT>
  typename Subscription<MessageT>::SharedPtr create_subscription(
    const std::string & topic, const QoS & qos, typename Subscription<MessageT>::Callback callback)
  {
    return added(std::make_shared<Subscription<MessageT>>(*core_, topic, qos, std::move(callback)));
  }

  template <typename ServiceT, typename CallbackT>
  typename Service<ServiceT>::SharedPtr create_service(const std::string & name, CallbackT callback)
  {
    return added(std::make_shared<Service<ServiceT>>(*core_, name, std::move(callback)));
  }

  /// Creates a timer of the steady clock. Throws std::invalid_argument if the period is negative.
  TimerBase::SharedPtr create_wall_timer(
    std::chrono::nanoseconds period, std::function<void()> callback);
  /// Creates a timer of the node's clock.
  TimerBase::SharedPtr create_timer(
    std::chrono::nanoseconds period, std::function<void()> callback);

  /// Declares a parameter with the value of the user, or else the default. Throws std::runtime_error if
  /// the name has been declared before, or if type or range do not fit.
  const ParameterValue & declare_parameter(
    const std::string & name, const ParameterValue & default_value,
    const rcl_interfaces::msg::ParameterDescriptor & descriptor =
      rcl_interfaces::msg::ParameterDescriptor(),
    bool ignore_override = false);
  /// Returns the known publishers of a topic, including those of the node.
  std::vector<TopicEndpointInfo> get_publishers_info_by_topic(const std::string & topic) const;
  /// Returns the number of known servers of a service, including those of the node.
  std::size_t count_services(const std::string & service) const;

  /// Adds a callback that may refuse changes as long as the handle lives. There is one at a time.
  [[nodiscard]] node_interfaces::OnSetParametersCallbackHandle::SharedPtr
  add_on_set_parameters_callback(
    node_interfaces::OnSetParametersCallbackHandle::OnSetParametersCallbackType callback);

  bool has_parameter(const std::string & name) const;
  /// Throws std::runtime_error if the parameter hasn't been declared.
  Parameter get_parameter(const std::string & name) const;
  node_interfaces::NodeParametersInterface::SharedPtr get_node_parameters_interface();

private:
  friend void spin(std::shared_ptr<Node> node);
  class Parameters;

  template <typename EntityT>
  std::shared_ptr<EntityT> added(std::shared_ptr<EntityT> entity)
  {
    detail::add_entity(*core_, entity);
    return entity;
  }
  void follow_clock(bool simulated);
  void set_clock(const builtin_interfaces::msg::Time & time);

  std::shared_ptr<detail::NodeCore> core_;
  std::shared_ptr<Parameters> parameters_;
  std::shared_ptr<detail::Entity> clock_subscription_;
};

}  // namespace rclcpp
