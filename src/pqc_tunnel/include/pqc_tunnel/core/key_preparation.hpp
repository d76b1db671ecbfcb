// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__CORE__KEY_PREPARATION_HPP_
#define PQC_TUNNEL__CORE__KEY_PREPARATION_HPP_

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>

#include "pqc_tunnel/core/constants.hpp"
#include "pqc_tunnel/core/jobs.hpp"
#include "pqc_tunnel/core/suite.hpp"
#include "pqc_tunnel/core/time.hpp"

namespace pqc_tunnel
{

// The ephemeral keys that a GCS makes for one drone's announced rekey: at most one job at a time, and at most one set of
// keys, which serves one handshake and lives for an hour at most.
class KeyPreparation
{
public:
  bool ready(const Suite & suite, Instant now) const
  {
    return made_ && made_->first.suite == &suite && now < expiry();
  }
  bool under_way() const { return job_.has_value(); }

  // A job has been started on behalf of the transaction. Keys for another suite are forgotten.
  void begin(const Suite & suite, std::uint32_t transaction, Instant now)
  {
    made_.reset();
    job_ = JobUnderWay{&suite, transaction, now};
  }
  // The transaction asks for the keys that are being made, if they are of its suite.
  void ask(const Suite & suite, std::uint32_t transaction)
  {
    if (job_ && job_->suite == &suite) {
      job_->transaction = transaction;
    }
  }

  struct Ended
  {
    const Suite * suite;
    std::uint32_t transaction;  // to be answered
  };
  Ended finish(EphemeralKeys keys, Instant now)
  {
    durations_[job_->suite] = now - job_->started;
    made_.emplace(std::move(keys), now);
    return fail();
  }
  Ended fail()
  {
    const Ended ended{job_->suite, job_->transaction};
    job_.reset();
    return ended;
  }

  // The keys, which are gone from here whatever becomes of them; nothing if there are none for the suite.
  std::optional<EphemeralKeys> take(const Suite & suite, Instant now)
  {
    if (!ready(suite, now)) {
      return std::nullopt;
    }
    std::optional<EphemeralKeys> keys(std::move(made_->first));
    made_.reset();
    return keys;
  }

  // How long the job under way will take yet, from how long the like of it took before; one that is overdue is taken
  // to need as long again.
  Duration estimate(Instant now) const
  {
    const auto known = durations_.find(job_->suite);
    const Duration whole =
      known == durations_.end() ? std::chrono::milliseconds(250) : known->second;
    const Duration elapsed = now - job_->started;
    return elapsed < whole ? whole - elapsed : elapsed;
  }

  void handle_timeout(Instant now)
  {
    if (made_ && now >= expiry()) {
      made_.reset();
    }
  }
  Instant next_timeout() const { return made_ ? expiry() : Instant::max(); }

private:
  struct JobUnderWay
  {
    const Suite * suite;
    std::uint32_t transaction;
    Instant started;
  };
  Instant expiry() const { return made_->second + hello_lifetime; }

  std::optional<JobUnderWay> job_;
  std::optional<std::pair<EphemeralKeys, Instant>> made_;
  std::unordered_map<const Suite *, Duration> durations_;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__CORE__KEY_PREPARATION_HPP_
