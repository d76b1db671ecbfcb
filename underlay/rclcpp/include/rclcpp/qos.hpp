// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rmw/qos_profiles.h>
#include <rmw/types.h>

#include <cstddef>

#include "rclcpp/duration.hpp"

namespace rclcpp
{

enum class HistoryPolicy
{
  KeepLast = RMW_QOS_POLICY_HISTORY_KEEP_LAST,
  KeepAll = RMW_QOS_POLICY_HISTORY_KEEP_ALL,
  SystemDefault = RMW_QOS_POLICY_HISTORY_SYSTEM_DEFAULT,
  Unknown = RMW_QOS_POLICY_HISTORY_UNKNOWN,
};

enum class ReliabilityPolicy
{
  BestEffort = RMW_QOS_POLICY_RELIABILITY_BEST_EFFORT,
  Reliable = RMW_QOS_POLICY_RELIABILITY_RELIABLE,
  SystemDefault = RMW_QOS_POLICY_RELIABILITY_SYSTEM_DEFAULT,
  BestAvailable = RMW_QOS_POLICY_RELIABILITY_BEST_AVAILABLE,
  Unknown = RMW_QOS_POLICY_RELIABILITY_UNKNOWN,
};

enum class DurabilityPolicy
{
  Volatile = RMW_QOS_POLICY_DURABILITY_VOLATILE,
  TransientLocal = RMW_QOS_POLICY_DURABILITY_TRANSIENT_LOCAL,
  SystemDefault = RMW_QOS_POLICY_DURABILITY_SYSTEM_DEFAULT,
  BestAvailable = RMW_QOS_POLICY_DURABILITY_BEST_AVAILABLE,
  Unknown = RMW_QOS_POLICY_DURABILITY_UNKNOWN,
};

enum class LivelinessPolicy
{
  Automatic = RMW_QOS_POLICY_LIVELINESS_AUTOMATIC,
  ManualByTopic = RMW_QOS_POLICY_LIVELINESS_MANUAL_BY_TOPIC,
  SystemDefault = RMW_QOS_POLICY_LIVELINESS_SYSTEM_DEFAULT,
  BestAvailable = RMW_QOS_POLICY_LIVELINESS_BEST_AVAILABLE,
  Unknown = RMW_QOS_POLICY_LIVELINESS_UNKNOWN,
};

struct QoSInitialization
{
  rmw_qos_history_policy_t history_policy;
  size_t depth;

  QoSInitialization(rmw_qos_history_policy_t history, size_t history_depth)
  : history_policy(history), depth(history_depth)
  {
  }
  static QoSInitialization from_rmw(const rmw_qos_profile_t & profile)
  {
    return {profile.history, profile.depth};
  }
};

struct KeepAll : QoSInitialization
{
  KeepAll() : QoSInitialization(RMW_QOS_POLICY_HISTORY_KEEP_ALL, 0) {}
};

struct KeepLast : QoSInitialization
{
  explicit KeepLast(size_t history_depth)
  : QoSInitialization(RMW_QOS_POLICY_HISTORY_KEEP_LAST, history_depth)
  {
  }
};

/// How messages are kept and delivered; every setter returns the object itself.
class QoS
{
public:
  explicit QoS(
    const QoSInitialization & initialization,
    const rmw_qos_profile_t & profile = rmw_qos_profile_default)
  : profile_(profile)
  {
    profile_.history = initialization.history_policy;
    profile_.depth = initialization.depth;
  }
  QoS(size_t history_depth) : QoS(KeepLast(history_depth)) {}  // NOLINT: as in the real API

  rmw_qos_profile_t & get_rmw_qos_profile() { return profile_; }
  const rmw_qos_profile_t & get_rmw_qos_profile() const { return profile_; }

