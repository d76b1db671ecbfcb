// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <signal.h>
#include <sys/mman.h>

#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>

#include "engine/engine_fixture.hpp"
#include "identity/renew_identity.hpp"
#include "os/clock.hpp"
#include "support/program.hpp"

// Both ends, while the real-time clock of one of them is set: support/set_clock.cpp does that to its process alone.

namespace pqc_tunnel
{
namespace
{

using namespace std::chrono_literals;

constexpr std::size_t count = 20;
constexpr long day_s = 86'400;

class SetClock : public EngineFixture
{
protected:
  void SetUp() override
  {
    ::setenv("PQC_RUN_DIR", scratch_.path().c_str(), 1);
    const std::string path = scratch_ / "seconds";
    const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    ASSERT_EQ(::ftruncate(file, sizeof(long)), 0);
    void * map = ::mmap(nullptr, sizeof(long), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    ::close(file);
    ASSERT_NE(map, MAP_FAILED);
    set_by_ = static_cast<volatile long *>(map);
    ::setenv("SET_CLOCK_BY", path.c_str(), 1);
  }

  std::unique_ptr<Program> tunneld(const std::string & role, std::vector<std::string> assignments)
  {
    assignments.insert(
      assignments.end(), {"role:=" + role, "min_level:=1", "bind_address:=127.0.0.1",
                          "plaintext_bind_address:=127.0.0.1", "max_age_s:=5.0"});
    std::vector<std::string> words;
    for (const std::string & assignment : assignments) {
      words.insert(words.end(), {"-p", assignment});
    }
    words.insert(words.end(), {"--control", (scratch_ / (role + ".sock")).string()});
    const auto library = std::filesystem::read_symlink("/proc/self/exe").parent_path() / SET_CLOCK;
    ::setenv("LD_PRELOAD", library.c_str(), 1);
    auto program = std::make_unique<Program>("pqc_tunneld", words);
    ::unsetenv("LD_PRELOAD");
    return program;
  }

  static void expect_to_arrive(const Application & from, const Application & to, std::uint8_t kind)
  {
    std::set<Bytes> sent;
    for (std::uint8_t i = 0; i < count; ++i) {
      from.send(*sent.insert({kind, i, 7, 7}).first);
    }
    while (!sent.empty()) {
      const auto datagram = to.receive();
      ASSERT_TRUE(datagram) << sent.size() << " of a batch are missing";
      sent.erase(*datagram);
    }
  }

  // Starts a ground station as a program whose clock can be set, and a drone beside it.
  void fly_with_ground(const std::filesystem::path & keys)
  {
    gcs_datagram_port_ = Application().port();
    const auto plaintext = Application().port();
    ground_ = tunneld(
      "gcs",
      {"identity_dir:=" + keys.string(), "datagram_port:=" + std::to_string(gcs_datagram_port_),
       "plaintext_port:=" + std::to_string(plaintext), "plaintext_peer_address:=127.0.0.1",
       "plaintext_peer_port:=" + std::to_string(gcs_application_.port())});
    drone_config_.role = Role::drone;
    drone_config_.identity_dir = identities() / "alpha";
    drone_config_.settings = quick_settings();
    drone_config_.links[0].bind = {loopback, 0};
    drone_config_.links[0].gcs = {loopback, gcs_datagram_port_};
    drone_config_.plaintext = {"", {loopback, 0}, {loopback, drone_application_.port()}, {}, {}};
    ASSERT_TRUE(drone_ = start(drone_config_));
    gcs_application_.connect(plaintext);
    drone_application_.connect(drone_->ports().plaintext[0]);
  }

  // Sets the clock of the program again and again, while datagrams pass between it and the engine `other`.
  void set_under_traffic(Engine & other, const Application & one, const Application & far)
  {
    ASSERT_TRUE(eventually([&] {
      one.send(Bytes{0});
      return far.receive(50).has_value() && state(other) == PeerState::established;
    }));
    const SessionId session = other.snapshot().peers.at(0).session;
    std::uint8_t kind = 1;
    // The kernel's time stamps stay right: they are as those of datagrams that came before the clock was set.
    for (const long set_by : {0L, -day_s, 0L, -60L, 0L, 60L, 0L, 56 * 365 * day_s, 0L}) {
      *set_by_ = set_by;
      expect_to_arrive(one, far, kind++);
      expect_to_arrive(far, one, kind++);
      EXPECT_EQ(state(other), PeerState::established);
    }
    EXPECT_EQ(other.snapshot().peers.at(0).session, session);
  }

  ScratchDir scratch_;
  volatile long * set_by_ = nullptr;
  std::unique_ptr<Program> ground_;
  EngineConfig drone_config_;
};

TEST_F(SetClock, of_a_drone_delays_and_drops_nothing)
{
  ASSERT_TRUE(gcs_ = start(gcs_config()));
  const auto plaintext = Application().port();
  const auto program = tunneld(
    "drone",
    {"identity_dir:=" + (identities() / "alpha").string(), "suite:=cs-mlkem512-aesgcm-mldsa44",
     "gcs_address:=127.0.0.1", "gcs_datagram_port:=" + std::to_string(gcs_->ports().datagram),
     "datagram_port:=" + std::to_string(Application().port()),
     "plaintext_port:=" + std::to_string(plaintext), "plaintext_peer_address:=127.0.0.1",
     "plaintext_peer_port:=" + std::to_string(drone_application_.port())});
  drone_application_.connect(plaintext);
  gcs_application_.connect(gcs_->ports().plaintext[0]);
  set_under_traffic(*gcs_, drone_application_, gcs_application_);
}

TEST_F(SetClock, of_a_ground_station_delays_and_drops_nothing)
{
  ASSERT_NO_FATAL_FAILURE(fly_with_ground(gcs_identity()));
  set_under_traffic(*drone_, drone_application_, gcs_application_);
}

TEST_F(SetClock, past_the_last_day_of_a_key_lets_no_session_begin_and_ends_none)
{
  const auto keys = gcs_identity();
  ASSERT_TRUE(set_expiry(keys, {"alpha"}, unix_seconds() + day_s));
  ASSERT_NO_FATAL_FAILURE(fly_with_ground(keys));
  ASSERT_TRUE(eventually([&] { return state(*drone_) == PeerState::established; }));
  const SessionId session = drone_->snapshot().peers.at(0).session;
  const auto says = [&](const std::string & text) {
    return eventually([&] { return ground_->errors().find(text) != std::string::npos; });
  };

  *set_by_ = 2 * day_s;
  EXPECT_TRUE(says("alpha: the keys have expired by this machine's clock")) << ground_->errors();
  expect_to_arrive(drone_application_, gcs_application_, 1);
  *set_by_ = 0;  // a clock that is set back brings no key back
  expect_to_arrive(gcs_application_, drone_application_, 2);
  EXPECT_EQ(drone_->snapshot().peers.at(0).session, session);
  drone_->stop();
  ASSERT_TRUE(drone_ = start(drone_config_));
  EXPECT_TRUE(says("it has the id of alpha, but a different key")) << ground_->errors();
  EXPECT_NE(state(*drone_), PeerState::established);

  ground_->send_signal(SIGHUP);  // the clock is right now
  EXPECT_TRUE(eventually([&] { return state(*drone_) == PeerState::established; }));
}

}  // namespace
}  // namespace pqc_tunnel
