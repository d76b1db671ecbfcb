// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__GROUND__KEY_LANE_HPP_
#define PQC_TUNNEL__PROTOCOL__GROUND__KEY_LANE_HPP_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "prekey_supply.hpp"

namespace pqc_tunnel
{

// The public-key work for one drone, one job at a time. The live session and the attempt at a new one have a lane each, so
// that whoever begins sessions with a stolen PSK delays no rekey.
class KeyLane
{
public:
  // A prekey that is being made.
  struct Issue
  {
    const Suite * suite;
    std::uint32_t transaction;  // of WANT
    Digest bind;
    bool former = false;                       // the rms of a former session is mixed in
    StreamLane lane = StreamLane::foreground;  // in which the drone gets it
    bool signs_former = false;                 // by the signing keys before the present ones
    std::optional<JobId> job = std::nullopt;   // none while an earlier one is at work
  };
  // A Finish that is being checked, or the one-time key of a RATCHET that is being opened.
  struct Exchange
  {
    const Suite * suite = nullptr;
    Bytes opening;
    Random32 client_random = {};
    Epoch epoch{};
    SessionId session;
    Instant started;
    HandshakeTiming issued;  // of the prekey
    SharedPskKeys psk;       // of the session
    std::optional<Ratchet> ratchet;
    std::optional<Job> waiting;  // for an earlier job
    std::optional<JobId> job;
  };

  KeyLane(PrekeySupply & supply, Outbox & outbox, PeerIndex drone)
  : supply_(supply), outbox_(outbox), drone_(drone)
  {
  }

  // A newer request of the drone replaces an older one of its lane.
  void begin(const Issue & issue, Instant now)
  {
    std::erase_if(issues_, [&](const Issue & old) { return old.lane == issue.lane; });
    issues_.push_back(issue);
    start_waiting(now);
  }
  void begin(Exchange exchange, Job job, Instant now)
  {
    exchange_ = std::move(exchange);
    exchange_->waiting = std::move(job);
    start_waiting(now);
  }
  void abandon() { issues_.clear(), exchange_.reset(); }

  // Returns the prekey that is being made under this transaction; null: none is.
  const Issue * issue(std::uint32_t transaction) const
  {
    const auto found = std::ranges::find(issues_, transaction, &Issue::transaction);
    return found == issues_.end() ? nullptr : &*found;
  }
  const std::optional<Exchange> & exchange() const { return exchange_; }
  bool working() const { return !issues_.empty() || exchange_; }
  // Returns the size of the prekey that is being signed.
  std::size_t bytes() const
  {
    const auto found =
      std::ranges::find(issues_, true, [](const Issue & issue) { return issue.job.has_value(); });
    return found == issues_.end() ? 0 : prekey_bytes(*found->suite);
  }

  // The purpose of a job that has ended; neither if it was abandoned.
  struct Ended
  {
    std::optional<Issue> issue;
    std::optional<Exchange> exchange;
  };
  // Returns none if the job is another's. After it, start_waiting() is due.
  std::optional<Ended> end_job(JobId id)
  {
    if (job_ != id) {
      return std::nullopt;
    }
    job_.reset();
    Ended ended;
    const auto found = std::ranges::find(issues_, std::optional(id), &Issue::job);
    if (found != issues_.end()) {
      ended.issue = *found;
      issues_.erase(found);
    } else if (exchange_ && exchange_->job == id) {
      ended.exchange = std::exchange(exchange_, std::nullopt);
    }
    return ended;
  }
  // A Finish is checked before a prekey is made.
  void start_waiting(Instant now)
  {
    if (job_) {
      return;
    }
    if (exchange_ && exchange_->waiting) {
      job_ = outbox_.start(*std::exchange(exchange_->waiting, std::nullopt), drone_);
      exchange_->job = job_;
      supply_.hold_back(now);
    } else if (!issues_.empty()) {
      Issue & next = issues_.front();
      job_ = supply_.issue(*next.suite, next.bind, next.former, next.signs_former, drone_, now);
      next.job = job_;
    }
  }

private:
  PrekeySupply & supply_;
  Outbox & outbox_;
  PeerIndex drone_;
  std::vector<Issue> issues_;  // one for each lane of streams at most, the oldest first
  std::optional<Exchange> exchange_;
  std::optional<JobId> job_;  // at work, even if abandoned
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__GROUND__KEY_LANE_HPP_
