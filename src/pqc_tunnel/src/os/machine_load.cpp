// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "machine_load.hpp"

#include <cstdint>
#include <fstream>
#include <string>

namespace pqc_tunnel
{
namespace
{

// Files of /proc stay open, because opening them costs most.
std::ifstream & at_begin(std::ifstream & file)
{
  file.clear();
  file.seekg(0);
  return file;
}

}  // namespace

std::optional<Duration> processor_wait()
{
  thread_local std::ifstream file("/proc/thread-self/schedstat");
  std::int64_t ran = 0;
  std::int64_t waited = 0;
  return at_begin(file) >> ran >> waited ? std::optional(Duration(waited)) : std::nullopt;
}

std::optional<double> processor_pressure()
{
  constexpr double percent = 100;
  thread_local std::ifstream file("/proc/pressure/cpu");
  std::string some;
  std::string name;
  double average = 0;
  std::getline(at_begin(file) >> some >> std::ws, name, '=') >> average;
  return file && some == "some" && name == "avg10" ? std::optional(average / percent)
                                                   : std::nullopt;
}

}  // namespace pqc_tunnel
