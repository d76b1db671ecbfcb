// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <stdexcept>
#include <utility>

#include "arguments.hpp"
#include "parameter_rules.hpp"
#include "parameter_services.hpp"
#include "rclcpp/node_interfaces/node_parameters_interface.hpp"

namespace rclcpp::node_interfaces
{

using Result = NodeParametersInterface::Result;

namespace
{

/// The callbacks whose handles are still held, newest first.
template <typename HandleT>
std::vector<std::shared_ptr<HandleT>> held(std::list<std::weak_ptr<HandleT>> & handles)
{
  std::vector<std::shared_ptr<HandleT>> result;
  handles.remove_if([&result](const std::weak_ptr<HandleT> & weak) {
    auto handle = weak.lock();
    if (!handle) return true;
    result.push_back(std::move(handle));
    return false;
  });
  return result;
}

template <typename HandleT, typename CallbackT>
std::shared_ptr<HandleT> added(std::list<std::weak_ptr<HandleT>> & handles, CallbackT callback)
{
  auto handle = std::make_shared<HandleT>();
  handle->callback = std::move(callback);
  handles.push_front(handle);
  return handle;
}

template <typename HandleT>
void remove(std::list<std::weak_ptr<HandleT>> & handles, const HandleT * handle, const char * kind)
{
  const auto removed = handles.remove_if(
    [handle](const std::weak_ptr<HandleT> & weak) { return weak.lock().get() == handle; });
  if (removed == 0)
    throw std::runtime_error(std::string(kind) + " parameter callback doesn't exist");
}

}  // namespace

/// Keeps callbacks from changing parameters while these are being changed.
class NodeParametersInterface::MutationGuard
{
public:
  explicit MutationGuard(bool & allowed) : allowed_(allowed)
  {
    if (!allowed_) {
      throw exceptions::ParameterModifiedInCallbackException(
        "cannot set or declare a parameter, or change the callback from within set callback");
    }
    allowed_ = false;
  }
  ~MutationGuard() { allowed_ = true; }
  MutationGuard(const MutationGuard &) = delete;
  MutationGuard & operator=(const MutationGuard &) = delete;

private:
  bool & allowed_;
};

NodeParametersInterface::NodeParametersInterface(
  NodeBaseInterface & node, Clock::SharedPtr clock, const NodeOptions & options,
  const rcl_node_options_t & rcl_options)
: node_name_(node.get_fully_qualified_name()),
  clock_(std::move(clock)),
  allow_undeclared_(options.allow_undeclared_parameters())
{
  if (options.start_parameter_event_publisher()) {
    events_ = std::make_shared<Publisher<rcl_interfaces::msg::ParameterEvent>>(
      node, "/parameter_events", options.parameter_event_qos());
  }
  if (options.start_parameter_services()) {
    services_ = detail::make_parameter_services(node, *this);
  }
  if (options.use_global_arguments()) {
    detail::read_parameter_overrides(
      node.get_context()->get_rcl_context()->global_arguments, node_name_, overrides_);
  }
  detail::read_parameter_overrides(rcl_options.arguments, node_name_, overrides_);
  for (const auto & parameter : options.parameter_overrides()) {
    overrides_[parameter.get_name()] = parameter.get_parameter_value();
  }
  if (options.automatically_declare_parameters_from_overrides()) {
    Descriptor descriptor;
    descriptor.dynamic_typing = true;
    for (const auto & [name, value] : overrides_) {
      if (!has_parameter(name)) declare(name, PARAMETER_NOT_SET, value, descriptor, true);
    }
  }
}

const ParameterValue & NodeParametersInterface::declare(
  const std::string & name, ParameterType type, const ParameterValue & default_value,
  Descriptor descriptor, bool ignore_override)
{
  const std::lock_guard lock(mutex_);
  const MutationGuard guard(mutation_allowed_);
  if (name.empty()) {
    throw exceptions::InvalidParametersException("parameter name must not be empty");
  }
  if (parameters_.contains(name)) {
    throw exceptions::ParameterAlreadyDeclaredException(
      "parameter '" + name + "' has already been declared");
  }
  descriptor.name = name;
  if (!descriptor.dynamic_typing) {
    if (type == PARAMETER_NOT_SET) type = default_value.get_type();
    if (type == PARAMETER_NOT_SET) {
      throw exceptions::InvalidParameterTypeException(
        name, "cannot declare a statically typed parameter with an uninitialized value");
    }
    descriptor.type = type;
  }

  const auto overriding = overrides_.find(name);
  const bool overridden = !ignore_override && overriding != overrides_.end();
  const Parameter initial(name, overridden ? overriding->second : default_value);
  if (initial.get_type() == PARAMETER_NOT_SET) {
    return parameters_.emplace(name, Info{{}, descriptor}).first->second.value;
  }

  auto result = detail::comply(descriptor, initial);
  if (result.successful) result = accept({initial});
  if (!result.successful) {
    if (result.reason.starts_with(detail::wrong_type)) {
      throw exceptions::InvalidParameterTypeException(name, result.reason);
    }
    throw exceptions::InvalidParameterValueException(
      "parameter '" + name + "' could not be set: " + result.reason);
  }
  descriptor.type = initial.get_type();
  const auto & info =
    parameters_.emplace(name, Info{initial.get_parameter_value(), descriptor}).first->second;
  for (const auto & handle : held(post_set_)) handle->callback({initial});

  rcl_interfaces::msg::ParameterEvent event;
  event.new_parameters.push_back(initial.to_parameter_msg());
  publish(std::move(event));
  return info.value;
}

void NodeParametersInterface::undeclare_parameter(const std::string & name)
{
  const std::lock_guard lock(mutex_);
  const MutationGuard guard(mutation_allowed_);
  const auto found = parameters_.find(name);
  if (found == parameters_.end()) {
    throw exceptions::ParameterNotDeclaredException(
      "cannot undeclare parameter '" + name + "' which has not yet been declared");
  }
  if (found->second.descriptor.read_only) {
    throw exceptions::ParameterImmutableException(
      "cannot undeclare parameter '" + name + "' because it is read-only");
  }
  if (!found->second.descriptor.dynamic_typing) {
    throw exceptions::InvalidParameterTypeException(
      name, "cannot undeclare a statically typed parameter");
  }
  parameters_.erase(found);
}

bool NodeParametersInterface::has_parameter(const std::string & name) const
{
  const std::lock_guard lock(mutex_);
  return parameters_.contains(name);
}

/// Asks the user's callbacks.
Result NodeParametersInterface::accept(const std::vector<Parameter> & parameters)
{
  for (const auto & handle : held(on_set_)) {
    const auto result = handle->callback(parameters);
    if (!result.successful) return result;
  }
  return detail::accepted();
}

std::vector<Result> NodeParametersInterface::set_parameters(
  const std::vector<Parameter> & parameters)
{
  std::vector<Result> results;
  for (const auto & parameter : parameters)
    results.push_back(set_parameters_atomically({parameter}));
  return results;
}

Result NodeParametersInterface::set_parameters_atomically(const std::vector<Parameter> & wanted)
{
  const std::lock_guard lock(mutex_);
  const MutationGuard guard(mutation_allowed_);
  auto parameters = wanted;
  for (const auto & handle : held(pre_set_)) handle->callback(parameters);
  if (parameters.empty()) {
    return detail::refused(
      "parameter list cannot be empty, this might be due to pre_set_parameters_callback modifying "
      "the original parameters list.");
  }

  for (const auto & parameter : parameters) {
    const auto & name = parameter.get_name();
    if (name.empty()) {
      throw exceptions::InvalidParametersException("parameter name must not be empty");
    }
    const auto found = parameters_.find(name);
    if (found == parameters_.end()) {
      if (allow_undeclared_) continue;
      throw exceptions::ParameterNotDeclaredException(
        "parameter '" + name + "' cannot be set because it was not declared");
    }
    const auto & descriptor = found->second.descriptor;
    if (descriptor.read_only) {
      return detail::refused("parameter '" + name + "' cannot be set because it is read-only");
    }
    const bool is_set = found->second.value.get_type() != PARAMETER_NOT_SET;
    if (parameter.get_type() == PARAMETER_NOT_SET && is_set && !descriptor.dynamic_typing) {
      return detail::refused("cannot undeclare a statically typed parameter");
    }
    const auto result = detail::comply(descriptor, parameter);
    if (!result.successful) return result;
  }
  if (auto result = accept(parameters); !result.successful) return result;

  rcl_interfaces::msg::ParameterEvent event;
  for (const auto & parameter : parameters) {
    const auto & name = parameter.get_name();
    const bool is_new = !parameters_.contains(name);
    auto & info = parameters_[name];
    if (is_new) info.descriptor.dynamic_typing = true;
    if (parameter.get_type() == PARAMETER_NOT_SET && !is_new) {
      event.deleted_parameters.push_back(Parameter(name, info.value).to_parameter_msg());
      parameters_.erase(name);
      continue;
    }
    info.descriptor.name = name;
    info.descriptor.type = parameter.get_type();
    info.value = parameter.get_parameter_value();
    auto & list = is_new ? event.new_parameters : event.changed_parameters;
    list.push_back(parameter.to_parameter_msg());
  }
  for (const auto & handle : held(post_set_)) handle->callback(parameters);
  publish(std::move(event));
  return detail::accepted();
}

void NodeParametersInterface::publish(rcl_interfaces::msg::ParameterEvent event)
{
  if (!events_) return;
  event.node = node_name_;
  event.stamp = clock_->now();
  events_->publish(event);
}

PreSetParametersCallbackHandle::SharedPtr NodeParametersInterface::add_pre_set_parameters_callback(
  PreSetParametersCallbackHandle::PreSetParametersCallbackType callback)
{
  const std::lock_guard lock(mutex_);
  const MutationGuard guard(mutation_allowed_);
  return added(pre_set_, std::move(callback));
}

OnSetParametersCallbackHandle::SharedPtr NodeParametersInterface::add_on_set_parameters_callback(
  OnSetParametersCallbackHandle::OnSetParametersCallbackType callback)
{
  const std::lock_guard lock(mutex_);
  const MutationGuard guard(mutation_allowed_);
  return added(on_set_, std::move(callback));
}

PostSetParametersCallbackHandle::SharedPtr
NodeParametersInterface::add_post_set_parameters_callback(
  PostSetParametersCallbackHandle::PostSetParametersCallbackType callback)
{
  const std::lock_guard lock(mutex_);
  const MutationGuard guard(mutation_allowed_);
  return added(post_set_, std::move(callback));
}

void NodeParametersInterface::remove_pre_set_parameters_callback(
  const PreSetParametersCallbackHandle * handle)
{
  const std::lock_guard lock(mutex_);
  const MutationGuard guard(mutation_allowed_);
  remove(pre_set_, handle, "Pre set");
}

void NodeParametersInterface::remove_on_set_parameters_callback(
  const OnSetParametersCallbackHandle * handle)
{
  const std::lock_guard lock(mutex_);
  const MutationGuard guard(mutation_allowed_);
  remove(on_set_, handle, "On set");
}

void NodeParametersInterface::remove_post_set_parameters_callback(
  const PostSetParametersCallbackHandle * handle)
{
  const std::lock_guard lock(mutex_);
  const MutationGuard guard(mutation_allowed_);
  remove(post_set_, handle, "Post set");
}

}  // namespace rclcpp::node_interfaces
