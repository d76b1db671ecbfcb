// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <functional>

#include "support/traffic.hpp"

// Several drones at one ground station.

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

// Drones and a ground station that pass everything on within the same millisecond.
class Fleet
{
public:
  explicit Fleet(std::uint8_t size, std::uint8_t wrong_psk = 0) : random_(3)
  {
    TunnelSettings settings;
    settings.initial_suite = &suite("cs-mlkem512-aesgcm-mldsa44");
    const auto & ids = Identities::for_signature(SignatureAlgorithm::ml_dsa_44);
    std::vector<DroneRecord> records;
    for (std::uint8_t n = 1; n <= size; ++n) {
      records.push_back(ids.record(n));
      DroneIdentity identity = ids.drone_part(n);
      if (n == wrong_psk) {
        identity.psk = Psk(std::array<std::uint8_t, 32>{});
      }
      drones_.push_back(std::make_unique<Tunnel>(
        Tunnel::create(
          Tunnel::DroneConfig{settings, std::move(identity), {gcs_address}}, random_, now_)
          .value()));
    }
    gcs_ = std::make_unique<Tunnel>(
      Tunnel::create(Tunnel::GcsConfig{settings, ids.gcs_part(), std::move(records)}, random_, now_)
        .value());
    received_.resize(size);
    heard_.resize(size);
  }

  Tunnel & gcs() { return *gcs_; }
  Tunnel & drone(std::size_t i) { return *drones_[i]; }
  Instant now() const { return now_; }
  PeerSnapshot at_gcs(std::size_t i) { return gcs_->snapshot(index(i), now_); }
  PeerSnapshot at_drone(std::size_t i) { return drones_[i]->snapshot(PeerIndex{0}, now_); }
  bool agreed(std::size_t i)
  {
    return at_gcs(i).state == PeerState::established &&
           at_drone(i).state == PeerState::established && at_gcs(i).epoch == at_drone(i).epoch &&
           at_gcs(i).session == at_drone(i).session;
  }
  void silence(std::size_t i, bool silent = true) { silent_[i] = silent; }
  std::vector<Bytes> & received_from(std::size_t i) { return received_[i]; }
  std::vector<Bytes> & heard_by(std::size_t i) { return heard_[i]; }

  void run_for(Duration duration)
  {
    for (const Instant end = now_ + duration; now_ < end; now_ += 1ms) {
      gcs_->handle_timeout(now_);
      for (auto & drone : drones_) {
        drone->handle_timeout(now_);
      }
      while (pump()) {
      }
    }
  }
  void send_up(std::size_t i, const Bytes & text)
  {
    to_gcs(i, sealed(*drones_[i], PeerIndex{0}, text));
  }
  void send_down(std::size_t i, const Bytes & text) { to_drone(i, sealed(*gcs_, index(i), text)); }

private:
  static PeerIndex index(std::size_t i) { return PeerIndex{static_cast<std::uint32_t>(i)}; }
  static Endpoint address(std::size_t i)
  {
    return WiredPair::stranger(static_cast<std::uint8_t>(10 + i));
  }
  Bytes sealed(Tunnel & tunnel, PeerIndex peer, const Bytes & text)
  {
    Bytes frame(text.size() + frame_overhead);
    std::ranges::copy(text, frame.begin() + frame_header_size);
    return tunnel.seal(peer, frame) ? frame : Bytes{};
  }
  void to_gcs(std::size_t i, Bytes frame)
  {
    if (is_hello(frame)) {
      if (!silent_[i]) {
        gcs_->handle_hello(frame, address(i), now_);
      }
      return;
    }
    const Opened opened = silent_[i] ? Opened{} : gcs_->open(frame, address(i), now_);
    if (opened.forward) {
      received_[static_cast<std::size_t>(*opened.peer)].emplace_back(
        opened.plaintext.begin(), opened.plaintext.end());
    }
  }
  void to_drone(std::size_t i, Bytes frame)
  {
    if (is_hello(frame)) {
      if (!silent_[i]) {
        drones_[i]->handle_hello(frame, gcs_address, now_);
      }
      return;
    }
    const Opened opened = silent_[i] ? Opened{} : drones_[i]->open(frame, gcs_address, now_);
    if (opened.forward) {
      heard_[i].emplace_back(opened.plaintext.begin(), opened.plaintext.end());
    }
  }

