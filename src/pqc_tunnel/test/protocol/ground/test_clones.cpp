// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "protocol/handshake/likely_cause.hpp"
#include "support/pair/traffic.hpp"

// Two machines with the identity of one drone, and what only looks like it.

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

// A second machine with the drone's identity, at an address of its own.
class Clone
{
public:
  explicit Clone(WiredPair & pair) : pair_(pair)
  {
    settings_.initial_suite = &suite("cs-mlkem768-aesgcm-mldsa65");
    tunnel_.emplace(Tunnel::create(
                      Tunnel::DroneConfig{
                        settings_,
                        Identities::for_signature(settings_.initial_suite->signature).drone_part(),
                        {WiredPair::address_of(Side::gcs)}},
                      random_, pair.now())
                      .value());
  }

  // Both drones send something every 20 ms.
  void run_for(Duration duration)
  {
    for (const Instant end = pair_.now() + duration; pair_.now() < end; pair_.run_for(1ms)) {
      if (pair_.now() >= next_) {
        next_ = pair_.now() + 20ms;
        pair_.send(Side::drone, numbered(1));
        Bytes frame(40 + frame_overhead);
        tunnel_->handle_plaintext(PeerIndex{0}, frame, {}, pair_.now());
        transmit();
      }
      step();
    }
  }
  std::size_t told() const { return told_; }
  std::string likely_cause() { return tunnel_->snapshot(PeerIndex{0}, pair_.now()).likely_cause; }

private:
  static constexpr Duration latency = 10ms;

  void transmit()
  {
    while (const auto frame = tunnel_->poll_transmit(0, pair_.now())) {
      pair_.deliver_later(Side::gcs, {frame->bytes.begin(), frame->bytes.end()}, address_, latency);
    }
  }
  void step()
  {
    for (auto & [to, bytes] : std::exchange(pair_.sent_elsewhere(Side::gcs), {})) {
      if (to == address_) {
        under_way_.emplace_back(pair_.now() + latency, std::move(bytes));
      }
    }
    const Endpoint ground = WiredPair::address_of(Side::gcs);
    for (; !under_way_.empty() && under_way_.front().first <= pair_.now(); under_way_.pop_front()) {
      Bytes & bytes = under_way_.front().second;
      tunnel_->handle_datagram(bytes, ground, pair_.now());
    }
    if (tunnel_->next_timeout() <= pair_.now()) {
      tunnel_->handle_timeout(pair_.now());
    }
    transmit();
    while (auto output = tunnel_->poll_output()) {
      if (auto * job = std::get_if<StartJob>(&*output)) {
        tunnel_->handle_job_result(job->id, run_job(std::move(job->job), random_), pair_.now());
      } else if (const auto * event = std::get_if<Event>(&*output)) {
        told_ += event->kind == EventKind::superseded ? 1 : 0;
      }
    }
  }

  WiredPair & pair_;
  const Endpoint address_ = WiredPair::stranger(77);
  TunnelSettings settings_;
  SeededRandom random_{77};
  std::optional<Tunnel> tunnel_;
  std::deque<std::pair<Instant, Bytes>> under_way_;
  Instant next_;
  std::size_t told_ = 0;
};

TEST(ClonedIdentity, is_told_to_both_machines_and_the_ground_station_and_to_each_once_a_minute)
{
  WiredPair pair;
  ASSERT_TRUE(pair.establish());
  Clone clone(pair);
  clone.run_for(1s);
  EXPECT_EQ(pair.count(Side::gcs, EventKind::superseded), 1u);
  EXPECT_EQ(pair.count(Side::drone, EventKind::superseded), 1u);
  EXPECT_EQ(clone.told(), 1u);
  clone.run_for(50s);  // each takes the session from the other every few seconds
  EXPECT_EQ(pair.count(Side::gcs, EventKind::superseded), 1u);
  EXPECT_EQ(pair.count(Side::drone, EventKind::superseded), 1u);
  EXPECT_EQ(clone.told(), 1u);
  EXPECT_EQ(pair.snapshot(Side::gcs).likely_cause, identity_cloned);
  EXPECT_EQ(pair.snapshot(Side::drone).likely_cause, identity_cloned);
  EXPECT_EQ(clone.likely_cause(), identity_cloned);
  EXPECT_TRUE(pair.saw(Side::drone, EventKind::peer_lost));
  EXPECT_FALSE(pair.reported(Side::drone, EventKind::peer_lost, "nothing is received"));
  clone.run_for(20s);
  EXPECT_EQ(pair.count(Side::gcs, EventKind::superseded), 2u);
}

// Frames of a session that has just been replaced come late over a slow second link, or are held back until then.
TEST(ClonedIdentity, is_not_what_late_frames_of_a_former_session_show)
{
  for (const Duration late : {100ms, 500ms, 900ms, 2000ms}) {
    WiredPair pair;
    ASSERT_TRUE(pair.establish());
    std::vector<Bytes> held;
    pair.set_datagram_filter([&](Side from, Bytes & bytes) {
      if (from == Side::drone && !is_hello(bytes)) {
        held.push_back(bytes);
      }
      return from != Side::drone;
    });
    Traffic traffic(pair);
    traffic.run_for(200ms, 20ms);
    pair.set_datagram_filter(nullptr);
    pair.drone().wipe(PeerIndex{0}, "test", pair.now());
    const SessionId former = pair.snapshot(Side::gcs).session;
    ASSERT_TRUE(pair.run_until([&] { return pair.snapshot(Side::gcs).session != former; }));
    pair.run_for(late);
    for (const Bytes & frame : held) {
      pair.inject(Side::gcs, frame);
      pair.run_for(1ms);
    }
    pair.run_for(5s);
    EXPECT_FALSE(pair.saw(Side::gcs, EventKind::superseded));
    EXPECT_FALSE(pair.saw(Side::drone, EventKind::superseded));
    EXPECT_TRUE(pair.agreed());
  }
}

// The drone is on its way into the new session and still has the former keys.
TEST(ClonedIdentity, is_not_what_a_drone_shows_that_reconnects)
{
  WiredPair::Options options;
  options.latency = 150ms;
  WiredPair pair(options);
  ASSERT_TRUE(pair.establish());
  Traffic traffic(pair);
  for (int i = 0; i < 5; ++i) {
    traffic.run_for(2s, 20ms);
    pair.gcs().wipe(PeerIndex{0}, "test", pair.now());
    ASSERT_TRUE(traffic.run_until([&] { return pair.agreed(); }, 20s, 20ms));
    pair.set_datagram_filter([](Side, Bytes &) { return false; });
    traffic.run_for(4s, 20ms);
    pair.set_datagram_filter([&, blocked = pair.now() + 1s](Side from, Bytes & bytes) {
      return is_hello(bytes) || from == Side::drone || pair.now() > blocked;
    });
    ASSERT_TRUE(traffic.run_until([&] { return pair.agreed(); }, 20s, 20ms));
    pair.set_datagram_filter(nullptr);
  }
  for (const Side side : both_sides) {
    EXPECT_FALSE(pair.saw(side, EventKind::superseded));
  }
}

}  // namespace
}  // namespace pqc_tunnel::test
