// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rcl/context.h>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "rclcpp/init_options.hpp"
#include "rclcpp/macros.hpp"

namespace rclcpp
{

class ContextAlreadyInitialized : public std::runtime_error
{
public:
  ContextAlreadyInitialized() : std::runtime_error("context is already initialized") {}
};

/// Refers to a callback added to a context, for removing it again.
class OnShutdownCallbackHandle
{
  friend class Context;
  std::weak_ptr<std::function<void()>> callback_;
};

/// One use of the middleware, from init() to shutdown().
class Context : public std::enable_shared_from_this<Context>
{
public:
  RCLCPP_SMART_PTR_DEFINITIONS(Context)
  RCLCPP_DISABLE_COPY(Context)

  using OnShutdownCallback = std::function<void()>;

  Context() = default;
  virtual ~Context();

  /// Throws ContextAlreadyInitialized, or what rcl finds wrong with the arguments.
  virtual void init(
    int argc, char const * const * argv, const InitOptions & init_options = InitOptions());

  bool is_valid() const;
  const InitOptions & get_init_options() const { return init_options_; }
  size_t get_domain_id() const;
  std::string shutdown_reason() const;

  /// Ends the context and runs the callbacks; false if it wasn't valid.
  virtual bool shutdown(const std::string & reason);

  virtual OnShutdownCallbackHandle add_on_shutdown_callback(OnShutdownCallback callback);
  virtual OnShutdownCallback on_shutdown(OnShutdownCallback callback);
  virtual bool remove_on_shutdown_callback(const OnShutdownCallbackHandle & handle);

  std::shared_ptr<rcl_context_t> get_rcl_context() { return rcl_context_; }

  /// Sleeps until the time has passed (true) or the context is shut down (false).
  bool sleep_for(const std::chrono::nanoseconds & nanoseconds);

  /// The contexts that are initialized and not yet shut down.
  static std::vector<SharedPtr> all_valid();

private:
  mutable std::recursive_mutex init_mutex_;
  std::shared_ptr<rcl_context_t> rcl_context_;
  InitOptions init_options_;
  std::string shutdown_reason_;
  bool owns_logging_ = false;

  std::recursive_mutex callbacks_mutex_;
  std::list<std::shared_ptr<std::function<void()>>> callbacks_;

  std::mutex sleep_mutex_;
  std::condition_variable sleep_condition_;
};

namespace contexts
{
/// The context that everything uses which isn't given another.
std::shared_ptr<Context> get_global_default_context();
}  // namespace contexts

}  // namespace rclcpp
