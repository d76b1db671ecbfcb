// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rcutils/logging_macros.h>

#include <exception>
#include <sstream>
#include <type_traits>

#include "rclcpp/clock.hpp"
#include "rclcpp/logger.hpp"

#define RCLCPP_FIRST_ARGUMENT_IS_A_LOGGER_(logger)               \
  static_assert(                                                 \
    ::std::is_convertible_v<decltype(logger), ::rclcpp::Logger>, \
    "the first argument of a logging macro must be an rclcpp::Logger")

#define RCLCPP_LOG_(SEVERITY, logger, ...)                            \
  do {                                                                \
    RCLCPP_FIRST_ARGUMENT_IS_A_LOGGER_(logger);                       \
    RCUTILS_LOG_##SEVERITY##_NAMED((logger).get_name(), __VA_ARGS__); \
  } while (0)

#define RCLCPP_LOG_ONCE_(SEVERITY, logger, ...)                            \
  do {                                                                     \
    RCLCPP_FIRST_ARGUMENT_IS_A_LOGGER_(logger);                            \
    RCUTILS_LOG_##SEVERITY##_ONCE_NAMED((logger).get_name(), __VA_ARGS__); \
  } while (0)

#define RCLCPP_LOG_SKIPFIRST_(SEVERITY, logger, ...)                            \
  do {                                                                          \
    RCLCPP_FIRST_ARGUMENT_IS_A_LOGGER_(logger);                                 \
    RCUTILS_LOG_##SEVERITY##_SKIPFIRST_NAMED((logger).get_name(), __VA_ARGS__); \
  } while (0)

#define RCLCPP_LOG_EXPRESSION_(SEVERITY, logger, expression, ...)                            \
  do {                                                                                       \
    RCLCPP_FIRST_ARGUMENT_IS_A_LOGGER_(logger);                                              \
    RCUTILS_LOG_##SEVERITY##_EXPRESSION_NAMED(expression, (logger).get_name(), __VA_ARGS__); \
  } while (0)

// `duration` is in milliseconds.
#define RCLCPP_LOG_THROTTLE_(SEVERITY, logger, clock, duration, ...)                       \
  do {                                                                                     \
    RCLCPP_FIRST_ARGUMENT_IS_A_LOGGER_(logger);                                            \
    auto rclcpp_time_point_ =                                                              \
      [&rclcpp_clock_ = clock](rcutils_time_point_value_t * time_point) -> rcutils_ret_t { \
      try {                                                                                \
        *time_point = rclcpp_clock_.now().nanoseconds();                                   \
        return RCUTILS_RET_OK;                                                             \
      } catch (const ::std::exception &) {                                                 \
        return RCUTILS_RET_ERROR;                                                          \
      }                                                                                    \
    };                                                                                     \
    RCUTILS_LOG_##SEVERITY##_THROTTLE_NAMED(                                               \
      rclcpp_time_point_, duration, (logger).get_name(), __VA_ARGS__);                     \
  } while (0)

#define RCLCPP_STREAMED_(MACRO, SEVERITY, logger, stream_arg, ...)                          \
  do {                                                                                      \
    ::std::stringstream rclcpp_stream_;                                                     \
    rclcpp_stream_ << stream_arg;                                                           \
    MACRO(SEVERITY, logger, __VA_ARGS__ __VA_OPT__(, ) "%s", rclcpp_stream_.str().c_str()); \
  } while (0)

#define RCLCPP_DEBUG(logger, ...) RCLCPP_LOG_(DEBUG, logger, __VA_ARGS__)
#define RCLCPP_INFO(logger, ...) RCLCPP_LOG_(INFO, logger, __VA_ARGS__)
#define RCLCPP_WARN(logger, ...) RCLCPP_LOG_(WARN, logger, __VA_ARGS__)
#define RCLCPP_ERROR(logger, ...) RCLCPP_LOG_(ERROR, logger, __VA_ARGS__)
#define RCLCPP_FATAL(logger, ...) RCLCPP_LOG_(FATAL, logger, __VA_ARGS__)

#define RCLCPP_DEBUG_ONCE(logger, ...) RCLCPP_LOG_ONCE_(DEBUG, logger, __VA_ARGS__)
#define RCLCPP_INFO_ONCE(logger, ...) RCLCPP_LOG_ONCE_(INFO, logger, __VA_ARGS__)
#define RCLCPP_WARN_ONCE(logger, ...) RCLCPP_LOG_ONCE_(WARN, logger, __VA_ARGS__)
#define RCLCPP_ERROR_ONCE(logger, ...) RCLCPP_LOG_ONCE_(ERROR, logger, __VA_ARGS__)
#define RCLCPP_FATAL_ONCE(logger, ...) RCLCPP_LOG_ONCE_(FATAL, logger, __VA_ARGS__)

