// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "protocol/handshake/blacklist.hpp"
#include "support/pair/empty_pool.hpp"
#include "support/pair/traffic.hpp"

// What counts against a suite, and what does not: only a failure that the PSK proves, or one at the drone itself, brings
// it on the drone's blacklist, for a while, and never is the suite in use changed by it. What comes under live keys alone
// makes the drone ask again by a new session.

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

const Suite & old_suite() { return suite("cs-mlkem768-aesgcm-mldsa65"); }
const Suite & bad_suite() { return suite("cs-mlkem768-chacha20poly1305-mldsa65"); }

JobFailed failing(JobError error) { return {error, "made to fail by the test"}; }

TEST(Blacklist, holds_a_suite_once_and_until_it_expires)
{
  Blacklist blacklist(10s);
  const Instant now{1h};
  blacklist.add(bad_suite(), now - 5s);
  blacklist.add(bad_suite(), now);
  EXPECT_EQ(blacklist.entries(now).size(), 1u);
  EXPECT_TRUE(blacklist.holds(bad_suite(), now + 10s - Duration(1)));
  EXPECT_FALSE(blacklist.holds(bad_suite(), now + 10s));
  EXPECT_FALSE(blacklist.holds(old_suite(), now));
  EXPECT_EQ(blacklist.entries(now + 10s - Duration(1)).size(), 1u);
  EXPECT_EQ(blacklist.entries(now + 10s).size(), 0u);
  blacklist.remove(old_suite());
  EXPECT_TRUE(blacklist.holds(bad_suite(), now));
  blacklist.remove(bad_suite());
  EXPECT_FALSE(blacklist.holds(bad_suite(), now));
}

class Blame : public testing::Test
{
protected:
  explicit Blame(WiredPair::Options options = {})
  : pair_(with_empty_pool(std::move(options))), traffic_(pair_)
  {
    EXPECT_TRUE(pair_.establish());
  }

  // Jobs of that kind at that end fail from now on.
  template <class FailingJob>
  void fail_jobs(Side at, JobError error)
  {
    pair_.set_job_filter([at, error](Side side, Job & job) -> std::optional<JobResult> {
      if (side == at && std::holds_alternative<FailingJob>(job)) {
        return failing(error);
      }
      return std::nullopt;
    });
  }
  RekeyReply rekey(const Suite & to, Duration limit = 60s)
  {
    const std::size_t answers = pair_.outcomes(Side::drone).size();
    pair_.drone().request_rekey(rekey_to(&to), pair_.now());
    EXPECT_TRUE(
      traffic_.run_until([&] { return pair_.outcomes(Side::drone).size() > answers; }, limit, 5ms));
    traffic_.run_for(100ms, 5ms);
    pair_.run_for(50ms);
    return pair_.outcomes(Side::drone).back();
  }
  std::vector<BlacklistEntry> blacklist() { return pair_.snapshot(Side::drone).blacklist; }

  void expect_blamed(const RekeyReply & outcome, std::string_view words)
  {
    EXPECT_FALSE(outcome.success);
    EXPECT_NE(outcome.message.find(words), std::string::npos) << outcome.message;
    ASSERT_EQ(blacklist().size(), 1u);
    EXPECT_EQ(blacklist().front().suite, &bad_suite());
    EXPECT_EQ(pair_.snapshot(Side::drone).rollbacks, 1u);
    EXPECT_EQ(pair_.count(Side::drone, EventKind::rollback), 1u);
    expect_old_keys();
  }
  void expect_not_blamed(const RekeyReply & outcome)
  {
    EXPECT_FALSE(outcome.success);
    EXPECT_TRUE(blacklist().empty());
    EXPECT_EQ(pair_.snapshot(Side::drone).rollbacks, 0u);
    expect_old_keys();
  }
  void expect_old_keys()
  {
    EXPECT_TRUE(pair_.agreed());
    EXPECT_EQ(pair_.snapshot(Side::drone).suite, &old_suite());
    EXPECT_EQ(pair_.snapshot(Side::drone).epoch, Epoch{0});
    EXPECT_TRUE(traffic_.arrived_exactly(Side::drone));
    EXPECT_TRUE(traffic_.arrived_exactly(Side::gcs));
  }

  WiredPair pair_;
  Traffic traffic_;
};

TEST_F(Blame, falls_on_a_suite_that_the_ground_station_can_make_no_keys_for)
{
  fail_jobs<IssuePrekey>(Side::gcs, JobError::unavailable);
  expect_blamed(rekey(bad_suite()), "can't use cs-mlkem768-chacha20poly1305");
  EXPECT_TRUE(pair_.reported(Side::gcs, EventKind::rekey_failed, "made to fail by the test"));
}

