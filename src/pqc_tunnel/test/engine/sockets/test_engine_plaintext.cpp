// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <dlfcn.h>
#include <netdb.h>

#include <atomic>
#include <cstring>
#include <memory>
#include <utility>

#include "engine/engine_fixture.hpp"

namespace
{

constexpr const char * moving_host = "moving-host.invalid";
std::atomic<const char *> moving_address = nullptr;  // null: no name server knows it

}  // namespace

// The name server of this program.
extern "C" int getaddrinfo(
  const char * host, const char * service, const addrinfo * hints, addrinfo ** found)
{
  static const auto real =
    reinterpret_cast<decltype(&getaddrinfo)>(::dlsym(RTLD_NEXT, "getaddrinfo"));
  if (host != nullptr && std::strcmp(host, moving_host) == 0) {
    const char * const address = moving_address;
    const bool numeric = hints != nullptr && (hints->ai_flags & AI_NUMERICHOST) != 0;
    *found = nullptr;
    return numeric || address == nullptr ? EAI_NONAME : real(address, service, hints, found);
  }
  return real(host, service, hints, found);
}

namespace pqc_tunnel
{
namespace
{

class EnginePlaintext : public EngineFixture
{
protected:
  EnginePlaintext() { moving_address = nullptr; }

  // Drone alpha's plaintext goes to this address; the ground station serves beta, too.
  void start_with_peer(const HostPort & peer)
  {
    auto config = gcs_config({"alpha", "beta"});
    config.plaintext.peer = peer;
    config.address_look_interval = std::chrono::milliseconds(20);
    ASSERT_TRUE(gcs_ = start(std::move(config)));
    ASSERT_TRUE(drone_ = start(drone_config()));
    ASSERT_TRUE(in_contact()) << history();
    drone_application_.connect(drone_->ports().plaintext[0]);
  }

  std::string cause() const { return gcs_->snapshot().peers.at(0).likely_cause; }
  bool logs(const std::string & sentence)
  {
    return eventually([&] {
      for (const Event & event : gcs_->take_events()) {
        if (event.peer == first_peer && event.text == sentence) {
          return true;
        }
      }
      return false;
    });
  }
  // Until one arrives: the address may be known only after the first.
  bool reaches(const Application & application)
  {
    return eventually([&] {
      drone_application_.send(pattern(60));
      return application.receive(20) == pattern(60);
    });
  }
};

TEST_F(EnginePlaintext, an_unknown_name_is_said_and_ends_no_tunnel_until_it_is_known)
{
  const std::string trouble =
    "no IP address is known for moving-host.invalid (plaintext_peer_address): name "
    "misspelled, or no name server answers";
  start_with_peer({moving_host, gcs_application_.port()});
  EXPECT_TRUE(logs("Trouble at the plaintext side: " + trouble + "."));
  EXPECT_TRUE(eventually([&] { return cause() == trouble; })) << cause();

  moving_address = "127.0.0.1";
  EXPECT_TRUE(reaches(gcs_application_));
  EXPECT_TRUE(logs("The plaintext side works again."));
  EXPECT_TRUE(eventually([&] { return cause().empty(); })) << cause();
}

TEST_F(EnginePlaintext, a_moved_name_gets_the_datagrams_at_its_new_address)
{
  moving_address = "127.0.0.1";
  sockaddr_in elsewhere = loopback_address(gcs_application_.port());
  elsewhere.sin_addr.s_addr = htonl(INADDR_LOOPBACK + 1);
  const Application moved(elsewhere);
  start_with_peer({moving_host, gcs_application_.port()});
  EXPECT_TRUE(reaches(gcs_application_));
  moving_address = "127.0.0.2";
  EXPECT_TRUE(reaches(moved));
  moving_address = nullptr;  // a name server that is away changes nothing
  EXPECT_TRUE(reaches(moved));
  EXPECT_EQ(cause(), "");
}

// The system tells a connected socket of the refusal with a later datagram, which must not be lost.
TEST_F(EnginePlaintext, a_program_that_was_away_gets_the_first_datagram_when_it_is_back)
{
  auto program = std::make_unique<Application>();
  const sockaddr_in place = loopback_address(program->port());
  start_with_peer({"127.0.0.1", program->port()});
  EXPECT_TRUE(reaches(*program));
  program.reset();
  const auto given = [this] { return gcs_->snapshot().peers.at(0).traffic.plain_out_packets; };
  const auto before = given();
  drone_application_.send(pattern(62));
  EXPECT_TRUE(eventually([&] { return given() > before; }));
  const Application back(place);
  drone_application_.send(pattern(63));
  EXPECT_EQ(back.receive(), pattern(63));
  back.answer(pattern(64));
  EXPECT_EQ(drone_application_.receive(), pattern(64));
}

TEST_F(EnginePlaintext, a_mirror_may_move_to_another_host)
{
  sockaddr_in elsewhere = loopback_address(0);
  elsewhere.sin_addr.s_addr = htonl(INADDR_LOOPBACK + 1);
  const Application mirror(elsewhere);
  auto config = gcs_config();
  config.plaintext.mirror = {moving_host, mirror.port()};
  config.address_look_interval = std::chrono::milliseconds(20);
  ASSERT_TRUE(gcs_ = start(std::move(config)));
  EXPECT_TRUE(
    logs("Trouble at the plaintext side: no IP address is known for moving-host.invalid "
         "(mirror_address): name misspelled, or no name server answers."));
  ASSERT_TRUE(drone_ = start(drone_config()));
  ASSERT_TRUE(in_contact()) << history();
  connect_applications();
  moving_address = "127.0.0.2";
  EXPECT_TRUE(reaches(mirror));
}

TEST_F(EnginePlaintext, a_broadcast_address_reaches_a_listener_which_may_answer_from_its_port)
{
  sockaddr_in every = loopback_address(0);
  every.sin_addr.s_addr = htonl(INADDR_ANY);
  const Application tablet(every);
  start_with_peer({"127.255.255.255", tablet.port()});
  drone_application_.send(pattern(61));
  ASSERT_EQ(tablet.receive(), pattern(61));
  tablet.answer(pattern(62));
  EXPECT_EQ(drone_application_.receive(), pattern(62));
  gcs_application_.connect(gcs_->ports().plaintext[0]);
  gcs_application_.send(pattern(63));  // from another port
  EXPECT_TRUE(
    eventually([&] { return traffic(*gcs_).drops[static_cast<std::size_t>(Drop::foreign)] == 1; }));
  EXPECT_EQ(cause(), "");
}

TEST_F(EnginePlaintext, what_the_system_refuses_to_send_is_named)
{
  start_with_peer({"192.0.2.1", 14550});  // not from the loopback
  drone_application_.send(pattern(64));
  const std::string trouble =
    "this machine refuses to send to 192.0.2.1:14550 (plaintext_peer_address): Invalid "
    "argument; plaintext_bind_address is not of that network";
  EXPECT_TRUE(logs("Trouble at the plaintext side: " + trouble + "."));
  EXPECT_TRUE(eventually([&] { return cause() == trouble; })) << cause();
}

// A frame of MAVLink 2 with a payload of zeros; checksums are left to whom they concern.
Bytes frame_with(std::uint8_t message, std::uint8_t size)
{
  Bytes frame{0xfd, size, 0, 0, 0, 1, 1, message, 0, 0};
  frame.resize(frame.size() + size + 2);
  return frame;
}

// A bridge of a serial line has read this at four moments: no datagram is a whole number of frames.
class CutDatagrams : public EnginePlaintext
{
protected:
  static constexpr std::uint8_t heartbeat = 0;
  static constexpr std::uint8_t attitude = 30;

