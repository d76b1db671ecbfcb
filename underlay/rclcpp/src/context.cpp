// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <rcl/error_handling.h>
#include <rcl/init.h>
#include <rcl/logging.h>

#include <new>
#include <set>
#include <stdexcept>

#include "core.hpp"
#include "rclcpp/rclcpp.hpp"

namespace rclcpp
{

namespace
{

class DefaultContext
{
public:
  ~DefaultContext() { end(); }

  void begin(std::shared_ptr<rcl_context_t> context)
  {
    const std::lock_guard lock(mutex_);
    context_ = std::move(context);
  }

  bool end()
  {
    const std::lock_guard lock(mutex_);
    if (!is_valid()) return false;
    if (rcl_shutdown(context_.get()) != RCL_RET_OK) rcl_reset_error();
    for (auto * guard : guards_) guard->trigger();
    const std::lock_guard logging_lock(detail::logging_mutex());
    if (rcl_logging_fini() != RCL_RET_OK) rcl_reset_error();
    return true;
  }

  bool is_valid() const
  {
    const std::lock_guard lock(mutex_);
    return context_ && rcl_context_is_valid(context_.get());
  }

  std::shared_ptr<rcl_context_t> get() const
  {
    const std::lock_guard lock(mutex_);
    if (!context_)
      throw std::runtime_error("the context isn't initialized: call rclcpp::init first");
    return context_;
  }

  void add(detail::GuardCondition & guard)
  {
    const std::lock_guard lock(mutex_);
    guards_.insert(&guard);
  }

  void remove(detail::GuardCondition & guard)
  {
    const std::lock_guard lock(mutex_);
    guards_.erase(&guard);
  }

private:
  mutable std::recursive_mutex mutex_;
  std::shared_ptr<rcl_context_t> context_;
  std::set<detail::GuardCondition *> guards_;
};

DefaultContext & default_context()
{
  static DefaultContext context;
  return context;
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
  const auto allocator = rcl_get_default_allocator();
  detail::check(
    rcl_logging_configure_with_output_handler(
      &context.global_arguments, &allocator, rclcpp_log_with_lock),
    "failed to configure logging");
}

std::shared_ptr<rcl_context_t> make_context(int argc, char const * const * argv)
{
  auto options = rcl_get_zero_initialized_init_options();
  detail::check(
    rcl_init_options_init(&options, rcl_get_default_allocator()),
    "failed to initialize rcl init options");
  auto context = std::make_unique<rcl_context_t>(rcl_get_zero_initialized_context());
  const auto ret = rcl_init(argc, argv, &options, context.get());
  const auto options_ended = rcl_init_options_fini(&options);
  detail::check(ret, "failed to initialize rcl");
  detail::check(options_ended, "failed to finalize rcl init options");
  return std::shared_ptr<rcl_context_t>(context.release(), [](rcl_context_t * ended) {
    if (rcl_context_is_valid(ended) && rcl_shutdown(ended) != RCL_RET_OK) rcl_reset_error();
    if (rcl_context_fini(ended) != RCL_RET_OK) rcl_reset_error();
    std::default_delete<rcl_context_t>()(ended);
  });
}

void refuse_unknown_arguments(char const * const * argv, const rcl_arguments_t & arguments)
{
  const int count = rcl_arguments_get_count_unparsed_ros(&arguments);
  if (count <= 0) return;
  const auto allocator = rcl_get_default_allocator();
  int * indices = nullptr;
  detail::check(
    rcl_arguments_get_unparsed_ros(&arguments, allocator, &indices), "failed to read arguments");
  std::string unknown;
  for (int i = 0; i < count; ++i) unknown += (i > 0 ? "', '" : "") + std::string(argv[indices[i]]);
  allocator.deallocate(indices, allocator.state);
  throw std::runtime_error("found unknown ROS arguments: '" + unknown + "'");
}

}  // namespace

namespace detail
{

void check(rcl_ret_t ret, const std::string & doing)
{
  if (ret == RCL_RET_OK) return;
  const std::string text = doing + ": " + rcl_get_error_string().str;
  rcl_reset_error();
  if (ret == RCL_RET_BAD_ALLOC) throw std::bad_alloc();
  if (ret == RCL_RET_INVALID_ARGUMENT) throw std::invalid_argument(text);
  throw std::runtime_error(text);
}

std::recursive_mutex & logging_mutex()
{
  // Never destroyed: other static objects may log while the program ends.
  static auto & mutex = *new std::recursive_mutex;
  return mutex;
}

std::shared_ptr<rcl_context_t> context() { return default_context().get(); }

GuardCondition::GuardCondition()
: context_(context()), handle_(rcl_get_zero_initialized_guard_condition())
{
  check(
    rcl_guard_condition_init(&handle_, context_.get(), rcl_guard_condition_get_default_options()),
    "failed to create guard condition");
  default_context().add(*this);
}

GuardCondition::~GuardCondition()
{
  default_context().remove(*this);
  if (rcl_guard_condition_fini(&handle_) != RCL_RET_OK) rcl_reset_error();
}

void GuardCondition::trigger()
{
  check(rcl_trigger_guard_condition(&handle_), "failed to trigger guard condition");
}

}  // namespace detail

void init(int argc, char const * const * argv, const InitOptions &, SignalHandlerOptions)
{
  if (ok()) throw std::runtime_error("context is already initialized");
  auto context = make_context(argc, argv);
  refuse_unknown_arguments(argv, context->global_arguments);
  start_logging(*context);
  default_context().begin(context);
}

bool ok() { return default_context().is_valid(); }

bool shutdown() { return default_context().end(); }

}  // namespace rclcpp
