// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <set>

#include "engine/engine_fixture.hpp"
#include "link/shaping/shaped_line.hpp"
#include "support/hex.hpp"
#include "support/serial_wire.hpp"

// Serial links, and several links at once, with real sockets and pseudo terminals.

namespace pqc_tunnel
{
namespace
{

using namespace std::chrono_literals;
using test::SerialWire;

class Links : public EngineFixture
{
protected:
  static constexpr std::uint32_t baud = 115200;

  static LinkSettings serial(const std::string & name)
  {
    return {.name = name, .type = LinkType::serial, .mtu = 320, .rate_kbit = baud / 1000.0};
  }

  void start_over(const std::vector<LinkSettings> & links, Schedule schedule = Schedule::failover)
  {
    auto configure = [&](EngineConfig config, std::size_t end) {
      const LinkPort udp = config.links[0];
      config.settings.paths = {links, schedule};
      config.radio_status = radio_status_;
      config.links.clear();
      for (const LinkSettings & link : links) {
        config.links.push_back(udp);
        if (link.type == LinkType::serial) {
          config.links.back() = {{}, {}, "", wire_.device(end).string(), baud};
        }
      }
      return config;
    };
    ASSERT_TRUE(gcs_ = start(configure(gcs_config(), 0)));
    EngineConfig drone = drone_config();
    for (std::size_t i = 0; i < links.size(); ++i) {
      if (links[i].type == LinkType::udp) {
        drone.links[0].gcs = {loopback, gcs_->ports().links[i]};
      }
    }
    ASSERT_TRUE(drone_ = start(configure(std::move(drone), 1)));
    ASSERT_TRUE(in_contact()) << history();
    connect_applications();
  }

  PathReport path(const Engine & engine, std::size_t link) const
  {
    return engine.snapshot().peers[0].paths.at(link);
  }
  bool all_up()
  {
    return eventually([this] {
      for (const Engine * end : {drone_.get(), gcs_.get()}) {
        const auto peer = end->snapshot().peers.at(0);
        for (const PathReport & report : peer.paths) {
          if (report.state != PathState::up) {
            return false;
          }
        }
      }
      return true;
    });
  }

  void drain()
  {
    while (drone_application_.receive(100) || gcs_application_.receive(100)) {
    }
  }

