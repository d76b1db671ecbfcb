// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "protocol/handshake/prekey_pool.hpp"

#include <gtest/gtest.h>

#include <set>

#include "protocol/handshake/prekey_stock.hpp"
#include "support/pair/traffic.hpp"

// The stock of ephemeral keys: alone, in a ground station, and what a drone fetches of it.

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

const Suite & aes() { return suite("cs-mlkem768-aesgcm-mldsa65"); }
const Suite & chacha() { return suite("cs-mlkem768-chacha20poly1305-mldsa65"); }
const Suite & heavy() { return suite("cs-mlkem1024-aesgcm-mldsa87"); }

class Pool : public testing::Test
{
protected:
  void want(std::vector<const Suite *> suites) { pool_.want(suites); }
  void make(const Suite & suite)
  {
    pool_.begin(suite);
    now_ += 1s;
    PrekeyPair keys;
    keys.suite = &suite;
    keys.key_id.bytes[15] = ++made_;
    pool_.finish(std::move(keys), now_);
  }
  void make_all()
  {
    while (const Suite * suite = pool_.next_to_make(now_)) {
      make(*suite);
    }
  }

  PrekeyPoolSettings settings_;
  PrekeyPool pool_{settings_};
  Instant now_{Duration(1h)};
  std::uint8_t made_ = 0;
};

TEST_F(Pool, makes_wanted_keys_in_the_order_of_likelihood)
{
  want({&heavy(), &aes()});
  EXPECT_EQ(pool_.next_to_make(now_), &heavy());
  make(heavy());
  EXPECT_EQ(pool_.next_to_make(now_), &aes());
  make(aes());
  EXPECT_EQ(pool_.next_to_make(now_), nullptr);
  EXPECT_FALSE(pool_.status().making);
  EXPECT_EQ(pool_.status().stored, 2u);
}

TEST_F(Pool, makes_one_thing_at_a_time)
{
  want({&heavy(), &aes()});
  pool_.begin(heavy());
  EXPECT_EQ(pool_.next_to_make(now_), nullptr);
  EXPECT_TRUE(pool_.status().making);
  EXPECT_EQ(pool_.status().bytes, 0u);
  EXPECT_EQ(pool_.status().bytes_under_way, prekey_bytes(heavy()));
}

TEST_F(Pool, serves_every_cipher_with_one_key_and_never_twice)
{
  want({&aes(), &chacha()});
  make_all();
  EXPECT_EQ(pool_.status().wanted, 1u);
  EXPECT_EQ(pool_.status().stored, 1u);
  EXPECT_TRUE(pool_.take(chacha(), now_));
  EXPECT_FALSE(pool_.take(aes(), now_));
  EXPECT_EQ(pool_.status().taken, 1u);
  EXPECT_EQ(pool_.status().missed, 1u);
}

TEST_F(Pool, wipes_keys_at_their_age)
{
  want({&aes()});
  make_all();
  EXPECT_EQ(pool_.next_timeout(), now_ + 1h);
  EXPECT_FALSE(pool_.take(aes(), now_ + 1h));
  pool_.handle_timeout(now_ + 1h);
  EXPECT_EQ(pool_.status().stored, 0u);
  EXPECT_EQ(pool_.status().expired, 1u);
}

TEST_F(Pool, gives_way_to_exchanges_for_two_seconds_at_most)
{
  want({&aes()});
  for (Duration passed{}; passed < 2s; passed += 100ms) {
    pool_.hold_back(now_ + passed);
    EXPECT_EQ(pool_.next_to_make(now_ + passed), nullptr);
  }
  pool_.hold_back(now_ + 2s);
  EXPECT_EQ(pool_.next_to_make(now_ + 2s), &aes());
}

TEST_F(Pool, retries_a_kind_that_failed_after_a_minute)
{
  want({&heavy(), &aes()});
  pool_.begin(heavy());
  pool_.fail(now_);
  EXPECT_EQ(pool_.next_to_make(now_), &aes());
  make(aes());
  EXPECT_EQ(pool_.next_to_make(now_ + 58s), nullptr);
  EXPECT_EQ(pool_.next_to_make(now_ + 59s), &heavy());
}

