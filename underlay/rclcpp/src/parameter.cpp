// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "rclcpp/parameter.hpp"

#include <sstream>

namespace rclcpp
{

namespace
{

template <typename T>
std::string list(const std::vector<T> & values)
{
  std::ostringstream text;
  text << std::boolalpha << "[";
  for (size_t i = 0; i < values.size(); ++i) {
    if (i > 0) text << ", ";
    if constexpr (std::is_same_v<T, uint8_t>) {
      text << std::hex << std::showbase << static_cast<int>(values[i]);
    } else {
      text << values[i];
    }
  }
  text << "]";
  return text.str();
}

}  // namespace

std::string to_string(ParameterType type)
{
  switch (type) {
    case PARAMETER_NOT_SET:
      return "not set";
    case PARAMETER_BOOL:
      return "bool";
    case PARAMETER_INTEGER:
      return "integer";
    case PARAMETER_DOUBLE:
      return "double";
    case PARAMETER_STRING:
      return "string";
    case PARAMETER_BYTE_ARRAY:
      return "byte_array";
    case PARAMETER_BOOL_ARRAY:
      return "bool_array";
    case PARAMETER_INTEGER_ARRAY:
      return "integer_array";
    case PARAMETER_DOUBLE_ARRAY:
      return "double_array";
    case PARAMETER_STRING_ARRAY:
      return "string_array";
  }
  return "unknown type";
}

std::ostream & operator<<(std::ostream & stream, ParameterType type)
{
  return stream << to_string(type);
}

std::string to_string(const ParameterValue & value)
{
  switch (value.get_type()) {
    case PARAMETER_NOT_SET:
      return "not set";
    case PARAMETER_BOOL:
      return value.get<bool>() ? "true" : "false";
    case PARAMETER_INTEGER:
      return std::to_string(value.get<int64_t>());
    case PARAMETER_DOUBLE:
      return std::to_string(value.get<double>());
    case PARAMETER_STRING:
      return value.get<std::string>();
    case PARAMETER_BYTE_ARRAY:
      return list(value.get<PARAMETER_BYTE_ARRAY>());
    case PARAMETER_BOOL_ARRAY:
      return list(value.get<PARAMETER_BOOL_ARRAY>());
    case PARAMETER_INTEGER_ARRAY:
      return list(value.get<PARAMETER_INTEGER_ARRAY>());
    case PARAMETER_DOUBLE_ARRAY:
      return list(value.get<PARAMETER_DOUBLE_ARRAY>());
    case PARAMETER_STRING_ARRAY:
      return list(value.get<PARAMETER_STRING_ARRAY>());
  }
  return "unknown type";
}

ParameterValue::ParameterValue(const rcl_interfaces::msg::ParameterValue & message)
: message_(message)
{
  if (message.type > PARAMETER_STRING_ARRAY) {
    throw std::runtime_error("Unknown type: " + std::to_string(message.type));
  }
}

ParameterValue::ParameterValue(bool value)
{
  message_.type = PARAMETER_BOOL;
  message_.bool_value = value;
}

ParameterValue::ParameterValue(int64_t value)
{
  message_.type = PARAMETER_INTEGER;
  message_.integer_value = value;
}

ParameterValue::ParameterValue(double value)
{
  message_.type = PARAMETER_DOUBLE;
  message_.double_value = value;
}

ParameterValue::ParameterValue(const std::string & value)
{
  message_.type = PARAMETER_STRING;
  message_.string_value = value;
}

ParameterValue::ParameterValue(const std::vector<uint8_t> & value)
{
  message_.type = PARAMETER_BYTE_ARRAY;
  message_.byte_array_value = value;
}

ParameterValue::ParameterValue(const std::vector<bool> & value)
{
  message_.type = PARAMETER_BOOL_ARRAY;
  message_.bool_array_value = value;
}

ParameterValue::ParameterValue(const std::vector<int> & value)
: ParameterValue(std::vector<int64_t>(value.begin(), value.end()))
{
}

ParameterValue::ParameterValue(const std::vector<int64_t> & value)
{
  message_.type = PARAMETER_INTEGER_ARRAY;
  message_.integer_array_value = value;
}

ParameterValue::ParameterValue(const std::vector<float> & value)
: ParameterValue(std::vector<double>(value.begin(), value.end()))
{
}

ParameterValue::ParameterValue(const std::vector<double> & value)
{
  message_.type = PARAMETER_DOUBLE_ARRAY;
  message_.double_array_value = value;
}

ParameterValue::ParameterValue(const std::vector<std::string> & value)
{
  message_.type = PARAMETER_STRING_ARRAY;
  message_.string_array_value = value;
}

Parameter Parameter::from_parameter_msg(const rcl_interfaces::msg::Parameter & message)
{
  return Parameter(message.name, ParameterValue(message.value));
}

rcl_interfaces::msg::Parameter Parameter::to_parameter_msg() const
{
  rcl_interfaces::msg::Parameter message;
  message.name = name_;
  message.value = value_.to_value_msg();
  return message;
}

std::ostream & operator<<(std::ostream & stream, const Parameter & parameter)
{
  return stream << "{\"name\": \"" << parameter.get_name() << "\", \"type\": \""
                << parameter.get_type_name() << "\", \"value\": \"" << parameter.value_to_string()
                << "\"}";
}

}  // namespace rclcpp
