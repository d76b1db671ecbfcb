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

/// A thread with a given stack size, which std::thread does not offer. All signals are blocked in it, so that
/// they reach the main thread. The destructor joins it.
class Thread
{
public:
  Thread() = default;
  /// Starts a thread that runs `body`. Throws std::system_error if the system cannot start one.
  Thread(const std::string & name, std::size_t stack_bytes, std::function<void()> body);
  Thread(Thread && other) noexcept;
  Thread & operator=(Thread && other) noexcept;
  ~Thread() { join(); }

  /// Waits for the end of the thread.
  void join();
  /// Lets the thread run on without this object.
  void detach();

private:
  pthread_t handle_{};
  bool running_ = false;
};

/// Gives the calling thread SCHED_FIFO with a priority from 1 to 99. Returns false if the system does not
/// allow it.
bool use_real_time_priority(int priority);
/// Gives the calling thread a niceness of up to 19; higher means lower priority.
void lower_priority(int niceness);

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__OS__THREAD_HPP_