  CutDatagrams()
  {
    const std::vector<Bytes> frames{
      frame_with(heartbeat, 9), frame_with(attitude, 28), frame_with(attitude, 28),
      frame_with(heartbeat, 9)};
    Bytes line;
    for (const Bytes & frame : frames) {
      line.insert(line.end(), frame.begin(), frame.end());
    }
    const std::ptrdiff_t ends[] = {15, 50, 90, static_cast<std::ptrdiff_t>(line.size())};
    for (std::ptrdiff_t from = 0; const std::ptrdiff_t end : ends) {
      datagrams_.emplace_back(line.begin() + std::exchange(from, end), line.begin() + end);
    }
  }

  std::vector<Bytes> datagrams_;
};

TEST_F(CutDatagrams, pass_as_they_are_and_the_mirror_gets_whole_frames)
{
  const Application mirror;
  ASSERT_TRUE(gcs_ = start(gcs_config()));
  auto config = drone_config();
  config.plaintext.mirror = {loopback, mirror.port()};
  config.plaintext.mirror_messages = {heartbeat};
  ASSERT_TRUE(drone_ = start(std::move(config)));
  ASSERT_TRUE(in_contact()) << history();
  connect_applications();
  for (const Bytes & datagram : datagrams_) {
    drone_application_.send(datagram);
    EXPECT_EQ(gcs_application_.receive(), datagram);
  }
  EXPECT_EQ(mirror.receive(), frame_with(heartbeat, 9));
  EXPECT_EQ(mirror.receive(), frame_with(heartbeat, 9));
}

TEST_F(CutDatagrams, are_put_together_to_frames_of_their_classes_on_a_thin_link)
{
  ASSERT_TRUE(gcs_ = start(gcs_config()));
  auto config = drone_config();
  config.settings.paths.links = {{.name = "radio", .rate_kbit = 4096}};
  ASSERT_TRUE(drone_ = start(std::move(config)));
  ASSERT_TRUE(in_contact()) << history();
  connect_applications();
  const auto offered = [this](TrafficClass traffic) {
    return drone_->snapshot().links.at(0).shaped[static_cast<std::size_t>(traffic)].offered;
  };
  EXPECT_TRUE(eventually([&] {
    for (const Bytes & datagram : datagrams_) {
      drone_application_.send(datagram);
    }
    return offered(TrafficClass::command) > 3 && offered(TrafficClass::telemetry) > 3;
  }));
  EXPECT_TRUE(eventually([&] { return gcs_application_.receive() == frame_with(attitude, 28); }));
}

TEST_F(EnginePlaintext, a_mirror_without_any_mavlink_is_explained)
{
  const Application mirror;
  ASSERT_TRUE(gcs_ = start(gcs_config()));
  auto config = drone_config();
  config.plaintext.mirror = {loopback, mirror.port()};
  config.plaintext.mirror_messages = {0};
  ASSERT_TRUE(drone_ = start(std::move(config)));
  ASSERT_TRUE(in_contact()) << history();
  connect_applications();
  const auto cause = [this] { return drone_->snapshot().peers.at(0).likely_cause; };
  EXPECT_TRUE(eventually([&] {
    drone_application_.send(pattern(65));
    return cause() ==
           "no MAVLink is recognized in what the vehicle sends: the mirror gets nothing of it";
  }))
    << cause();
  EXPECT_TRUE(eventually([&] {
    drone_application_.send(frame_with(0, 9));
    return cause().empty();
  }))
    << cause();
}

}  // namespace
}  // namespace pqc_tunnel
