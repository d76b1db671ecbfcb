// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <array>
#include <functional>

#include "support/pair/traffic.hpp"

// Two ends that do not match: no keys, and one clear sentence at each end that may know the reason.

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

void expect_no_keys(WiredPair & pair)
{
  EXPECT_FALSE(pair.run_until([&] { return pair.agreed(); }, 60s));
  for (const Side side : both_sides) {
    EXPECT_FALSE(pair.saw(side, EventKind::handshake_completed));
    EXPECT_EQ(pair.snapshot(side).suite, nullptr);
    EXPECT_FALSE(pair.send(side, numbered(1)));
    EXPECT_EQ(pair.drops(side, Drop::no_session), 1u);
  }
  // It retries with growing pauses of up to 5 s.
  EXPECT_GE(pair.count(Side::drone, EventKind::handshake_started), 5u);
  EXPECT_LE(pair.count(Side::drone, EventKind::handshake_started), 25u);
}

Psk another_psk()
{
  std::array<std::uint8_t, 32> bytes;
  bytes.fill(0xee);
  return Psk(bytes);
}

TEST(Refusal, of_another_psk_or_an_unknown_drone_is_silent_and_costs_no_job)
{
  const std::array<std::function<void(DroneIdentity &)>, 2> alterations = {
    [](DroneIdentity & drone) { drone.psk = another_psk(); },
    [](DroneIdentity & drone) { drone.id.bytes.fill(0xee); }};
  for (const auto & alteration : alterations) {
    WiredPair::Options options;
    options.alter_drone = alteration;
    WiredPair pair(options);
    expect_no_keys(pair);
    EXPECT_EQ(pair.jobs_run(Side::gcs), 0u);
    EXPECT_TRUE(pair.reported(Side::gcs, EventKind::refused, "hello of a stranger dropped"));
    EXPECT_TRUE(pair.datagrams_sent(Side::gcs).empty());
  }
}

TEST(Refusal, of_a_ground_station_with_another_signing_key_is_the_drones)
{
  WiredPair::Options options;
  options.alter_gcs = [](GcsIdentity & gcs, DroneRecord &) {
    // Some other key of the same algorithm.
    gcs.signing_keys = Identities::for_signature(SignatureAlgorithm::ml_dsa_65).drone_signing_keys;
  };
  WiredPair pair(options);
  expect_no_keys(pair);
  EXPECT_TRUE(pair.reported(
    Side::drone, EventKind::handshake_failed, "the ground station's signature is invalid"));
  EXPECT_TRUE(pair.reported(
    Side::gcs, EventKind::handshake_failed, "it expects another identity of the ground station"));
}

TEST(Refusal, of_a_ground_station_with_another_id_is_the_drones)
{
  WiredPair::Options options;
  options.alter_gcs = [](GcsIdentity & gcs, DroneRecord &) { gcs.id.bytes.fill(0xee); };
  WiredPair pair(options);
  expect_no_keys(pair);
  EXPECT_TRUE(pair.reported(
    Side::drone, EventKind::handshake_failed, "the ground station's signature is invalid"));
}

TEST(Refusal, of_a_drone_that_signs_with_another_key_is_the_ground_stations)
{
  WiredPair::Options options;
  options.settings.mode.drone_signature = true;
  options.alter_drone = [](DroneIdentity & drone) {
    drone.signing_keys = Identities::for_signature(SignatureAlgorithm::ml_dsa_65).gcs.signing_keys;
  };
  WiredPair pair(options);
  expect_no_keys(pair);
  EXPECT_TRUE(
    pair.reported(Side::gcs, EventKind::handshake_failed, "the drone's signature is invalid"));
  // One failure code for all causes: the drone cannot distinguish them.
  EXPECT_TRUE(pair.reported(
    Side::drone, EventKind::handshake_failed, "the ground station refuses the handshake"));
}

void expect_policy_mismatch(
  WiredPair::Options options, std::string_view at_drone, std::string_view at_ground)
{
  WiredPair pair(std::move(options));
  expect_no_keys(pair);
  EXPECT_EQ(pair.jobs_run(Side::gcs), 0u);
  EXPECT_TRUE(pair.reported(
    Side::drone, EventKind::handshake_failed,
    "the ground station must be configured alike; here: "));
  EXPECT_TRUE(pair.reported(Side::drone, EventKind::handshake_failed, at_drone));
  EXPECT_TRUE(pair.reported(Side::gcs, EventKind::refused, "must be configured alike"));
  EXPECT_TRUE(pair.reported(Side::gcs, EventKind::refused, at_ground));
}

