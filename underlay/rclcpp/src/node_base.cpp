// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <rcl/logging.h>
#include <rcl/logging_rosout.h>
#include <rcl/node.h>
#include <rmw/validate_namespace.h>
#include <rmw/validate_node_name.h>

#include <algorithm>
#include <utility>

#include "logging_mutex.hpp"
#include "rcl_check.hpp"
#include "rclcpp/node_interfaces/node_base_interface.hpp"

namespace rclcpp::node_interfaces
{

namespace
{

[[noreturn]] void refuse(rcl_ret_t ret, const std::string & name, const std::string & name_space)
{
  int problem = 0;
  size_t index = 0;
  if (
    ret == RCL_RET_NODE_INVALID_NAME &&
    rmw_validate_node_name(name.c_str(), &problem, &index) == RMW_RET_OK)
  {
    rcl_reset_error();
    throw exceptions::InvalidNodeNameError(
      name.c_str(), rmw_node_name_validation_result_string(problem), index);
  }
  if (
    ret == RCL_RET_NODE_INVALID_NAMESPACE &&
    rmw_validate_namespace(name_space.c_str(), &problem, &index) == RMW_RET_OK)
  {
    rcl_reset_error();
    throw exceptions::InvalidNamespaceError(
      name_space.c_str(), rmw_namespace_validation_result_string(problem), index);
  }
  exceptions::throw_from_rcl_error(ret, "failed to initialize rcl node");
}

void finish(rcl_node_t * node, bool rosout)
{
  {
    const std::lock_guard lock(detail::logging_mutex());
    if (rosout && rcl_logging_rosout_enabled()) {
      if (rcl_logging_rosout_fini_publisher_for_node(node) != RCL_RET_OK) rcl_reset_error();
    }
  }
  if (rcl_node_fini(node) != RCL_RET_OK) rcl_reset_error();
  std::default_delete<rcl_node_t>()(node);
}

std::shared_ptr<rcl_node_t> make_node(
  const std::string & name, const std::string & name_space,
  const std::shared_ptr<rcl_context_t> & context, const rcl_node_options_t & options)
{
  auto node = std::make_unique<rcl_node_t>(rcl_get_zero_initialized_node());
  const auto ret =
    rcl_node_init(node.get(), name.c_str(), name_space.c_str(), context.get(), &options);
  if (ret != RCL_RET_OK) refuse(ret, name, name_space);

  const bool rosout = options.enable_rosout;
  std::shared_ptr<rcl_node_t> handle(
    node.release(), [context, rosout](rcl_node_t * ended) { finish(ended, rosout); });
  const std::lock_guard lock(detail::logging_mutex());
  if (rosout && rcl_logging_rosout_enabled()) {
    detail::check(
      rcl_logging_rosout_init_publisher_for_node(handle.get()),
      "failed to initialize rosout publisher");
  }
  return handle;
}

}  // namespace

NodeBaseInterface::NodeBaseInterface(
  const std::string & name, const std::string & name_space, Context::SharedPtr context,
  const rcl_node_options_t & options)
: context_(std::move(context)),
  default_group_(std::make_shared<CallbackGroup>(CallbackGroupType::MutuallyExclusive)),
  notify_(context_)
{
  node_ = make_node(name, name_space, context_->get_rcl_context(), options);
}

CallbackGroup::SharedPtr NodeBaseInterface::create_callback_group(CallbackGroupType type)
{
  return std::make_shared<CallbackGroup>(type);
}

void NodeBaseInterface::add_entity(const std::shared_ptr<detail::Entity> & entity)
{
  {
    const std::lock_guard lock(entities_mutex_);
    entities_.push_back(entity);
  }
  notify_.trigger();
}

std::vector<std::shared_ptr<detail::Entity>> NodeBaseInterface::entities()
{
  const std::lock_guard lock(entities_mutex_);
  std::vector<std::shared_ptr<detail::Entity>> held;
  std::erase_if(entities_, [&held](const std::weak_ptr<detail::Entity> & weak) {
    auto entity = weak.lock();
    if (!entity) return true;
    held.push_back(std::move(entity));
    return false;
  });
  return held;
}

std::string NodeBaseInterface::resolve_name(
  const std::string & name, bool is_service, bool only_expand) const
{
  const auto allocator = rcl_get_default_allocator();
  char * resolved = nullptr;
  detail::check(
    rcl_node_resolve_name(node_.get(), name.c_str(), allocator, is_service, only_expand, &resolved),
    "failed to resolve name");
  std::string result(resolved);
  allocator.deallocate(resolved, allocator.state);
  return result;
}

}  // namespace rclcpp::node_interfaces
