// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "protocol/hello_messages.hpp"
#include "support/memory_search.hpp"
#include "support/traffic.hpp"

// Keys are gone from the process's memory once they have served: it is searched from end to end.

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

TEST(WipedMemory, is_searched_so_that_a_key_is_found)
{
  const SecretBytes secret = SecretBytes::copy_of(Bytes(40, 0xc3));
  const Needle needle(secret.view());
  EXPECT_GE(count_in_memory(needle), 1u);
}

TEST(WipedMemory, holds_no_key_whose_owner_was_destroyed)
{
  std::optional<Needle> needle;
  {
    SeededRandom random(77);
    SecretBytes secret(64);
    random.fill(secret.span());
    needle.emplace(secret.view());
    EXPECT_EQ(count_in_memory(*needle), 1u);
    const SecretBytes moved = std::move(secret);
    EXPECT_EQ(count_in_memory(*needle), 1u);
  }
  EXPECT_EQ(count_in_memory(*needle), 0u);
}

// Every ephemeral secret key that the ground station makes, as its jobs return it.
class Handshakes : public testing::Test
{
protected:
  WiredPair::Options options()
  {
    WiredPair::Options options;
    options.settings.mode.hybrid_x25519 = true;
    return options;
  }
};

TEST_F(Handshakes, leave_no_ephemeral_key_behind)
{
  std::vector<Needle> needles;
  {
    WiredPair pair(options());
    pair.set_job_filter([&](Side, Job & job) -> std::optional<JobResult> {
      if (auto * complete = std::get_if<CompleteFinish>(&job)) {
        needles.emplace_back(complete->prekey.kem_secret_key.view());
        needles.emplace_back(complete->prekey.x25519->secret_key.view());
      }
      return std::nullopt;
    });
    ASSERT_TRUE(pair.establish());
    for (int i = 0; i < 3; ++i) {
      pair.drone().request_rekey(rekey_to(nullptr), pair.now());
      pair.run_for(5s);
    }
    ASSERT_EQ(needles.size(), 8u);
    for (const Needle & needle : needles) {
      EXPECT_EQ(count_in_memory(needle), 0u);
    }
  }
}

// What a whole exchange derives: both ends' keys, IVs and the resumption secret of a former epoch.
TEST_F(Handshakes, leave_no_secret_of_a_former_epoch_behind)
{
  std::vector<Needle> needles;
  WiredPair pair(options());
  pair.set_job_filter([&](Side, Job & job) -> std::optional<JobResult> {
    if (!std::holds_alternative<CompleteFinish>(job) || !needles.empty()) {
      return std::nullopt;
    }
    JobResult result = run_job(std::move(job), pair.random());
    const EpochSecrets & secrets = std::get<FinishCompleted>(result).secrets;
    for (const SecretBytes * secret :
         {&secrets.drone_to_gcs_key, &secrets.gcs_to_drone_key, &secrets.resumption})
    {
      needles.emplace_back(secret->view());
    }
    return result;
  });
  ASSERT_TRUE(pair.establish());
  ASSERT_EQ(needles.size(), 3u);
  pair.drone().request_rekey(rekey_to(nullptr), pair.now());
  pair.run_for(15s);
  for (const Needle & needle : needles) {
    EXPECT_EQ(count_in_memory(needle), 0u);
  }
}

TEST_F(Handshakes, leave_no_prekey_behind_that_the_drone_never_used)
{
  std::vector<Needle> needles;
  WiredPair::Options with_short_age = options();
  with_short_age.settings.prekey_pool.max_age = 60s;
  WiredPair pair(with_short_age);
  ASSERT_TRUE(pair.establish());
  pair.set_job_filter([&](Side, Job & job) -> std::optional<JobResult> {
    if (!std::holds_alternative<IssuePrekey>(job)) {
      return std::nullopt;
    }
    JobResult result = run_job(std::move(job), pair.random());
    const PrekeySecret & secret = std::get<IssuedPrekey>(result).secret;
    needles.emplace_back(secret.kem_secret_key.view());
    needles.emplace_back(secret.x25519->secret_key.view());
    return result;
  });
  pair.run_for(10s);
  ASSERT_GE(needles.size(), 2u);
  EXPECT_GE(count_in_memory(needles[0]), 1u);
  pair.run_for(60s);
  for (const Needle & needle : needles) {
    EXPECT_EQ(count_in_memory(needle), 0u);
  }
}

// Of every challenge that a drone has answered, although the ground station used one of them.
TEST(WipedMemory, holds_no_boot_keys_once_a_session_is_made_from_one_of_several_challenges)
{
  WiredPair pair;
  const PskKeySet psk = PskKeySet::derive(
    Identities::for_signature(suite(WiredPair::Options().suite).signature).record().psk);
  const auto second_hellos = [&] {
    std::set<Bytes> found;
    for (const Bytes & bytes : pair.datagrams_sent(Side::drone)) {
      if (is_hello(bytes) && parse_client_hello(bytes).challenge != Random32{}) {
        found.insert(bytes);
      }
    }
    return found;
  };
  bool heard = false;
  pair.set_datagram_filter([&](Side from, Bytes & bytes) {
    if (from == Side::drone && is_hello(bytes) && !std::exchange(heard, true)) {
      for (std::uint8_t i = 66; i < 69; ++i) {
        pair.gcs().handle_hello(bytes, WiredPair::stranger(i), pair.now());
      }
    }
    return true;
  });
  pair.run_until([&] { return heard; });
  pair.pump();
  for (const auto & [to, bytes] : std::exchange(pair.sent_elsewhere(Side::gcs), {})) {
    pair.inject(Side::drone, bytes);
  }
  std::vector<Needle> needles;
  const auto look = [&] {
    for (const Bytes & bytes : second_hellos()) {
      const ClientHello hello = parse_client_hello(bytes);
      const EpochSecrets boot = boot_secrets(
        psk.of(hello.suite), suite(WiredPair::Options().suite).aead, hello.client_random,
        hello.challenge);
      needles.emplace_back(boot.drone_to_gcs_key.view());
      needles.emplace_back(boot.gcs_to_drone_key.view());
    }
  };
  look();
  ASSERT_EQ(needles.size(), 6u);
  for (const Needle & needle : needles) {
    EXPECT_GE(count_in_memory(needle), 1u);
  }
  ASSERT_TRUE(pair.establish());
  pair.run_for(15s);
  needles.clear();
  look();
  ASSERT_EQ(needles.size(), 8u);
  for (const Needle & needle : needles) {
    EXPECT_EQ(count_in_memory(needle), 0u);
  }
}

TEST(WipedMemory, holds_no_pre_shared_key_once_the_tunnels_have_derived_theirs)
{
  std::optional<Needle> needle;
  WiredPair::Options options;
  options.alter_drone = [&](DroneIdentity & drone) {
    SeededRandom random(78);
    random.fill(drone.psk.span());
    needle.emplace(drone.psk.view());
  };
  options.alter_gcs = [](GcsIdentity &, DroneRecord & record) {
    SeededRandom random(78);
    random.fill(record.psk.span());
  };
  WiredPair pair(options);
  ASSERT_TRUE(pair.establish());
  EXPECT_EQ(count_in_memory(*needle), 0u);
}

}  // namespace
}  // namespace pqc_tunnel::test