  SerialWire wire_;
  bool radio_status_ = false;
};

TEST_F(Links, one_serial_line_carries_a_session_traffic_and_rekeys)
{
  start_over({serial("radio")});
  expect_traffic_both_ways();
  const auto reply = rekey(*drone_, "cs-mlkem512-chacha20poly1305-falcon512");
  EXPECT_TRUE(reply.success) << reply.message;
  expect_traffic_both_ways();
}

// As a ground program sends a file: several frames in a datagram, which are longer than a frame of the line together.
TEST_F(Links, a_datagram_of_several_frames_arrives_by_a_serial_line)
{
  start_over({serial("radio")});
  Bytes all;
  for (std::uint8_t i = 0; i < 4; ++i) {
    const Bytes frame = test::mavlink(110, i, 254);  // FILE_TRANSFER_PROTOCOL
    all.insert(all.end(), frame.begin(), frame.end());
  }
  gcs_application_.send(all);
  for (std::uint8_t i = 0; i < 4; ++i) {
    EXPECT_EQ(drone_application_.receive(), test::mavlink(110, i, 254));
  }
}

// A telemetry radio has frames of 252 bytes: a signed part of a file is longer, and bytes that are no MAVLink may be.
TEST_F(Links, a_datagram_that_no_frame_of_the_line_holds_arrives_whole)
{
  LinkSettings radio = serial("radio");
  radio.mtu = 252;
  start_over({radio});
  const Bytes part = test::sign(test::mavlink(110, 7, 254), 1, 1);
  ASSERT_EQ(part.size(), 279U);
  for (const Bytes & datagram :
       {part, pattern(330), pattern(532), pattern(1064), pattern(1499), pattern(1500)})
  {
    drone_application_.send(datagram);
    EXPECT_EQ(gcs_application_.receive(), datagram);
    gcs_application_.send(datagram);
    EXPECT_EQ(drone_application_.receive(), datagram);
  }
  for (const Engine * end : {drone_.get(), gcs_.get()}) {
    EXPECT_EQ(end->snapshot().links.at(0).shaped.at(4).oversize, 0U);
    EXPECT_EQ(end->snapshot().peers[0].likely_cause, "");
  }
}

TEST_F(Links, several_of_them_take_a_long_datagram_in_fragments_that_fit_all)
{
  start_over({{.name = "lte", .mtu = 1452}, serial("radio")}, Schedule::redundant);
  ASSERT_TRUE(all_up());
  for (const std::size_t size : {296U, 1000U, 1500U}) {
    drone_application_.send(pattern(size));
    EXPECT_EQ(gcs_application_.receive(), pattern(size));
  }
  EXPECT_FALSE(gcs_application_.receive(300)) << "a copy";
}

TEST_F(Links, fragments_that_are_lost_are_counted_and_named_as_the_likely_cause)
{
  LinkSettings radio = serial("radio");
  radio.rate_kbit = 38.4;
  start_over({radio});
  const auto incomplete = [this] {
    return gcs_->snapshot().peers[0].traffic.drops[static_cast<std::size_t>(Drop::incomplete)];
  };
  for (int i = 0; i < 10 && incomplete() == 0; ++i) {
    const auto received = gcs_->snapshot().peers[0].traffic.cipher_in_packets;
    drone_application_.send(pattern(1500));
    EXPECT_TRUE(eventually(
      [&] { return gcs_->snapshot().peers[0].traffic.cipher_in_packets > received + 1; }));
    wire_.cut(true);
    gcs_application_.receive(150);
    wire_.cut(false);
    eventually([&] { return incomplete() > 0; });
  }
  EXPECT_GT(incomplete(), 0U);
  EXPECT_TRUE(eventually(
    [&] { return gcs_->snapshot().peers[0].likely_cause.find("incomplete") != std::string::npos; }))
    << gcs_->snapshot().peers[0].likely_cause;
}

TEST_F(Links, a_datagram_that_no_fragments_take_is_named_as_the_likely_cause)
{
  start_over({serial("radio")});
  drone_application_.send(pattern(1501));
  EXPECT_TRUE(eventually([&] {
    return drone_->snapshot().peers[0].likely_cause.find("longer than link radio takes") !=
           std::string::npos;
  }))
    << drone_->snapshot().peers[0].likely_cause;
  expect_traffic_both_ways();
}

TEST_F(Links, the_autopilot_learns_how_much_room_a_thin_link_has_and_the_ground_does_not)
{
  radio_status_ = true;
  start_over({serial("radio")});
  EXPECT_FALSE(drone_application_.receive(1500)) << "nobody has sent MAVLink";
  drone_application_.send(test::mavlink(0, 1, 9, 1));
  ASSERT_TRUE(gcs_application_.receive());
  for (int i = 0; i < 2; ++i) {
    const auto frame = drone_application_.receive();
    ASSERT_TRUE(frame);
    ASSERT_EQ(frame->size(), 6U + 9 + 2);
    EXPECT_EQ(frame->at(0), 0xfe);  // MAVLink 1
    EXPECT_EQ(test::to_hex(ByteView(*frame).subspan(3, 3)), "33446D");
    EXPECT_EQ(frame->at(6 + 6), 100);
  }
  EXPECT_FALSE(gcs_application_.receive(100));
  // A radio that reports by itself is left to do so.
  drone_application_.send(test::mavlink(109, 1, 9, 51));
  ASSERT_TRUE(gcs_application_.receive());
  drain();
  EXPECT_FALSE(drone_application_.receive(2000));
}

TEST_F(Links, one_udp_link_of_configured_rate_carries_a_session_traffic_and_rekeys)
{
  start_over({{.name = "radio", .rate_kbit = 4096}});
  expect_traffic_both_ways();
  const auto reply = rekey(*drone_, "cs-mlkem512-chacha20poly1305-falcon512");
  EXPECT_TRUE(reply.success) << reply.message;
  expect_traffic_both_ways();
}

TEST_F(Links, traffic_moves_to_the_other_link_when_one_is_cut_and_back)
{
  start_over({serial("radio"), {.name = "lte"}});
  ASSERT_TRUE(all_up());
  expect_traffic_both_ways();
  wire_.cut(true);
  // The first ones may be lost, until the silence is noticed.
  ASSERT_TRUE(eventually([&] {
    drone_application_.send(pattern(50));
    gcs_application_.send(pattern(51));
    return path(*drone_, 0).state == PathState::down && path(*gcs_, 0).state == PathState::down;
  }))
    << history();
  drain();
  expect_traffic_both_ways();
  EXPECT_EQ(state(*drone_), PeerState::established);
  wire_.cut(false);
  ASSERT_TRUE(all_up());
  expect_traffic_both_ways();
}

TEST_F(Links, what_waits_for_a_thin_link_that_is_cut_arrives_by_the_other_one)
{
  start_over({serial("radio"), {.name = "lte"}});
  ASSERT_TRUE(all_up());
  wire_.cut(true);
  // More than a second's worth of the line, of which nothing may be left out.
  constexpr std::uint8_t offered = 100;
  for (std::uint8_t i = 0; i < offered; ++i) {
    drone_application_.send(test::mavlink(test::param_value, i, 150));
  }
  std::set<std::uint8_t> arrived;
  ASSERT_TRUE(eventually([&] {
    while (const auto datagram = gcs_application_.receive(50)) {
      arrived.insert(datagram->at(10));
    }
    return arrived.contains(offered - 1);
  }))
    << history();
  // Lost is what was given to the line until its failure showed.
  EXPECT_GE(arrived.size(), offered / 2U);
}

TEST_F(Links, a_serial_device_may_be_unplugged_and_plugged_in_again)
{
  start_over({serial("radio"), {.name = "lte"}});
  ASSERT_TRUE(all_up());
  wire_.unplug();
  ASSERT_TRUE(eventually(
    [&] { return !drone_->snapshot().links[0].open && !gcs_->snapshot().links[0].open; }));
  expect_traffic_both_ways();
  wire_.plug_in();
  ASSERT_TRUE(all_up());
  expect_traffic_both_ways();
}

std::string trouble(const Engine & engine) { return engine.snapshot().links.at(0).trouble; }
std::string cause(const Engine & engine) { return engine.snapshot().peers.at(0).likely_cause; }

TEST_F(Links, a_device_that_is_not_there_is_named_at_both_ends)
{
  wire_.unplug();
  const auto alone = [this](EngineConfig config, std::size_t end) {
    config.settings.paths.links = {serial("radio")};
    config.links = {{{}, {}, "", wire_.device(end).string(), baud}};
    return config;
  };
  ASSERT_TRUE(gcs_ = start(alone(gcs_config(), 0)));
  ASSERT_TRUE(drone_ = start(alone(drone_config(), 1)));
  for (const auto & [engine, end] : {std::pair{gcs_.get(), 0U}, {drone_.get(), 1U}}) {
    const std::string expected = "the serial device " + wire_.device(end).string() +
                                 " doesn't open: No such file or directory";
    EXPECT_EQ(trouble(*engine), expected);
    EXPECT_EQ(cause(*engine), expected);
    EXPECT_EQ(engine->snapshot().links.at(0).where, wire_.device(end).string() + " at 115200 baud");
  }
  EXPECT_NE(history().find("drone: link radio: the serial device "), std::string::npos);
  wire_.plug_in();
  ASSERT_TRUE(in_contact()) << history();
  for (const Engine * engine : {drone_.get(), gcs_.get()}) {
    EXPECT_EQ(trouble(*engine), "");
    EXPECT_EQ(cause(*engine), "");
  }
}

TEST_F(Links, another_baud_rate_or_noise_is_named_as_such)
{
  start_over({serial("radio"), {.name = "lte"}});
  wire_.garble(true);
  ASSERT_TRUE(eventually([&] {
    drone_application_.send(pattern(70));
    return !trouble(*gcs_).empty();
  }));
  EXPECT_EQ(
    trouble(*gcs_), "what arrives at " + wire_.device(0).string() +
                      " is no tunnel's: another baud rate there than 115200, noise, or not the "
                      "radio's device");
  EXPECT_EQ(cause(*gcs_), "") << "the other link carries everything";
  wire_.garble(false);
  EXPECT_TRUE(eventually([&] { return trouble(*gcs_).empty(); }));
}

TEST_F(Links, a_redundant_schedule_loses_nothing_when_a_link_is_cut)
{
  start_over({{.name = "lte"}, serial("radio")}, Schedule::redundant);
  ASSERT_TRUE(all_up());
  for (int round = 0; round < 20; ++round) {
    wire_.cut(round % 2 == 1);
    expect_traffic_both_ways();
  }
  wire_.cut(false);
  // The copies are no attack. A link without room takes none.
  ASSERT_TRUE(all_up());
  ASSERT_TRUE(eventually([&] {
    expect_traffic_both_ways();
    return drone_->snapshot().peers[0].link.duplicates > 0;
  }));
  EXPECT_EQ(traffic(*drone_).drops[static_cast<std::size_t>(Drop::replay)], 0u);
}

}  // namespace
}  // namespace pqc_tunnel
