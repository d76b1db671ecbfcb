// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>

#include "protocol/handshake/first_suite.hpp"
#include "support/memory_anchor.hpp"
#include "support/pair/wired_pair.hpp"

// Which suite a new session begins with, and how the drone gets to the configured one.

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

constexpr double radio = 5760;  // bytes/s

const Suite & heavy() { return suite("cs-classicmceliece348864-chacha20poly1305-mldsa44"); }
const Suite & light() { return suite("cs-mlkem512-chacha20poly1305-mldsa44"); }

std::vector<const Suite *> all_suites()
{
  std::vector<const Suite *> suites;
  for (const Suite & suite : registry().all()) {
    suites.push_back(&suite);
  }
  return suites;
}

const Suite & first(const char * configured, std::optional<double> bytes_per_s)
{
  return first_suite(suite(configured), all_suites(), {}, bytes_per_s);
}

TEST(FirstSuite, is_the_configured_one_on_a_link_that_takes_it_soon_or_whose_rate_is_unknown)
{
  for (const char * id :
       {"cs-mlkem768-aesgcm-mldsa65", "cs-mlkem1024-ascon128a-falcon1024",
        "cs-mlkem768-aesgcm-sphincs192s"})
  {
    EXPECT_EQ(first(id, std::nullopt).id, id);
    EXPECT_EQ(first(id, 2 * radio).id, id);
  }
  EXPECT_EQ(first(heavy().id.data(), std::nullopt).id, heavy().id);
  EXPECT_EQ(first(heavy().id.data(), 125'000).id, heavy().id);
}

TEST(FirstSuite, on_a_thin_link_keeps_level_cipher_and_signature_of_a_heavy_one)
{
  EXPECT_EQ(
    first("cs-classicmceliece460896-ascon128a-mldsa65", radio).id, "cs-mlkem768-ascon128a-mldsa65");
  EXPECT_EQ(
    first("cs-classicmceliece8192128-aesgcm-falcon1024", radio).id,
    "cs-mlkem1024-aesgcm-falcon1024");
  EXPECT_EQ(
    first("cs-frodokem976aes-chacha20poly1305-mldsa65", radio).id,
    "cs-mlkem768-chacha20poly1305-mldsa65");
}

TEST(FirstSuite, is_of_no_lower_level_and_one_that_may_be_used)
{
  const Suite & configured = suite("cs-classicmceliece460896-aesgcm-mldsa65");
  const Suite & below = suite("cs-mlkem512-aesgcm-mldsa44");
  const Suite & other = suite("cs-mlkem1024-ascon128a-falcon1024");
  EXPECT_EQ(&first_suite(configured, {&below}, {}, radio), &configured);
  EXPECT_EQ(&first_suite(configured, {&below, &other}, {}, radio), &other);
  EXPECT_EQ(&first_suite(configured, {}, {}, radio), &configured);
}

TEST(FirstSuite, of_the_same_weight_is_the_configured_one)
{
  const Suite & configured = suite("cs-mlkem768-aesgcm-mldsa65");
  EXPECT_EQ(
    &first_suite(configured, {&suite("cs-mlkem768-chacha20poly1305-mldsa65")}, {}, 100),
    &configured);
}

class HeavySuite : public testing::Test
{
protected:
  static WiredPair::Options options(double rate_kbit)
  {
    WiredPair::Options options;
    options.suite = heavy().id;
    options.settings.suites = SuitePolicy({&heavy(), &light()});
    options.settings.paths.links = {{.name = "radio", .rate_kbit = rate_kbit}};
    return options;
  }
  const Suite * in_use() { return pair_->snapshot(Side::drone).suite; }
  void establish(const WiredPair::Options & options)
  {
    pair_.emplace(options);
    ASSERT_TRUE(pair_->run_until([&] { return pair_->agreed(); }, 10s));
  }

  std::optional<WiredPair> pair_;
};

TEST_F(HeavySuite, begins_light_on_a_thin_link_and_follows_once_its_key_is_there)
{
  establish(options(1000));
  EXPECT_EQ(in_use(), &heavy());

  WiredPair::Options thin = options(400);
  thin.settings.prefetch_airtime = 0.5;
  establish(thin);
  EXPECT_EQ(in_use(), &light());
  ASSERT_TRUE(pair_->run_until([&] { return pair_->agreed() && in_use() == &heavy(); }, 5min));
  EXPECT_TRUE(pair_->reported(Side::drone, EventKind::rekey_started, "its key has arrived"));
  pair_->run_for(1min);
  EXPECT_EQ(pair_->count(Side::drone, EventKind::rekey_started), 1u);
}

TEST_F(HeavySuite, fetches_the_configured_key_alone_where_there_is_room_for_none)
{
  const Suite & between = suite("cs-frodokem640aes-chacha20poly1305-mldsa44");
  WiredPair::Options thin = options(400);
  thin.settings.suites = SuitePolicy({&heavy(), &light(), &between});
  thin.settings.prefetch_airtime = 0.05;  // longer than a minute for the key
  thin.settings.prefetch_max_bytes = 0;
  establish(thin);
  const auto fetched = [&](const Suite & of) {
    return std::ranges::any_of(pair_->snapshot(Side::drone).fetches, [&](const KemFetch & one) {
      return one.suite->kem == of.kem && (one.ready || one.progress);
    });
  };
  pair_->watch([&] { EXPECT_FALSE(fetched(light()) || fetched(between)); });
  pair_->run_for(10s);
  EXPECT_TRUE(fetched(heavy()));
  ASSERT_TRUE(pair_->run_until([&] { return pair_->agreed() && in_use() == &heavy(); }, 5min));
  pair_->run_for(10s);
  EXPECT_FALSE(fetched(heavy()));
}

TEST_F(HeavySuite, follows_although_somebody_has_ratcheted_since)
{
  for (const bool one_time_key : {false, true}) {
    MemoryAnchor anchor(2);
    WiredPair::Options thin = options(400);
    thin.settings.prefetch_airtime = 0.5;
    thin.alter_drone = [&](DroneIdentity & identity) { identity.anchor = anchor.at_drone(); };
    thin.alter_gcs = [&](GcsIdentity &, DroneRecord & record) {
      record.anchor = anchor.at_ground();
    };
    establish(thin);
    RekeyCommand ratchet = rekey_to(nullptr);
    ratchet.ratchet = !one_time_key;
    ratchet.one_time_key = one_time_key;
    pair_->drone().request_rekey(ratchet, pair_->now());
    ASSERT_TRUE(pair_->run_until([&] { return !pair_->outcomes(Side::drone).empty(); }, 10s));
    EXPECT_TRUE(pair_->outcomes(Side::drone).back().success);
    EXPECT_EQ(in_use(), &light());
    EXPECT_TRUE(pair_->run_until([&] { return pair_->agreed() && in_use() == &heavy(); }, 5min));
  }
}

TEST_F(HeavySuite, does_not_follow_once_somebody_has_asked_for_another_one)
{
  WiredPair::Options thin = options(400);
  const Suite & third = suite("cs-mlkem512-aesgcm-mldsa44");
  thin.settings.suites = SuitePolicy({&heavy(), &light(), &third});
  thin.settings.prefetch_airtime = 0.5;
  establish(thin);
  pair_->drone().request_rekey(rekey_to(&third), pair_->now());
  pair_->run_for(5min);
  EXPECT_EQ(in_use(), &third);
}

TEST_F(HeavySuite, begins_a_session_where_the_ground_station_can_use_no_lighter_one)
{
  WiredPair::Options thin = options(400);
  thin.suite = heavy().id;
  const Suite & falcon = suite("cs-mlkem512-chacha20poly1305-falcon512");
  thin.settings.suites = SuitePolicy({&heavy(), &falcon});
  thin.identities = {SignatureAlgorithm::falcon_512};
  thin.alter_gcs = [](GcsIdentity & gcs, DroneRecord &) {
    gcs.signing_keys.erase(SignatureAlgorithm::falcon_512);
  };
  pair_.emplace(thin);
  ASSERT_TRUE(pair_->run_until([&] { return pair_->agreed(); }, 1min));
  EXPECT_EQ(in_use(), &heavy());
}

}  // namespace
}  // namespace pqc_tunnel::test
