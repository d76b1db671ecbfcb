// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "rclcpp/node.hpp"

#include <rcl/graph.h>
#include <rcl/logging_rosout.h>

#include <algorithm>
#include <limits>
#include <rosgraph_msgs/msg/clock.hpp>

#include "core.hpp"
#include "parameters.hpp"

namespace rclcpp
{

namespace
{

constexpr auto use_sim_time = "use_sim_time";

class ClockQoS : public QoS
{
public:
  ClockQoS() : QoS(profile()) {}

private:
  static rmw_qos_profile_t profile()
  {
    auto profile = rmw_qos_profile_sensor_data;
    profile.depth = 1;
    return profile;
  }
};

void finish(rcl_node_t * node)
{
  {
    const std::lock_guard lock(detail::logging_mutex());
    if (
      rcl_logging_rosout_enabled() &&
      rcl_logging_rosout_fini_publisher_for_node(node) != RCL_RET_OK) {
      rcl_reset_error();
    }
  }
  if (rcl_node_fini(node) != RCL_RET_OK) rcl_reset_error();
  std::default_delete<rcl_node_t>()(node);
}

std::shared_ptr<rcl_node_t> make_node(const std::string & name)
{
  const auto context = detail::context();
  const auto options = rcl_node_get_default_options();
  auto node = std::make_unique<rcl_node_t>(rcl_get_zero_initialized_node());
  detail::check(
    rcl_node_init(node.get(), name.c_str(), "", context.get(), &options),
    "failed to initialize rcl node");
  std::shared_ptr<rcl_node_t> handle(
    node.release(), [context](rcl_node_t * ended) { finish(ended); });
  const std::lock_guard lock(detail::logging_mutex());
  if (rcl_logging_rosout_enabled()) {
    detail::check(
      rcl_logging_rosout_init_publisher_for_node(handle.get()),
      "failed to initialize rosout publisher");
  }
  return handle;
}

}  // namespace

namespace detail
{

std::shared_ptr<rcl_clock_t> make_clock(rcl_clock_type_t type)
{
  std::shared_ptr<rcl_clock_t> clock(new rcl_clock_t{}, [](rcl_clock_t * ended) {
    if (rcl_clock_fini(ended) != RCL_RET_OK) rcl_reset_error();
    std::default_delete<rcl_clock_t>()(ended);
  });
  auto allocator = rcl_get_default_allocator();
  check(rcl_clock_init(type, clock.get(), &allocator), "failed to make a clock");
  return clock;
}

NodeCore::NodeCore(const std::string & name) : node(make_node(name)) {}

void NodeCore::add(const std::shared_ptr<Entity> & entity)
{
  {
    const std::lock_guard lock(mutex_);
    entities_.push_back(entity);
  }
  changed.trigger();
}

std::vector<std::shared_ptr<Entity>> NodeCore::entities()
{
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<Entity>> held;
  std::erase_if(entities_, [&held](const std::weak_ptr<Entity> & weak) {
    auto entity = weak.lock();
    if (!entity) return true;
    held.push_back(std::move(entity));
    return false;
  });
  return held;
}

Time NodeCore::now()
{
  const std::lock_guard lock(clock_mutex);
  rcl_time_point_value_t nanoseconds = 0;
  check(rcl_clock_get_now(clock.get(), &nanoseconds), "could not get current time stamp");
  return Time(nanoseconds);
}

void add_entity(NodeCore & core, const std::shared_ptr<Entity> & entity) { core.add(entity); }

}  // namespace detail

/// Converts to seconds and nanoseconds, clamped to what the message can hold.
Time::operator builtin_interfaces::msg::Time() const
{
  constexpr std::int64_t per_second = 1'000'000'000;
  builtin_interfaces::msg::Time message;
  message.sec = static_cast<std::int32_t>(
    std::min<std::int64_t>(nanoseconds_ / per_second, std::numeric_limits<std::int32_t>::max()));
  message.nanosec = static_cast<std::uint32_t>(nanoseconds_ % per_second);
  return message;
}

Node::Node(const std::string & name, const NodeOptions &)
: core_(std::make_shared<detail::NodeCore>(name)), parameters_(std::make_shared<Parameters>(*core_))
{
  declare_parameter(use_sim_time, ParameterValue(false));
  follow_clock(get_parameter(use_sim_time).as_bool());
  parameters_->on_change = [this](const Parameter & parameter) {
    if (parameter.get_name() == use_sim_time) follow_clock(parameter.as_bool());
  };
}

Node::~Node() = default;

const char * Node::get_name() const { return rcl_node_get_name(core_->node.get()); }

const char * Node::get_fully_qualified_name() const
{
  return rcl_node_get_fully_qualified_name(core_->node.get());
}

Logger Node::get_logger() const { return Logger(rcl_node_get_logger_name(core_->node.get())); }

Time Node::now() const { return core_->now(); }

TimerBase::SharedPtr Node::create_wall_timer(
  std::chrono::nanoseconds period, std::function<void()> callback)
{
  static const auto clock = detail::make_clock(RCL_STEADY_TIME);
  return added(std::make_shared<TimerBase>(core_, clock, period, std::move(callback)));
}

TimerBase::SharedPtr Node::create_timer(
  std::chrono::nanoseconds period, std::function<void()> callback)
{
  return added(std::make_shared<TimerBase>(core_, core_->clock, period, std::move(callback)));
}

const ParameterValue & Node::declare_parameter(
  const std::string & name, const ParameterValue & default_value,
  const rcl_interfaces::msg::ParameterDescriptor & descriptor, bool ignore_override)
{
  return parameters_->declare(name, default_value, descriptor, ignore_override);
}

std::vector<TopicEndpointInfo> Node::get_publishers_info_by_topic(const std::string & topic) const
{
  auto allocator = rcl_get_default_allocator();
  auto found = rmw_get_zero_initialized_topic_endpoint_info_array();
  detail::check(
    rcl_get_publishers_info_by_topic(core_->node.get(), &allocator, topic.c_str(), false, &found),
    "could not look up the publishers of '" + topic + "'");
  std::vector<TopicEndpointInfo> publishers;
  for (std::size_t i = 0; i < found.size; ++i) {
    publishers.emplace_back(found.info_array[i].node_name, found.info_array[i].node_namespace);
  }
  detail::check(rmw_topic_endpoint_info_array_fini(&found, &allocator), "could not release a list");
  return publishers;
}

std::size_t Node::count_services(const std::string & service) const
{
  std::size_t count = 0;
  detail::check(
    rcl_count_services(core_->node.get(), service.c_str(), &count),
    "could not count the servers of '" + service + "'");
  return count;
}

node_interfaces::OnSetParametersCallbackHandle::SharedPtr Node::add_on_set_parameters_callback(
  node_interfaces::OnSetParametersCallbackHandle::OnSetParametersCallbackType callback)
{
  auto handle = std::make_shared<node_interfaces::OnSetParametersCallbackHandle>();
  handle->callback = std::move(callback);
  parameters_->may_set = handle;
  return handle;
}

bool Node::has_parameter(const std::string & name) const { return parameters_->has(name); }

Parameter Node::get_parameter(const std::string & name) const { return parameters_->get(name); }

node_interfaces::NodeParametersInterface::SharedPtr Node::get_node_parameters_interface()
{
  return parameters_;
}

void Node::follow_clock(bool simulated)
{
  {
    const std::lock_guard lock(core_->clock_mutex);
    auto * clock = core_->clock.get();
    detail::check(
      simulated ? rcl_enable_ros_time_override(clock) : rcl_disable_ros_time_override(clock),
      "failed to switch between simulated and real time");
  }
  if (!simulated) {
    clock_subscription_.reset();
  } else if (!clock_subscription_) {
    clock_subscription_ = create_subscription<rosgraph_msgs::msg::Clock>(
      "/clock", ClockQoS(),
      [this](const rosgraph_msgs::msg::Clock & message) { set_clock(message.clock); });
  }
}

void Node::set_clock(const builtin_interfaces::msg::Time & time)
{
  const std::lock_guard lock(core_->clock_mutex);
  constexpr std::int64_t per_second = 1'000'000'000;
  detail::check(
    rcl_set_ros_time_override(core_->clock.get(), time.sec * per_second + time.nanosec),
    "failed to set simulated time");
}

}  // namespace rclcpp
