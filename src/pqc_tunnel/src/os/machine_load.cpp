// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "machine_load.hpp"

#include <cstdint>
#include <fstream>
#include <string>

namespace pqc_tunnel
{

std::optional<Duration> processor_wait()
{
  std::ifstream file("/proc/thread-self/schedstat");
  std::int64_t ran = 0;
  std::int64_t waited = 0;
  return file >> ran >> waited ? std::optional(Duration(waited)) : std::nullopt;
}

std::optional<double> processor_pressure()
{
  constexpr double percent = 100;
  const std::string name = "avg10=";
  std::ifstream file("/proc/pressure/cpu");
  std::string some;
  std::string average;
  if (!(file >> some >> average) || some != "some" || !average.starts_with(name)) {
    return std::nullopt;
  }
  try {
    return std::stod(average.substr(name.size())) / percent;
  } catch (const std::exception &) {
    return std::nullopt;
  }
}

}  // namespace pqc_tunnel
