// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "worker_pool.hpp"

#include <utility>

#include "pqc_tunnel/core/random.hpp"

namespace pqc_tunnel
{

namespace
{

// Classic McEliece keeps megabytes on the stack.
constexpr std::size_t worker_stack_bytes = std::size_t{32} << 20;

}  // namespace

WorkerPool::WorkerPool(std::size_t threads, int niceness, std::function<void()> finished)
: niceness_(niceness), finished_(std::move(finished))
{
  for (std::size_t i = 0; i < threads; ++i) {
    threads_.emplace_back("pqc_worker", worker_stack_bytes, [this] { work(); });
  }
}

WorkerPool::~WorkerPool()
{
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
    pending_.clear();
  }
  wake_.notify_all();
  threads_.clear();  // joins
}

void WorkerPool::submit(JobId id, Job job)
{
  {
    const std::scoped_lock lock(mutex_);
    pending_.push_back({id, std::move(job)});
  }
  wake_.notify_one();
}

std::vector<FinishedJob> WorkerPool::take_finished()
{
  const std::scoped_lock lock(mutex_);
  return std::exchange(done_, {});
}

std::uint64_t WorkerPool::jobs_started() const
{
  const std::scoped_lock lock(mutex_);
  return started_;
}

void WorkerPool::work()
{
  lower_priority(niceness_);
  SystemRandom random;
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [this] { return stopping_ || !pending_.empty(); });
    if (stopping_) {
      return;
    }
    PendingJob next = std::move(pending_.front());
    pending_.pop_front();
    ++started_;
    lock.unlock();
    JobResult result = run_job(std::move(next.job), random);
    lock.lock();
    done_.push_back({next.id, std::move(result)});
    lock.unlock();
    finished_();
    lock.lock();
  }
}

}  // namespace pqc_tunnel
