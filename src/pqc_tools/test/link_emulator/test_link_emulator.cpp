// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>

#include "emulator_program.hpp"
#include "tcp_peer.hpp"

namespace pqc_tunnel
{
namespace
{

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr const char * clean = "description: nothing is done\n";
constexpr const char * always_down =
  "both: {outages: [{start_ms: 0, length_ms: 3600000}]}\ntcp: {in_outage: refuse}\n";

Bytes pattern(std::size_t size, std::uint8_t first = 0)
{
  Bytes bytes(size);
  for (std::size_t i = 0; i < size; ++i) {
    bytes[i] = static_cast<std::uint8_t>(i * 7 + i / 253 + first);
  }
  return bytes;
}

// A drone and a ground station with sockets of their own on either side of the emulator.
class LinkEmulator : public ::testing::Test
{
protected:
  EmulatorProgram & start(const std::string & profile, const std::string & seed = "1")
  {
    emulator_.emplace(profile, ground_.port(), listener_.port(), seed);
    drone_.connect(emulator_->udp_port());
    return *emulator_;
  }

  Application drone_;
  Application ground_;
  TcpListener listener_;
  std::optional<EmulatorProgram> emulator_;
};

TEST_F(LinkEmulator, datagrams_go_both_ways_unchanged_and_are_counted)
{
  auto & emulator = start(clean);
  for (const std::size_t size : {1U, 100U, 1472U, 9000U}) {
    drone_.send(pattern(size));
    EXPECT_EQ(ground_.receive(), pattern(size));
    ground_.answer(pattern(size, 9));
    EXPECT_EQ(drone_.receive(), pattern(size, 9));
  }
  emulator.stop(SIGINT);
  for (const std::string direction : {"drone_to_gcs", "gcs_to_drone"}) {
    EXPECT_EQ(emulator.number("udp", direction, "in"), 4U);
    EXPECT_EQ(emulator.number("udp", direction, "out"), 4U);
    EXPECT_EQ(emulator.number("udp", direction, "bytes_out"), 1U + 100 + 1472 + 9000);
    EXPECT_EQ(emulator.number("udp", direction, "unsent"), 0U);
  }
}

TEST_F(LinkEmulator, packets_do_not_wait_for_a_disk_that_blocks_the_summary)
{
  auto & emulator = start(clean);
  // Opening it to write waits until somebody reads.
  const std::string disk = emulator.next_summary();
  ASSERT_EQ(::mkfifo(disk.c_str(), 0600), 0);
  const auto end = Clock::now() + milliseconds(2500);
  while (Clock::now() < end) {
    drone_.send(pattern(100));
    ASSERT_EQ(ground_.receive(), pattern(100));
  }
  const int reader = ::open(disk.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  ASSERT_GE(reader, 0);
  emulator.stop();
  ::close(reader);
}

TEST_F(LinkEmulator, answers_follow_the_drone_to_its_newest_address)
{
  auto & emulator = start(clean);
  drone_.send(pattern(3));
  ASSERT_TRUE(ground_.receive());
  Application moved;
  moved.connect(emulator.udp_port());
  moved.send(pattern(4));
  ASSERT_TRUE(ground_.receive());
  ground_.answer(pattern(5));
  EXPECT_EQ(moved.receive(), pattern(5));
}

TEST_F(LinkEmulator, each_way_has_its_own_delay)
{
  start("drone_to_gcs: {delay_ms: 80}\ngcs_to_drone: {delay_ms: 30}\n");
  const auto began = Clock::now();
  drone_.send(pattern(3));
  ASSERT_TRUE(ground_.receive());
  EXPECT_GE(Clock::now() - began, milliseconds(80));
  ground_.answer(pattern(3));
  ASSERT_TRUE(drone_.receive());
  EXPECT_GE(Clock::now() - began, milliseconds(110));
}

TEST_F(LinkEmulator, the_same_seed_loses_the_same_datagrams)
{
  std::vector<std::vector<Bytes>> runs;
  for (const std::string seed : {"5", "5", "6"}) {
    auto & emulator = start("drone_to_gcs: {loss_percent: 30}\n", seed);
    for (std::uint8_t i = 0; i < 100; ++i) {
      drone_.send(Bytes{i});
    }
    // Order is kept: with the first of these that arrives, all others have.
    const Bytes last{255};
    std::vector<Bytes> received;
    while (received.empty() || received.back() != last) {
      drone_.send(last);
      for (auto datagram = ground_.receive(20); datagram; datagram = ground_.receive(0)) {
        received.push_back(*datagram);
      }
    }
    emulator.stop();
    while (ground_.receive(0)) {  // more of the last, if it was sent again
    }
    EXPECT_EQ(
      emulator.number("udp", "drone_to_gcs", "out") +
        emulator.number("udp", "drone_to_gcs", "lost"),
      emulator.number("udp", "drone_to_gcs", "in"));
    std::erase(received, last);
    EXPECT_LT(received.size(), 100U);
    runs.push_back(received);
  }
  EXPECT_EQ(runs[0], runs[1]);
  EXPECT_NE(runs[0], runs[2]);
}

TEST_F(LinkEmulator, connections_carry_everything_both_ways_to_the_end)
{
  auto & emulator = start(
    "both: {delay_ms: 5, jitter_ms: 5, loss_percent: 2, rate_bits_per_s: 40000000}\n"
    "tcp: {retransmission_ms: 5}\n");
  const auto drone = TcpPeer::connect_to(emulator.tcp_port());
  drone.send(pattern(300'000));
  drone.finish_sending();
  const auto ground = listener_.accept();
  const auto asked = ground.receive_to_the_end();
  EXPECT_TRUE(asked.ended);
  EXPECT_EQ(asked.bytes, pattern(300'000));
  ground.send(pattern(400'000, 1));
  ground.finish_sending();
  const auto answered = drone.receive_to_the_end();
  EXPECT_TRUE(answered.ended);
  EXPECT_EQ(answered.bytes, pattern(400'000, 1));
  emulator.stop();
  EXPECT_EQ(emulator.number("tcp", "accepted"), 1U);
  EXPECT_EQ(emulator.number("tcp", "open"), 0U);
  EXPECT_EQ(emulator.number("tcp", "drone_to_gcs", "bytes_out"), 300'000U);
  EXPECT_GT(emulator.number("tcp", "drone_to_gcs", "retransmissions"), 0U);
}

TEST_F(LinkEmulator, opening_a_connection_costs_a_round_trip)
{
  auto & emulator = start("both: {delay_ms: 40}\n");
  const auto began = Clock::now();
  const auto drone = TcpPeer::connect_to(emulator.tcp_port());
  drone.send(pattern(10));
  const auto ground = listener_.accept();
  EXPECT_GE(Clock::now() - began, milliseconds(40));
  ground.send(pattern(20));
  EXPECT_EQ(ground.receive(10).bytes, pattern(10));
  EXPECT_GE(Clock::now() - began, milliseconds(120));
  EXPECT_EQ(drone.receive(20).bytes, pattern(20));
}

TEST_F(LinkEmulator, what_was_said_before_hanging_up_still_arrives)
{
  auto & emulator = start("both: {delay_ms: 20}\n");
  auto drone = TcpPeer::connect_to(emulator.tcp_port());
  drone.send(pattern(1000));
  drone.close();
  const auto ground = listener_.accept();
  const auto heard = ground.receive_to_the_end();
  EXPECT_EQ(heard.bytes, pattern(1000));
  EXPECT_TRUE(heard.ended);
}

TEST_F(LinkEmulator, a_broken_connection_breaks_at_the_other_end_too)
{
  auto & emulator = start(clean);
  const auto drone = TcpPeer::connect_to(emulator.tcp_port());
  drone.send(pattern(10));
  auto ground = listener_.accept();
  EXPECT_EQ(ground.receive(10).bytes, pattern(10));
  ground.break_off();
  EXPECT_TRUE(drone.receive_to_the_end().broken);
}

TEST_F(LinkEmulator, a_ground_station_that_takes_no_connection_is_none)
{
  std::uint16_t nobody = 0;
  {
    const TcpListener closed;
    nobody = closed.port();
  }
  EmulatorProgram emulator(clean, ground_.port(), nobody);
  EXPECT_TRUE(TcpPeer::connect_to(emulator.tcp_port()).receive_to_the_end().broken);
  emulator.stop();
  EXPECT_EQ(emulator.number("tcp", "unreachable"), 1U);
}

TEST_F(LinkEmulator, in_an_outage_nothing_passes)
{
  auto & emulator = start(always_down);
  drone_.send(pattern(10));
  EXPECT_TRUE(TcpPeer::connect_to(emulator.tcp_port()).receive_to_the_end().broken);
  emulator.stop();
  EXPECT_EQ(emulator.number("udp", "drone_to_gcs", "lost_in_outage"), 1U);
  EXPECT_EQ(emulator.number("udp", "drone_to_gcs", "out"), 0U);
  EXPECT_EQ(emulator.number("tcp", "refused"), 1U);
}

TEST_F(LinkEmulator, an_outage_cuts_open_connections_if_configured)
{
  auto & emulator = start(
    "both: {outages: [{start_ms: 400, length_ms: 1, every_ms: 400}]}\ntcp: {in_outage: cut}\n");
  EXPECT_TRUE(TcpPeer::connect_to(emulator.tcp_port()).receive_to_the_end().broken);
  emulator.stop();
  EXPECT_EQ(emulator.number("tcp", "cut") + emulator.number("tcp", "refused"), 1U);
}

TEST(LinkEmulatorCommandLine, usage_errors_exit_with_2_and_one_sentence)
{
  using Words = std::vector<std::string>;
  const std::vector<std::pair<Words, std::string>> refusals = {
    {{}, "The option --profile is needed."},
    {{"--x"}, "The option --x is unknown."},
    {{"--profile", "x"}, "There is nothing to relay; give --udp-listen or --tcp-listen."},
    {{"--profile", "x", "--udp-listen", "127.0.0.1:1"},
     "--udp-listen and --udp-forward need each other."},
    {{"--profile", "x", "--udp-listen", "here", "--udp-forward", "127.0.0.1:1"},
     "--udp-listen is here, but must be HOST:PORT with a port from 0 to 65535."},
    // Without brackets the end of an IPv6 address is ambiguous.
    {{"--profile", "x", "--udp-listen", "::1:80", "--udp-forward", "127.0.0.1:1"},
     "--udp-listen is ::1:80, but must be HOST:PORT with a port from 0 to 65535."},
    {{"--profile", "x", "--seed", "-3"},
     "--seed is -3, but must be a whole number from 0 to 18446744073709551615."}};
  for (const auto & [words, sentence] : refusals) {
    Program program("pqc_link_emulator", words);
    EXPECT_EQ(program.wait(), 2);
    EXPECT_EQ(program.errors(), "pqc_link_emulator: " + sentence + "\n");
  }
}

TEST(LinkEmulatorCommandLine, runtime_errors_exit_with_1_and_one_sentence)
{
  const ScratchDir scratch;
  const auto refusal = [&scratch](const std::string & profile, std::uint16_t port) {
    Program program(
      "pqc_link_emulator",
      {"--profile", scratch.write("bad.yaml", profile).string(), "--udp-listen",
       "127.0.0.1:" + std::to_string(port), "--udp-forward", "127.0.0.1:9"});
    EXPECT_EQ(program.wait(), 1);
    return program.errors();
  };
  const std::string file = (scratch / "bad.yaml").string();
  EXPECT_EQ(
    refusal("both: {jiter_ms: 3}\n", 0),
    "pqc_link_emulator: Link profile " + file +
      ": the field both.jiter_ms is unknown; did you mean both.jitter_ms?\n");
  const Application taken;
  EXPECT_EQ(
    refusal(clean, taken.port()),
    "pqc_link_emulator: UDP 127.0.0.1:" + std::to_string(taken.port()) +
      " for the drone's side is in use by another program.\n");
}

}  // namespace
}  // namespace pqc_tunnel
