// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "protocol/hello_pool.hpp"

#include <gtest/gtest.h>

#include <set>

#include "support/traffic.hpp"

// The pool of ephemeral keys, alone and in a ground station.

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

constexpr PeerIndex first_drone{0};
constexpr PeerIndex second_drone{1};

const Suite & aes() { return suite("cs-mlkem768-aesgcm-mldsa65"); }
const Suite & chacha() { return suite("cs-mlkem768-chacha20poly1305-mldsa65"); }
const Suite & heavy() { return suite("cs-mlkem1024-aesgcm-mldsa87"); }

class Pool : public testing::Test
{
protected:
  void want(std::vector<const Suite *> suites) { pool_.want(suites); }
  // Makes all pending keys, one per second.
  void make_all()
  {
    while (const Suite * suite = pool_.next_to_make(now_)) {
      make(*suite);
    }
  }
  std::optional<HelloPool::Waiter> make(const Suite & suite)
  {
    pool_.begin(suite, now_);
    now_ += 1s;
    EphemeralKeys keys;
    keys.suite = &suite;
    keys.key_id.bytes[15] = ++made_;
    return pool_.finish(std::move(keys), now_);
  }

  HelloPoolSettings settings_;
  HelloPool pool_{settings_};
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
  EXPECT_EQ(pool_.status().stored, 2u);
}

TEST_F(Pool, makes_one_thing_at_a_time)
{
  want({&heavy(), &aes()});
  pool_.begin(heavy(), now_);
  EXPECT_EQ(pool_.next_to_make(now_), nullptr);
}

TEST_F(Pool, serves_every_cipher_with_the_keys_of_a_kem_and_signature)
{
  want({&aes(), &chacha()});
  make_all();
  EXPECT_EQ(pool_.status().stored, 1u);
  EXPECT_TRUE(pool_.take(first_drone, chacha(), now_).has_value());
}

TEST_F(Pool, gives_each_key_once)
{
  settings_.depth = 3;
  pool_ = HelloPool(settings_);
  want({&aes()});
  std::set<std::uint8_t> ids;
  for (int i = 0; i < 50; ++i) {
    make_all();
    const PeerIndex drone = i % 2 == 0 ? first_drone : second_drone;
    const auto keys = pool_.take(drone, aes(), now_);
    ASSERT_TRUE(keys.has_value());
    pool_.handle_handshake_ended(drone);
    EXPECT_TRUE(ids.insert(keys->key_id.bytes[15]).second);
  }
  EXPECT_EQ(pool_.status().taken, 50u);
}

TEST_F(Pool, keeps_a_reserved_key_from_other_drones)
{
  want({&aes()});
  make_all();
  ASSERT_TRUE(pool_.reserve(first_drone, aes(), now_));
  EXPECT_FALSE(pool_.reserve(second_drone, aes(), now_));
  EXPECT_FALSE(pool_.take(second_drone, aes(), now_).has_value());
  EXPECT_TRUE(pool_.reserve(first_drone, aes(), now_));
  EXPECT_TRUE(pool_.take(first_drone, aes(), now_).has_value());
  EXPECT_EQ(pool_.status().missed, 1u);
}

TEST_F(Pool, releases_a_reserved_key_when_the_drone_asks_for_another_suite)
{
  want({&aes(), &heavy()});
  make_all();
  ASSERT_TRUE(pool_.reserve(first_drone, aes(), now_));
  ASSERT_TRUE(pool_.reserve(first_drone, heavy(), now_));
  EXPECT_TRUE(pool_.reserve(second_drone, aes(), now_));
}