TEST(Refusal, for_another_minimum_level_is_reported_at_both_ends)
{
  WiredPair::Options options;
  options.gcs_settings.emplace().suites = SuitePolicy(SecurityLevel::l3, true);
  expect_policy_mismatch(
    options, "here: min_level 1, allow_experimental true, hybrid_x25519 false",
    "min_level 1, allow_experimental true there, min_level 3, allow_experimental true here");
}

TEST(Refusal, for_suites_of_different_levels_names_both_levels)
{
  WiredPair::Options options;
  options.suite = "cs-mlkem512-aesgcm-mldsa44";
  options.settings.suites = SuitePolicy(SecurityLevel::l1, false, &suite(options.suite));
  options.gcs_settings.emplace().suites =
    SuitePolicy(SecurityLevel::l3, false, &suite("cs-mlkem768-aesgcm-mldsa65"));
  expect_policy_mismatch(
    options, "here: min_level 1 (of suite cs-mlkem512-aesgcm-mldsa44), allow_experimental",
    "min_level 1, allow_experimental false there, min_level 3 (of suite "
    "cs-mlkem768-aesgcm-mldsa65), allow_experimental false here");
}

TEST(Refusal, for_other_allowed_suites_is_reported_at_both_ends)
{
  WiredPair::Options options;
  const Suite * const only = &suite(options.suite);
  options.gcs_settings.emplace().suites = SuitePolicy(std::vector<const Suite *>{only});
  expect_policy_mismatch(
    options, "here: min_level 1",
    "min_level 1, allow_experimental true there, allowed_suites with 1 suite here");
}

TEST(Refusal, for_another_mode_is_reported_at_both_ends)
{
  for (const HandshakeMode mode : {HandshakeMode{true, false}, HandshakeMode{false, true}}) {
    WiredPair::Options options;
    options.gcs_settings.emplace().mode = mode;
    expect_policy_mismatch(
      options, "hybrid_x25519 false, drone_signature false",
      mode.hybrid_x25519 ? "hybrid_x25519 is false there and true here"
                         : "drone_signature is false there and true here");
  }
}

TEST(Refusal, of_a_suite_without_a_key_of_the_ground_station_is_reported_at_both_ends)
{
  WiredPair::Options options;
  options.suite = "cs-mlkem512-aesgcm-mldsa44";
  options.alter_gcs = [](GcsIdentity & gcs, DroneRecord &) {
    gcs.signing_keys = Identities::for_signature(SignatureAlgorithm::ml_dsa_65).gcs.signing_keys;
  };
  WiredPair pair(options);
  expect_no_keys(pair);
  EXPECT_EQ(pair.jobs_run(Side::gcs), 0u);
  EXPECT_TRUE(pair.reported(Side::drone, EventKind::handshake_failed, "can't use cs-mlkem512"));
  EXPECT_TRUE(pair.reported(Side::gcs, EventKind::refused, "no signing key for cs-mlkem512"));
}

TEST(Configuration, of_a_drone_that_cannot_work_is_refused_with_a_sentence)
{
  SeededRandom random(1);
  const auto refusal = [&](auto && alter) {
    const Identities & ids = Identities::for_signature(SignatureAlgorithm::ml_dsa_65);
    TunnelSettings settings;
    settings.initial_suite = &suite("cs-mlkem768-aesgcm-mldsa65");
    Tunnel::DroneConfig config{settings, ids.drone_part(), {WiredPair::address_of(Side::gcs)}};
    alter(config);
    const auto made = Tunnel::create(std::move(config), random, Instant{});
    return made ? std::string("accepted") : made.error().message;
  };
  using Config = Tunnel::DroneConfig;
  EXPECT_EQ(refusal([](Config &) {}), "accepted");
  EXPECT_EQ(
    refusal([](Config & c) { c.settings.initial_suite = nullptr; }),
    "a drone needs an initial suite");
  EXPECT_EQ(refusal([](Config & c) { c.settings.replay_window = 64; }), "accepted");
  EXPECT_EQ(
    refusal([](Config & c) { c.settings.replay_window = 63; }),
    "the replay window must hold at least 64 packets");
  EXPECT_EQ(
    refusal([](Config & c) { c.settings.suites = SuitePolicy(std::vector<const Suite *>{}); }),
    "the configuration allows no suite at all");
  EXPECT_EQ(
    refusal([](Config & c) { c.settings.suites = SuitePolicy(SecurityLevel::l5, true); }),
    "cs-mlkem768-aesgcm-mldsa65 is not allowed by the configuration: its level 3 is below "
    "min_level 5");
  EXPECT_EQ(
    refusal([](Config & c) { c.identity.gcs_keys.clear(); }),
    "the identity holds no public key of the ground station for cs-mlkem768-aesgcm-mldsa65");
  EXPECT_EQ(
    refusal([](Config & c) {
      c.settings.mode.drone_signature = true;
      c.identity.signing_keys.clear();
    }),
    "the identity holds no signing key of the drone for cs-mlkem768-aesgcm-mldsa65");
}

