// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "support/large_stack.hpp"

#include <pthread.h>

#include <cstddef>
#include <exception>
#include <stdexcept>

namespace pqc_tunnel::test
{
namespace
{

constexpr std::size_t stack_size = std::size_t{16} << 20;

struct Call
{
  const std::function<void()> & function;
  std::exception_ptr thrown;
};

void * run(void * argument)
{
  auto & call = *static_cast<Call *>(argument);
  try {
    call.function();
  } catch (...) {
    call.thrown = std::current_exception();
  }
  return nullptr;
}

}  // namespace

void run_with_large_stack(const std::function<void()> & function)
{
  Call call{function, nullptr};
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, stack_size);
  pthread_t thread;
  const int failed = pthread_create(&thread, &attributes, &run, &call);
  pthread_attr_destroy(&attributes);
  if (failed != 0) {
    throw std::runtime_error("no thread with a large stack can be had");
  }
  pthread_join(thread, nullptr);
  if (call.thrown) {
    std::rethrow_exception(call.thrown);
  }
}

}  // namespace pqc_tunnel::test
