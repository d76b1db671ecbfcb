// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__OS__THREAD_HPP_
#define PQC_TUNNEL__OS__THREAD_HPP_

#include <pthread.h>

#include <cstddef>
#include <functional>
#include <string>

namespace pqc_tunnel
{

// A thread with a stack size of our choice, which std::thread can't give. All signals are blocked
// in it, so that they reach the program's main thread.
class Thread
{
public:
  Thread() = default;
  // Throws std::system_error if the system has no thread to give.
  Thread(const std::string & name, std::size_t stack_bytes, std::function<void()> body);
  Thread(Thread && other) noexcept;
  Thread & operator=(Thread && other) noexcept;
  ~Thread() { join(); }

  void join();
  void detach();

private:
  pthread_t handle_{};
  bool running_ = false;
};

// Both act on the calling thread and return whether the system let us.
bool use_real_time_priority(int priority);
bool stay_on_cpu(int cpu);
// Below ordinary threads, the more so the higher the niceness (up to 19).
void lower_priority(int niceness);

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__OS__THREAD_HPP_
