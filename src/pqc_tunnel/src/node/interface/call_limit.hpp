// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__NODE__INTERFACE__CALL_LIMIT_HPP_
#define PQC_TUNNEL__NODE__INTERFACE__CALL_LIMIT_HPP_

#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "base/time.hpp"

namespace pqc_tunnel
{

// Limits how often a service does what costs something, because any node of the graph can call it.
class CallLimit
{
public:
  static constexpr Duration interval = std::chrono::seconds(10);

  // `done`: what it does, in the passive. `instead`: what has no limit.
  CallLimit(std::string done, std::string instead)
  : done_(std::move(done)), instead_(std::move(instead))
  {
  }

  // Returns a sentence if it may not be done now. Empty: it may, and the interval begins.
  std::string refusal(Instant now)
  {
    if (last_ && now < *last_ + interval) {
      return done_ +
             " less than 10 s ago; this service waits so long, because any node of the graph can "
             "call it. " +
             instead_ + " do not wait.";
    }
    last_ = now;
    return {};
  }

private:
  std::string done_;
  std::string instead_;
  std::optional<Instant> last_;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__NODE__INTERFACE__CALL_LIMIT_HPP_
