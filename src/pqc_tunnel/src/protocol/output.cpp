// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "output.hpp"

namespace pqc_tunnel
{

// Not in the header: where GCC 14 sees which alternative the job is, it warns of what the others would move.
JobId Outbox::start(Job job)
{
  const JobId id{++last_job_};
  queue_.push_back(StartJob{id, std::move(job)});
  return id;
}

namespace
{

template <class Item>
std::optional<Item> take_front(std::deque<Item> & queue)
{
  if (queue.empty()) {
    return std::nullopt;
  }
  std::optional<Item> front(std::move(queue.front()));
  queue.pop_front();
  return front;
}

}  // namespace

std::optional<Output> Outbox::pop() { return take_front(queue_); }

std::optional<SendDatagram> Outbox::pop_frame() { return take_front(frames_); }

}  // namespace pqc_tunnel
