// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <cstdlib>

#include "engine/engine_fixture.hpp"
#include "net/address.hpp"
#include "os/clock.hpp"
#include "os/file_descriptor.hpp"

// Links that are bound to a network interface, which comes and goes. Two network namespaces are two machines.

namespace pqc_tunnel
{
namespace
{

using namespace std::chrono_literals;

// A machine of its own, as far as the network is concerned. Sockets of a thread belong to the machine that it entered.
class Machine
{
public:
  Machine()
  {
    if (::unshare(CLONE_NEWNET) == 0) {
      network_ = FileDescriptor(::open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC));
      run("ip link set lo up");
    }
  }
  bool is_made() const { return static_cast<bool>(network_); }
  void enter() const { ::setns(network_.get(), CLONE_NEWNET); }
  bool run(const std::string & command) const { return std::system(command.c_str()) == 0; }
  bool run_here(const std::string & command) const
  {
    enter();
    return run(command);
  }
  // For a command of another machine of this process.
  std::string path() const
  {
    return "/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(network_.get());
  }

private:
  FileDescriptor network_;
};

class Interfaces : public EngineFixture
{
protected:
  static constexpr const char * modem = "wwan0";
  static constexpr const char * drone_address = "192.0.2.1";
  static constexpr const char * ground_address = "192.0.2.2";

  void SetUp() override
  {
    home_ = FileDescriptor(::open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC));
    drone_machine_ = std::make_unique<Machine>();
    ground_machine_ = std::make_unique<Machine>();
    if (!ground_machine_->is_made() || !plug_in()) {
      GTEST_SKIP() << "network namespaces need root and the program ip";
    }
    unplug();
  }
  ~Interfaces() override
  {
    drone_.reset();
    gcs_.reset();
    ::setns(home_.get(), CLONE_NEWNET);
  }

  // A modem with a new number and the same name and address; the cable's other end is the ground station.
  bool plug_in()
  {
    return drone_machine_->run_here(
             std::string("ip link add ") + modem + " type veth peer name cable netns " +
             ground_machine_->path()) &&
           set_up(true) &&
           ground_machine_->run_here(
             std::string("ip addr add ") + ground_address +
             "/24 dev cable && ip link set cable up");
  }
  bool set_up(bool up)
  {
    return drone_machine_->run_here(
      up ? std::string("ip addr replace ") + drone_address + "/24 dev " + modem +
             " && ip link set " + modem + " up"
         : std::string("ip link set ") + modem + " down");
  }
  void unplug() { ASSERT_TRUE(drone_machine_->run_here(std::string("ip link del ") + modem)); }

  void start_ends(const std::string & bind_host = "", const std::string & interface = modem)
  {
    ground_machine_->enter();
    EngineConfig ground = gcs_config();
    ground.links[0].bind = {"", 46012};
    ASSERT_TRUE(gcs_ = start(std::move(ground)));
    drone_machine_->enter();
    EngineConfig drone = drone_config();
    drone.links[0] = {{bind_host, 0}, {ground_address, 46012}, interface, "", 0};
    ASSERT_TRUE(drone_ = start(std::move(drone)));
  }
  bool is_open(bool open)
  {
    return eventually([&] { return drone_->snapshot().links.at(0).open == open; });
  }
  std::string trouble() const { return drone_->snapshot().links.at(0).trouble; }
  std::string likely_cause() const { return drone_->snapshot().peers.at(0).likely_cause; }
  bool hears_anew()
  {
    const Instant from = monotonic_now();
    return eventually([&] {
      const auto heard = [&](const Engine & end) {
        const auto snapshot = end.snapshot();
        const auto & path = snapshot.peers.at(0).paths.at(0);
        return path.heard && *path.heard > from;
      };
      return state(*drone_) == PeerState::established && heard(*drone_) && heard(*gcs_);
    });
  }

  FileDescriptor home_;
  std::unique_ptr<Machine> drone_machine_;
  std::unique_ptr<Machine> ground_machine_;
};

TEST_F(Interfaces, a_modem_may_be_unplugged_and_plugged_in_again_under_another_number)
{
  ASSERT_TRUE(plug_in());
  start_ends();
  ASSERT_TRUE(in_contact()) << history();
  unplug();
  ASSERT_TRUE(is_open(false));
  ASSERT_TRUE(plug_in());
  EXPECT_TRUE(is_open(true));
  EXPECT_TRUE(hears_anew()) << history();
}

