// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "rclcpp/client.hpp"

#include <rcl/graph.h>
#include <rcl/wait.h>

#include <algorithm>

#include "communication.hpp"
#include "rclcpp/utilities.hpp"

namespace rclcpp
{

namespace
{

/// Returns when the graph as the node sees it has changed, or after the time.
void wait_for_graph_change(
  const rcl_node_t & node, rcl_context_t & context, std::chrono::nanoseconds timeout)
{
  auto wait_set = rcl_get_zero_initialized_wait_set();
  detail::check(
    rcl_wait_set_init(&wait_set, 0, 1, 0, 0, 0, 0, &context, rcl_get_default_allocator()),
    "failed to create wait set");
  const auto * changed = rcl_node_get_graph_guard_condition(&node);
  auto ret = rcl_wait_set_add_guard_condition(&wait_set, changed, nullptr);
  if (ret == RCL_RET_OK) ret = rcl_wait(&wait_set, timeout.count());
  if (rcl_wait_set_fini(&wait_set) != RCL_RET_OK) rcl_reset_error();
  if (ret == RCL_RET_TIMEOUT) {
    rcl_reset_error();
    return;
  }
  detail::check(ret, "failed to wait for a change of the graph");
}

}  // namespace

ClientBase::ClientBase(
  node_interfaces::NodeBaseInterface & node, const rosidl_service_type_support_t & type,
  const std::string & name, const QoS & qos, CallbackGroup::SharedPtr callback_group)
: Entity(Kind::client, detail::group_or_default(std::move(callback_group), node)),
  context_(node.get_context()),
  node_(node.get_shared_rcl_node_handle())
{
  auto options = rcl_client_get_default_options();
  options.qos = qos.get_rmw_qos_profile();
  const auto init = [&](rcl_client_t * client, rcl_node_t * owner) {
    return rcl_client_init(client, owner, &type, name.c_str(), &options);
  };
  rcl_handle = detail::make_handle<exceptions::InvalidServiceNameError>(
    node, name, rcl_get_zero_initialized_client(), init, &rcl_client_fini);
}

bool ClientBase::service_is_ready() const
{
  if (!context_->is_valid()) return false;
  bool ready = false;
  detail::check(
    rcl_service_server_is_available(node_.get(), handle(), &ready),
    "failed to look for the service");
  return ready;
}

bool ClientBase::wait_for_service_nanoseconds(std::chrono::nanoseconds timeout)
{
  // The change that matters may come between looking and waiting, so no wait is long.
  constexpr std::chrono::nanoseconds longest = std::chrono::milliseconds(100);
  const auto start = std::chrono::steady_clock::now();
  while (context_->is_valid()) {
    if (service_is_ready()) return true;
    auto left = longest;
    if (timeout >= std::chrono::nanoseconds(0)) {
      left = std::min(left, timeout - (std::chrono::steady_clock::now() - start));
      if (left <= std::chrono::nanoseconds(0)) return false;
    }
    wait_for_graph_change(*node_, *context_->get_rcl_context(), left);
  }
  return false;
}

int64_t ClientBase::send_request_message(const void * request, ResponseHandler handler)
{
  const std::lock_guard lock(pending_mutex_);
  int64_t id = 0;
  detail::check(rcl_send_request(handle(), request, &id), "failed to send request");
  pending_.emplace(id, Pending{std::chrono::system_clock::now(), std::move(handler)});
  return id;
}

void ClientBase::execute()
{
  auto response = create_response();
  rmw_request_id_t header{};
  const auto ret = rcl_take_response(handle(), &header, response.get());
  if (ret == RCL_RET_CLIENT_TAKE_FAILED) {
    rcl_reset_error();
    return;
  }
  detail::check(ret, "failed to take response");
  ResponseHandler handler;
  {
    const std::lock_guard lock(pending_mutex_);
    const auto found = pending_.find(header.sequence_number);
    if (found == pending_.end()) return;
    handler = std::move(found->second.handler);
    pending_.erase(found);
  }
  handler(std::move(response));
}

bool ClientBase::remove_pending_request(int64_t request_id)
{
  const std::lock_guard lock(pending_mutex_);
  return pending_.erase(request_id) > 0;
}

size_t ClientBase::prune_pending_requests()
{
  const std::lock_guard lock(pending_mutex_);
  const auto count = pending_.size();
  pending_.clear();
  return count;
}

size_t ClientBase::prune_requests_older_than(
  std::chrono::time_point<std::chrono::system_clock> time, std::vector<int64_t> * pruned)
{
  const std::lock_guard lock(pending_mutex_);
  return std::erase_if(pending_, [&](const auto & request) {
    const bool old = request.second.sent < time;
    if (old && pruned != nullptr) pruned->push_back(request.first);
    return old;
  });
}

}  // namespace rclcpp
