// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <ostream>
#include <rcl_interfaces/msg/parameter.hpp>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "rclcpp/exceptions.hpp"
#include "rclcpp/parameter_value.hpp"

namespace rclcpp
{

/// A parameter's name and value.
class Parameter
{
public:
  Parameter() = default;
  explicit Parameter(std::string name) : name_(std::move(name)) {}
  Parameter(std::string name, ParameterValue value)
  : name_(std::move(name)), value_(std::move(value))
  {
  }
  template <typename T>
  requires(!std::is_convertible_v<T, ParameterValue>) Parameter(std::string name, T value)
  : Parameter(std::move(name), ParameterValue(value))
  {
  }

  const std::string & get_name() const { return name_; }
  const ParameterValue & get_parameter_value() const { return value_; }
  rcl_interfaces::msg::ParameterValue get_value_message() const { return value_.to_value_msg(); }
  ParameterType get_type() const { return value_.get_type(); }
  std::string get_type_name() const { return to_string(get_type()); }
  bool operator==(const Parameter & other) const = default;

  /// Throws ParameterTypeException if the parameter holds something else.
  template <ParameterType type>
  decltype(auto) get_value() const
  {
    return value_.get<type>();
  }
  /// Throws InvalidParameterTypeException if the parameter holds something else.
  template <typename T>
  decltype(auto) get_value() const
  {
    try {
      return value_.get<T>();
    } catch (const ParameterTypeException & error) {
      throw exceptions::InvalidParameterTypeException(name_, error.what());
    }
  }

  /// These throw ParameterTypeException if the parameter holds something else.
  bool as_bool() const { return get_value<PARAMETER_BOOL>(); }
  int64_t as_int() const { return get_value<PARAMETER_INTEGER>(); }
  double as_double() const { return get_value<PARAMETER_DOUBLE>(); }
  const std::string & as_string() const { return get_value<PARAMETER_STRING>(); }
  const std::vector<uint8_t> & as_byte_array() const { return get_value<PARAMETER_BYTE_ARRAY>(); }
  const std::vector<bool> & as_bool_array() const { return get_value<PARAMETER_BOOL_ARRAY>(); }
  const std::vector<int64_t> & as_integer_array() const
  {
    return get_value<PARAMETER_INTEGER_ARRAY>();
  }
  const std::vector<double> & as_double_array() const
  {
    return get_value<PARAMETER_DOUBLE_ARRAY>();
  }
  const std::vector<std::string> & as_string_array() const
  {
    return get_value<PARAMETER_STRING_ARRAY>();
  }

  static Parameter from_parameter_msg(const rcl_interfaces::msg::Parameter & message);
  rcl_interfaces::msg::Parameter to_parameter_msg() const;
  std::string value_to_string() const { return to_string(value_); }

private:
  std::string name_;
  ParameterValue value_;
};

std::ostream & operator<<(std::ostream & stream, const Parameter & parameter);

}  // namespace rclcpp
