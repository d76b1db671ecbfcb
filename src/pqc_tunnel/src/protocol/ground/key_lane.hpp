// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__GROUND__KEY_LANE_HPP_
#define PQC_TUNNEL__PROTOCOL__GROUND__KEY_LANE_HPP_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

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
    bool former = false;                      // the rms of a former session is mixed in
    std::optional<JobId> job = std::nullopt;  // none while an earlier one is at work
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
    std::optional<Ratchet> ratchet;
    std::optional<Job> waiting;  // for an earlier job
    std::optional<JobId> job;
  };

  KeyLane(PrekeySupply & supply, Outbox & outbox, PeerIndex drone)
  : supply_(supply), outbox_(outbox), drone_(drone)
  {
  }

  // A newer request of the drone replaces an older one.
  void begin(const Issue & issue, Instant now)
  {
    issue_ = issue;
    start_waiting(now);
  }
  void begin(Exchange exchange, Job job, Instant now)
  {
    exchange_ = std::move(exchange);
    exchange_->waiting = std::move(job);
    start_waiting(now);
  }
  void abandon() { issue_.reset(), exchange_.reset(); }

  const std::optional<Issue> & issue() const { return issue_; }
  const std::optional<Exchange> & exchange() const { return exchange_; }
  bool working() const { return issue_ || exchange_; }
  // Returns the size of the prekey that is being signed.
  std::size_t bytes() const { return issue_ && issue_->job ? prekey_bytes(*issue_->suite) : 0; }

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
    if (issue_ && issue_->job == id) {
      ended.issue = std::exchange(issue_, std::nullopt);
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
    } else if (issue_) {
      job_ = supply_.issue(*issue_->suite, issue_->bind, issue_->former, drone_, now);
      issue_->job = job_;
    }
  }

private:
  PrekeySupply & supply_;
  Outbox & outbox_;
  PeerIndex drone_;
  std::optional<Issue> issue_;
  std::optional<Exchange> exchange_;
  std::optional<JobId> job_;  // at work, even if abandoned
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__GROUND__KEY_LANE_HPP_