TEST_F(Pool, makes_awaited_keys_first)
{
  want({&aes()});
  pool_.wait({first_drone, &heavy(), 7});
  EXPECT_TRUE(pool_.is_waiting(first_drone));
  EXPECT_EQ(pool_.next_to_make(now_), &heavy());
  const auto served = make(heavy());
  ASSERT_TRUE(served.has_value());
  EXPECT_EQ(served->drone, first_drone);
  EXPECT_EQ(served->transaction, 7u);
  EXPECT_FALSE(pool_.is_waiting(first_drone));
  EXPECT_FALSE(pool_.take(second_drone, heavy(), now_).has_value());
  EXPECT_TRUE(pool_.take(first_drone, heavy(), now_).has_value());
}

TEST_F(Pool, leaves_the_processors_to_a_handshake_until_it_has_ended)
{
  want({&aes()});
  make_all();
  ASSERT_TRUE(pool_.reserve(first_drone, aes(), now_));
  EXPECT_EQ(pool_.next_to_make(now_), nullptr);
  ASSERT_TRUE(pool_.take(first_drone, aes(), now_));
  EXPECT_EQ(pool_.next_to_make(now_), nullptr);
  EXPECT_GT(pool_.next_timeout(), now_);
  pool_.handle_handshake_ended(first_drone);
  EXPECT_LE(pool_.next_timeout(), now_);
  EXPECT_EQ(pool_.next_to_make(now_), &aes());
}

TEST_F(Pool, makes_awaited_keys_during_the_handshakes_of_others)
{
  want({&aes()});
  make_all();
  ASSERT_TRUE(pool_.reserve(first_drone, aes(), now_));
  pool_.wait({second_drone, &heavy(), 7});
  EXPECT_EQ(pool_.next_to_make(now_), &heavy());
}

TEST_F(Pool, is_not_kept_from_being_filled_by_a_drone_that_only_announces_handshakes)
{
  want({&aes()});
  make_all();
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(pool_.reserve(first_drone, aes(), now_));
    now_ += 400ms;
  }
  EXPECT_LE(pool_.next_timeout(), now_);
  EXPECT_EQ(pool_.next_to_make(now_), &aes());
}

TEST_F(Pool, is_not_kept_from_being_filled_by_a_drone_that_begins_one_handshake_after_the_other)
{
  settings_.depth = 1;
  want({&aes()});
  make_all();
  int made = 0;
  for (int i = 0; i < 10; ++i) {
    pool_.take(first_drone, aes(), now_);
    now_ += 900ms;
    if (const Suite * suite = pool_.next_to_make(now_)) {
      make(*suite);
      ++made;
    }
    pool_.handle_handshake_ended(first_drone);
  }
  EXPECT_GE(made, 3);
}

TEST_F(Pool, leaves_the_processors_to_a_handshake_long_after_one_that_was_announced_in_vain)
{
  want({&aes()});
  make_all();
  ASSERT_TRUE(pool_.reserve(first_drone, aes(), now_));
  now_ += 10s;
  make_all();
  ASSERT_TRUE(pool_.take(second_drone, aes(), now_));
  pool_.handle_handshake_ended(second_drone);
  ASSERT_EQ(pool_.next_to_make(now_), &aes());
  ASSERT_TRUE(pool_.reserve(first_drone, aes(), now_));
  ASSERT_TRUE(pool_.take(first_drone, aes(), now_));
  EXPECT_EQ(pool_.next_to_make(now_), nullptr);
  EXPECT_GT(pool_.next_timeout(), now_);
}

TEST_F(Pool, remembers_one_wish_of_each_drone)
{
  for (std::uint32_t transaction = 0; transaction < 1000; ++transaction) {
    pool_.wait({first_drone, transaction % 2 == 0 ? &aes() : &heavy(), transaction});
  }
  const auto served = make(heavy());
  ASSERT_TRUE(served.has_value());
  EXPECT_EQ(served->transaction, 999u);
  EXPECT_EQ(pool_.next_to_make(now_), nullptr);
}

