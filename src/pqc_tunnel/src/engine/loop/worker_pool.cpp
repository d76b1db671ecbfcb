// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "worker_pool.hpp"

#include <mutex>
#include <utility>

#include "crypto/random.hpp"
#include "os/wiped_stack.hpp"

namespace pqc_tunnel
{

WorkerPool::WorkerPool(std::size_t threads, int niceness, std::function<void()> finished)
: niceness_(niceness), finished_(std::move(finished))
{
  for (std::size_t i = 0; i < threads; ++i) {
    threads_.emplace_back("pqc_worker", kem_stack_bytes, [this] { work(); });
  }
}

WorkerPool::~WorkerPool()
{
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
    pending_.clear();
  }
  wake_.release(static_cast<std::ptrdiff_t>(threads_.size()));
  threads_.clear();  // joins
}

void WorkerPool::submit(JobId id, Job job)
{
  {
    const std::scoped_lock lock(mutex_);
    pending_.push_back({id, std::move(job)});
  }
  wake_.release();
}

std::vector<FinishedJob> WorkerPool::take_finished()
{
  const std::scoped_lock lock(mutex_);
  return std::exchange(done_, {});
}

void WorkerPool::work()
{
  lower_priority(niceness_);
  SystemRandom random;
  while (std::optional<PendingJob> next = next_job()) {
    // The primitives leave copies of secrets on the stack. The result is passed on before they are overwritten.
    run_on_wiped_stack([&] {
      finish({next->id, run_job(std::move(next->job), random)});
      next.reset();
    });
  }
}

void WorkerPool::finish(FinishedJob job)
{
  {
    const std::scoped_lock lock(mutex_);
    done_.push_back(std::move(job));
  }
  finished_();
}

std::optional<WorkerPool::PendingJob> WorkerPool::next_job()
{
  wake_.acquire();
  const std::scoped_lock lock(mutex_);
  if (stopping_) {
    return std::nullopt;
  }
  ++started_;
  std::optional<PendingJob> next(std::move(pending_.front()));
  pending_.pop_front();
  return next;
}

}  // namespace pqc_tunnel
