// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <atomic>

#include "engine/engine_fixture.hpp"
#include "link/shaping/shaped_line.hpp"

namespace pqc_tunnel
{
namespace
{

// Someone without any key reaches the ports of a tunnel that is in use.
class EngineStrangers : public EngineFixture
{
protected:
  void SetUp() override
  {
    start_pair();
    // Keys made ahead after the first handshake are the tunnel's own work: let them be done.
    ASSERT_TRUE(eventually([this] {
      const PrekeyPoolStatus pool = gcs_->snapshot().peers[0].pool;
      return pool.wanted > 0 && pool.stored == pool.wanted && !pool.making;
    }));
    // So are the prekeys that the drone fetches.
    ASSERT_TRUE(eventually([this, seen = jobs(), since = monotonic_now()]() mutable {
      if (jobs() != seen) {
        seen = jobs();
        since = monotonic_now();
      }
      return monotonic_now() > since + std::chrono::seconds(3);
    }));
    jobs_before_ = jobs();
    handshakes_before_ = gcs_->snapshot().peers[0].handshakes;
  }

  std::uint64_t jobs() const { return gcs_->snapshot().jobs_run; }

  // Not one public-key operation, the session untouched, traffic as before.
  void expect_undisturbed()
  {
    expect_traffic_both_ways();
    const Instant over = monotonic_now();
    ASSERT_TRUE(eventually([&] { return gcs_->snapshot().time > over; }));
    EXPECT_EQ(jobs(), jobs_before_);
    EXPECT_EQ(gcs_->snapshot().peers[0].handshakes, handshakes_before_);
    EXPECT_EQ(state(*gcs_), PeerState::established);
    EXPECT_EQ(state(*drone_), PeerState::established);
  }

  static Bytes junk(std::size_t size)
  {
    Bytes bytes(size);
    SystemRandom().fill(bytes);
    return bytes;
  }

