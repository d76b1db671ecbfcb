// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <filesystem>

#include "engine/engine_fixture.hpp"

namespace pqc_tunnel
{
namespace
{

using EngineRefusal = EngineFixture;

TEST_F(EngineRefusal, a_port_in_use_is_named_with_its_purpose)
{
  ASSERT_TRUE(gcs_ = start(gcs_config()));
  auto config = gcs_config();
  config.links[0].bind.port = gcs_->ports().datagram;
  EXPECT_EQ(
    refusal(config), "UDP 127.0.0.1:" + std::to_string(gcs_->ports().datagram) +
                       " for the encrypted side is in use by another program.");
  config = gcs_config();
  config.plaintext.bind.port = gcs_->ports().plaintext[0];
  EXPECT_EQ(
    refusal(config), "UDP 127.0.0.1:" + std::to_string(gcs_->ports().plaintext[0]) +
                       " for the plaintext side of drone alpha is in use by another program.");
}

TEST_F(EngineRefusal, an_address_of_another_machine_cant_be_bound)
{
  auto config = gcs_config();
  config.links[0].bind = {"192.0.2.1", 0};
  EXPECT_EQ(
    refusal(config),
    "UDP 192.0.2.1:0 for the encrypted side can't be bound: Cannot assign requested address.");
}

TEST_F(EngineRefusal, addresses_of_different_families_are_rejected_with_their_parameters)
{
  ASSERT_TRUE(gcs_ = start(gcs_config()));
  auto config = drone_config();
  config.links[0].gcs.host = "2001:db8::1";
  EXPECT_EQ(
    refusal(config),
    "The ground station can't be reached: bind_address and gcs_address are of different kinds "
    "(IPv4 and IPv6).");
  config = drone_config();
  config.plaintext.peer.host = "::1";
  EXPECT_EQ(
    refusal(config),
    "The plaintext peer can't be reached: plaintext_bind_address and plaintext_peer_address are of "
    "different kinds (IPv4 and IPv6).");
}

TEST_F(EngineRefusal, a_missing_identity_is_named)
{
  auto config = gcs_config();
  config.identity_dir = identities() / "nobody";
  EXPECT_EQ(
    refusal(config), "The folder " + (identities() / "nobody").string() +
                       " can't be opened: No such file or directory.");
  config = gcs_config();
  std::filesystem::remove_all(config.identity_dir / "drones");
  EXPECT_EQ(
    refusal(config), "The folder " + (config.identity_dir / "drones").string() +
                       " can't be opened: No such file or directory.");
}

TEST_F(EngineRefusal, the_identity_of_the_other_role_is_refused)
{
  auto config = gcs_config();
  config.identity_dir = identities() / "alpha";
  EXPECT_EQ(refusal(config), (identities() / "alpha/gcs.identity").string() + " isn't there.");
}

TEST_F(EngineRefusal, a_key_that_others_may_read_is_refused)
{
  const ScratchDir own;
  std::filesystem::copy(
    identities() / "gcs", own / "gcs", std::filesystem::copy_options::recursive);
  std::filesystem::permissions(
    own / "gcs/signing/mldsa44.key", std::filesystem::perms::others_read,
    std::filesystem::perm_options::add);
  auto config = gcs_config();
  config.identity_dir = own / "gcs";
  EXPECT_EQ(
    refusal(config), (own / "gcs/signing/mldsa44.key").string() +
                       " has mode 0604, but holds a secret and must have mode 0600.");
}

TEST_F(EngineRefusal, a_suite_without_the_ground_stations_key_is_refused)
{
  ASSERT_TRUE(gcs_ = start(gcs_config()));
  auto config = drone_config();
  config.settings.initial_suite = registry().find("cs-mlkem1024-aesgcm-mldsa87");
  EXPECT_EQ(
    refusal(config),
    "The tunnel can't start: the identity holds no public key of the ground station for "
    "cs-mlkem1024-aesgcm-mldsa87.");
}

TEST_F(EngineRefusal, mutual_mode_without_the_drones_key_is_refused)
{
  ASSERT_TRUE(gcs_ = start(gcs_config()));
  auto config = drone_config();
  config.settings.mode.drone_signature = true;
  EXPECT_EQ(
    refusal(config),
    "The tunnel can't start: the identity holds no signing key of the drone for "
    "cs-mlkem512-aesgcm-mldsa44.");
}

// The sentence that the drone shows for its ground station contains these words.
::testing::AssertionResult shows(const Engine & drone, const std::string & words)
{
  const auto cause = [&drone] { return drone.snapshot().peers.at(0).likely_cause; };
  if (eventually([&] { return cause().find(words) != std::string::npos; })) {
    return ::testing::AssertionSuccess();
  }
  return ::testing::AssertionFailure() << cause();
}

TEST_F(EngineRefusal, of_an_unknown_drone_is_explained_by_the_drone)
{
  ASSERT_TRUE(gcs_ = start(gcs_config({"alpha"})));
  ASSERT_TRUE(drone_ = start(drone_config("beta")));
  EXPECT_TRUE(shows(*drone_, "it does not accept this drone (unknown name or different key)"));
  EXPECT_TRUE(eventually([this] { return gcs_->snapshot().strangers.unknown_drone > 0; }));
}

TEST_F(EngineRefusal, a_ground_station_that_is_not_there_is_explained_by_the_drone)
{
  ASSERT_TRUE(gcs_ = start(gcs_config()));
  auto config = drone_config();
  gcs_.reset();
  ASSERT_TRUE(drone_ = start(std::move(config)));
  EXPECT_TRUE(shows(*drone_, "nothing listens at "));
}

TEST_F(EngineRefusal, a_name_without_an_address_is_explained_by_the_drone)
{
  ASSERT_TRUE(gcs_ = start(gcs_config()));
  auto config = drone_config();
  config.links[0].gcs.host = "no-such-host.invalid";
  ASSERT_TRUE(drone_ = start(std::move(config)));
  EXPECT_TRUE(shows(*drone_, "no IP address is known for "));
}

TEST_F(EngineRefusal, a_wrong_port_is_explained_by_the_drone)
{
  ASSERT_TRUE(gcs_ = start(gcs_config()));
  auto config = drone_config();
  const Application elsewhere;
  config.links[0].gcs.port = elsewhere.port();
  ASSERT_TRUE(drone_ = start(std::move(config)));
  EXPECT_TRUE(shows(*drone_, "no answer from "));
}

TEST_F(EngineRefusal, ends_that_allow_different_suites_report_it_at_both_ends)
{
  ASSERT_TRUE(gcs_ = start(gcs_config()));
  auto config = drone_config();
  config.settings.suites = SuitePolicy({config.settings.initial_suite});
  ASSERT_TRUE(drone_ = start(std::move(config)));
  bool gcs_reported = false;
  bool drone_reported = false;
  EXPECT_TRUE(eventually([&] {
    for (const Event & event : gcs_->take_events()) {
      gcs_reported = gcs_reported || event.kind == EventKind::refused;
    }
    for (const Event & event : drone_->take_events()) {
      drone_reported = drone_reported || event.kind == EventKind::handshake_failed;
    }
    return gcs_reported && drone_reported;
  }))
    << "gcs " << gcs_reported << ", drone " << drone_reported;
  EXPECT_EQ(state(*gcs_), PeerState::disconnected);
}

}  // namespace
}  // namespace pqc_tunnel
