// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "rclcpp/context.hpp"

#include <rcl/init.h>
#include <rcl/logging.h>
#include <rcutils/logging_macros.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "arguments.hpp"
#include "logging_mutex.hpp"
#include "rcl_check.hpp"

namespace rclcpp
{

namespace detail
{

std::recursive_mutex & logging_mutex()
{
  // Never destroyed: other static objects may log while the program ends.
  static auto & mutex = *new std::recursive_mutex;
  return mutex;
}

}  // namespace detail

namespace
{

int logging_users = 0;

struct AllContexts
{
  std::mutex mutex;
  std::vector<Context::WeakPtr> contexts;
};

AllContexts & all_contexts()
{
  static auto & all = *new AllContexts;
  return all;
}

extern "C" void rclcpp_log_with_lock(
  const rcutils_log_location_t * location, int severity, const char * name,
  rcutils_time_point_value_t timestamp, const char * format, va_list * arguments)
{
  const std::lock_guard lock(detail::logging_mutex());
  rcl_logging_multiple_output_handler(location, severity, name, timestamp, format, arguments);
}

void start_logging(const rcl_context_t & context)
{
  const std::lock_guard lock(detail::logging_mutex());
  if (logging_users++ > 0) return;
  const auto allocator = rcl_get_default_allocator();
  detail::check(
    rcl_logging_configure_with_output_handler(
      &context.global_arguments, &allocator, rclcpp_log_with_lock),
    "failed to configure logging");
}

void stop_logging()
{
  const std::lock_guard lock(detail::logging_mutex());
  if (--logging_users == 0 && rcl_logging_fini() != RCL_RET_OK) rcl_reset_error();
}

}  // namespace

InitOptions::InitOptions() : options_(rcl_get_zero_initialized_init_options())
{
  detail::check(
    rcl_init_options_init(&options_, rcl_get_default_allocator()),
    "failed to initialize rcl init options");
}

InitOptions::InitOptions(const InitOptions & other)
: shutdown_on_signal(other.shutdown_on_signal),
  options_(rcl_get_zero_initialized_init_options()),
  initialize_logging_(other.initialize_logging_)
{
  detail::check(
    rcl_init_options_copy(&other.options_, &options_), "failed to copy rcl init options");
}

InitOptions & InitOptions::operator=(const InitOptions & other)
{
  InitOptions copy(other);
  std::swap(options_, copy.options_);
  shutdown_on_signal = other.shutdown_on_signal;
  initialize_logging_ = other.initialize_logging_;
  return *this;
}

InitOptions::~InitOptions()
{
  if (rcl_init_options_fini(&options_) != RCL_RET_OK) rcl_reset_error();
}

InitOptions & InitOptions::auto_initialize_logging(bool initialize_logging)
{
  initialize_logging_ = initialize_logging;
  return *this;
}

void InitOptions::use_default_domain_id()
{
  size_t domain_id = RCL_DEFAULT_DOMAIN_ID;
  detail::check(rcl_get_default_domain_id(&domain_id), "failed to get default domain id");
  set_domain_id(domain_id);
}

void InitOptions::set_domain_id(size_t domain_id)
{
  detail::check(rcl_init_options_set_domain_id(&options_, domain_id), "failed to set domain id");
}

size_t InitOptions::get_domain_id() const
{
  size_t domain_id = 0;
  detail::check(rcl_init_options_get_domain_id(&options_, &domain_id), "failed to get domain id");
  return domain_id;
}

Context::~Context()
{
  try {
    Context::shutdown("context destructor was called while still not shutdown");
  } catch (const std::exception & error) {
    RCUTILS_LOG_ERROR_NAMED("rclcpp", "cannot shut the context down: %s", error.what());
  }
}

void Context::init(int argc, char const * const * argv, const InitOptions & init_options)
{
  const std::lock_guard lock(init_mutex_);
  if (is_valid()) throw ContextAlreadyInitialized();

  auto context = std::make_unique<rcl_context_t>(rcl_get_zero_initialized_context());
  detail::check(
    rcl_init(argc, argv, init_options.get_rcl_init_options(), context.get()),
    "failed to initialize rcl");
  rcl_context_ = std::shared_ptr<rcl_context_t>(context.release(), [](rcl_context_t * ended) {
    if (rcl_context_is_valid(ended) && rcl_shutdown(ended) != RCL_RET_OK) rcl_reset_error();
    if (rcl_context_fini(ended) != RCL_RET_OK) rcl_reset_error();
    std::default_delete<rcl_context_t>()(ended);
  });

  try {
    detail::refuse_unknown_ros_arguments(argc, argv, rcl_context_->global_arguments);
    if (init_options.auto_initialize_logging()) {
      start_logging(*rcl_context_);
      owns_logging_ = true;
    }
  } catch (...) {
    rcl_context_.reset();
    throw;
  }
  init_options_ = init_options;
  shutdown_reason_.clear();
  auto & all = all_contexts();
  const std::lock_guard all_lock(all.mutex);
  all.contexts.push_back(weak_from_this());
}

bool Context::is_valid() const
{
  const auto context = rcl_context_;
  return context && rcl_context_is_valid(context.get());
}

size_t Context::get_domain_id() const
{
  size_t domain_id = 0;
  detail::check(
    rcl_context_get_domain_id(rcl_context_.get(), &domain_id), "failed to get domain id");
  return domain_id;
}

std::string Context::shutdown_reason() const
{
  const std::lock_guard lock(init_mutex_);
  return shutdown_reason_;
}

bool Context::shutdown(const std::string & reason)
{
  const std::lock_guard lock(init_mutex_);
  if (!is_valid()) return false;
  detail::check(rcl_shutdown(rcl_context_.get()), "failed to shut down");
  shutdown_reason_ = reason;
  {
    const std::lock_guard callbacks_lock(callbacks_mutex_);
    for (const auto & callback : callbacks_) (*callback)();
  }
  {
    const std::lock_guard sleep_lock(sleep_mutex_);
    sleep_condition_.notify_all();
  }
  {
    auto & all = all_contexts();
    const std::lock_guard all_lock(all.mutex);
    std::erase_if(all.contexts, [this](const WeakPtr & context) {
      const auto held = context.lock();
      return !held || held.get() == this;
    });
  }
  if (std::exchange(owns_logging_, false)) stop_logging();
  return true;
}

OnShutdownCallbackHandle Context::add_on_shutdown_callback(OnShutdownCallback callback)
{
  const std::lock_guard lock(callbacks_mutex_);
  OnShutdownCallbackHandle handle;
  handle.callback_ =
    callbacks_.emplace_back(std::make_shared<OnShutdownCallback>(std::move(callback)));
  return handle;
}

Context::OnShutdownCallback Context::on_shutdown(OnShutdownCallback callback)
{
  add_on_shutdown_callback(callback);
  return callback;
}

bool Context::remove_on_shutdown_callback(const OnShutdownCallbackHandle & handle)
{
  const std::lock_guard lock(callbacks_mutex_);
  const auto callback = handle.callback_.lock();
  return callback && callbacks_.remove(callback) > 0;
}

bool Context::sleep_for(const std::chrono::nanoseconds & nanoseconds)
{
  std::unique_lock lock(sleep_mutex_);
  sleep_condition_.wait_for(lock, nanoseconds, [this] { return !is_valid(); });
  return is_valid();
}

std::vector<Context::SharedPtr> Context::all_valid()
{
  auto & all = all_contexts();
  const std::lock_guard lock(all.mutex);
  std::vector<SharedPtr> contexts;
  for (const auto & context : all.contexts) {
    if (auto held = context.lock()) contexts.push_back(std::move(held));
  }
  return contexts;
}

std::shared_ptr<Context> contexts::get_global_default_context()
{
  static const auto context = std::make_shared<Context>();
  return context;
}

}  // namespace rclcpp
