// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef SIMULATOR__WITNESSES__ANCHOR_WITNESS_HPP_
#define SIMULATOR__WITNESSES__ANCHOR_WITNESS_HPP_

#include <algorithm>
#include <optional>
#include <set>

#include "base/byte_io.hpp"
#include "protocol/handshake/handshake_crypto.hpp"
#include "simulator/witnesses/violation.hpp"
#include "support/memory_anchor.hpp"

namespace pqc_tunnel::test
{

// Watches the keys of the anchor: each one-time key serves one session, and its secret is gone before CONFIRM.
class AnchorWitness
{
public:
  // Runs the job if it is the end of a handshake with the anchor.
  std::optional<JobResult> run(Job & job, MemoryAnchor & anchor, RandomSource & random)
  {
    const auto * complete = std::get_if<CompleteFinish>(&job);
    if (complete == nullptr || !complete->anchored) {
      return std::nullopt;
    }
    const auto id = ByteReader(complete->finish).id<AnchorId>();
    JobResult result = run_job(std::move(job), random);
    const auto * done = std::get_if<FinishCompleted>(&result);
    if (done != nullptr && done->anchor && done->anchor->one_time) {
      require(
        used_.insert(id).second, "a one-time key serves one session",
        "a one-time key of the anchor is used for the second time");
      require(
        std::ranges::none_of(
          anchor.keys(), [&id](const auto & key) { return key.at_ground && key.id() == id; }),
        "a one-time secret is erased before CONFIRM",
        "the ground station confirms, and still has the secret of the one-time key");
    }
    return result;
  }

private:
  std::set<AnchorId> used_;
};

}  // namespace pqc_tunnel::test

#endif  // SIMULATOR__WITNESSES__ANCHOR_WITNESS_HPP_
