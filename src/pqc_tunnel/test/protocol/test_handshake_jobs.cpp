// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <functional>

#include "protocol/handshake_crypto.hpp"
#include "support/identities.hpp"

// The jobs of one exchange, with one thing changed between them: which end refuses it, and for what it takes it.

namespace pqc_tunnel::test
{
namespace
{

class HandshakeJobs : public testing::Test
{
protected:
  // Each function may change what the next job gets.
  struct Changes
  {
    std::function<void(VerifyPrekey &)> prekey;
    std::function<void(CompleteFinish &)> finish;
  };

  JobResult run(const Changes & changes)
  {
    const Suite & used = suite("cs-mlkem512-aesgcm-mldsa44");
    const Identities & ids = Identities::for_signature(used.signature);
    const auto psk = std::make_shared<const PskKeySet>(PskKeySet::derive(ids.record().psk));
    IssuePrekey issue{
      MakePrekey{&used, mode_, ids.gcs.id, KeyId{}, ids.gcs.signing_keys.at(used.signature)},
      std::nullopt, bind_};
    auto issued = std::get<IssuedPrekey>(run_job(std::move(issue), random_));
    VerifyPrekey verify{&used, mode_,         ids.gcs.id, ids.gcs_keys.at(used.signature),
                        bind_, issued.message};
    if (changes.prekey) {
      changes.prekey(verify);
    }
    JobResult verified = run_job(std::move(verify), random_);
    if (std::holds_alternative<JobFailed>(verified)) {
      return verified;
    }
    MakeFinish make{
      &used,
      mode_,
      psk,
      SecretBytes::copy_of(resumption_),
      ids.drone_signing_keys.at(used.signature),
      opening_,
      std::move(std::get<VerifiedPrekey>(verified))};
    auto made = std::get<FinishMade>(run_job(std::move(make), random_));
    CompleteFinish complete{
      &used,
      mode_,
      psk,
      SecretBytes::copy_of(resumption_),
      ids.drone_keys.at(used.signature),
      opening_,
      std::move(issued.secret),
      made.finish};
    if (changes.finish) {
      changes.finish(complete);
    }
    JobResult completed = run_job(std::move(complete), random_);
    if (const auto * done = std::get_if<FinishCompleted>(&completed)) {
      EXPECT_EQ(done->confirmation, made.confirmation);
      EXPECT_EQ(done->secrets.transcript, made.secrets.transcript);
    }
    return completed;
  }
  // The error of a job; none if all went well.
  std::optional<JobError> error(const Changes & changes)
  {
    const JobResult result = run(changes);
    const auto * failed = std::get_if<JobFailed>(&result);
    return failed != nullptr ? std::optional(failed->error) : std::nullopt;
  }
  std::optional<JobError> with_prekey(std::function<void(VerifyPrekey &)> change)
  {
    return error({std::move(change), nullptr});
  }
  std::optional<JobError> with_finish(std::function<void(CompleteFinish &)> change)
  {
    return error({nullptr, std::move(change)});
  }

  SeededRandom random_{5};
  HandshakeMode mode_{true, true};
  Digest bind_ = {1, 2, 3};
  Bytes opening_ = Bytes(100, 7);
  Bytes resumption_ = Bytes(32, 9);
};

TEST_F(HandshakeJobs, that_nothing_disturbs_agree)
{
  EXPECT_EQ(error({}), std::nullopt);
  mode_ = {};
  EXPECT_EQ(error({}), std::nullopt);
}

TEST_F(HandshakeJobs, refuse_a_prekey_that_the_ground_station_did_not_sign_for_this_session)
{
  const auto authenticated = JobError::authenticated;
  EXPECT_EQ(with_prekey([](auto & job) { job.message.back() ^= 1; }), authenticated);
  EXPECT_EQ(with_prekey([](auto & job) { job.message.at(60) ^= 1; }), authenticated);
  EXPECT_EQ(with_prekey([](auto & job) { job.bind[0] ^= 1; }), authenticated);
  EXPECT_EQ(with_prekey([](auto & job) { job.gcs_id.bytes[0] ^= 1; }), authenticated);
}

TEST_F(HandshakeJobs, take_a_prekey_in_another_form_for_a_strangers)
{
  const auto unauthenticated = JobError::unauthenticated;
  EXPECT_EQ(with_prekey([](auto & job) { job.message.pop_back(); }), unauthenticated);
  EXPECT_EQ(with_prekey([](auto & job) { job.message.push_back(0); }), unauthenticated);
  EXPECT_EQ(with_prekey([](auto & job) { job.message.at(0) ^= 2; }), unauthenticated);
  EXPECT_EQ(with_prekey([](auto & job) { job.message.clear(); }), unauthenticated);
  EXPECT_EQ(
    with_prekey([](auto & job) { job.suite = &suite("cs-mlkem512-aesgcm-falcon512"); }),
    unauthenticated);
  EXPECT_EQ(with_prekey([](auto & job) { job.mode = {}; }), unauthenticated);
}

TEST_F(HandshakeJobs, take_a_finish_without_the_psks_proof_for_a_strangers)
{
  const auto unauthenticated = JobError::unauthenticated;
  EXPECT_EQ(with_finish([](auto & job) { job.finish.pop_back(); }), unauthenticated);
  EXPECT_EQ(with_finish([](auto & job) { job.finish.clear(); }), unauthenticated);
  EXPECT_EQ(with_finish([](auto & job) { job.finish.at(0) ^= 1; }), unauthenticated);
  EXPECT_EQ(with_finish([](auto & job) { job.opening.back() ^= 1; }), unauthenticated);
  EXPECT_EQ(
    with_finish([](auto & job) { job.finish.at(job.finish.size() - 33) ^= 1; }), unauthenticated);
}

// Whoever has the PSK, and not the drone's signing key or the keys that were agreed.
TEST_F(HandshakeJobs, blame_what_the_psk_proves_and_the_rest_does_not)
{
  const auto authenticated = JobError::authenticated;
  const Suite & used = suite("cs-mlkem512-aesgcm-mldsa44");
  EXPECT_EQ(
    with_finish([&](auto & job) {
      job.drone_public_key = Identities::for_signature(used.signature).gcs_keys.at(used.signature);
    }),
    authenticated);
  EXPECT_EQ(with_finish([](auto & job) { job.finish.back() ^= 1; }), authenticated);
  EXPECT_EQ(
    with_finish([](auto & job) { job.resumption = SecretBytes::copy_of(Bytes(32, 1)); }),
    authenticated);
}

}  // namespace
}  // namespace pqc_tunnel::test