TEST_F(Pool, stays_within_its_memory_and_first_drops_what_nobody_wants)
{
  settings_.max_bytes = prekey_bytes(aes()) + prekey_bytes(heavy());
  pool_ = PrekeyPool(settings_);
  want({&aes(), &heavy()});
  make_all();
  EXPECT_EQ(pool_.status().stored, 2u);
  EXPECT_EQ(pool_.status().bytes, settings_.max_bytes);
  want({&aes(), &heavy(), &suite("cs-mlkem512-aesgcm-mldsa44")});
  EXPECT_EQ(pool_.next_to_make(now_), nullptr);  // no room for another one
  want({&heavy(), &suite("cs-mlkem512-aesgcm-mldsa44")});
  make_all();
  EXPECT_LE(pool_.status().bytes, settings_.max_bytes);
  EXPECT_TRUE(pool_.take(heavy(), now_));
  EXPECT_FALSE(pool_.take(aes(), now_));
}

TEST_F(Pool, without_memory_makes_nothing)
{
  settings_.max_bytes = 0;
  pool_ = PrekeyPool(settings_);
  want({&aes()});
  EXPECT_EQ(pool_.next_to_make(now_), nullptr);
}

TEST_F(Pool, wakes_up_when_a_key_expires_or_can_be_made)
{
  EXPECT_EQ(pool_.next_timeout(), Instant::max());
  want({&aes(), &heavy()});
  EXPECT_LE(pool_.next_timeout(), now_);
  pool_.begin(aes());
  EXPECT_EQ(pool_.next_timeout(), Instant::max());
  pool_.fail(now_);
  pool_.begin(heavy());
  pool_.fail(now_ + 1s);
  EXPECT_EQ(pool_.next_timeout(), now_ + 60s);
  pool_.hold_back(now_ + 60s);
  EXPECT_EQ(pool_.next_timeout(), now_ + 60s + 500ms);
  EXPECT_EQ(pool_.next_to_make(now_ + 60s + 500ms), &aes());
}

TEST_F(Pool, gives_way_to_the_exchanges_of_another_time_anew)
{
  want({&aes()});
  make_all();
  pool_.hold_back(now_);
  now_ += 1min;
  EXPECT_TRUE(pool_.take(aes(), now_));  // is a part of an exchange
  EXPECT_EQ(pool_.next_to_make(now_), nullptr);
  pool_.hold_back(now_ + 400ms);
  EXPECT_EQ(pool_.next_to_make(now_ + 800ms), nullptr);
  EXPECT_EQ(pool_.next_to_make(now_ + 900ms), &aes());
}

TEST_F(Pool, estimates_a_quarter_of_a_second_until_it_knows)
{
  EXPECT_EQ(pool_.estimate(aes()), 250ms);
  pool_.note_duration(chacha(), 3s);
  EXPECT_EQ(pool_.estimate(aes()), 3s);
  EXPECT_EQ(pool_.estimate(heavy()), 250ms);
}

TEST(LikelyNext, are_the_same_suite_its_neighbours_and_the_lightest)
{
  const SuitePolicy policy(SecurityLevel::l1, false);
  const auto next = likely_next(aes(), policy.allowed());
  ASSERT_GE(next.size(), 3u);
  EXPECT_EQ(next.front(), &aes());
  for (const Suite * suite : next) {
    EXPECT_EQ(suite->aead, aes().aead);
    EXPECT_EQ(family(suite->signature), SignatureFamily::ml_dsa);
  }
}

