// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <rcl/graph.h>

#include "rcl_check.hpp"
#include "rclcpp/node.hpp"

namespace rclcpp
{

namespace
{

/// Runs an rcl query that fills a list of names with their types.
template <typename Query>
Node::NamesAndTypes names_and_types(Query query)
{
  auto found = rcl_get_zero_initialized_names_and_types();
  detail::check(query(&found), "failed to query the graph");
  Node::NamesAndTypes result;
  for (size_t i = 0; i < found.names.size; ++i) {
    auto & types = result[found.names.data[i]];
    types.assign(found.types[i].data, found.types[i].data + found.types[i].size);
  }
  if (rcl_names_and_types_fini(&found) != RCL_RET_OK) rcl_reset_error();
  return result;
}

using Count = rcl_ret_t (*)(const rcl_node_t *, const char *, size_t *);

size_t count_of(Count count, const rcl_node_t * node, const std::string & name)
{
  size_t result = 0;
  detail::check(count(node, name.c_str(), &result), "failed to count users of '" + name + "'");
  return result;
}

}  // namespace

std::vector<std::string> Node::get_node_names() const
{
  auto names = rcutils_get_zero_initialized_string_array();
  auto spaces = rcutils_get_zero_initialized_string_array();
  detail::check(
    rcl_get_node_names(base_->get_rcl_node_handle(), rcl_get_default_allocator(), &names, &spaces),
    "failed to get node names");
  std::vector<std::string> result;
  for (size_t i = 0; i < names.size; ++i) {
    const std::string space = spaces.data[i];
    result.push_back(space + (space.ends_with('/') ? "" : "/") + names.data[i]);
  }
  if (rcutils_string_array_fini(&names) != RCUTILS_RET_OK) rcutils_reset_error();
  if (rcutils_string_array_fini(&spaces) != RCUTILS_RET_OK) rcutils_reset_error();
  return result;
}

Node::NamesAndTypes Node::get_topic_names_and_types() const
{
  return names_and_types([this](rcl_names_and_types_t * found) {
    auto allocator = rcl_get_default_allocator();
    return rcl_get_topic_names_and_types(base_->get_rcl_node_handle(), &allocator, false, found);
  });
}

Node::NamesAndTypes Node::get_service_names_and_types() const
{
  return names_and_types([this](rcl_names_and_types_t * found) {
    auto allocator = rcl_get_default_allocator();
    return rcl_get_service_names_and_types(base_->get_rcl_node_handle(), &allocator, found);
  });
}

Node::NamesAndTypes Node::get_service_names_and_types_by_node(
  const std::string & name, const std::string & name_space) const
{
  return names_and_types([&](rcl_names_and_types_t * found) {
    auto allocator = rcl_get_default_allocator();
    return rcl_get_service_names_and_types_by_node(
      base_->get_rcl_node_handle(), &allocator, name.c_str(), name_space.c_str(), found);
  });
}

size_t Node::count_publishers(const std::string & topic) const
{
  return count_of(
    &rcl_count_publishers, base_->get_rcl_node_handle(), base_->resolve_name(topic, false, true));
}

size_t Node::count_subscribers(const std::string & topic) const
{
  return count_of(
    &rcl_count_subscribers, base_->get_rcl_node_handle(), base_->resolve_name(topic, false, true));
}

size_t Node::count_clients(const std::string & service) const
{
  return count_of(
    &rcl_count_clients, base_->get_rcl_node_handle(), base_->resolve_name(service, true, true));
}

size_t Node::count_services(const std::string & service) const
{
  return count_of(
    &rcl_count_services, base_->get_rcl_node_handle(), base_->resolve_name(service, true, true));
}

}  // namespace rclcpp