#define RCLCPP_DEBUG_SKIPFIRST(logger, ...) RCLCPP_LOG_SKIPFIRST_(DEBUG, logger, __VA_ARGS__)
#define RCLCPP_INFO_SKIPFIRST(logger, ...) RCLCPP_LOG_SKIPFIRST_(INFO, logger, __VA_ARGS__)
#define RCLCPP_WARN_SKIPFIRST(logger, ...) RCLCPP_LOG_SKIPFIRST_(WARN, logger, __VA_ARGS__)
#define RCLCPP_ERROR_SKIPFIRST(logger, ...) RCLCPP_LOG_SKIPFIRST_(ERROR, logger, __VA_ARGS__)

#define RCLCPP_DEBUG_EXPRESSION(logger, expression, ...) \
  RCLCPP_LOG_EXPRESSION_(DEBUG, logger, expression, __VA_ARGS__)
#define RCLCPP_INFO_EXPRESSION(logger, expression, ...) \
  RCLCPP_LOG_EXPRESSION_(INFO, logger, expression, __VA_ARGS__)
#define RCLCPP_WARN_EXPRESSION(logger, expression, ...) \
  RCLCPP_LOG_EXPRESSION_(WARN, logger, expression, __VA_ARGS__)
#define RCLCPP_ERROR_EXPRESSION(logger, expression, ...) \
  RCLCPP_LOG_EXPRESSION_(ERROR, logger, expression, __VA_ARGS__)

#define RCLCPP_DEBUG_THROTTLE(logger, clock, duration, ...) \
  RCLCPP_LOG_THROTTLE_(DEBUG, logger, clock, duration, __VA_ARGS__)
#define RCLCPP_INFO_THROTTLE(logger, clock, duration, ...) \
  RCLCPP_LOG_THROTTLE_(INFO, logger, clock, duration, __VA_ARGS__)
#define RCLCPP_WARN_THROTTLE(logger, clock, duration, ...) \
  RCLCPP_LOG_THROTTLE_(WARN, logger, clock, duration, __VA_ARGS__)
#define RCLCPP_ERROR_THROTTLE(logger, clock, duration, ...) \
  RCLCPP_LOG_THROTTLE_(ERROR, logger, clock, duration, __VA_ARGS__)

#define RCLCPP_DEBUG_STREAM(logger, stream_arg) \
  RCLCPP_STREAMED_(RCLCPP_LOG_, DEBUG, logger, stream_arg)
#define RCLCPP_INFO_STREAM(logger, stream_arg) \
  RCLCPP_STREAMED_(RCLCPP_LOG_, INFO, logger, stream_arg)
#define RCLCPP_WARN_STREAM(logger, stream_arg) \
  RCLCPP_STREAMED_(RCLCPP_LOG_, WARN, logger, stream_arg)
#define RCLCPP_ERROR_STREAM(logger, stream_arg) \
  RCLCPP_STREAMED_(RCLCPP_LOG_, ERROR, logger, stream_arg)
#define RCLCPP_FATAL_STREAM(logger, stream_arg) \
  RCLCPP_STREAMED_(RCLCPP_LOG_, FATAL, logger, stream_arg)

#define RCLCPP_INFO_STREAM_ONCE(logger, stream_arg) \
  RCLCPP_STREAMED_(RCLCPP_LOG_ONCE_, INFO, logger, stream_arg)
#define RCLCPP_WARN_STREAM_ONCE(logger, stream_arg) \
  RCLCPP_STREAMED_(RCLCPP_LOG_ONCE_, WARN, logger, stream_arg)
#define RCLCPP_INFO_STREAM_THROTTLE(logger, clock, duration, stream_arg) \
  RCLCPP_STREAMED_(RCLCPP_LOG_THROTTLE_, INFO, logger, stream_arg, clock, duration)
#define RCLCPP_WARN_STREAM_THROTTLE(logger, clock, duration, stream_arg) \
  RCLCPP_STREAMED_(RCLCPP_LOG_THROTTLE_, WARN, logger, stream_arg, clock, duration)
#define RCLCPP_ERROR_STREAM_THROTTLE(logger, clock, duration, stream_arg) \
  RCLCPP_STREAMED_(RCLCPP_LOG_THROTTLE_, ERROR, logger, stream_arg, clock, duration)