TEST(LikelyNext, are_available)
{
  std::vector<const Suite *> all;
  for (const Suite & suite : registry().all()) {
    all.push_back(&suite);
  }
  for (const Suite * suite : likely_next(aes(), all)) {
    EXPECT_TRUE(registry().availability(*suite).available) << suite->id;
  }
  const Suite * of_2025 = registry().find("cs-hqc1-aesgcm-mldsa44");
  const std::vector<const Suite *> only = {of_2025};
  const bool available = registry().availability(*of_2025).available;
  EXPECT_EQ(
    likely_next(*registry().find("cs-mlkem512-aesgcm-mldsa44"), only).size(), available ? 3u : 1u);
}

TEST(LikelyNext, are_the_nearest_ones_of_the_same_cipher_and_signature_in_whatever_order_they_come)
{
  std::vector<const Suite *> allowed;
  for (const Suite & suite : registry().all()) {
    if (registry().availability(suite).available) {
      allowed.push_back(&suite);
    }
  }
  for (int order = 0; order < 2; ++order, std::ranges::reverse(allowed)) {
    for (const Suite * active : allowed) {
      std::set<int> tiers;
      for (const Suite * suite : allowed) {
        if (suite->aead == active->aead && family(suite->signature) == family(active->signature)) {
          tiers.insert(suite->tier);
        }
      }
      std::vector<int> expected{active->tier};
      const auto own = tiers.find(active->tier);
      if (own != tiers.begin()) {
        expected.push_back(*std::prev(own));
      }
      if (std::next(own) != tiers.end()) {
        expected.push_back(*std::next(own));
      }
      expected.push_back(*tiers.begin());
      std::vector<int> found;
      for (const Suite * suite : likely_next(*active, allowed)) {
        EXPECT_EQ(suite->aead, active->aead);
        EXPECT_EQ(family(suite->signature), family(active->signature));
        found.push_back(suite->tier);
      }
      EXPECT_EQ(found, expected) << active->id;
    }
  }
}

TEST(Stock, holds_one_prekey_of_each_kind_and_gives_it_once)
{
  PrekeyStock stock;
  const Instant now{Duration(1h)};
  for (int i = 0; i < 3; ++i) {
    VerifiedPrekey prekey;
    prekey.suite = &aes();
    prekey.public_key.resize(1184);
    stock.add(std::move(prekey), now);
  }
  EXPECT_EQ(stock.count(), 1u);
  EXPECT_EQ(stock.bytes(), 1184u);
  EXPECT_TRUE(stock.holds(chacha(), now));
  EXPECT_FALSE(stock.holds(aes(), now + 1h));
  EXPECT_TRUE(stock.take(chacha(), now));
  EXPECT_FALSE(stock.take(aes(), now));
}

TEST(PrekeyStock, gives_no_prekey_that_has_expired)
{
  PrekeyStock stock;
  const Instant now{Duration(1h)};
  const Instant end = now + prekey_lifetime;
  EXPECT_EQ(stock.next_timeout(), Instant::max());
  const auto add = [&] {
    VerifiedPrekey prekey;
    prekey.suite = &aes();
    stock.add(std::move(prekey), now);
  };
  add();
  EXPECT_EQ(stock.next_timeout(), end);
  EXPECT_TRUE(stock.holds(aes(), end - Duration(1)));
  EXPECT_FALSE(stock.holds(aes(), end));
  EXPECT_FALSE(stock.take(heavy(), now));
  EXPECT_EQ(stock.count(), 1u);
  EXPECT_FALSE(stock.take(aes(), end));
  EXPECT_EQ(stock.count(), 0u);
  add();
  EXPECT_TRUE(stock.take(aes(), end - Duration(1)));
  add();
  stock.handle_timeout(end - Duration(1));
  EXPECT_EQ(stock.count(), 1u);
  stock.handle_timeout(end);
  EXPECT_EQ(stock.count(), 0u);
}

