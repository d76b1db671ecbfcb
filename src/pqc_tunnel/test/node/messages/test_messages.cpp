// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "crypto/suites/suite.hpp"
#include "node/messages/messages.hpp"

namespace pqc_tunnel
{
namespace
{

using pqc_msgs::msg::TunnelEvent;
using pqc_msgs::msg::TunnelStatus;
using std::chrono::milliseconds;
using std::chrono::seconds;

const ClockPair now{Instant{seconds(1000)}, 1'700'000'000'250'000'000};

PeerSnapshot established_peer()
{
  PeerSnapshot peer;
  peer.name = "drone1";
  peer.state = PeerState::established;
  peer.suite = registry().find("cs-mlkem768-aesgcm-mldsa65");
  peer.session = {{0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef}};
  peer.epoch = Epoch{7};
  peer.address = {AddressFamily::ipv4, 46011, 0, {192, 0, 2, 5}};
  peer.key_installed = now.engine - seconds(90);
  peer.last_heard = now.engine - milliseconds(20);
  peer.packets_under_key = 28'800;
  peer.handshakes = 8;
  peer.rekeys = 7;
  peer.ratchets = 4;
  peer.rollbacks = 1;
  peer.prekeys = 2;
  peer.exchange_bytes = 1280;
  peer.fetch_bytes = 5900;
  peer.receive_id = FrameKeyId{0xa1b2c3d4};
  return peer;
}

TEST(Messages, an_instant_is_converted_to_ros_time_by_a_pair_of_clock_readings)
{
  const auto stamp = to_stamp(now.engine - milliseconds(500), now);
  EXPECT_EQ(stamp.sec, 1'699'999'999);
  EXPECT_EQ(stamp.nanosec, 750'000'000u);
}

TEST(Messages, an_instant_before_the_ros_epoch_is_stamped_zero)
{
  const auto stamp = to_stamp(now.engine - seconds(5), {now.engine, 0});
  EXPECT_EQ(stamp.sec, 0);
  EXPECT_EQ(stamp.nanosec, 0u);
}

TEST(Messages, status_has_the_peer_and_the_keys_in_use)
{
  const auto status = status_message(Role::gcs, established_peer(), now);
  EXPECT_EQ(status.role, TunnelStatus::ROLE_GCS);
  EXPECT_EQ(status.role_text, "gcs");
  EXPECT_EQ(status.peer, "drone1");
  EXPECT_EQ(status.peer_address, "192.0.2.5:46011");
  EXPECT_EQ(status.state, TunnelStatus::STATE_ESTABLISHED);
  EXPECT_EQ(status.state_text, "established");
  EXPECT_TRUE(status.encrypted);
  EXPECT_EQ(status.suite, "cs-mlkem768-aesgcm-mldsa65");
  EXPECT_EQ(status.level, 3);
  EXPECT_EQ(status.aead_key_bits, 256);
  EXPECT_EQ(status.session, "0123456789abcdef");
  EXPECT_EQ(status.epoch, 7);
  EXPECT_DOUBLE_EQ(status.key_age_s, 90.0);
  EXPECT_DOUBLE_EQ(status.since_heard_s, 0.02);
  EXPECT_EQ(status.packets_under_key, 28'800u);
  EXPECT_EQ(status.key_id, 0xa1b2c3d4u);
  EXPECT_EQ(status.handshakes, 8u);
  EXPECT_EQ(status.rekeys, 7u);
  EXPECT_EQ(status.ratchets, 4u);
  EXPECT_EQ(status.rollbacks, 1u);
  EXPECT_EQ(status.prekeys, 2u);
  EXPECT_EQ(status.exchange_bytes, 1280u);
  EXPECT_EQ(status.fetch_bytes, 5900u);
  EXPECT_FALSE(status.stretched);
  EXPECT_EQ(status.stamp.sec, 1'700'000'000);
}

TEST(Messages, status_has_the_keys_in_stock)
{
  auto peer = established_peer();
  peer.pool = {3, 4, 12'000, 5'000, true, 9, 5, 2, 1};
  const auto pool = status_message(Role::gcs, peer, now).pool;
  EXPECT_EQ(pool.stored, 3u);
  EXPECT_EQ(pool.wanted, 4u);
  EXPECT_EQ(pool.bytes, 12'000u);
  EXPECT_EQ(pool.bytes_under_way, 5'000u);
  EXPECT_TRUE(pool.making);
  EXPECT_EQ(pool.made, 9u);
  EXPECT_EQ(pool.taken, 5u);
  EXPECT_EQ(pool.missed, 2u);
  EXPECT_EQ(pool.expired, 1u);
}

TEST(Messages, status_shows_that_ascon_has_128_bit_keys)
{
  auto peer = established_peer();
  peer.suite = registry().find("cs-mlkem1024-ascon128a-mldsa87");
  const auto status = status_message(Role::drone, peer, now);
  EXPECT_EQ(status.level, 5);
  EXPECT_EQ(status.aead_key_bits, 128);
}

TEST(Messages, status_without_a_session_names_no_keys)
{
  const auto status = status_message(Role::drone, PeerSnapshot{}, now);
  EXPECT_EQ(status.state, TunnelStatus::STATE_DISCONNECTED);
  EXPECT_FALSE(status.encrypted);
  EXPECT_EQ(status.suite, "");
  EXPECT_EQ(status.session, "");
  EXPECT_EQ(status.peer_address, "");
  EXPECT_EQ(status.level, 0);
  EXPECT_EQ(status.aead_key_bits, 0);
  EXPECT_DOUBLE_EQ(status.key_age_s, -1.0);
  EXPECT_DOUBLE_EQ(status.since_heard_s, -1.0);
}

TEST(Messages, status_tells_what_each_kem_costs_and_how_far_its_key_is)
{
  auto peer = established_peer();
  const Suite * plain = registry().find("cs-frodokem976aes-aesgcm-mldsa65");
  peer.fetches = {
    {peer.suite, 4'900, 1'400, milliseconds(8500), milliseconds(250), true, std::nullopt},
    {plain, 19'600, 16'000, std::nullopt, std::nullopt, false, 0.43}};
  const auto fetches = status_message(Role::drone, peer, now).fetches;
  ASSERT_EQ(fetches.size(), 2u);
  EXPECT_EQ(fetches[0].suite, peer.suite->id);
  EXPECT_EQ(fetches[0].fetch_bytes, 4'900u);
  EXPECT_EQ(fetches[0].rekey_bytes, 1'400u);
  EXPECT_DOUBLE_EQ(fetches[0].fetch_s, 8.5);
  EXPECT_DOUBLE_EQ(fetches[0].rekey_s, 0.25);
  EXPECT_TRUE(fetches[0].ready);
  EXPECT_DOUBLE_EQ(fetches[0].progress, -1.0);
  EXPECT_EQ(fetches[1].suite, plain->id);
  EXPECT_DOUBLE_EQ(fetches[1].fetch_s, -1.0);
  EXPECT_DOUBLE_EQ(fetches[1].rekey_s, -1.0);
  EXPECT_FALSE(fetches[1].ready);
  EXPECT_DOUBLE_EQ(fetches[1].progress, 0.43);
}

TEST(Messages, the_reply_to_a_rekey_has_its_keys_time_and_bytes)
{
  RekeyReply reply{RekeyId{1}, true, "Done.", established_peer().suite, Epoch{3}, {}};
  reply.timing.total = milliseconds(25);
  reply.timing.bytes = 2'048;
  reply.timing.fetch_bytes = 4'900;
  const auto response = rekey_response(reply);
  EXPECT_TRUE(response.success);
  EXPECT_EQ(response.message, "Done.");
  EXPECT_EQ(response.suite, "cs-mlkem768-aesgcm-mldsa65");
  EXPECT_EQ(response.epoch, 3);
  EXPECT_DOUBLE_EQ(response.timing.total_s, 0.025);
  EXPECT_EQ(response.bytes, 2'048u);
  EXPECT_EQ(response.fetch_bytes, 4'900u);
  reply.suite = nullptr;
  EXPECT_EQ(rekey_response(reply).suite, "");
}

TEST(Messages, status_has_the_layers_of_the_keys_and_the_key_of_the_anchor)
{
  auto peer = established_peer();
  peer.anchor = AnchorKind{KemAlgorithm::classic_mceliece_460896, true};
  add_ephemeral(peer.layers, KemAlgorithm::ml_kem_768, now.engine - seconds(20));
  add_anchor(peer.layers, *peer.anchor, now.engine - seconds(90));
  const auto status = status_message(Role::gcs, peer, now);
  EXPECT_EQ(status.anchor, "one_time");
  EXPECT_EQ(status.protection, "lattices + codes");
  ASSERT_EQ(status.layers.size(), 2u);
  EXPECT_EQ(status.layers[0].kem, "ML-KEM-768");
  EXPECT_EQ(status.layers[1].family, "codes");
  EXPECT_EQ(status.layers[1].form, "goppa");
  EXPECT_EQ(status.layers[1].key, "one_time");
  EXPECT_DOUBLE_EQ(status.layers[0].age_s, 20.0);
  EXPECT_TRUE(status_message(Role::gcs, PeerSnapshot{}, now).layers.empty());
}

TEST(Messages, protection_is_on_only_while_keys_are_in_use_and_the_peer_answers)
{
  auto peer = established_peer();
  EXPECT_TRUE(is_encrypted(peer));
  peer.state = PeerState::rekeying;
  EXPECT_TRUE(is_encrypted(peer));
  for (const auto state :
       {PeerState::disconnected, PeerState::connecting, PeerState::handshaking, PeerState::lost})
  {
    peer.state = state;
    EXPECT_FALSE(is_encrypted(peer)) << to_string(state);
  }
}

TEST(Messages, each_counter_of_the_traffic_has_its_own_field)
{
  auto peer = established_peer();
  peer.traffic = {1, 2, 3, 4, 14, 15, 5, 6, 7, 8, 9, 10, 11, 12, 13, {}};
  const auto status = status_message(Role::drone, peer, now);
  EXPECT_EQ(status.traffic.plain_in_packets, 1u);
  EXPECT_EQ(status.traffic.plain_in_bytes, 2u);
  EXPECT_EQ(status.traffic.one_family_packets, 14u);
  EXPECT_EQ(status.traffic.two_families_packets, 15u);
  EXPECT_EQ(status.traffic.plain_out_packets, 3u);
  EXPECT_EQ(status.traffic.plain_out_bytes, 4u);
  EXPECT_EQ(status.traffic.cipher_in_packets, 5u);
  EXPECT_EQ(status.traffic.cipher_in_bytes, 6u);
  EXPECT_EQ(status.traffic.cipher_out_packets, 7u);
  EXPECT_EQ(status.traffic.cipher_out_bytes, 8u);
  EXPECT_EQ(status.traffic.control_in, 9u);
  EXPECT_EQ(status.traffic.control_out, 10u);
  EXPECT_EQ(status.traffic.control_ignored, 11u);
  EXPECT_EQ(status.traffic.stream_in_packets, 12u);
  EXPECT_EQ(status.traffic.stream_out_packets, 13u);
  EXPECT_EQ(link_message(peer, now).local_streams, 12u);
}

TEST(Messages, each_class_of_drops_has_the_field_of_its_name)
{
  auto peer = established_peer();
  std::string fields;
  for (std::size_t i = 0; i < drop_classes; ++i) {
    peer.traffic.drops[i] = 21 + i;
    fields += (i > 0 ? ", " : "") + std::string(to_string(static_cast<Drop>(i))) + ": " +
              std::to_string(21 + i);
  }
  EXPECT_EQ(to_yaml(status_message(Role::drone, peer, now).drops, true), "{" + fields + "}");
}

TEST(Messages, handshake_timing_is_given_in_seconds)
{
  HandshakeTiming measured;
  measured.total = milliseconds(70);
  measured.fetch = milliseconds(60);
  measured.keygen = milliseconds(50);
  measured.sign = milliseconds(40);
  measured.verify = milliseconds(30);
  measured.encapsulate = milliseconds(20);
  measured.decapsulate = milliseconds(10);
  measured.prepared_ahead = true;
  const auto timing = to_message(measured);
  EXPECT_DOUBLE_EQ(timing.total_s, 0.07);
  EXPECT_DOUBLE_EQ(timing.fetch_s, 0.06);
  EXPECT_DOUBLE_EQ(timing.keygen_s, 0.05);
  EXPECT_DOUBLE_EQ(timing.sign_s, 0.04);
  EXPECT_DOUBLE_EQ(timing.verify_s, 0.03);
  EXPECT_DOUBLE_EQ(timing.encapsulate_s, 0.02);
  EXPECT_DOUBLE_EQ(timing.decapsulate_s, 0.01);
  EXPECT_TRUE(timing.prepared_ahead);
}

TEST(Messages, link_report_has_the_views_of_both_ends)
{
  auto peer = established_peer();
  peer.link.packets_per_s = 320.0;
  peer.link.loss = 0.25;
  peer.link.jitter = milliseconds(2);
  peer.link.blackouts = 3;
  peer.remote = PeerLinkReport{{}, now.engine - milliseconds(300)};
  peer.remote->view.packets_per_s = 50.0;
  peer.remote->view.gap_p95 = milliseconds(40);
  peer.clock_valid = true;
  peer.rtt = milliseconds(12);
  peer.clock_offset = milliseconds(-5);
  peer.clock_error = milliseconds(6);
  peer.clock_drift_ppm = 12.5;
  peer.delay_to_peer = milliseconds(5);
  peer.delay_from_peer = milliseconds(7);
  PathReport radio;
  radio.name = "radio";
  radio.type = LinkType::serial;
  radio.state = PathState::up;
  radio.carries = true;
  radio.rtt = milliseconds(80);
  radio.loss = 0.125;
  radio.rate_bytes_s = 5760;
  radio.rate_source = RateSource::configured;
  radio.frames_in = 1;
  radio.bytes_in = 2;
  radio.frames_out = 3;
  radio.bytes_out = 4;
  radio.shaped[static_cast<std::size_t>(TrafficClass::telemetry)] = {20, 7, 6, 1, 2, 3};
  peer.paths = {radio};
  const auto report = link_message(peer, now);
  ASSERT_EQ(report.paths.size(), 1u);
  EXPECT_EQ(report.paths[0].link, "radio");
  EXPECT_EQ(report.paths[0].type, "serial");
  EXPECT_EQ(report.paths[0].state, "up");
  EXPECT_EQ(report.paths[0].address, "");
  EXPECT_TRUE(report.paths[0].carries);
  EXPECT_DOUBLE_EQ(report.paths[0].rtt_s, 0.08);
  EXPECT_DOUBLE_EQ(report.paths[0].loss, 0.125);
  EXPECT_DOUBLE_EQ(report.paths[0].rate_bytes_s, 5760.0);
  EXPECT_EQ(report.paths[0].rate_source, "configured");
  EXPECT_EQ(report.paths[0].frames_in, 1u);
  EXPECT_EQ(report.paths[0].bytes_in, 2u);
  EXPECT_EQ(report.paths[0].frames_out, 3u);
  EXPECT_EQ(report.paths[0].bytes_out, 4u);
  ASSERT_EQ(report.paths[0].classes.size(), 1u);
  EXPECT_EQ(report.paths[0].classes[0].traffic, "telemetry");
  EXPECT_EQ(report.paths[0].classes[0].offered, 20u);
  EXPECT_EQ(report.paths[0].classes[0].sent, 7u);
  EXPECT_EQ(report.paths[0].classes[0].conflated, 6u);
  EXPECT_EQ(report.paths[0].classes[0].full, 1u);
  EXPECT_EQ(report.paths[0].classes[0].stale, 2u);
  EXPECT_EQ(report.paths[0].classes[0].oversize, 3u);
  EXPECT_EQ(report.peer, "drone1");
  EXPECT_DOUBLE_EQ(report.local.packets_per_s, 320.0);
  EXPECT_DOUBLE_EQ(report.local.loss, 0.25);
  EXPECT_DOUBLE_EQ(report.local.jitter_s, 0.002);
  EXPECT_EQ(report.local.blackouts, 3u);
  EXPECT_TRUE(report.remote_valid);
  EXPECT_DOUBLE_EQ(report.remote_age_s, 0.3);
  EXPECT_DOUBLE_EQ(report.remote.packets_per_s, 50.0);
  EXPECT_DOUBLE_EQ(report.remote.gap_p95_s, 0.04);
  EXPECT_TRUE(report.clock_valid);
  EXPECT_DOUBLE_EQ(report.rtt_s, 0.012);
  EXPECT_DOUBLE_EQ(report.clock_offset_s, -0.005);
  EXPECT_DOUBLE_EQ(report.clock_error_s, 0.006);
  EXPECT_DOUBLE_EQ(report.clock_drift_ppm, 12.5);
  EXPECT_DOUBLE_EQ(report.delay_to_peer_s, 0.005);
  EXPECT_DOUBLE_EQ(report.delay_from_peer_s, 0.007);
}

TEST(Messages, link_report_marks_values_that_are_not_known_yet)
{
  const auto report = link_message(established_peer(), now);
  EXPECT_FALSE(report.remote_valid);
  EXPECT_FALSE(report.clock_valid);
}

TEST(Messages, an_event_has_its_own_time_and_a_text)
{
  const Event event{
    EventKind::rekey_committed,
    now.engine - milliseconds(250),
    PeerIndex{0},
    registry().find("cs-mlkem768-aesgcm-mldsa65"),
    Epoch{8},
    "New keys are in use."};
  const auto message = event_message(event, "drone1", now);
  EXPECT_EQ(message.kind, TunnelEvent::REKEY_COMMITTED);
  EXPECT_EQ(message.kind_text, "rekey_committed");
  EXPECT_EQ(message.stamp.sec, 1'700'000'000);
  EXPECT_EQ(message.stamp.nanosec, 0u);
  EXPECT_EQ(message.peer, "drone1");
  EXPECT_EQ(message.suite, "cs-mlkem768-aesgcm-mldsa65");
  EXPECT_EQ(message.epoch, 8);
  EXPECT_EQ(message.text, "New keys are in use.");
}

TEST(Messages, counting_on_is_no_notable_change_but_a_new_epoch_is)
{
  auto peer = established_peer();
  const auto before = status_message(Role::drone, peer, now);
  peer.traffic.plain_in_packets += 1000;
  EXPECT_FALSE(differs_notably(before, status_message(Role::drone, peer, now)));
  peer.epoch = Epoch{8};
  EXPECT_TRUE(differs_notably(before, status_message(Role::drone, peer, now)));
}

TEST(Messages, a_link_that_is_stretched_in_time_is_a_notable_change)
{
  auto peer = established_peer();
  const auto before = status_message(Role::gcs, peer, now);
  peer.stretched = true;
  const auto after = status_message(Role::gcs, peer, now);
  EXPECT_TRUE(after.stretched);
  EXPECT_TRUE(differs_notably(before, after));
}

TEST(Messages, the_status_says_which_link_is_up_and_which_carries)
{
  auto peer = established_peer();
  peer.paths.resize(2);
  peer.paths[0].name = "lte";
  peer.paths[0].state = PathState::up;
  peer.paths[0].carries = true;
  peer.paths[1].name = "radio";
  peer.paths[1].state = PathState::probing;
  const auto before = status_message(Role::drone, peer, now);
  ASSERT_EQ(before.links.size(), 2u);
  EXPECT_EQ(before.links[0].name, "lte");
  EXPECT_EQ(before.links[0].state, "up");
  EXPECT_TRUE(before.links[0].carries);
  EXPECT_EQ(before.links[1].name, "radio");
  EXPECT_EQ(before.links[1].state, "probing");
  EXPECT_FALSE(before.links[1].carries);
  peer.paths[0].state = PathState::down;
  EXPECT_TRUE(differs_notably(before, status_message(Role::drone, peer, now)));
}

TEST(Messages, losing_the_peer_is_a_notable_change)
{
  auto peer = established_peer();
  const auto before = status_message(Role::drone, peer, now);
  peer.state = PeerState::lost;
  EXPECT_TRUE(differs_notably(before, status_message(Role::drone, peer, now)));
}

}  // namespace
}  // namespace pqc_tunnel