TEST_F(Interfaces, a_broadcast_address_of_a_network_that_comes_later_takes_answers_of_its_hosts)
{
  ASSERT_TRUE(plug_in());
  ground_machine_->enter();
  sockaddr_in every = loopback_address(0);
  every.sin_addr.s_addr = htonl(INADDR_ANY);
  const Application tablet(every);
  EngineConfig ground = gcs_config();
  ground.links[0].bind = {"", 46012};
  ground.plaintext.bind = {"", 0};
  ground.plaintext.peer = {"198.51.100.255", tablet.port()};
  ASSERT_TRUE(gcs_ = start(std::move(ground)));
  drone_machine_->enter();
  Application vehicle;
  EngineConfig drone = drone_config();
  drone.links[0] = {{"", 0}, {ground_address, 46012}, modem, "", 0};
  drone.plaintext.peer = {"127.0.0.1", vehicle.port()};
  ASSERT_TRUE(drone_ = start(std::move(drone)));
  ASSERT_TRUE(in_contact()) << history();
  vehicle.connect(drone_->ports().plaintext[0]);
  ASSERT_TRUE(ground_machine_->run_here("ip addr add 198.51.100.1/24 brd + dev cable"));
  const auto goes_both_ways = [&] {
    vehicle.send(pattern(61));
    if (!tablet.receive(100)) {
      return false;
    }
    tablet.answer(pattern(62));
    return vehicle.receive(100) == pattern(62);
  };
  EXPECT_TRUE(eventually(goes_both_ways)) << history();
}

TEST_F(Interfaces, a_modem_may_come_after_the_start)
{
  start_ends(drone_address);
  EXPECT_FALSE(drone_->snapshot().links.at(0).open);
  EXPECT_EQ(trouble(), "there is no network interface wwan0");
  EXPECT_TRUE(eventually([&] { return likely_cause() == trouble(); }));
  ASSERT_TRUE(plug_in());
  EXPECT_TRUE(is_open(true));
  EXPECT_TRUE(in_contact()) << history();
}

TEST_F(Interfaces, a_modem_may_be_set_down_and_up)
{
  ASSERT_TRUE(plug_in());
  start_ends(drone_address);
  ASSERT_TRUE(in_contact()) << history();
  ASSERT_TRUE(set_up(false));
  ASSERT_TRUE(is_open(false));
  EXPECT_EQ(trouble(), "the network interface wwan0 is down");
  ASSERT_TRUE(set_up(true));
  EXPECT_TRUE(is_open(true));
  EXPECT_TRUE(hears_anew()) << history();
}

TEST_F(Interfaces, another_address_of_this_machine_is_used_when_the_present_one_goes)
{
  ASSERT_TRUE(plug_in());
  start_ends("", "");
  ASSERT_TRUE(in_contact()) << history();
  ASSERT_TRUE(hears_anew());
  ASSERT_TRUE(drone_machine_->run_here(
    std::string("ip addr del ") + drone_address + "/24 dev " + modem +
    " && ip addr add 192.0.2.9/24 dev " + modem));
  const auto has_moved = [&] {
    return to_string(gcs_->snapshot().peers.at(0).address).starts_with("192.0.2.9");
  };
  EXPECT_TRUE(eventually(has_moved, 10s)) << history();
  EXPECT_EQ(drone_->snapshot().peers.at(0).handshakes, 1u) << "the session went on";
}

TEST_F(Interfaces, a_rule_of_this_machine_that_keeps_datagrams_from_leaving_is_said_as_such)
{
  ASSERT_TRUE(plug_in());
  ASSERT_TRUE(
    drone_machine_->run_here(std::string("ip route add prohibit ") + ground_address + "/32"));
  start_ends("", "");
  EXPECT_TRUE(eventually([&] { return !trouble().empty(); }));
  EXPECT_EQ(
    trouble(),
    "this machine does not let the datagrams of link udp leave (Permission denied): a broadcast "
    "address, or a rule of the system");
  EXPECT_TRUE(eventually([&] { return likely_cause() == trouble(); }));
  ASSERT_TRUE(
    drone_machine_->run_here(std::string("ip route del prohibit ") + ground_address + "/32"));
  ASSERT_TRUE(in_contact()) << history();
  EXPECT_TRUE(eventually([&] { return trouble().empty(); }));
}

}  // namespace
}  // namespace pqc_tunnel
