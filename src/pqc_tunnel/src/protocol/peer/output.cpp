// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "output.hpp"

namespace pqc_tunnel
{

// Kept out of the header: if GCC 14 sees which alternative the job has, it warns about moves of the others.
JobId Outbox::start(Job job, PeerIndex peer)
{
  const JobId id{(std::uint64_t{++last_job_} << 32) | static_cast<std::uint32_t>(peer)};
  queue_.push_back(StartJob{id, std::move(job)});
  return id;
}

std::string completed_text(const std::optional<AnchorKind> & anchor)
{
  return anchor ? "handshake completed, anchored by " + to_text(*anchor) : "handshake completed";
}

[[gnu::hot]] std::optional<Output> Outbox::pop()
{
  if (queue_.empty()) {
    return std::nullopt;
  }
  std::optional<Output> front(std::move(queue_.front()));
  queue_.pop_front();
  return front;
}

SendDatagram Outbox::pop_frame()
{
  SendDatagram front = std::move(frames_.front());
  frames_.pop_front();
  return front;
}

}  // namespace pqc_tunnel
