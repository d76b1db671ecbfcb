// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "rclcpp/parameter_value.hpp"

namespace rclcpp
{

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

ParameterValue::ParameterValue(std::int64_t value)
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

ParameterValue::ParameterValue(const std::vector<std::int64_t> & value)
{
  message_.type = PARAMETER_INTEGER_ARRAY;
  message_.integer_array_value = value;
}

ParameterValue::ParameterValue(const std::vector<std::string> & value)
{
  message_.type = PARAMETER_STRING_ARRAY;
  message_.string_array_value = value;
}

}  // namespace rclcpp
