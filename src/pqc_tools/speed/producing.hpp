// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TOOLS__SPEED__PRODUCING_HPP_
#define PQC_TOOLS__SPEED__PRODUCING_HPP_

#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "subject.hpp"

namespace pqc_tunnel::speed
{

// An operation that times `make()`, which returns a Result. `keep(value)` takes the value outside the timed part, and
// may return whether it is right. The value of the run before is freed and wiped outside the timed part, too.
template <class Make, class Keep>
Operation producing(std::string name, Make make, Keep keep)
{
  const auto outcome = std::make_shared<std::optional<std::invoke_result_t<Make>>>();
  Operation operation{.name = std::move(name)};
  operation.prepare = [outcome] { outcome->reset(); };
  operation.run = [outcome, make] { *outcome = make(); };
  operation.check = [outcome, keep] {
    auto & result = **outcome;
    if (!result) {
      return false;
    }
    if constexpr (std::is_void_v<decltype(keep(std::move(*result)))>) {
      keep(std::move(*result));
      return true;
    } else {
      return keep(std::move(*result));
    }
  };
  return operation;
}

}  // namespace pqc_tunnel::speed

#endif  // PQC_TOOLS__SPEED__PRODUCING_HPP_
