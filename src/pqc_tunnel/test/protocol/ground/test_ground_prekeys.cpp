// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "protocol/handshake/prekey_pool.hpp"
#include "support/hostile/insiders_rekey.hpp"
#include "support/pair/empty_pool.hpp"

// Which prekeys the ground station makes for a drone, and what it answers when it is asked for them again.

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

class InsidersWant : public InsidersRekey
{
protected:
  void want(const SuiteWireId & suite, std::uint32_t transaction)
  {
    insider_->say(Side::drone, {transaction, Want{suite}});
  }
  std::size_t jobs() const { return pair_->jobs_run(Side::gcs); }
  std::size_t bytes_under_way() { return pair_->snapshot(Side::gcs).pool.bytes_under_way; }
  std::size_t prekeys() { return pair_->snapshot(Side::gcs).prekeys; }
};

TEST_F(InsidersWant, that_is_repeated_while_its_prekey_is_made_gets_an_estimate_and_no_other_job)
{
  establish();
  listen();
  pair_->hold_jobs(Side::gcs, true);
  const auto before = jobs();
  for (int i = 0; i < 3; ++i) {
    want(of_another_signature().wire_id, 77);
  }
  EXPECT_EQ(jobs(), before + 1);
  EXPECT_EQ(count<Later>(), 2u);
}

TEST_F(InsidersWant, that_is_newer_replaces_one_whose_prekey_is_made)
{
  establish();
  pair_->hold_jobs(Side::gcs, true);
  const auto before = prekeys();
  want(in_use().wire_id, 77);  // has one of its kind already
  EXPECT_EQ(bytes_under_way(), prekey_bytes(in_use()));
  want(of_another_signature().wire_id, 78);
  EXPECT_EQ(bytes_under_way(), 0u);  // waits for the job that has become needless
  pair_->hold_jobs(Side::gcs, false);
  pair_->run_for(1500us);
  EXPECT_EQ(bytes_under_way(), prekey_bytes(of_another_signature()));
  pair_->run_for(100ms);
  EXPECT_EQ(prekeys(), before + 1);
}

TEST_F(InsidersWant, that_is_repeated_while_its_prekey_is_on_its_way_costs_nothing)
{
  establish();
  listen();
  want(of_another_signature().wire_id, 77);
  pair_->run_for(10ms);
  const auto before = jobs();
  want(of_another_signature().wire_id, 77);
  EXPECT_EQ(jobs(), before);
  want(of_another_signature().wire_id, 78);
  EXPECT_EQ(jobs(), before + 1);
  pair_->run_for(10ms);
  EXPECT_EQ(count<Later>(), 0u);
}

TEST_F(InsidersWant, for_an_unknown_suite_is_declined_each_time_and_reported_once)
{
  establish();
  listen();
  const auto reported = [&] { return pair_->count(Side::gcs, EventKind::refused); };
  const auto before = jobs();
  const SuiteWireId unknown = {99, 99, 99, 99, 99};
  for (int i = 0; i < 3; ++i) {
    want(unknown, 77);
  }
  EXPECT_EQ(reported(), 1u);
  want(unknown, 78);
  EXPECT_EQ(reported(), 2u);
  EXPECT_TRUE(pair_->reported(Side::gcs, EventKind::refused, "no such suite is known here"));
  pair_->run_for(20ms);
  EXPECT_EQ(count<Abort>(), 4u);
  EXPECT_EQ(jobs(), before);
}

TEST_F(InsidersWant, that_comes_too_often_is_put_off_by_a_second)
{
  establish();
  listen();
  pair_->run_for(10s);
  for (std::uint32_t n = 0; n < 6; ++n) {
    want(in_use().wire_id, 77 + n);
  }
  pair_->run_for(20ms);
  EXPECT_EQ(count<Later>(), 2u);
}

// Of keys that were made ahead only the making tells how long it takes.
TEST_F(InsidersWant, that_is_repeated_learns_how_long_the_last_keys_of_its_kind_took)
{
  for (const bool ahead : {false, true}) {
    WiredPair::Options options;
    options.suite = in_use().id;
    options.time_of_job = [](const Job & job) {
      return std::holds_alternative<MakePrekey>(job)    ? Duration(600ms)
             : std::holds_alternative<IssuePrekey>(job) ? Duration(800ms)
                                                        : Duration(1ms);
    };
    pair_ = std::make_unique<WiredPair>(ahead ? options : with_empty_pool(options));
    insider_ = std::make_unique<Insider>(*pair_);
    ASSERT_TRUE(pair_->establish());
    pair_->run_for(10s);
    listen();
    want(in_use().wire_id, 77);
    pair_->run_for(2s);
    want(in_use().wire_id, 78);
    pair_->run_for(900ms);
    answers_.clear();
    want(in_use().wire_id, 79);
    want(in_use().wire_id, 79);
    pair_->run_for(20ms);
    ASSERT_TRUE(answer<Later>());
    EXPECT_EQ(answer<Later>()->estimate_ms, ahead ? 600u : 800u);
  }
}

TEST_F(InsidersWant, of_the_same_kind_replaces_the_prekey_and_the_ninth_kind_the_oldest)
{
  WiredPair::Options options;
  options.suite = in_use().id;
  options.identities = {
    SignatureAlgorithm::falcon_512, SignatureAlgorithm::ml_dsa_65, SignatureAlgorithm::ml_dsa_87,
    SignatureAlgorithm::falcon_1024};
  pair_ = std::make_unique<WiredPair>(with_empty_pool(options));
  insider_ = std::make_unique<Insider>(*pair_);
  ASSERT_TRUE(pair_->establish());
  pair_->set_datagram_filter([](Side from, Bytes &) { return from == Side::gcs; });
  std::vector<const Suite *> kinds;
  for (const Suite & suite : registry().all()) {
    const bool is_cheap = family(suite.kem) == KemFamily::ml_kem ||
                          family(suite.kem) == KemFamily::hqc ||
                          family(suite.kem) == KemFamily::frodokem;
    const bool has_keys = !signs_slowly(suite.signature);
    const auto same = [&](const Suite * other) { return PrekeyKind(*other) == PrekeyKind(suite); };
    if (
      is_cheap && has_keys && registry().availability(suite).available &&
      std::ranges::none_of(kinds, same))
    {
      kinds.push_back(&suite);
    }
  }
  ASSERT_GT(kinds.size(), max_prekeys);
  kinds.resize(max_prekeys + 1);
  std::uint32_t transaction = 1000;
  const auto fetch = [&](const Suite & suite) {
    pair_->run_for(1100ms);
    want(suite.wire_id, ++transaction);
    pair_->run_for(100ms);
    return prekeys();
  };
  for (std::size_t n = 0; n < max_prekeys; ++n) {
    EXPECT_EQ(fetch(*kinds[n]), n + 1);
    EXPECT_EQ(fetch(*kinds[n]), n + 1);
  }
  EXPECT_EQ(fetch(*kinds[max_prekeys]), max_prekeys);
}

}  // namespace
}  // namespace pqc_tunnel::test
