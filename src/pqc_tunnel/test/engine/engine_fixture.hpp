// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef ENGINE__ENGINE_FIXTURE_HPP_
#define ENGINE__ENGINE_FIXTURE_HPP_

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "crypto/random.hpp"
#include "crypto/suites/suite.hpp"
#include "engine/loop/engine.hpp"
#include "identity/drone_folder.hpp"
#include "identity/identity_files.hpp"
#include "identity/identity_layout.hpp"
#include "support/application.hpp"
#include "support/scratch_dir.hpp"

namespace pqc_tunnel
{

inline constexpr const char * loopback = "127.0.0.1";
inline constexpr PeerIndex first_peer{0};
inline constexpr PeerIndex second_peer{1};

// Keys of a ground station and of drones alpha and beta, made once for all tests of a program.
inline const ScratchDir & identities()
{
  static const ScratchDir folder;
  static const bool made = [] {
    SystemRandom random;
    const IdentityPlan plan{
      {"alpha", "beta"},
      {SignatureAlgorithm::ml_dsa_44, SignatureAlgorithm::ml_dsa_65,
       SignatureAlgorithm::falcon_512},
      {}};
    const auto result = make_identities(folder.path(), plan, random, [](const std::string &) {});
    EXPECT_TRUE(result) << (result ? "" : result.error().message);
    return result.has_value();
  }();
  EXPECT_TRUE(made);
  return folder;
}

// Waits for something to become true; the limit only ends a test that has failed.
template <class Predicate>
bool eventually(Predicate && predicate, std::chrono::seconds limit = std::chrono::seconds(60))
{
  const auto end = std::chrono::steady_clock::now() + limit;
  while (!predicate()) {
    if (std::chrono::steady_clock::now() > end) {
      return false;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

// A drone (or two) and a ground station in one process, over real sockets on free ports.
class EngineFixture : public ::testing::Test
{
protected:
  TunnelSettings quick_settings() const
  {
    TunnelSettings settings;
    settings.initial_suite = registry().find("cs-mlkem512-aesgcm-mldsa44");
    settings.suites = SuitePolicy(SecurityLevel::l1, false);
    settings.peer_timeout = peer_timeout_;
    settings.keepalive_interval = std::chrono::milliseconds(100);
    return settings;
  }

  // A copy of the ground station's identity that serves these drones. What beta sends goes to an application of its own.
  std::filesystem::path gcs_identity(const std::vector<std::string> & drones = {"alpha"})
  {
    const auto folder = gcs_identities_ / std::to_string(++gcs_copies_);
    std::filesystem::copy(identities() / "gcs", folder, std::filesystem::copy_options::recursive);
    for (const std::string & drone : recorded_drones(folder)) {
      if (std::ranges::find(drones, drone) == drones.end()) {
        std::filesystem::remove(record_path(folder, drone));
      }
    }
    std::ofstream(drone_settings_path(folder, "beta"))
      << "plaintext_peer_port: " << gcs_beta_application_.port() << "\n";
    return folder;
  }

  EngineConfig gcs_config(const std::vector<std::string> & drones = {"alpha"})
  {
    EngineConfig config;
    config.role = Role::gcs;
    config.identity_dir = gcs_identity(drones);
    config.settings = quick_settings();
    config.links[0].bind = {loopback, gcs_datagram_port_};
    config.plaintext = {"", {loopback, 0}, {loopback, gcs_application_.port()}, {}, {}};
    return config;
  }

  // For the ground station that runs now.
  EngineConfig drone_config(const std::string & name = "alpha")
  {
    EngineConfig config;
    config.role = Role::drone;
    config.identity_dir = identities() / name;
    config.settings = quick_settings();
    config.links[0].bind = {loopback, 0};
    config.links[0].gcs = {loopback, gcs_->ports().datagram};
    const Application & application = name == "alpha" ? drone_application_ : beta_application_;
    config.plaintext = {"", {loopback, 0}, {loopback, application.port()}, {}, {}};
    return config;
  }

  static std::unique_ptr<Engine> start(EngineConfig config)
  {
    auto engine = Engine::start(std::move(config));
    EXPECT_TRUE(engine) << (engine ? "" : engine.error().message);
    return engine ? std::move(*engine) : nullptr;
  }

  static std::string refusal(EngineConfig config)
  {
    const auto engine = Engine::start(std::move(config));
    return engine ? "started" : engine.error().message;
  }

  // Both ends, connected. Their ports stay the same, so that either end can restart.
  void start_pair()
  {
    ASSERT_TRUE(gcs_ = start(gcs_config()));
    gcs_datagram_port_ = gcs_->ports().datagram;
    ASSERT_TRUE(drone_ = start(drone_config()));
    ASSERT_TRUE(in_contact()) << history();
    connect_applications();
  }

  void connect_applications()
  {
    drone_application_.connect(drone_->ports().plaintext[0]);
    gcs_application_.connect(gcs_->ports().plaintext[0]);
  }

  static Bytes pattern(std::size_t size)
  {
    Bytes bytes(size);
    for (std::size_t i = 0; i < size; ++i) {
      bytes[i] = static_cast<std::uint8_t>(i * 31 + size);
    }
    return bytes;
  }

  void expect_traffic_both_ways()
  {
    drone_application_.send(pattern(70));
    EXPECT_EQ(gcs_application_.receive(), pattern(70));
    gcs_application_.send(pattern(71));
    EXPECT_EQ(drone_application_.receive(), pattern(71));
  }

  // Both ends know each other and send under the same keys.
  bool in_contact()
  {
    return eventually([this] {
      const EngineSnapshot drone = drone_->snapshot();
      const EngineSnapshot gcs = gcs_->snapshot();
      return state(*drone_) == PeerState::established && state(*gcs_) == PeerState::established &&
             drone.peers[0].session == gcs.peers[0].session &&
             drone.peers[0].epoch == gcs.peers[0].epoch;
    });
  }

  static PeerState state(const Engine & engine, PeerIndex peer = first_peer)
  {
    const auto snapshot = engine.snapshot();
    const auto index = static_cast<std::size_t>(peer);
    return index < snapshot.peers.size() ? snapshot.peers[index].state : PeerState::disconnected;
  }

  static TrafficCounters traffic(const Engine & engine, PeerIndex peer = first_peer)
  {
    return engine.snapshot().peers.at(static_cast<std::size_t>(peer)).traffic;
  }

  static RekeyReply rekey(Engine & engine, const std::string & suite_id)
  {
    const auto id = engine.request_rekey(first_peer, suite_id, "test");
    std::vector<RekeyReply> replies;
    EXPECT_TRUE(eventually([&] {
      for (auto & reply : engine.take_rekey_replies()) {
        replies.push_back(std::move(reply));
      }
      return !replies.empty();
    }));
    EXPECT_EQ(replies.size(), 1u);
    EXPECT_EQ(replies.front().id, id);
    return std::move(replies.front());
  }

  // What both ends have reported, for the message of a failed test.
  std::string history()
  {
    std::string text;
    for (Engine * engine : {gcs_.get(), drone_.get()}) {
      for (const Event & event : engine ? engine->take_events() : std::vector<Event>()) {
        text += std::string(engine == gcs_.get() ? "gcs: " : "drone: ") + event.text + "\n";
      }
    }
    return text;
  }

  ScratchDir gcs_identities_;
  int gcs_copies_ = 0;
  Duration peer_timeout_ = std::chrono::seconds(5);  // a busy machine may keep an end from running
  std::uint16_t gcs_datagram_port_ = 0;
  std::unique_ptr<Engine> gcs_;
  std::unique_ptr<Engine> drone_;
  Application drone_application_;
  Application gcs_application_;
  Application beta_application_;
  Application gcs_beta_application_;
};

}  // namespace pqc_tunnel

#endif  // ENGINE__ENGINE_FIXTURE_HPP_
