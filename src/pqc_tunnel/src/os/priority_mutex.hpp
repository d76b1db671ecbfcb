// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__OS__PRIORITY_MUTEX_HPP_
#define PQC_TUNNEL__OS__PRIORITY_MUTEX_HPP_

#include <pthread.h>

#include <exception>
#include <system_error>

namespace pqc_tunnel
{

// A mutex with priority inheritance: its holder runs at the priority of the threads that wait for it. The packet thread,
// which may be a real-time thread, shares such mutexes with ordinary threads.
class PriorityMutex
{
public:
  PriorityMutex()
  {
    pthread_mutexattr_t attributes;
    check(pthread_mutexattr_init(&attributes));
    pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
    // A kernel without priority inheritance gives an ordinary mutex.
    if (pthread_mutex_init(&mutex_, &attributes) != 0) {
      check(pthread_mutex_init(&mutex_, nullptr));
    }
    pthread_mutexattr_destroy(&attributes);
  }
  ~PriorityMutex() { pthread_mutex_destroy(&mutex_); }
  PriorityMutex(const PriorityMutex &) = delete;
  PriorityMutex & operator=(const PriorityMutex &) = delete;

  // Fails only on a programming error such as locking twice, which ends the process.
  void lock() noexcept
  {
    if (pthread_mutex_lock(&mutex_) != 0) {
      std::terminate();
    }
  }
  void unlock() { pthread_mutex_unlock(&mutex_); }

private:
  static void check(int error)
  {
    if (error != 0) {
      throw std::system_error(error, std::generic_category(), "A mutex failed");
    }
  }

  pthread_mutex_t mutex_;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__OS__PRIORITY_MUTEX_HPP_
