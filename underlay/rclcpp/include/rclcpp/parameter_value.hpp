// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <rcl_interfaces/msg/parameter_type.hpp>
#include <rcl_interfaces/msg/parameter_value.hpp>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace rclcpp
{

enum ParameterType : std::uint8_t
{
  PARAMETER_NOT_SET = rcl_interfaces::msg::ParameterType::PARAMETER_NOT_SET,
  PARAMETER_BOOL = rcl_interfaces::msg::ParameterType::PARAMETER_BOOL,
  PARAMETER_INTEGER = rcl_interfaces::msg::ParameterType::PARAMETER_INTEGER,
  PARAMETER_DOUBLE = rcl_interfaces::msg::ParameterType::PARAMETER_DOUBLE,
  PARAMETER_STRING = rcl_interfaces::msg::ParameterType::PARAMETER_STRING,
  PARAMETER_BYTE_ARRAY = rcl_interfaces::msg::ParameterType::PARAMETER_BYTE_ARRAY,
  PARAMETER_BOOL_ARRAY = rcl_interfaces::msg::ParameterType::PARAMETER_BOOL_ARRAY,
  PARAMETER_INTEGER_ARRAY = rcl_interfaces::msg::ParameterType::PARAMETER_INTEGER_ARRAY,
  PARAMETER_DOUBLE_ARRAY = rcl_interfaces::msg::ParameterType::PARAMETER_DOUBLE_ARRAY,
  PARAMETER_STRING_ARRAY = rcl_interfaces::msg::ParameterType::PARAMETER_STRING_ARRAY,
};

std::string to_string(ParameterType type);

/// A value of one of the parameter types, or none.
class ParameterValue
{
public:
  ParameterValue() = default;
  explicit ParameterValue(const rcl_interfaces::msg::ParameterValue & message);
  explicit ParameterValue(bool value);
  explicit ParameterValue(std::int64_t value);
  explicit ParameterValue(double value);
  explicit ParameterValue(const std::string & value);
  explicit ParameterValue(const char * value) : ParameterValue(std::string(value)) {}
  explicit ParameterValue(const std::vector<std::int64_t> & value);
  explicit ParameterValue(const std::vector<std::string> & value);

  ParameterType get_type() const { return static_cast<ParameterType>(message_.type); }
  rcl_interfaces::msg::ParameterValue to_value_msg() const { return message_; }

  /// Throws std::runtime_error if the parameter holds something else.
  template <typename T>
  const T & get() const
  {
    if constexpr (std::is_same_v<T, bool>) {
      return checked(PARAMETER_BOOL, message_.bool_value);
    } else if constexpr (std::is_same_v<T, std::int64_t>) {
      return checked(PARAMETER_INTEGER, message_.integer_value);
    } else if constexpr (std::is_same_v<T, double>) {
      return checked(PARAMETER_DOUBLE, message_.double_value);
    } else if constexpr (std::is_same_v<T, std::string>) {
      return checked(PARAMETER_STRING, message_.string_value);
    } else {
      static_assert(std::is_same_v<T, std::vector<std::string>>, "not a type of this workspace");
      return checked(PARAMETER_STRING_ARRAY, message_.string_array_value);
    }
  }

private:
  template <typename T>
  const T & checked(ParameterType type, const T & value) const
  {
    if (get_type() == type) return value;
    throw std::runtime_error(
      "expected [" + to_string(type) + "] got [" + to_string(get_type()) + "]");
  }

  rcl_interfaces::msg::ParameterValue message_;
};

/// A parameter's name and value.
class Parameter
{
public:
  Parameter(std::string name, ParameterValue value)
  : name_(std::move(name)), value_(std::move(value))
  {
  }

  const std::string & get_name() const { return name_; }
  const ParameterValue & get_parameter_value() const { return value_; }

  /// These throw std::runtime_error if the parameter holds something else.
  bool as_bool() const { return value_.get<bool>(); }
  double as_double() const { return value_.get<double>(); }

private:
  std::string name_;
  ParameterValue value_;
};

}  // namespace rclcpp
