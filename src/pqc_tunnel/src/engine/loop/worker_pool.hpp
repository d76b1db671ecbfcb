// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__ENGINE__LOOP__WORKER_POOL_HPP_
#define PQC_TUNNEL__ENGINE__LOOP__WORKER_POOL_HPP_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <semaphore>
#include <vector>

#include "base/ids.hpp"
#include "os/priority_mutex.hpp"
#include "os/thread.hpp"
#include "protocol/handshake/handshake_crypto.hpp"

namespace pqc_tunnel
{

struct FinishedJob
{
  JobId id;
  JobResult result;
};

// Runs public-key operations of handshakes beside the packet thread, at a lower priority. The stack of a worker is
// wiped after each job.
class WorkerPool
{
public:
  // `finished` is called on a worker thread whenever take_finished() has something new. The higher
  // the niceness, the lower the priority.
  WorkerPool(std::size_t threads, int niceness, std::function<void()> finished);
  // Discards jobs that have not begun; waits for those that have.
  ~WorkerPool();

  void submit(JobId id, Job job);
  std::vector<FinishedJob> take_finished();
  std::uint64_t jobs_started() const { return started_; }

private:
  struct PendingJob
  {
    JobId id;
    Job job;
  };
  void work();
  void finish(FinishedJob job);
  std::optional<PendingJob> next_job();  // waits for a job; none at the end

  const int niceness_;
  const std::function<void()> finished_;
  std::counting_semaphore<> wake_{0};  // one count per job, and one per thread at the end
  std::atomic<std::uint64_t> started_ = 0;
  PriorityMutex mutex_;
  bool stopping_ = false;
  std::deque<PendingJob> pending_;
  std::vector<FinishedJob> done_;
  std::vector<Thread> threads_;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__ENGINE__LOOP__WORKER_POOL_HPP_