TEST_F(Pool, estimates_the_wait_from_how_long_the_like_of_it_took)
{
  make(aes());
  pool_.take(first_drone, aes(), now_);
  pool_.wait({first_drone, &aes(), 1});
  pool_.wait({second_drone, &aes(), 1});
  pool_.begin(aes(), now_);
  EXPECT_EQ(pool_.estimate(first_drone, now_ + 400ms), 600ms);
  EXPECT_EQ(pool_.estimate(second_drone, now_ + 400ms), 1600ms);
  EXPECT_EQ(pool_.estimate(first_drone, now_ + 3s), 3s);  // overdue: as long again
}

TEST_F(Pool, reports_a_failed_key_to_all_who_wait_and_retries_later)
{
  want({&aes()});
  pool_.wait({first_drone, &chacha(), 1});
  pool_.wait({second_drone, &heavy(), 2});
  pool_.begin(*pool_.next_to_make(now_), now_);
  const auto in_vain = pool_.fail(now_);
  ASSERT_EQ(in_vain.size(), 1u);
  EXPECT_EQ(in_vain.front().drone, first_drone);
  EXPECT_TRUE(pool_.is_waiting(second_drone));
  make(heavy());
  EXPECT_EQ(pool_.next_to_make(now_), nullptr);
  EXPECT_GT(pool_.next_timeout(), now_);
  EXPECT_EQ(pool_.next_to_make(pool_.next_timeout()), &aes());
}

TEST_F(Pool, wipes_keys_that_have_become_too_old)
{
  want({&aes()});
  make_all();
  EXPECT_EQ(pool_.next_timeout(), now_ + 1h);
  now_ += 1h;
  EXPECT_FALSE(pool_.take(first_drone, aes(), now_).has_value());
  pool_.handle_timeout(now_);
  EXPECT_EQ(pool_.status().stored, 0u);
  EXPECT_EQ(pool_.status().expired, 1u);
  pool_.handle_handshake_ended(first_drone);
  EXPECT_EQ(pool_.next_to_make(now_), &aes());
}

TEST_F(Pool, stays_within_its_memory)
{
  std::vector<const Suite *> suites;
  for (const Suite & suite : registry().all()) {
    suites.push_back(&suite);
  }
  settings_.max_bytes = std::size_t{2} << 20;
  pool_ = HelloPool(settings_);
  pool_.want(suites);
  make_all();
  const auto status = pool_.status();
  EXPECT_GT(status.stored, 10u);
  EXPECT_LE(status.bytes, settings_.max_bytes);
  // What a drone waits for is made all the same, in the place of what is only likely.
  pool_.wait({first_drone, &suite("cs-classicmceliece8192128-aesgcm-mldsa87"), 1});
  EXPECT_TRUE(make(*pool_.next_to_make(now_)).has_value());
  EXPECT_LE(pool_.status().bytes, settings_.max_bytes);
}

TEST_F(Pool, replaces_unwanted_keys_by_wanted_ones)
{
  const Suite & large = suite("cs-classicmceliece8192128-aesgcm-mldsa87");
  const Suite & larger = suite("cs-classicmceliece8192128-aesgcm-sphincs256s");
  settings_.max_bytes = std::size_t{2} << 20;  // room for one of them
  pool_ = HelloPool(settings_);
  want({&large, &aes()});
  make_all();
  want({&larger, &aes()});
  EXPECT_EQ(pool_.next_to_make(now_), &larger);
  make_all();
  EXPECT_LE(pool_.status().bytes, settings_.max_bytes);
  EXPECT_FALSE(pool_.take(first_drone, large, now_));
  EXPECT_TRUE(pool_.take(first_drone, larger, now_));
  EXPECT_TRUE(pool_.take(first_drone, aes(), now_));
}

TEST_F(Pool, without_memory_makes_only_awaited_keys)
{
  settings_.max_bytes = 0;
  pool_ = HelloPool(settings_);
  want({&aes()});
  EXPECT_EQ(pool_.next_to_make(now_), nullptr);
  EXPECT_EQ(pool_.next_timeout(), Instant::max());
  pool_.wait({first_drone, &aes(), 1});
  make(*pool_.next_to_make(now_));
  EXPECT_TRUE(pool_.take(first_drone, aes(), now_).has_value());
}

