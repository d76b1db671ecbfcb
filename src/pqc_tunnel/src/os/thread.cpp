// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "thread.hpp"

#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <memory>
#include <system_error>
#include <utility>

namespace pqc_tunnel
{

namespace
{

void * run_body(void * argument)
{
  const std::unique_ptr<std::function<void()>> body(static_cast<std::function<void()> *>(argument));
  (*body)();
  return nullptr;
}

}  // namespace

Thread::Thread(const std::string & name, std::size_t stack_bytes, std::function<void()> body)
{
  auto argument = std::make_unique<std::function<void()>>(std::move(body));
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, stack_bytes);
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const int error = pthread_create(&handle_, &attributes, run_body, argument.get());
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
  if (error != 0) {
    throw std::system_error(error, std::generic_category(), "A thread can't be started");
  }
  static_cast<void>(argument.release());  // now the thread owns it
  running_ = true;
  pthread_setname_np(handle_, name.substr(0, 15).c_str());
}

Thread::Thread(Thread && other) noexcept
: handle_(other.handle_), running_(std::exchange(other.running_, false))
{
}

Thread & Thread::operator=(Thread && other) noexcept
{
  std::swap(handle_, other.handle_);
  std::swap(running_, other.running_);
  return *this;
}

void Thread::join()
{
  if (std::exchange(running_, false)) {
    pthread_join(handle_, nullptr);
  }
}

void Thread::detach()
{
  if (std::exchange(running_, false)) {
    pthread_detach(handle_);
  }
}

bool use_real_time_priority(int priority)
{
  sched_param parameters{};
  parameters.sched_priority = priority;
  return pthread_setschedparam(pthread_self(), SCHED_FIFO, &parameters) == 0;
}

void lower_priority(int niceness)
{
  // On Linux niceness is per thread, unlike in POSIX.
  setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), niceness);
}

}  // namespace pqc_tunnel
