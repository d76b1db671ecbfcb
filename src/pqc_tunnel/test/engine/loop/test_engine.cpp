// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <linux/capability.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "engine/engine_fixture.hpp"

namespace pqc_tunnel
{
namespace
{

using EngineTest = EngineFixture;

TEST_F(EngineTest, datagrams_of_every_size_arrive_byte_for_byte_both_ways)
{
  start_pair();
  for (std::size_t size = 1; size <= 1449; ++size) {
    drone_application_.send(pattern(size));
    ASSERT_EQ(gcs_application_.receive(), pattern(size)) << size;
    gcs_application_.send(pattern(size));
    ASSERT_EQ(drone_application_.receive(), pattern(size)) << size;
  }
}

TEST_F(EngineTest, empty_datagrams_are_datagrams_too)
{
  start_pair();
  drone_application_.send({});
  EXPECT_EQ(gcs_application_.receive(), Bytes());
}

TEST_F(EngineTest, bursts_arrive_complete_and_in_order)
{
  start_pair();
  constexpr std::size_t bursts = 20;
  constexpr std::size_t burst = 200;  // several batches
  for (std::size_t round = 0; round < bursts; ++round) {
    for (std::size_t i = 0; i < burst; ++i) {
      drone_application_.send(pattern(1 + i));
    }
    for (std::size_t i = 0; i < burst; ++i) {
      ASSERT_EQ(gcs_application_.receive(), pattern(1 + i)) << "round " << round;
    }
  }
}

TEST_F(EngineTest, a_datagram_too_long_for_the_link_is_counted_and_others_pass)
{
  start_pair();
  drone_application_.send(pattern(1450));
  drone_application_.send(pattern(1449));
  EXPECT_EQ(gcs_application_.receive(), pattern(1449));
  EXPECT_TRUE(eventually(
    [this] { return traffic(*drone_).drops[static_cast<std::size_t>(Drop::oversize)] == 1; }));
  EXPECT_EQ(traffic(*drone_).plain_in_packets, 2u);
}

TEST_F(EngineTest, a_datagram_too_long_for_a_narrow_link_arrives_in_fragments)
{
  const auto narrowed = [](EngineConfig config) {
    config.settings.max_datagram = 231;
    config.settings.paths.links[0].mtu = 256;
    return config;
  };
  ASSERT_TRUE(gcs_ = start(narrowed(gcs_config())));
  ASSERT_TRUE(drone_ = start(narrowed(drone_config())));
  ASSERT_TRUE(in_contact()) << history();
  connect_applications();
  for (std::size_t i = 0; i < 100; ++i) {  // some in one batch, with short ones between
    drone_application_.send(pattern(1500 - i));
    drone_application_.send(pattern(100 + i));
  }
  for (std::size_t i = 0; i < 100; ++i) {
    ASSERT_EQ(gcs_application_.receive(), pattern(1500 - i)) << i;
    ASSERT_EQ(gcs_application_.receive(), pattern(100 + i)) << i;
  }
  drone_application_.send(pattern(1501));
  EXPECT_TRUE(eventually(
    [this] { return traffic(*drone_).drops[static_cast<std::size_t>(Drop::oversize)] == 1; }));
  EXPECT_EQ(traffic(*drone_).plain_in_packets, 201U);
}

TEST_F(EngineTest, plaintext_before_there_are_keys_is_counted)
{
  start_pair();
  gcs_->stop();
  auto config = drone_config();
  drone_->stop();
  drone_ = start(std::move(config));
  ASSERT_TRUE(drone_);
  drone_application_.connect(drone_->ports().plaintext[0]);
  drone_application_.send(pattern(10));
  EXPECT_TRUE(eventually(
    [this] { return traffic(*drone_).drops[static_cast<std::size_t>(Drop::no_session)] == 1; }));
}

TEST_F(EngineTest, without_a_fixed_peer_datagrams_go_to_the_newest_local_sender)
{
  ASSERT_TRUE(gcs_ = start([this] {
                auto config = gcs_config();
                config.plaintext.peer = {};
                return config;
              }()));
  ASSERT_TRUE(drone_ = start(drone_config()));
  ASSERT_TRUE(in_contact()) << history();
  connect_applications();
  drone_application_.send(pattern(50));
  EXPECT_TRUE(eventually(
    [this] { return traffic(*gcs_).drops[static_cast<std::size_t>(Drop::queue_full)] == 1; }))
    << "nobody is known there yet";
  Application other;
  other.connect(gcs_->ports().plaintext[0]);
  for (Application * newest : {&gcs_application_, &other}) {
    newest->send(pattern(51));
    ASSERT_EQ(drone_application_.receive(), pattern(51));
    drone_application_.send(pattern(52));
    EXPECT_EQ(newest->receive(), pattern(52));
  }
}

// What the ground sends would speak for the vehicle: whoever reads a mirror takes its frames for the autopilot's.
TEST_F(EngineTest, a_mirror_at_either_end_gets_what_the_vehicle_sends_and_nothing_of_the_ground)
{
  const Application at_drone;
  const Application at_ground;
  ASSERT_TRUE(gcs_ = start([&] {
                auto config = gcs_config();
                config.plaintext.mirror = {loopback, at_ground.port()};
                return config;
              }()));
  ASSERT_TRUE(drone_ = start([&] {
                auto config = drone_config();
                config.plaintext.mirror = {loopback, at_drone.port()};
                return config;
              }()));
  ASSERT_TRUE(in_contact()) << history();
  connect_applications();
  gcs_application_.send(pattern(30));
  EXPECT_EQ(drone_application_.receive(), pattern(30));
  drone_application_.send(pattern(2000));  // is not sent, so there is nothing to mirror
  drone_application_.send(pattern(20));
  EXPECT_EQ(gcs_application_.receive(), pattern(20));
  EXPECT_EQ(at_drone.receive(), pattern(20));
  EXPECT_EQ(at_ground.receive(), pattern(20));
}

// A frame of MAVLink 2 with an empty payload; checksums are left to whom they concern.
Bytes mavlink_frame(std::uint32_t message)
{
  return {
    0xfd,
    0,
    0,
    0,
    0,
    1,
    1,
    static_cast<std::uint8_t>(message),
    static_cast<std::uint8_t>(message >> 8),
    static_cast<std::uint8_t>(message >> 16),
    0xaa,
    0xbb};
}

TEST_F(EngineTest, a_mirror_of_certain_messages_gets_these_of_the_vehicle_a_datagram_each)
{
  const Application mirror;
  ASSERT_TRUE(gcs_ = start(gcs_config()));
  ASSERT_TRUE(drone_ = start([&] {
                auto config = drone_config();
                config.plaintext.mirror = {loopback, mirror.port()};
                config.plaintext.mirror_messages = {245, 0};
                return config;
              }()));
  ASSERT_TRUE(in_contact()) << history();
  connect_applications();
  Bytes several;
  for (const std::uint32_t message : {30U, 0U, 33U, 245U}) {
    const Bytes frame = mavlink_frame(message);
    several.insert(several.end(), frame.begin(), frame.end());
  }
  for (const std::uint32_t message : {30U, 245U}) {
    gcs_application_.send(mavlink_frame(message));
    EXPECT_EQ(drone_application_.receive(), mavlink_frame(message));
  }
  drone_application_.send(pattern(20));
  drone_application_.send(several);
  EXPECT_EQ(gcs_application_.receive(), pattern(20));
  EXPECT_EQ(gcs_application_.receive(), several);
  EXPECT_EQ(mirror.receive(), mavlink_frame(0));
  EXPECT_EQ(mirror.receive(), mavlink_frame(245));
}

TEST_F(EngineTest, a_rekey_changes_suite_and_epoch_at_both_ends_without_losing_a_datagram)
{
  start_pair();
  std::size_t sent = 0;
  std::size_t arrived = 0;
  const std::vector<std::string> ids{
    "cs-mlkem768-chacha20poly1305-mldsa65", "cs-mlkem512-ascon128a-falcon512", ""};
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const auto request = drone_->request_rekey(first_peer, ids[i], "test");
    std::optional<RekeyReply> reply;
    while (!reply) {
      drone_application_.send(pattern(1 + sent++ % 1000));
      const auto datagram = gcs_application_.receive();
      ASSERT_EQ(datagram, pattern(1 + arrived++ % 1000));
      for (auto & one : drone_->take_rekey_replies()) {
        reply = std::move(one);
      }
    }
    EXPECT_EQ(reply->id, request);
    ASSERT_TRUE(reply->success) << reply->message << "\n" << history();
    EXPECT_EQ(reply->epoch, Epoch{static_cast<std::uint8_t>(i + 1)});
    EXPECT_TRUE(eventually([&] {
      return gcs_->snapshot().peers[0].suite == reply->suite &&
             gcs_->snapshot().peers[0].epoch == reply->epoch;
    }))
      << history();
  }
  EXPECT_GT(sent, 0u);
}

TEST_F(EngineTest, the_ground_station_may_ask_for_a_rekey)
{
  start_pair();
  const auto reply = rekey(*gcs_, "cs-mlkem768-aesgcm-mldsa65");
  ASSERT_TRUE(reply.success) << reply.message << "\n" << history();
  EXPECT_EQ(reply.suite->id, "cs-mlkem768-aesgcm-mldsa65");
}

TEST_F(EngineTest, a_rejected_rekey_is_answered_with_the_reason)
{
  start_pair();
  EXPECT_EQ(
    rekey(*drone_, "cs-mlkem768-aesgcm-mldsa66").message,
    "there is no suite \"cs-mlkem768-aesgcm-mldsa66\"; did you mean cs-mlkem768-aesgcm-mldsa65?");
  const auto request = drone_->request_rekey(second_peer, "", "test");
  std::vector<RekeyReply> replies;
  ASSERT_TRUE(eventually([&] { return !(replies = drone_->take_rekey_replies()).empty(); }));
  EXPECT_EQ(replies[0].id, request);
  EXPECT_EQ(replies[0].message, "there is no such drone");
  EXPECT_FALSE(rekey(*drone_, "cs-hqc128-aesgcm-falcon512").success);
  drone_->stop();
  EXPECT_EQ(rekey(*drone_, "").message, "The tunnel has stopped.");
}

TEST_F(EngineTest, a_rekey_that_waits_for_a_silent_peer_is_answered_once_when_the_tunnel_stops)
{
  start_pair();
  gcs_->stop();
  const auto request = drone_->request_rekey(first_peer, "", "test");
  drone_->stop();
  const auto replies = drone_->take_rekey_replies();
  ASSERT_EQ(replies.size(), 1u);
  EXPECT_EQ(replies[0].id, request);
  EXPECT_EQ(replies[0].message, "The tunnel has stopped.");
}

TEST_F(EngineTest, two_drones_share_one_ground_station_on_ports_of_their_own)
{
  ASSERT_TRUE(gcs_ = start(gcs_config({"alpha", "beta"})));
  ASSERT_TRUE(drone_ = start(drone_config("alpha")));
  const auto beta = start(drone_config("beta"));
  ASSERT_TRUE(beta);
  ASSERT_TRUE(in_contact()) << history();
  ASSERT_TRUE(eventually([&] {
    return state(*beta) == PeerState::established &&
           state(*gcs_, second_peer) == PeerState::established;
  }));
  connect_applications();
  beta_application_.connect(beta->ports().plaintext[0]);
  gcs_beta_application_.connect(gcs_->ports().plaintext[1]);

  beta_application_.send(pattern(61));
  EXPECT_EQ(gcs_beta_application_.receive(), pattern(61));
  gcs_beta_application_.send(pattern(62));
  EXPECT_EQ(beta_application_.receive(), pattern(62));
  expect_traffic_both_ways();
  EXPECT_FALSE(gcs_beta_application_.receive(50));
  EXPECT_FALSE(beta_application_.receive(50));
}

TEST_F(EngineTest, either_end_may_be_killed_and_started_again)
{
  peer_timeout_ = std::chrono::seconds(1);
  start_pair();

  gcs_->stop();
  gcs_ = start(gcs_config());
  ASSERT_TRUE(gcs_);
  ASSERT_TRUE(in_contact()) << history();
  connect_applications();
  expect_traffic_both_ways();

  const auto handshakes = gcs_->snapshot().peers[0].handshakes;
  drone_->stop();
  drone_ = start(drone_config());
  ASSERT_TRUE(drone_);
  ASSERT_TRUE(eventually([&] { return gcs_->snapshot().peers[0].handshakes > handshakes; }));
  ASSERT_TRUE(in_contact()) << history();
  connect_applications();
  expect_traffic_both_ways();
}

TEST_F(EngineTest, a_drone_waits_for_its_ground_station_for_ever)
{
  ASSERT_TRUE(gcs_ = start(gcs_config()));
  gcs_datagram_port_ = gcs_->ports().datagram;
  auto config = drone_config();
  gcs_->stop();
  ASSERT_TRUE(drone_ = start(std::move(config)));
  std::string reason;
  ASSERT_TRUE(eventually([&] {
    for (const Event & event : drone_->take_events()) {
      reason = event.kind == EventKind::handshake_failed ? event.text : reason;
    }
    return !reason.empty();
  }));
  EXPECT_EQ(reason, "waiting for the ground station at gcs_address");
  gcs_ = start(gcs_config());
  ASSERT_TRUE(gcs_);
  EXPECT_TRUE(in_contact()) << history();
}

TEST_F(EngineTest, the_ground_station_may_be_given_by_name)
{
  ASSERT_TRUE(gcs_ = start(gcs_config()));
  auto config = drone_config();
  config.links[0].gcs.host = "localhost";
  ASSERT_TRUE(drone_ = start(std::move(config)));
  EXPECT_TRUE(in_contact()) << history();
}

TEST_F(EngineTest, a_name_that_does_not_resolve_is_reported_and_retried)
{
  ASSERT_TRUE(gcs_ = start(gcs_config()));
  auto config = drone_config();
  config.links[0].gcs.host = "no-such-host.invalid";
  ASSERT_TRUE(drone_ = start(std::move(config)));
  std::vector<std::string> reasons;
  EXPECT_TRUE(eventually([&] {
    for (const Event & event : drone_->take_events()) {
      if (event.kind == EventKind::handshake_failed) {
        reasons.push_back(event.text);
      }
    }
    return reasons.size() >= 2;
  }));
  EXPECT_NE(reasons[1].find("no IP address is known for "), std::string::npos) << reasons[1];
}

TEST_F(EngineTest, it_works_over_ipv6)
{
  gcs_ = start([this] {
    auto config = gcs_config();
    config.links[0].bind.host = "::1";
    return config;
  }());
  if (!gcs_) {
    GTEST_SKIP() << "this machine has no IPv6";
  }
  auto config = drone_config();
  config.links[0].bind.host = config.links[0].gcs.host = "::1";
  ASSERT_TRUE(drone_ = start(std::move(config)));
  ASSERT_TRUE(in_contact()) << history();
  EXPECT_EQ(gcs_->snapshot().peers[0].address.family, AddressFamily::ipv6);
}

TEST_F(EngineTest, one_socket_without_an_address_receives_ipv4_and_ipv6)
{
  ASSERT_TRUE(gcs_ = start([this] {
                auto config = gcs_config();
                config.links[0].bind.host = "";
                return config;
              }()));
  auto config = drone_config();
  config.links[0].bind.host = "";
  ASSERT_TRUE(drone_ = start(std::move(config)));
  ASSERT_TRUE(in_contact()) << history();
  EXPECT_EQ(gcs_->snapshot().peers[0].address.family, AddressFamily::ipv4);
}

// The packet thread has the rights of the user that starts it.
TEST_F(EngineTest, memory_that_the_system_does_not_lock_is_reported)
{
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_MEMLOCK, &before), 0);
  const rlimit little{std::min(rlim_t{1} << 20, before.rlim_max), before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_MEMLOCK, &little), 0);
  std::thread([this] {
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    const std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> none{};
    ASSERT_EQ(::syscall(SYS_capset, &header, none.data()), 0);
    auto config = gcs_config();
    config.packet_thread.lock_memory = true;
    gcs_ = start(std::move(config));
  }).join();
  std::string text;
  EXPECT_TRUE(gcs_ && eventually([&] { return !(text += history()).empty(); }));
  EXPECT_EQ(::setrlimit(RLIMIT_MEMLOCK, &before), 0);
  EXPECT_NE(text.find("doesn't allow packet_thread.lock_memory"), std::string::npos) << text;
}

