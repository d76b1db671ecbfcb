// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__CONFIG__PARAMETER_READER_HPP_
#define PQC_TUNNEL__CONFIG__PARAMETER_READER_HPP_

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/time.hpp"
#include "config.hpp"
#include "net/host_port.hpp"

namespace pqc_tunnel
{

// Typed access to all parameters, after complete_parameters() has checked their types.
class Reader
{
public:
  explicit Reader(const ParameterValues & values) : values_(values) {}

  bool flag(const std::string & name) const { return std::get<bool>(values_.at(name)); }
  double number(const std::string & name) const { return std::get<double>(values_.at(name)); }
  std::int64_t integer(const std::string & name) const
  {
    return std::get<std::int64_t>(values_.at(name));
  }
  const std::string & text(const std::string & name) const
  {
    return std::get<std::string>(values_.at(name));
  }
  const std::vector<std::string> & list(const std::string & name) const
  {
    return std::get<std::vector<std::string>>(values_.at(name));
  }
  Duration seconds(const std::string & name) const { return from_seconds(number(name)); }
  std::string shown(const std::string & name) const { return to_text(values_.at(name)); }
  HostPort host_port(const std::string & address, const std::string & port) const
  {
    return {text(address), static_cast<std::uint16_t>(integer(port))};
  }

private:
  const ParameterValues & values_;
};

// Collects problems.
class Problems
{
public:
  explicit Problems(std::vector<Error> & all) : all_(all) {}

  void add(std::string sentence)
  {
    all_.push_back({ErrorCode::invalid_argument, std::move(sentence)});
  }
  void add(Error problem) { all_.push_back(std::move(problem)); }

private:
  std::vector<Error> & all_;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__CONFIG__PARAMETER_READER_HPP_
