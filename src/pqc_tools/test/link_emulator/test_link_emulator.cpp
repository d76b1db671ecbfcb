// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>

#include "emulator_program.hpp"
#include "pqc_tunnel/os/file_descriptor.hpp"

namespace pqc_tunnel
{
namespace
{

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr const char * clean = "description: nothing is done\n";
constexpr const char * always_down = "both: {outages: [{start_ms: 0, length_ms: 3600000}]}\n";

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
    emulator_.emplace(profile, ground_.port(), seed);
    drone_.connect(emulator_->udp_port());
    return *emulator_;
  }

  Application drone_;
  Application ground_;
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

TEST_F(LinkEmulator, in_an_outage_nothing_passes)
{
  auto & emulator = start(always_down);
  drone_.send(pattern(10));
  EXPECT_FALSE(ground_.receive(0));
  emulator.stop();
  EXPECT_EQ(emulator.number("udp", "drone_to_gcs", "lost_in_outage"), 1U);
  EXPECT_EQ(emulator.number("udp", "drone_to_gcs", "out"), 0U);
}

TEST_F(LinkEmulator, the_ground_sees_the_drone_at_new_ports_where_addresses_are_translated)
{
  auto & emulator = start("nat_rebind_ms: 50\n");
  while (emulator.number("udp", "rebinds") == 0) {
    drone_.send(pattern(1));
    ASSERT_TRUE(ground_.receive());
  }
  ground_.answer(pattern(5));
  while (!drone_.receive(20)) {  // it may have changed again
    drone_.send(pattern(1));
    ASSERT_TRUE(ground_.receive());
    ground_.answer(pattern(5));
  }
}

// One of the two serial devices, opened like a program does.
class SerialEnd
{
public:
  explicit SerialEnd(const std::filesystem::path & device)
  : fd_(::open(device.c_str(), O_RDWR | O_NOCTTY | O_CLOEXEC))
  {
  }
  void send(const Bytes & bytes) const
  {
    EXPECT_EQ(::write(fd_.get(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  }
  Bytes receive(std::size_t count, int limit_ms = 10'000) const
  {
    Bytes bytes(count);
    std::size_t have = 0;
    pollfd waits{fd_.get(), POLLIN, 0};
    while (have < count && ::poll(&waits, 1, limit_ms) == 1) {
      const ssize_t got = ::read(fd_.get(), bytes.data() + have, count - have);
      have += got > 0 ? static_cast<std::size_t>(got) : 0;
    }
    bytes.resize(have);
    return bytes;
  }

private:
  FileDescriptor fd_;
};

class SerialLink : public ::testing::Test
{
protected:
  EmulatorProgram & start(const std::string & profile)
  {
    return emulator_.emplace(
      profile,
      std::vector<std::string>{
        "--serial-drone", drone_device().string(), "--serial-ground", ground_device().string()});
  }
  std::filesystem::path drone_device() const { return folder_ / "drone"; }
  std::filesystem::path ground_device() const { return folder_ / "ground"; }

  ScratchDir folder_;
  std::optional<EmulatorProgram> emulator_;
};

TEST_F(SerialLink, every_byte_crosses_unchanged_both_ways_without_an_echo)
{
  auto & emulator = start(clean);
  const SerialEnd drone(drone_device());
  const SerialEnd ground(ground_device());
  drone.send(pattern(1000));
  EXPECT_EQ(ground.receive(1000), pattern(1000));
  ground.send(pattern(500, 9));
  EXPECT_EQ(drone.receive(500), pattern(500, 9));
  emulator.stop();
  EXPECT_EQ(emulator.number("serial", "drone_to_gcs", "bytes_out"), 1000U);
  EXPECT_EQ(emulator.number("serial", "gcs_to_drone", "bytes_out"), 500U);
  EXPECT_FALSE(std::filesystem::exists(drone_device()));
  EXPECT_FALSE(std::filesystem::is_symlink(ground_device()));
}

TEST_F(SerialLink, bytes_cross_in_packets_of_the_radio_some_with_errors)
{
  auto & emulator = start("both: {mtu_bytes: 128, overhead_bytes: 28, byte_error_percent: 5}\n");
  const SerialEnd drone(drone_device());
  const SerialEnd ground(ground_device());
  drone.send(pattern(1000));
  const Bytes received = ground.receive(1000);
  ASSERT_EQ(received.size(), 1000U);
  EXPECT_NE(received, pattern(1000));
  emulator.stop();
  EXPECT_GE(emulator.number("serial", "drone_to_gcs", "in"), 10U);
  EXPECT_GE(emulator.number("serial", "drone_to_gcs", "corrupted"), 1U);
}

TEST_F(SerialLink, signals_cut_it_and_restore_it)
{
  auto & emulator = start(clean);
  const SerialEnd drone(drone_device());
  const SerialEnd ground(ground_device());
  emulator.send_signal(SIGUSR1);
  while (emulator.number("serial", "drone_to_gcs", "lost_in_outage") == 0) {
    drone.send(pattern(100));
    std::this_thread::sleep_for(milliseconds(20));
  }
  emulator.send_signal(SIGUSR2);
  Bytes received;
  while (received.empty()) {
    drone.send(pattern(1));
    received = ground.receive(1, 20);
  }
  EXPECT_EQ(received, pattern(1));
  emulator.stop();
}

TEST_F(SerialLink, a_file_at_the_path_of_a_device_is_kept)
{
  folder_.write("drone", "mine");
  Program program(
    "pqc_link_emulator", {"--profile", folder_.write("p.yaml", clean).string(), "--serial-drone",
                          drone_device().string(), "--serial-ground", ground_device().string()});
  EXPECT_EQ(program.wait(), 1);
  EXPECT_EQ(
    program.errors(), "pqc_link_emulator: The serial device " + drone_device().string() +
                        " can't be made: there is a file already.\n");
}

TEST(LinkEmulatorCommandLine, usage_errors_exit_with_2_and_one_sentence)
{
  using Words = std::vector<std::string>;
  const std::vector<std::pair<Words, std::string>> refusals = {
    {{}, "The option --profile is needed."},
    {{"--x"}, "The option --x is unknown."},
    {{"--profile", "x"}, "Exactly one of --udp-listen and --serial-drone is needed."},
    {{"--profile", "x", "--serial-drone", "a"}, "--serial-drone requires --serial-ground."},
    {{"--profile", "x", "--udp-listen", "127.0.0.1:1"}, "--udp-listen requires --udp-forward."},
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
