// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "ground_addresses.hpp"

#include <algorithm>
#include <utility>

namespace pqc_tunnel
{

void GroundAddresses::give_up(ConnectionId connection)
{
  if (waiting_ == connection) {
    waiting_.reset();
  }
}

std::optional<GroundAddresses::Candidates> GroundAddresses::handle_answer(
  Result<std::vector<Endpoint>> answer)
{
  if (!waiting_) {
    return std::nullopt;
  }
  const ConnectionId connection = *std::exchange(waiting_, std::nullopt);
  return Candidates{connection, in_order(std::move(answer))};
}

Result<std::vector<Endpoint>> GroundAddresses::in_order(Result<std::vector<Endpoint>> answer) const
{
  if (!answer && answered_) {
    return std::vector{*answered_};
  }
  if (!answer) {
    return answer;
  }
  auto endpoints = reachable_from(std::move(*answer), link_);
  if (endpoints.empty()) {
    return fail(
      ErrorCode::invalid_argument,
      "gcs_address has only addresses of another kind (IPv4, IPv6) than bind_address");
  }
  if (const auto known = std::ranges::find(endpoints, answered_); known != endpoints.end()) {
    std::rotate(endpoints.begin(), known, known + 1);
  }
  return endpoints;
}

bool GroundAddresses::note_answered(const Endpoint & address)
{
  return std::exchange(answered_, address) != address;
}

}  // namespace pqc_tunnel