TEST_F(EngineTest, plaintext_from_another_sender_than_the_configured_peer_is_dropped_and_counted)
{
  start_pair();
  Application other;
  other.connect(drone_->ports().plaintext[0]);
  other.send(pattern(40));
  EXPECT_TRUE(eventually(
    [this] { return traffic(*drone_).drops[static_cast<std::size_t>(Drop::foreign)] == 1; }));
  expect_traffic_both_ways();
}

TEST_F(EngineTest, keys_are_wiped_on_request_and_a_new_session_follows)
{
  start_pair();
  const SessionId before = drone_->snapshot().peers[0].session;
  EXPECT_TRUE(drone_->wipe(first_peer));
  ASSERT_TRUE(eventually([&] { return drone_->snapshot().peers[0].session != before; }));
  ASSERT_TRUE(in_contact()) << history();
  expect_traffic_both_ways();
  drone_->stop();
  EXPECT_FALSE(drone_->wipe(first_peer));
}

TEST_F(EngineTest, a_ratchet_changes_the_epoch_at_both_ends)
{
  start_pair();
  drone_->request_rekey(first_peer, "", "test", true);
  ASSERT_TRUE(eventually([&] { return gcs_->snapshot().peers[0].ratchets == 1; }));
  ASSERT_TRUE(in_contact()) << history();
  expect_traffic_both_ways();
}

TEST_F(EngineTest, stopping_is_quick_quiet_and_may_be_repeated)
{
  start_pair();
  EXPECT_TRUE(drone_->snapshot().running);
  drone_->stop();
  drone_->stop();
  EXPECT_TRUE(drone_->wait());
  EXPECT_FALSE(drone_->snapshot().running);
}

}  // namespace
}  // namespace pqc_tunnel
