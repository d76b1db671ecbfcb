// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TOOLS__POWER_CAPTURE__ENERGY_COUNTER_HPP_
#define PQC_TOOLS__POWER_CAPTURE__ENERGY_COUNTER_HPP_

#include <cstdint>
#include <utility>

#include "pqc_tunnel/base/time.hpp"
#include "reading.hpp"

namespace pqc_tunnel::power
{

/// The power between two looks at a counter of energy in µJ, which begins anew at its range. Between two looks it may
/// do so once: that takes a minute at least.
class EnergyCounter
{
public:
  EnergyCounter(std::int64_t range_uj, Instant at, std::int64_t uj)
  : range_uj_(range_uj), at_(at), uj_(uj)
  {
  }

  /// Returns the mean power in W since the look before.
  double power_w(Instant at, std::int64_t uj)
  {
    const std::int64_t before = std::exchange(uj_, uj);
    const std::int64_t used = uj - before + (uj < before ? range_uj_ : 0);
    const double us =
      std::chrono::duration<double, std::micro>(at - std::exchange(at_, at)).count();
    if (used > 0 && !(step_uj_ <= static_cast<double>(used))) {
      step_uj_ = static_cast<double>(used);
    }
    return static_cast<double>(used) / us;
  }

  /// The smallest difference so far that was none; NaN before.
  double step_uj() const { return step_uj_; }

private:
  std::int64_t range_uj_;
  Instant at_;
  std::int64_t uj_;
  double step_uj_ = unknown;
};

}  // namespace pqc_tunnel::power

#endif  // PQC_TOOLS__POWER_CAPTURE__ENERGY_COUNTER_HPP_
