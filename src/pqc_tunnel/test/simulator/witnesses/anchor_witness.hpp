// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef SIMULATOR__WITNESSES__ANCHOR_WITNESS_HPP_
#define SIMULATOR__WITNESSES__ANCHOR_WITNESS_HPP_

#include <algorithm>
#include <memory>
#include <optional>
#include <set>

#include "base/byte_io.hpp"
#include "protocol/handshake/handshake_crypto.hpp"
#include "simulator/witnesses/violation.hpp"
#include "support/memory_anchor.hpp"

namespace pqc_tunnel::test
{

// Watches the keys of the anchor: each one-time key serves once, and its secret is gone before the answer. New sessions
// depend on the anchor, its name and the former session.
class AnchorWitness
{
public:
  // Runs the job if it is the end of a handshake, or opens a one-time key.
  std::optional<JobResult> run(Job & job, MemoryAnchor & anchor, RandomSource & random)
  {
    AnchorId id;
    if (const auto * complete = std::get_if<CompleteFinish>(&job)) {
      expect_dependence(*complete, anchor, random);
      id = complete->anchored ? ByteReader(complete->finish).id<AnchorId>() : id;
    } else if (const auto * open = std::get_if<OpenOneTimeKey>(&job)) {
      id = ByteReader(open->message).id<AnchorId>();
    } else {
      return std::nullopt;
    }
    JobResult result = run_job(std::move(job), random);
    if (used_one_time_key(result)) {
      require(
        used_.insert(id).second, "a one-time key serves once",
        "a one-time key of the anchor is used for the second time");
      require(
        std::ranges::none_of(
          anchor.keys(), [&id](const auto & key) { return key.at_ground && key.id() == id; }),
        "a one-time secret is erased before the answer",
        "the ground station answers, and still has the secret of the one-time key");
    }
    return result;
  }

private:
  // Has another secret than that of the key that is asked for.
  class OtherSecrets final : public AnchorSecrets
  {
  public:
    explicit OtherSecrets(MemoryAnchor & anchor) : anchor_(anchor) {}
    Result<Found> find(const AnchorId & id) override
    {
      auto & keys = anchor_.keys();
      const auto found = std::ranges::find_if(
        keys, [&id](const auto & key) { return key.at_ground && key.id() == id; });
      if (found == keys.end()) {
        return fail(ErrorCode::unavailable, "no such key");
      }
      const auto & other = found == keys.begin() ? keys.back() : keys.front();
      return Found{found->kind, SecretBytes::copy_of(other.pair.secret_key.view())};
    }
    Result<void> erase(const AnchorId &) override { return {}; }

  private:
    MemoryAnchor & anchor_;
  };

  static bool used_one_time_key(const JobResult & result)
  {
    if (const auto * done = std::get_if<FinishCompleted>(&result)) {
      return done->anchor && done->anchor->one_time;
    }
    return std::holds_alternative<AnchorSecret>(result);
  }
  static CompleteFinish copy_of(const CompleteFinish & job)
  {
    return {
      job.suite,
      job.mode,
      job.psk,
      job.resumption.copy(),
      job.drone_public_key,
      job.opening,
      {job.prekey.suite, job.prekey.key_id, SecretBytes::copy_of(job.prekey.kem_secret_key.view()),
       std::nullopt, job.prekey.in_transcript},
      job.finish,
      job.begun,
      job.anchored,
      job.anchor,
      job.former.copy()};
  }
  // A copy of the job that differs in one of these must fail.
  static void expect_dependence(
    const CompleteFinish & job, MemoryAnchor & anchor, RandomSource & random)
  {
    if (job.mode.hybrid_x25519 || job.resumption.secret.size() > 0) {
      return;
    }
    if (job.anchored) {
      CompleteFinish renamed = copy_of(job);
      renamed.finish.front() ^= 1U;
      const JobResult result = run_job(std::move(renamed), random);
      const auto * failed = std::get_if<JobFailed>(&result);
      require(
        failed != nullptr && failed->error == JobError::unauthenticated,
        "the anchor's name is in the transcript", "a Finish with another name proves the PSK");
      CompleteFinish other = copy_of(job);
      other.anchor = std::make_shared<OtherSecrets>(anchor);
      require(
        std::holds_alternative<JobFailed>(run_job(std::move(other), random)),
        "the anchor's secret is in the keys", "the keys are the same with another secret");
    }
    if (job.former.secret.size() > 0) {
      CompleteFinish other = copy_of(job);
      other.former.secret.span()[0] ^= 1U;
      require(
        std::holds_alternative<JobFailed>(run_job(std::move(other), random)),
        "the former session is in the keys", "the keys are the same with another former session");
    }
  }

  std::set<AnchorId> used_;
};

}  // namespace pqc_tunnel::test

#endif  // SIMULATOR__WITNESSES__ANCHOR_WITNESS_HPP_
