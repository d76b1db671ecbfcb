// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TOOLS__POWER_CAPTURE__READING_HPP_
#define PQC_TOOLS__POWER_CAPTURE__READING_HPP_

#include <limits>
#include <tl/expected.hpp>

namespace pqc_tunnel::power
{

inline constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

/// What a sensor measured; voltage and current are unknown if it has no registers of them.
struct Reading
{
  double power_w = unknown;
  double voltage_v = unknown;
  double current_a = unknown;
};

/// Why there is no reading.
enum class Missing
{
  no_answer,  ///< the sensor did not acknowledge, or its file could not be read
  overflow,   ///< the value is beyond the range of the sensor
  stale,      ///< it has measured nothing since the reading before
};

using Read = tl::expected<Reading, Missing>;

}  // namespace pqc_tunnel::power

#endif  // PQC_TOOLS__POWER_CAPTURE__READING_HPP_