TEST_F(Blame, falls_on_a_suite_whose_handshake_the_ground_station_rejects_under_the_psk)
{
  fail_jobs<CompleteFinish>(Side::gcs, JobError::authenticated);
  expect_blamed(rekey(bad_suite()), "the ground station refuses the handshake");
}

TEST_F(Blame, falls_on_a_suite_that_the_drone_cannot_run)
{
  fail_jobs<MakeFinish>(Side::drone, JobError::unavailable);
  expect_blamed(rekey(bad_suite()), "made to fail by the test");
}

TEST_F(Blame, falls_on_a_suite_whose_signature_does_not_hold_under_the_psk)
{
  fail_jobs<VerifyPrekey>(Side::drone, JobError::authenticated);
  expect_blamed(rekey(bad_suite()), "made to fail by the test");
}

TEST_F(Blame, falls_on_no_suite_for_failures_that_a_stranger_can_cause)
{
  fail_jobs<CompleteFinish>(Side::gcs, JobError::unauthenticated);
  expect_not_blamed(rekey(bad_suite()));
}

TEST_F(Blame, keeps_the_suite_from_being_asked_for_until_it_expires)
{
  fail_jobs<IssuePrekey>(Side::gcs, JobError::unavailable);
  rekey(bad_suite());
  pair_.set_job_filter(nullptr);
  const Instant expiry = blacklist().front().expires;
  EXPECT_NEAR(std::chrono::duration<double>(expiry - pair_.now()).count(), 1800, 2);

  pair_.run_for(1795s);
  EXPECT_EQ(
    rekey(bad_suite()).message,
    "cs-mlkem768-chacha20poly1305-mldsa65 failed lately and is blacklisted");
  pair_.gcs().request_rekey(rekey_to(&bad_suite()), pair_.now());
  pair_.run_for(1s);
  ASSERT_FALSE(pair_.outcomes(Side::gcs).empty());
  EXPECT_EQ(
    pair_.outcomes(Side::gcs).back().message,
    "the drone can't use cs-mlkem768-chacha20poly1305-mldsa65: it holds no key for it, lacks the "
    "algorithm, or the suite failed there lately");
  EXPECT_TRUE(pair_.reported(Side::drone, EventKind::refused, "requested by the ground station"));
  EXPECT_TRUE(rekey(suite("cs-mlkem768-ascon128a-mldsa65")).success);  // others are free to use

  pair_.run_until([&] { return pair_.now() >= expiry; }, 10s);
  pair_.run_for(1s);
  EXPECT_TRUE(blacklist().empty());
  EXPECT_TRUE(rekey(bad_suite()).success);
}

TEST_F(Blame, never_falls_for_time_outs_however_many)
{
  pair_.hold_jobs(Side::gcs, true);
  for (int i = 0; i < 5; ++i) {
    expect_not_blamed(rekey(bad_suite(), 150s));
  }
}

TEST_F(Blame, falls_on_a_suite_refused_in_band)
{
  // The ground station's identity has lost its key for the suite's signature algorithm.
  WiredPair::Options options;
  options.identities = {SignatureAlgorithm::falcon_1024, SignatureAlgorithm::ml_dsa_87};
  options.alter_gcs = [](GcsIdentity & gcs, DroneRecord &) {
    gcs.signing_keys.erase(SignatureAlgorithm::falcon_1024);
  };
  WiredPair pair(with_empty_pool(options));
  ASSERT_TRUE(pair.establish());
  const Suite & missing = suite("cs-mlkem1024-aesgcm-falcon1024");
  pair.drone().request_rekey(rekey_to(&missing), pair.now());
  ASSERT_TRUE(pair.run_until([&] { return !pair.outcomes(Side::drone).empty(); }, 1s));
  EXPECT_EQ(
    pair.outcomes(Side::drone).front().message,
    "the ground station can't use cs-mlkem1024-aesgcm-falcon1024: it holds no key for it, lacks "
    "the "
    "algorithm, or the suite failed there lately");
  EXPECT_TRUE(pair.reported(Side::gcs, EventKind::refused, "no signing key for cs-mlkem1024"));
  EXPECT_EQ(pair.snapshot(Side::drone).blacklist.front().suite, &missing);
}

TEST_F(Blame, falls_on_nothing_at_a_new_session_which_begins_with_the_configured_suite)
{
  ASSERT_TRUE(rekey(bad_suite()).success);
  pair_.set_datagram_filter([](Side, Bytes &) { return false; });
  pair_.restart(Side::gcs);
  pair_.run_for(10min);
  pair_.set_datagram_filter(nullptr);
  ASSERT_TRUE(pair_.run_until([&] { return pair_.agreed(); }, 30s));
  EXPECT_EQ(pair_.snapshot(Side::drone).suite, &old_suite());
  EXPECT_TRUE(blacklist().empty());
  EXPECT_EQ(pair_.count(Side::drone, EventKind::rollback), 0u);
}

}  // namespace
}  // namespace pqc_tunnel::test