  std::uint64_t jobs_before_ = 0;
  std::uint32_t handshakes_before_ = 0;
};

// Hellos in the right form, under no key.
Bytes forged_hello()
{
  Bytes hello(152);
  SystemRandom().fill(hello);
  hello[0] = 0x81;
  hello[1] = 4;
  return hello;
}

TEST_F(EngineStrangers, one_who_forges_hellos_gets_no_answer_and_is_counted)
{
  Application stranger;
  stranger.connect(gcs_->ports().datagram);
  for (int i = 0; i < 100; ++i) {
    stranger.send(forged_hello());
  }
  EXPECT_TRUE(eventually([this] {
    const EngineSnapshot snapshot = gcs_->snapshot();
    return snapshot.strangers.unknown_drone + snapshot.hellos_discarded == 100;
  }));
  EXPECT_FALSE(stranger.receive(50));
  expect_undisturbed();
}

// Rekeys and a reconnect go through while hellos come as fast as they can be sent.
TEST_F(EngineStrangers, a_flood_of_hellos_stops_neither_rekeys_nor_a_reconnect)
{
  std::atomic<bool> done = false;
  std::thread flood([this, &done] {
    Application stranger;
    stranger.connect(gcs_->ports().datagram);
    const Bytes hello = forged_hello();
    while (!done) {
      stranger.send(hello);
      std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
  });
  for (int i = 0; i < 5; ++i) {
    EXPECT_TRUE(rekey(*drone_, "").success) << history();
  }
  drone_->stop();
  drone_ = start(drone_config());
  EXPECT_TRUE(drone_ && eventually([this] {
                return gcs_->snapshot().peers[0].handshakes > handshakes_before_ &&
                       state(*drone_) == PeerState::established;
              }))
    << history();
  done = true;
  flood.join();
}

TEST_F(EngineStrangers, junk_datagrams_are_counted_and_never_answered)
{
  Application stranger;
  stranger.connect(gcs_->ports().datagram);
  std::size_t sent = 0;
  for (std::size_t size = 1; size <= 1472; size += 16) {
    Bytes datagram = junk(size);
    datagram[0] &= 0x7f;  // not in the form of a hello
    stranger.send(datagram);
    ++sent;
  }
  EXPECT_TRUE(eventually([&] {
    const auto & drops = gcs_->snapshot().strangers.unassigned.drops;
    return drops[static_cast<std::size_t>(Drop::malformed)] +
             drops[static_cast<std::size_t>(Drop::unknown)] ==
           sent;
  }));
  EXPECT_FALSE(stranger.receive(50));
  expect_undisturbed();
}

TEST_F(EngineStrangers, datagrams_longer_than_any_frame_are_counted_too)
{
  Application stranger;
  stranger.connect(gcs_->ports().datagram);
  Bytes datagram = junk(20000);
  datagram[0] &= 0x7f;
  stranger.send(datagram);
  EXPECT_TRUE(eventually([&] {
    std::uint64_t counted = 0;
    for (const auto drops : gcs_->snapshot().strangers.unassigned.drops) {
      counted += drops;
    }
    return counted == 1;
  }));
  expect_undisturbed();
}

// The smallest receive buffer that Linux grants by default has 212,992 bytes, of which a datagram of 1,400 bytes occupies
// 2,304. At most three halves of a volley are under way: the kernel drops none, so that any loss is the tunnel's.
TEST_F(EngineStrangers, a_flood_of_datagrams_starves_nobody)
{
  constexpr int half_volley = 28;
  Application stranger;
  stranger.connect(gcs_->ports().datagram);
  const Bytes frame = junk(1400);
  const auto flood = [&] {
    for (int i = 0; i < half_volley; ++i) {
      stranger.send(frame);
    }
  };
  for (int i = 0; i < 500; ++i) {
    flood();
    drone_application_.send(pattern(100));
    flood();
    ASSERT_EQ(gcs_application_.receive(), pattern(100)) << i;
  }
  expect_undisturbed();
}

TEST_F(EngineStrangers, a_flood_that_fills_the_receive_buffer_leaves_room_between_its_datagrams)
{
  std::atomic<bool> done = false;
  std::thread flood([this, &done] {
    Application stranger;
    stranger.connect(gcs_->ports().datagram);
    const Bytes frame = junk(1400);
    while (!done) {
      stranger.send(frame);
    }
  });
  // Some are lost, since the kernel drops what comes while the buffer is full; others pass all the time.
  for (int i = 0; i < 100; ++i) {
    std::optional<Bytes> arrived;
    EXPECT_TRUE(eventually([&] {
      drone_application_.send(pattern(100));
      arrived = gcs_application_.receive(20);
      return arrived.has_value();
    }))
      << i;
    EXPECT_EQ(arrived, pattern(100));
  }
  done = true;
  flood.join();
  // What was late for the loop.
  ASSERT_TRUE(eventually([this] {
    drone_application_.send(pattern(60));
    const auto arrived = gcs_application_.receive(1000);
    return arrived == pattern(60);
  }));
  while (gcs_application_.receive(1000)) {
  }
  expect_undisturbed();
}

// One drone has left, so that anybody may use its address, which is still the one of a live session. The other one's
// datagrams show how far the ground station has come.
class EngineHelloFlood : public EngineFixture
{
protected:
  void SetUp() override
  {
    ASSERT_TRUE(gcs_ = start(gcs_config({"alpha", "beta"})));
    ASSERT_TRUE(drone_ = start(drone_config("alpha")));
    ASSERT_TRUE(beta_ = start(drone_config("beta")));
    ASSERT_TRUE(eventually([this] {
      return state(*gcs_, first_peer) == PeerState::established &&
             state(*gcs_, second_peer) == PeerState::established &&
             state(*beta_) == PeerState::established;
    }));
    beta_application_.connect(beta_->ports().plaintext[0]);
    const std::uint16_t live = drone_->ports().datagram;
    drone_->stop();
    at_live_address_ = std::make_unique<Application>(loopback_address(live));
    at_live_address_->connect(gcs_->ports().datagram);
    elsewhere_.connect(gcs_->ports().datagram);
  }

  // A flood from one group of addresses that takes all of its time, and a few hellos from the other one.
  void expect_every_hello_looked_at(const Application & quiet, const Application & flooding)
  {
    const Bytes hello = forged_hello();
    const ByteView malformed = ByteView(hello).first(hello.size() - 1);
    const auto flood = [&] {
      for (int i = 0; i < 100; ++i) {
        flooding.send(hello);
      }
    };
    // A machine that is busy may keep a datagram until it is too old.
    const auto wait = [&] {
      return eventually([&] {
        beta_application_.send(pattern(100));
        return gcs_beta_application_.receive(1000).has_value();
      });
    };
    const auto is_over_limit = [&] {
      flood();
      return wait() && gcs_->snapshot().hellos_discarded > 0;
    };
    if (!eventually(is_over_limit, std::chrono::seconds(5))) {
      GTEST_SKIP() << "This machine is too busy to send a flood.";
    }
    constexpr std::uint64_t hellos =
      200;  // those saved up are enough even if each takes as long as it may
    for (std::uint64_t n = 0; n < hellos; ++n) {
      flood();
      quiet.send(malformed);
      ASSERT_TRUE(wait());
    }
    const Instant over = monotonic_now();
    ASSERT_TRUE(eventually([&] { return gcs_->snapshot().time > over; }));
    EXPECT_EQ(gcs_->snapshot().strangers.malformed, hellos);
  }

  std::unique_ptr<Engine> beta_;
  std::unique_ptr<Application> at_live_address_;
  Application elsewhere_;
};

TEST_F(EngineHelloFlood, from_the_address_of_a_live_drone_costs_others_no_hello)
{
  expect_every_hello_looked_at(elsewhere_, *at_live_address_);
}

TEST_F(EngineHelloFlood, from_elsewhere_costs_live_drones_no_hello)
{
  expect_every_hello_looked_at(*at_live_address_, elsewhere_);
}

// Somebody repeats a recorded hello of the drone from ever new ports.
class EngineFlood : public EngineFixture
{
protected:
  // A link that has this rate, or whose rate is unknown.
  void start_flooded(double rate_kbit, int hellos_per_s)
  {
    rate_kbit_ = rate_kbit;
    EngineConfig ground = gcs_config();
    ground.settings.paths.links[0].rate_kbit = rate_kbit;
    ASSERT_TRUE(gcs_ = start(ground));
    hello_ = record_hello();
    start_drone();
    ASSERT_TRUE(in_contact()) << history();
    connect_applications();
    flood_ = std::thread([this, hellos_per_s] {
      std::vector<std::unique_ptr<Application>> ports;
      while (!done_) {
        ports.push_back(std::make_unique<Application>());
        ports.back()->connect(gcs_->ports().datagram);
        ports.back()->send(hello_);
        while (ports.size() > 300) {
          for (; ports.front()->receive(0); ++answers_) {
          }
          ports.erase(ports.begin());
        }
        std::this_thread::sleep_for(std::chrono::microseconds(1'000'000 / hellos_per_s));
      }
      for (const auto & port : ports) {
        for (; port->receive(0); ++answers_) {
        }
      }
    });
  }
  void TearDown() override { end_flood(); }
  void end_flood()
  {
    done_ = true;
    if (flood_.joinable()) {
      flood_.join();
    }
  }

  void start_drone()
  {
    EngineConfig drone = drone_config();
    drone.settings.paths.links[0].rate_kbit = rate_kbit_;
    drone_ = start(drone);
  }
  // The drone finds no ground station there yet.
  Bytes record_hello()
  {
    const Application recorder;
    EngineConfig drone = drone_config();
    drone.links[0].gcs = {loopback, recorder.port()};
    const auto early = start(drone);
    return recorder.receive().value_or(Bytes{});
  }

  double rate_kbit_ = 0;
  Bytes hello_;
  std::thread flood_;
  std::atomic<bool> done_ = false;
  std::atomic<int> answers_ = 0;
};

TEST_F(EngineFlood, of_a_recorded_hello_costs_a_thin_link_no_command)
{
  start_flooded(64, 200);
  constexpr int commands = 100;
  int arrived = 0;
  for (int i = 0; i < commands; ++i) {
    gcs_application_.send(test::mavlink(test::command_long, static_cast<std::uint32_t>(i)));
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    arrived += drone_application_.receive(0) ? 1 : 0;
  }
  for (; arrived < commands && drone_application_.receive(1000); ++arrived) {
  }
  EXPECT_EQ(arrived, commands);
  EXPECT_TRUE(rekey(*drone_, "").success) << history();
  end_flood();
  EXPECT_GT(answers_, 0);
  EXPECT_LT(answers_, 100);  // of some thousand
}

TEST_F(EngineFlood, of_a_recorded_hello_keeps_no_drone_from_coming_back)
{
  for (const auto & [rate_kbit, hellos_per_s] : {std::pair(64.0, 200), std::pair(0.0, 1500)}) {
    done_ = false;
    start_flooded(rate_kbit, hellos_per_s);
    drone_->stop();
    const auto begun = std::chrono::steady_clock::now();
    start_drone();
    EXPECT_TRUE(in_contact()) << history();
    EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(10));
    end_flood();
    drone_->stop();
    gcs_->stop();
  }
}

}  // namespace
}  // namespace pqc_tunnel