TEST(LikelySuites, are_the_active_one_its_neighbours_and_the_lightest)
{
  const SuitePolicy policy(SecurityLevel::l1, false);
  const auto likely =
    likely_next(suite("cs-classicmceliece460896-aesgcm-mldsa65"), policy.allowed());
  std::vector<std::string_view> ids;
  for (const Suite * suite : likely) {
    ids.push_back(suite->id);
  }
  const std::vector<std::string_view> expected{
    "cs-classicmceliece460896-aesgcm-mldsa65", "cs-frodokem976aes-aesgcm-mldsa65",
    "cs-mlkem1024-aesgcm-mldsa87", "cs-mlkem512-aesgcm-mldsa44"};
  EXPECT_EQ(ids, expected);
}

// --- In a ground station ---

WiredPair::Options slow_keys()
{
  WiredPair::Options options;
  options.time_of_job = [](const Job & job) {
    return std::holds_alternative<PrepareHello>(job) ? Duration(2s) : Duration(1ms);
  };
  options.identities = {SignatureAlgorithm::ml_dsa_87};
  return options;
}

TEST(HelloPool, makes_a_rekey_as_fast_as_if_keys_took_no_time)
{
  WiredPair pair(slow_keys());
  ASSERT_TRUE(pair.establish());
  pair.run_for(20s);
  const Instant asked = pair.now();
  pair.drone().request_rekey(rekey_to(&chacha()), asked);
  ASSERT_TRUE(pair.run_until([&] { return !pair.outcomes(Side::drone).empty(); }));
  EXPECT_TRUE(pair.outcomes(Side::drone).front().success);
  EXPECT_LT(pair.now() - asked, 200ms);
  EXPECT_TRUE(pair.snapshot(Side::gcs).timing.prepared_ahead);
}

TEST(HelloPool, is_filled_again_after_each_rekey)
{
  WiredPair pair(slow_keys());
  ASSERT_TRUE(pair.establish());
  pair.run_for(20s);
  const auto before = pair.snapshot(Side::gcs).pool;
  pair.drone().request_rekey(rekey_to(&chacha()), pair.now());
  ASSERT_TRUE(pair.run_until([&] { return !pair.outcomes(Side::drone).empty(); }));
  EXPECT_EQ(pair.snapshot(Side::gcs).pool.stored + 1, before.stored);
  pair.run_for(20s);
  EXPECT_EQ(pair.snapshot(Side::gcs).pool.stored, before.stored);
  EXPECT_EQ(pair.snapshot(Side::gcs).pool.taken, before.taken + 1);
}

TEST(HelloPool, holds_the_configured_suites_before_any_drone_connects)
{
  WiredPair::Options options = slow_keys();
  options.settings.hello_pool.suites = {&heavy()};
  WiredPair pair(options);
  pair.set_tcp(Tcp::refused);
  pair.run_for(3s);
  EXPECT_EQ(pair.snapshot(Side::gcs).pool.stored, 1u);
}

TEST(HelloPool, serves_the_first_handshake_too)
{
  WiredPair::Options options = slow_keys();
  options.settings.hello_pool.suites = {&aes()};
  WiredPair pair(options);
  pair.set_tcp(Tcp::refused);
  pair.run_for(3s);
  pair.set_tcp(Tcp::works);
  ASSERT_TRUE(pair.establish());
  EXPECT_TRUE(pair.snapshot(Side::gcs).timing.prepared_ahead);
}

TEST(HelloPool, forgets_its_keys_when_the_ground_station_restarts)
{
  WiredPair pair(slow_keys());
  ASSERT_TRUE(pair.establish());
  pair.run_for(20s);
  pair.restart(Side::gcs);
  EXPECT_EQ(pair.snapshot(Side::gcs).pool.stored, 0u);
  ASSERT_TRUE(pair.establish());
}

}  // namespace
}  // namespace pqc_tunnel::test
