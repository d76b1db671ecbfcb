// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "protocol/handshake/hello_messages.hpp"
#include "support/memory_search.hpp"
#include "support/pair/traffic.hpp"

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

// --- A session that is wiped ---

class WipedSession : public Handshakes
{
protected:
  WipedSession() : pair_(with_several_kinds_of_prekeys())
  {
    pair_.set_job_filter([this](Side, Job & job) -> std::optional<JobResult> {
      const auto * finish = std::get_if<MakeFinish>(&job);
      const bool is_rekey = finish != nullptr && finish->resumption.secret.size() > 0;
      JobResult result = run_job(std::move(job), pair_.random());
      if (const auto * issued = std::get_if<IssuedPrekey>(&result)) {
        prekeys_.emplace_back(issued->secret.kem_secret_key.view());
        prekeys_.emplace_back(issued->secret.x25519->secret_key.view());
      } else if (const auto * made = std::get_if<FinishMade>(&result)) {
        auto & keys = is_rekey ? rekey_ : session_;
        keys.emplace_back(made->secrets.drone_to_gcs_key.view());
        keys.emplace_back(made->secrets.gcs_to_drone_key.view());
        keys.emplace_back(made->secrets.resumption.view());
      }
      return result;
    });
  }

  WiredPair::Options with_several_kinds_of_prekeys()
  {
    WiredPair::Options several = options();
    several.identities = {SignatureAlgorithm::ml_dsa_44, SignatureAlgorithm::ml_dsa_87};
    return several;
  }
  void wipe(Side side)
  {
    pair_.end(side).wipe(PeerIndex{0}, "test", pair_.now());
    pair_.pump();
  }
  void wipe_both()
  {
    wipe(Side::drone);
    wipe(Side::gcs);
  }
  static std::size_t held(const std::vector<Needle> & secrets)
  {
    std::size_t count = 0;
    for (const Needle & needle : secrets) {
      count += count_in_memory(needle);
    }
    return count;
  }

  WiredPair pair_;
  std::vector<Needle> prekeys_;  // of the ground station
  std::vector<Needle> session_;
  std::vector<Needle> rekey_;
};

TEST_F(WipedSession, leaves_neither_its_keys_nor_those_of_its_prekeys)
{
  ASSERT_TRUE(pair_.establish());
  pair_.run_for(3s);
  ASSERT_GE(prekeys_.size(), 4u);
  EXPECT_GT(held(prekeys_), 0u);
  EXPECT_GT(held(session_), 0u);
  EXPECT_GT(pair_.snapshot(Side::drone).prekeys, 0u);
  wipe_both();
  EXPECT_EQ(held(prekeys_), 0u);
  EXPECT_EQ(held(session_), 0u);
  for (const Side side : both_sides) {
    EXPECT_EQ(pair_.snapshot(side).prekeys, 0u);
  }
}

TEST_F(WipedSession, leaves_no_keys_of_an_exchange_that_is_under_way)
{
  ASSERT_TRUE(pair_.establish());
  pair_.run_for(3s);
  pair_.set_datagram_filter([](Side from, Bytes &) { return from == Side::drone; });
  pair_.drone().request_rekey(rekey_to(nullptr), pair_.now());
  pair_.run_for(500ms);
  ASSERT_EQ(rekey_.size(), 3u);
  EXPECT_GT(held(rekey_), 0u);
  wipe_both();
  EXPECT_EQ(held(rekey_), 0u);
}

TEST_F(WipedSession, leaves_no_keys_of_an_exchange_that_waits_for_an_earlier_job)
{
  ASSERT_TRUE(pair_.establish());
  ASSERT_TRUE(pair_.run_until([&] { return pair_.snapshot(Side::drone).prekeys == 1; }));
  ASSERT_EQ(prekeys_.size(), 4u);
  pair_.hold_jobs(Side::gcs, true);
  ASSERT_TRUE(pair_.run_until([&] { return prekeys_.size() > 4; }));
  pair_.drone().request_rekey(rekey_to(nullptr), pair_.now());
  pair_.run_for(500ms);
  ASSERT_EQ(rekey_.size(), 3u);
  const std::vector<Needle> used(prekeys_.begin(), prekeys_.begin() + 4);
  EXPECT_GT(held(used), 0u);
  wipe_both();
  EXPECT_EQ(held(used), 0u);
  EXPECT_EQ(held(session_), 0u);
}

TEST_F(WipedSession, that_was_being_made_leaves_no_keys)
{
  pair_.set_datagram_filter(
    [this](Side from, Bytes &) { return from == Side::drone || session_.empty(); });
  ASSERT_TRUE(pair_.run_until([&] { return !session_.empty(); }));
  pair_.run_for(100ms);
  EXPECT_GT(held(session_), 0u);
  wipe_both();
  EXPECT_EQ(held(session_), 0u);
}

TEST_F(WipedSession, that_was_being_made_leaves_no_prekey)
{
  pair_.set_datagram_filter(
    [this](Side from, Bytes &) { return from == Side::gcs || prekeys_.empty(); });
  ASSERT_TRUE(pair_.run_until([&] { return !prekeys_.empty(); }));
  pair_.run_for(100ms);
  EXPECT_GT(held(prekeys_), 0u);
  wipe_both();
  EXPECT_EQ(held(prekeys_), 0u);
}

TEST_F(WipedSession, leaves_no_boot_keys)
{
  std::optional<ClientHello> hello;
  pair_.set_datagram_filter([&](Side from, Bytes & bytes) {
    if (from == Side::drone && is_hello(bytes)) {
      hello = parse_client_hello(bytes);
    }
    return true;
  });
  ASSERT_TRUE(pair_.establish());
  const Suite & used = suite(WiredPair::Options().suite);
  std::vector<Needle> boot_keys;
  {
    const PskKeySet psk = PskKeySet::derive(Identities::for_signature(used.signature).record().psk);
    const EpochSecrets boot =
      boot_secrets(psk.of(hello->suite), used.aead, hello->client_random, hello->challenge);
    boot_keys.emplace_back(boot.drone_to_gcs_key.view());
    boot_keys.emplace_back(boot.gcs_to_drone_key.view());
  }
  EXPECT_GT(held(boot_keys), 0u);  // frames under them may still be on the way
  wipe_both();
  EXPECT_EQ(held(boot_keys), 0u);
}

TEST_F(WipedSession, leaves_no_stream_at_either_end)
{
  ASSERT_TRUE(pair_.establish());
  const auto bytes_under_way = [this](Side side) {
    return pair_.snapshot(side).pool.bytes_under_way;
  };
  // Of the first prekey that is fetched ahead, some parts arrive.
  pair_.set_datagram_filter([&](Side from, Bytes & bytes) {
    return from == Side::drone || bytes.size() < 1000 || bytes_under_way(Side::drone) == 0;
  });
  ASSERT_TRUE(pair_.run_until([&] { return bytes_under_way(Side::drone) > 0; }, 10s));
  EXPECT_GT(bytes_under_way(Side::gcs), 0u);
  wipe_both();
  for (const Side side : both_sides) {
    EXPECT_EQ(bytes_under_way(side), 0u);
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
        pair.gcs().handle_datagram(bytes, WiredPair::stranger(i), pair.now());
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