  QoS & history(HistoryPolicy history);
  QoS & keep_last(size_t depth);
  QoS & keep_all();
  QoS & reliability(ReliabilityPolicy reliability);
  QoS & reliable() { return reliability(ReliabilityPolicy::Reliable); }
  QoS & best_effort() { return reliability(ReliabilityPolicy::BestEffort); }
  QoS & reliability_best_available() { return reliability(ReliabilityPolicy::BestAvailable); }
  QoS & durability(DurabilityPolicy durability);
  QoS & durability_volatile() { return durability(DurabilityPolicy::Volatile); }
  QoS & transient_local() { return durability(DurabilityPolicy::TransientLocal); }
  QoS & durability_best_available() { return durability(DurabilityPolicy::BestAvailable); }
  QoS & deadline(const Duration & deadline);
  QoS & lifespan(const Duration & lifespan);
  QoS & liveliness(LivelinessPolicy liveliness);
  QoS & liveliness_lease_duration(const Duration & duration);
  QoS & avoid_ros_namespace_conventions(bool avoid);

  HistoryPolicy history() const { return static_cast<HistoryPolicy>(profile_.history); }
  size_t depth() const { return profile_.depth; }
  ReliabilityPolicy reliability() const
  {
    return static_cast<ReliabilityPolicy>(profile_.reliability);
  }
  DurabilityPolicy durability() const { return static_cast<DurabilityPolicy>(profile_.durability); }
  LivelinessPolicy liveliness() const { return static_cast<LivelinessPolicy>(profile_.liveliness); }
  Duration deadline() const { return Duration::from_rmw_time(profile_.deadline); }
  Duration lifespan() const { return Duration::from_rmw_time(profile_.lifespan); }
  Duration liveliness_lease_duration() const
  {
    return Duration::from_rmw_time(profile_.liveliness_lease_duration);
  }
  bool avoid_ros_namespace_conventions() const { return profile_.avoid_ros_namespace_conventions; }

  bool operator==(const QoS & other) const;

private:
  rmw_qos_profile_t profile_;
};

/// Each of these starts from one of the middleware's named profiles.
class SensorDataQoS : public QoS
{
public:
  explicit SensorDataQoS(
    const QoSInitialization & initialization =
      QoSInitialization::from_rmw(rmw_qos_profile_sensor_data))
  : QoS(initialization, rmw_qos_profile_sensor_data)
  {
  }
};

class ParametersQoS : public QoS
{
public:
  explicit ParametersQoS(
    const QoSInitialization & initialization =
      QoSInitialization::from_rmw(rmw_qos_profile_parameters))
  : QoS(initialization, rmw_qos_profile_parameters)
  {
  }
};

class ServicesQoS : public QoS
{
public:
  explicit ServicesQoS(
    const QoSInitialization & initialization =
      QoSInitialization::from_rmw(rmw_qos_profile_services_default))
  : QoS(initialization, rmw_qos_profile_services_default)
  {
  }
};

class ParameterEventsQoS : public QoS
{
public:
  explicit ParameterEventsQoS(
    const QoSInitialization & initialization =
      QoSInitialization::from_rmw(rmw_qos_profile_parameter_events))
  : QoS(initialization, rmw_qos_profile_parameter_events)
  {
  }
};

class RosoutQoS : public QoS
{
public:
  explicit RosoutQoS(
    const QoSInitialization & initialization =
      QoSInitialization::from_rmw(rmw_qos_profile_rosout_default))
  : QoS(initialization, rmw_qos_profile_rosout_default)
  {
  }
};

class SystemDefaultsQoS : public QoS
{
public:
  explicit SystemDefaultsQoS(
    const QoSInitialization & initialization =
      QoSInitialization::from_rmw(rmw_qos_profile_system_default))
  : QoS(initialization, rmw_qos_profile_system_default)
  {
  }
};

class BestAvailableQoS : public QoS
{
public:
  explicit BestAvailableQoS(
    const QoSInitialization & initialization =
      QoSInitialization::from_rmw(rmw_qos_profile_best_available))
  : QoS(initialization, rmw_qos_profile_best_available)
  {
  }
};

class ClockQoS : public QoS
{
public:
  explicit ClockQoS(const QoSInitialization & initialization = KeepLast(1))
  : QoS(initialization, rmw_qos_profile_sensor_data)
  {
  }
};

}  // namespace rclcpp
