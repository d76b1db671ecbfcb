// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__COMMAND_LINE__STOP_SIGNALS_HPP_
#define PQC_TUNNEL__COMMAND_LINE__STOP_SIGNALS_HPP_

#include <pthread.h>
#include <signal.h>
#include <sys/signalfd.h>

#include <initializer_list>

#include "os/file_descriptor.hpp"

namespace pqc_tunnel::cli
{

/// Blocks the signals for this thread and those it starts. The returned descriptor is readable when one arrives.
inline FileDescriptor catch_signals(std::initializer_list<int> signals)
{
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : signals) {
    sigaddset(&set, signal);
  }
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  return FileDescriptor(::signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC));
}

inline FileDescriptor catch_stop_signals() { return catch_signals({SIGINT, SIGTERM}); }

}  // namespace pqc_tunnel::cli

#endif  // PQC_TUNNEL__COMMAND_LINE__STOP_SIGNALS_HPP_
