// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rcl/error_handling.h>
#include <rcl/types.h>

#include <cstddef>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

namespace rclcpp::exceptions
{

/// A node, topic, service or namespace name that ROS doesn't allow.
class NameValidationError : public std::invalid_argument
{
public:
  NameValidationError(const char * type, const char * bad_name, const char * message, size_t index);

  const std::string name_type;
  const std::string name;
  const std::string error_msg;
  const size_t invalid_index;
};

class InvalidNodeNameError : public NameValidationError
{
public:
  InvalidNodeNameError(const char * bad_name, const char * message, size_t index)
  : NameValidationError("node name", bad_name, message, index)
  {
  }
};

class InvalidNamespaceError : public NameValidationError
{
public:
  InvalidNamespaceError(const char * bad_name, const char * message, size_t index)
  : NameValidationError("namespace", bad_name, message, index)
  {
  }
};

class InvalidTopicNameError : public NameValidationError
{
public:
  InvalidTopicNameError(const char * bad_name, const char * message, size_t index)
  : NameValidationError("topic name", bad_name, message, index)
  {
  }
};

class InvalidServiceNameError : public NameValidationError
{
public:
  InvalidServiceNameError(const char * bad_name, const char * message, size_t index)
  : NameValidationError("service name", bad_name, message, index)
  {
  }
};

/// What rcl said went wrong; the base of the three exceptions below.
class RCLErrorBase
{
public:
  RCLErrorBase(rcl_ret_t ret, std::string message);
  virtual ~RCLErrorBase() = default;

  rcl_ret_t ret;
  std::string message;
};

class RCLError : public RCLErrorBase, public std::runtime_error
{
public:
  RCLError(const RCLErrorBase & base, const std::string & prefix);
};

class RCLInvalidArgument : public RCLErrorBase, public std::invalid_argument
{
public:
  RCLInvalidArgument(const RCLErrorBase & base, const std::string & prefix);
};

class RCLInvalidROSArgsError : public RCLErrorBase, public std::runtime_error
{
public:
  RCLInvalidROSArgsError(const RCLErrorBase & base, const std::string & prefix);
};

/// Throws what `ret` stands for, with rcl's own words after `prefix`, and clears rcl's error.
[[noreturn]] void throw_from_rcl_error(rcl_ret_t ret, const std::string & prefix = "");

class UnknownROSArgsError : public std::runtime_error
{
public:
  explicit UnknownROSArgsError(std::vector<std::string> unknown);

  const std::vector<std::string> unknown_ros_args;
};

class InvalidParametersException : public std::runtime_error
{
  using std::runtime_error::runtime_error;
};

class InvalidParameterValueException : public std::runtime_error
{
  using std::runtime_error::runtime_error;
};

class InvalidParameterTypeException : public std::runtime_error
{
public:
  InvalidParameterTypeException(const std::string & name, const std::string & message)
  : std::runtime_error("parameter '" + name + "' has invalid type: " + message)
  {
  }
};

class UninitializedStaticallyTypedParameterException : public std::runtime_error
{
public:
  explicit UninitializedStaticallyTypedParameterException(const std::string & name)
  : std::runtime_error("Statically typed parameter '" + name + "' must be initialized.")
  {
  }
};

class ParameterAlreadyDeclaredException : public std::runtime_error
{
  using std::runtime_error::runtime_error;
};

class ParameterNotDeclaredException : public std::runtime_error
{
  using std::runtime_error::runtime_error;
};

class ParameterImmutableException : public std::runtime_error
{
  using std::runtime_error::runtime_error;
};

class ParameterModifiedInCallbackException : public std::runtime_error
{
  using std::runtime_error::runtime_error;
};

class ParameterUninitializedException : public std::runtime_error
{
public:
  explicit ParameterUninitializedException(const std::string & name)
  : std::runtime_error("parameter '" + name + "' is not initialized")
  {
  }
};

}  // namespace rclcpp::exceptions
