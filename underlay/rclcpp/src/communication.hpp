// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <rcl/types.h>
#include <rmw/validate_full_topic_name.h>

#include <memory>
#include <string>
#include <utility>

#include "rcl_check.hpp"
#include "rclcpp/node_interfaces/node_base_interface.hpp"

namespace rclcpp::detail
{

/// Makes an rcl publisher, subscription, service or client that keeps its node alive and is
/// finished with it. Throws `NameError` where the name isn't allowed.
template <typename NameError, typename Handle, typename Init>
std::shared_ptr<Handle> make_handle(
  node_interfaces::NodeBaseInterface & node, const std::string & name, Handle zero, Init init,
  rcl_ret_t (*fini)(Handle *, rcl_node_t *))
{
  auto owner = node.get_shared_rcl_node_handle();
  auto handle = std::make_unique<Handle>(zero);
  const auto ret = init(handle.get(), owner.get());
  if (ret == RCL_RET_TOPIC_NAME_INVALID || ret == RCL_RET_SERVICE_NAME_INVALID) {
    const std::string reason = rcl_get_error_string().str;
    rcl_reset_error();
    throw NameError(name.c_str(), reason.c_str(), 0);
  }
  check(ret, "could not create '" + name + "'");
  return std::shared_ptr<Handle>(handle.release(), [owner, fini](Handle * ended) {
    if (fini(ended, owner.get()) != RCL_RET_OK) rcl_reset_error();
    std::default_delete<Handle>()(ended);
  });
}

inline CallbackGroup::SharedPtr group_or_default(
  CallbackGroup::SharedPtr group, node_interfaces::NodeBaseInterface & node)
{
  return group ? std::move(group) : node.get_default_callback_group();
}

}  // namespace rclcpp::detail
