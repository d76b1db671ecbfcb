// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "protocol/handshake/handshake_crypto.hpp"
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
    std::function<void(MakeFinish &)> encapsulation = nullptr;
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
      {SecretBytes::copy_of(resumption_), {}},
      ids.drone_signing_keys.at(used.signature),
      opening_,
      std::move(std::get<VerifiedPrekey>(verified))};
    if (changes.encapsulation) {
      changes.encapsulation(make);
    }
    JobResult finished = run_job(std::move(make), random_);
    if (std::holds_alternative<JobFailed>(finished)) {
      return finished;
    }
    const auto & made = std::get<FinishMade>(finished);
    CompleteFinish complete{
      &used,
      mode_,
      psk,
      {SecretBytes::copy_of(resumption_), {}},
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
  std::optional<JobError> with_encapsulation(std::function<void(MakeFinish &)> change)
  {
    return error({nullptr, nullptr, std::move(change)});
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

TEST_F(HandshakeJobs, blame_keys_that_the_other_end_has_proved_and_that_can_not_be_used)
{
  const auto authenticated = JobError::authenticated;
  const Suite & used = suite("cs-mlkem512-aesgcm-mldsa44");
  const std::size_t x25519_at = kem_sizes(used.kem).ciphertext;
  EXPECT_EQ(
    with_encapsulation([](auto & job) { job.prekey.public_key.pop_back(); }), authenticated);
  EXPECT_EQ(with_encapsulation([](auto & job) { job.prekey.x25519_key = {}; }), authenticated);
  mode_.drone_signature = false;
  // A point of small order, which the PSK's MAC covers.
  const auto of_small_order = [&](CompleteFinish & job) {
    std::fill_n(job.finish.begin() + static_cast<std::ptrdiff_t>(x25519_at), x25519_size, 0);
    const PskKeys & psk = job.psk->of(used.wire_id);
    const ByteView before_macs = ByteView(job.finish).first(x25519_at + x25519_size);
    const Digest th2 =
      Sha512().update(job.opening).update(job.prekey.in_transcript).update(before_macs).digest();
    std::ranges::copy(
      hmac(psk.hash, psk.finish.view(), {th2}),
      job.finish.begin() + static_cast<std::ptrdiff_t>(before_macs.size()));
  };
  const JobResult result = run({nullptr, of_small_order});
  ASSERT_TRUE(std::holds_alternative<JobFailed>(result));
  EXPECT_EQ(std::get<JobFailed>(result).error, authenticated);
  EXPECT_NE(std::get<JobFailed>(result).text.find("small order"), std::string::npos);
  EXPECT_EQ(
    with_finish([](auto & job) { job.prekey.kem_secret_key = SecretBytes(3); }), authenticated);
}

TEST_F(HandshakeJobs, that_lack_a_usable_key_of_their_own_end_say_so)
{
  const auto no_key = std::make_shared<const SecretBytes>(3);
  const auto expect_unavailable = [&](Job job) {
    const JobResult result = run_job(std::move(job), random_);
    ASSERT_TRUE(std::holds_alternative<JobFailed>(result));
    EXPECT_EQ(std::get<JobFailed>(result).error, JobError::unavailable);
    EXPECT_NE(std::get<JobFailed>(result).text.find("signing key"), std::string::npos);
  };
  const auto prekey_of = [&](std::string_view id) {
    return MakePrekey{&suite(id), mode_, GcsId{}, KeyId{}, no_key};
  };
  expect_unavailable(IssuePrekey{prekey_of("cs-mlkem512-aesgcm-mldsa44"), std::nullopt, bind_});
  // These are signed as soon as they are made.
  expect_unavailable(prekey_of("cs-mlkem512-aesgcm-sphincs128s"));
  expect_unavailable(IssuePrekey{prekey_of("cs-mlkem512-aesgcm-sphincs128s"), std::nullopt, bind_});
  EXPECT_EQ(
    with_encapsulation([&](auto & job) { job.drone_signing_key = no_key; }), JobError::unavailable);
}

TEST_F(HandshakeJobs, that_make_a_prekey_ahead_leave_a_fast_signature_to_the_one_that_binds_it)
{
  const JobResult made = run_job(
    MakePrekey{&suite("cs-mlkem512-aesgcm-mldsa44"), mode_, GcsId{}, KeyId{}, nullptr}, random_);
  ASSERT_TRUE(std::holds_alternative<PrekeyPair>(made));
  EXPECT_TRUE(std::get<PrekeyPair>(made).signature.empty());
  const Suite & slow = suite("cs-mlkem512-aesgcm-sphincs128f");
  const auto key = Identities::for_signature(slow.signature).gcs.signing_keys.at(slow.signature);
  const JobResult signed_already =
    run_job(MakePrekey{&slow, mode_, GcsId{}, KeyId{}, key}, random_);
  EXPECT_FALSE(std::get<PrekeyPair>(signed_already).signature.empty());
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
    with_finish([](auto & job) { job.resumption.secret = SecretBytes::copy_of(Bytes(32, 1)); }),
    authenticated);
}

}  // namespace
}  // namespace pqc_tunnel::test
