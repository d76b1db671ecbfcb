// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__NODE__INTERFACE__WIPE_LIMIT_HPP_
#define PQC_TUNNEL__NODE__INTERFACE__WIPE_LIMIT_HPP_

#include <chrono>
#include <optional>
#include <string>

#include "base/time.hpp"

namespace pqc_tunnel
{

// Limits how often the service wipes, because any node of the graph can call it and each wipe costs a new session.
class WipeLimit
{
public:
  static constexpr Duration interval = std::chrono::seconds(10);

  // Returns a sentence if the keys may not be wiped now. Empty: they may, and the interval begins.
  std::string refusal(Instant now)
  {
    if (last_ && now < *last_ + interval) {
      return "The keys were wiped less than 10 s ago; this service waits between two wipes, "
             "because "
             "any node of the graph can call it. `pqc wipe` and SIGUSR2 do not wait.";
    }
    last_ = now;
    return {};
  }

private:
  std::optional<Instant> last_;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__NODE__INTERFACE__WIPE_LIMIT_HPP_