TEST(PrekeyStock, remembers_the_last_thousand_keys_that_were_used)
{
  PrekeyStock stock;
  const auto is_new = [&](std::size_t n) {
    KeyId id;
    id.bytes[0] = static_cast<std::uint8_t>(n >> 8);
    id.bytes[1] = static_cast<std::uint8_t>(n);
    return stock.is_new(id);
  };
  for (std::size_t n = 0; n < remembered_key_ids; ++n) {
    EXPECT_TRUE(is_new(n));
  }
  EXPECT_FALSE(is_new(0));
  EXPECT_FALSE(is_new(remembered_key_ids - 1));
  EXPECT_TRUE(is_new(remembered_key_ids));
  EXPECT_FALSE(is_new(1));
  EXPECT_TRUE(is_new(0));  // forgotten
}

TEST(PrekeyStock, drops_the_oldest_one_as_the_ground_station_does)
{
  PrekeyStock stock;
  const Instant now{Duration(1h)};
  const auto suites = registry().all();
  std::vector<const Suite *> kinds;
  for (const Suite & suite : suites) {
    if (std::ranges::none_of(
          kinds, [&](const Suite * other) { return PrekeyKind(*other) == PrekeyKind(suite); }))
    {
      kinds.push_back(&suite);
    }
  }
  ASSERT_GT(kinds.size(), max_prekeys);
  for (std::size_t i = 0; i <= max_prekeys; ++i) {
    VerifiedPrekey prekey;
    prekey.suite = kinds[i];
    stock.add(std::move(prekey), now);
  }
  EXPECT_EQ(stock.count(), max_prekeys);
  EXPECT_FALSE(stock.holds(*kinds[0], now));
  EXPECT_TRUE(stock.holds(*kinds[1], now));
}

// --- In a pair ---

std::size_t held(WiredPair & pair) { return pair.snapshot(Side::drone).prekeys; }

WiredPair::Options with_all_ml_dsa()
{
  WiredPair::Options options;
  options.identities = {
    SignatureAlgorithm::ml_dsa_44, SignatureAlgorithm::ml_dsa_65, SignatureAlgorithm::ml_dsa_87};
  return options;
}

TEST(Prefetch, brings_the_suite_in_use_and_its_likely_next_ones)
{
  WiredPair pair(with_all_ml_dsa());
  ASSERT_TRUE(pair.establish());
  pair.run_for(20s);
  EXPECT_GE(held(pair), 3u);
  EXPECT_EQ(pair.snapshot(Side::gcs).prekeys, held(pair));
}

TEST(Prefetch, stays_within_its_bytes)
{
  auto options = with_all_ml_dsa();
  options.settings.prefetch_max_bytes = 1500;
  WiredPair pair(options);
  ASSERT_TRUE(pair.establish());
  pair.run_for(20s);
  EXPECT_EQ(held(pair), 1u);
  options.settings.prefetch_max_bytes = 0;
  WiredPair none(options);
  ASSERT_TRUE(none.establish());
  none.run_for(20s);
  EXPECT_EQ(held(none), 0u);
}

TEST(Prefetch, replaces_a_prekey_that_was_used)
{
  WiredPair pair;
  ASSERT_TRUE(pair.establish());
  pair.run_for(5s);
  const std::size_t before = held(pair);
  ASSERT_GT(before, 0u);
  for (std::size_t n = 1; n <= 5; ++n) {
    pair.drone().request_rekey(rekey_to(nullptr), pair.now());
    ASSERT_TRUE(pair.run_until([&] { return pair.outcomes(Side::drone).size() == n; }));
    EXPECT_EQ(pair.outcomes(Side::drone).back().timing.fetch, Duration{}) << n;
    pair.run_for(5s);
    EXPECT_EQ(held(pair), before);
  }
}

TEST(Prefetch, ends_with_the_session)
{
  WiredPair pair;
  ASSERT_TRUE(pair.establish());
  pair.run_for(5s);
  ASSERT_GT(held(pair), 0u);
  pair.drone().wipe(PeerIndex{0}, "test", pair.now());
  EXPECT_EQ(held(pair), 0u);
  ASSERT_TRUE(pair.establish());
  EXPECT_EQ(pair.snapshot(Side::gcs).prekeys, 0u);
}

}  // namespace
}  // namespace pqc_tunnel::test