TEST(Configuration, of_a_ground_station_that_cannot_work_is_refused_with_a_sentence)
{
  SeededRandom random(1);
  const Identities & ids = Identities::for_signature(SignatureAlgorithm::ml_dsa_65);
  const auto refusal = [&](std::vector<std::uint8_t> numbers) {
    std::vector<DroneRecord> drones;
    for (const std::uint8_t number : numbers) {
      drones.push_back(ids.record(number));
    }
    const auto made = Tunnel::create(
      Tunnel::GcsConfig{TunnelSettings{}, ids.gcs_part(), std::move(drones)}, random, Instant{});
    return made ? std::string("accepted") : made.error().message;
  };
  EXPECT_EQ(refusal({1, 2}), "accepted");
  EXPECT_EQ(refusal({}), "accepted");  // drones may come later
  EXPECT_EQ(refusal({1, 2, 1}), "drones drone 1 and drone 1 have the same id");
}

// --- A ground station that uses an ephemeral key twice ---

PrekeyPair copy_of(const PrekeyPair & keys)
{
  PrekeyPair copied;
  copied.suite = keys.suite;
  copied.mode = keys.mode;
  copied.key_id = keys.key_id;
  copied.kem_secret_key = SecretBytes::copy_of(keys.kem_secret_key.view());
  copied.public_key = keys.public_key;
  copied.key_digest = keys.key_digest;
  return copied;
}

// Issues one and the same key for ever.
WiredPair::JobFilter reuse_one_key()
{
  return [kept = std::make_shared<std::optional<PrekeyPair>>()](
           Side side, Job & job) -> std::optional<JobResult> {
    if (auto * issue = std::get_if<IssuePrekey>(&job); side == Side::gcs && issue != nullptr) {
      if (!*kept) {
        SeededRandom random(7);
        *kept = std::get<PrekeyPair>(run_job(issue->keys, random));
      }
      issue->made = copy_of(**kept);
    }
    return std::nullopt;
  };
}

TEST(EphemeralKey, used_twice_is_refused_by_the_drone)
{
  WiredPair pair;
  pair.set_job_filter(reuse_one_key());
  ASSERT_TRUE(pair.establish());
  const SessionId first = pair.snapshot(Side::drone).session;
  pair.drone().request_rekey(rekey_to(nullptr), pair.now());
  ASSERT_TRUE(pair.run_until([&] { return !pair.outcomes(Side::drone).empty(); }));
  EXPECT_FALSE(pair.outcomes(Side::drone).front().success);
  EXPECT_NE(
    pair.outcomes(Side::drone).front().message.find("used an ephemeral key twice"),
    std::string::npos);
  EXPECT_EQ(pair.snapshot(Side::drone).session, first);
  EXPECT_EQ(pair.snapshot(Side::drone).epoch, Epoch{0});
}

TEST(EphemeralKey, of_an_attempt_that_was_not_completed_is_refused_the_next_time)
{
  WiredPair pair;
  pair.set_job_filter(reuse_one_key());
  pair.set_datagram_filter([&](Side from, Bytes & bytes) {
    // Of the first attempt no Finish passes.
    return from == Side::gcs || is_hello(bytes) ||
           pair.count(Side::drone, EventKind::handshake_started) > 1;
  });
  EXPECT_FALSE(pair.establish());
  EXPECT_TRUE(
    pair.reported(Side::drone, EventKind::handshake_failed, "used an ephemeral key twice"));
}

}  // namespace
}  // namespace pqc_tunnel::test