  bool pump()
  {
    bool busy = false;
    for (std::size_t i = 0; i < drones_.size(); ++i) {
      while (auto output = drones_[i]->poll_output()) {
        busy = true;
        of_drone(i, std::move(*output));
      }
    }
    while (auto output = gcs_->poll_output()) {
      busy = true;
      of_gcs(std::move(*output));
    }
    return busy;
  }
  void of_drone(std::size_t i, Output output)
  {
    Tunnel & drone = *drones_[i];
    if (auto * datagram = std::get_if<SendDatagram>(&output)) {
      to_gcs(i, std::move(datagram->bytes));
    } else if (auto * job = std::get_if<StartJob>(&output)) {
      drone.handle_job_result(job->id, run_job(std::move(job->job), random_), now_);
    }
  }
  void of_gcs(Output output)
  {
    if (auto * datagram = std::get_if<SendDatagram>(&output)) {
      to_drone(static_cast<std::size_t>(datagram->peer), std::move(datagram->bytes));
    } else if (auto * job = std::get_if<StartJob>(&output)) {
      gcs_->handle_job_result(job->id, run_job(std::move(job->job), random_), now_);
    }
  }

  const Endpoint gcs_address = WiredPair::address_of(Side::gcs);
  SeededRandom random_;
  Instant now_{std::chrono::seconds(1000)};
  std::vector<std::unique_ptr<Tunnel>> drones_;
  std::unique_ptr<Tunnel> gcs_;
  std::vector<std::vector<Bytes>> received_;
  std::vector<std::vector<Bytes>> heard_;
  std::map<std::size_t, bool> silent_;
};

constexpr std::uint8_t fleet_size = 20;

TEST(Fleet, connects_and_every_datagram_reaches_its_receiver)
{
  Fleet fleet(fleet_size);
  fleet.run_for(5s);
  for (std::size_t i = 0; i < fleet_size; ++i) {
    ASSERT_TRUE(fleet.agreed(i)) << i;
    EXPECT_EQ(fleet.at_gcs(i).name, "drone " + std::to_string(i + 1));
  }
  for (std::uint32_t n = 0; n < 50; ++n) {
    for (std::size_t i = 0; i < fleet_size; ++i) {
      fleet.send_up(i, numbered(n, 10 + i));
      fleet.send_down(i, numbered(n, 60 + i));
    }
  }
  for (std::size_t i = 0; i < fleet_size; ++i) {
    ASSERT_EQ(fleet.received_from(i).size(), 50u);
    ASSERT_EQ(fleet.heard_by(i).size(), 50u);
    for (std::uint32_t n = 0; n < 50; ++n) {
      EXPECT_EQ(fleet.received_from(i)[n], numbered(n, 10 + i));
      EXPECT_EQ(fleet.heard_by(i)[n], numbered(n, 60 + i));
    }
  }
}

TEST(Fleet, rekeys_all_at_once_each_to_its_own_epoch)
{
  Fleet fleet(fleet_size);
  fleet.run_for(5s);
  for (std::size_t i = 0; i < fleet_size; ++i) {
    for (std::size_t rekey = 0; rekey < i % 4; ++rekey) {
      fleet.drone(i).request_rekey(rekey_to(nullptr), fleet.now());
      fleet.run_for(2ms);
    }
  }
  fleet.run_for(1s);
  for (std::size_t i = 0; i < fleet_size; ++i) {
    EXPECT_TRUE(fleet.agreed(i)) << i;
    EXPECT_EQ(fleet.at_gcs(i).epoch, Epoch{static_cast<std::uint8_t>(i % 4)});
  }
}

TEST(Fleet, is_not_disturbed_by_one_drone_with_a_wrong_psk)
{
  Fleet fleet(5, 3);
  fleet.run_for(30s);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(fleet.agreed(i), i != 2) << i;
    EXPECT_EQ(fleet.at_gcs(i).handshakes, i != 2 ? 1u : 0u);
  }
  EXPECT_EQ(fleet.at_gcs(2).state, PeerState::disconnected);
}

TEST(Fleet, loses_one_drone_without_the_others_noticing)
{
  Fleet fleet(5);
  fleet.run_for(5s);
  fleet.silence(1);
  fleet.run_for(10s);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(fleet.agreed(i), i != 1) << i;
  }
  EXPECT_EQ(fleet.at_gcs(1).state, PeerState::lost);
  fleet.silence(1, false);
  fleet.run_for(7s);
  EXPECT_TRUE(fleet.agreed(1));
}

TEST(Fleet, counts_datagrams_of_no_drone_apart)
{
  Fleet fleet(3);
  fleet.run_for(5s);
  Bytes junk(100, 0x40);
  fleet.gcs().open(junk, WiredPair::stranger(), fleet.now());
  junk[0] = 0;
  fleet.gcs().open(junk, WiredPair::stranger(), fleet.now());
  const auto & drops = fleet.gcs().unassigned().drops;
  EXPECT_EQ(drops[static_cast<std::size_t>(Drop::unknown)], 1u);
  EXPECT_EQ(drops[static_cast<std::size_t>(Drop::malformed)], 1u);
  for (std::size_t i = 0; i < 3; ++i) {
    for (const std::uint64_t count : fleet.at_gcs(i).traffic.drops) {
      EXPECT_EQ(count, 0u);
    }
  }
}

}  // namespace
}  // namespace pqc_tunnel::test
