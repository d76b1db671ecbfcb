// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <signal.h>
#include <sys/socket.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "engine/engine_fixture.hpp"
#include "os/file_descriptor.hpp"
#include "support/program.hpp"
#include "support/serial_wire.hpp"

// An end whose process stands still: what waits in the buffers of its sockets meanwhile is old when the process goes on.

namespace pqc_tunnel
{
namespace
{

constexpr std::size_t count = 50;
constexpr std::chrono::milliseconds max_age{300};

class StoppedProcess : public EngineFixture
{
protected:
  StoppedProcess() { ::setenv("PQC_RUN_DIR", scratch_.path().c_str(), 1); }

  static std::vector<std::string> arguments(const std::vector<std::string> & assignments)
  {
    std::vector<std::string> words;
    for (const std::string & assignment : assignments) {
      words.insert(words.end(), {"-p", assignment});
    }
    return words;
  }
  std::unique_ptr<Program> tunneld(
    const std::string & name, std::vector<std::string> assignments,
    const std::string & peer_timeout = "60.0")
  {
    assignments.insert(
      assignments.end(),
      {"role:=" + name, "min_level:=1", "bind_address:=127.0.0.1",
       "plaintext_bind_address:=127.0.0.1", "peer_timeout_s:=" + peer_timeout, "max_age_s:=0.3"});
    auto words = arguments(assignments);
    words.insert(words.end(), {"--control", (scratch_ / (name + ".sock")).string()});
    return std::make_unique<Program>("pqc_tunneld", words);
  }
  std::string shown(const std::string & name)
  {
    Program pqc("pqc", {"show", name, "--json"});
    pqc.wait();
    return pqc.output();
  }
  std::size_t stale(const std::string & name)
  {
    const std::string text = shown(name);
    const std::string field = "\"stale\": ";
    const auto at = text.find(field, text.find("\"peers\": "));
    return at == std::string::npos ? 0 : std::stoul(text.substr(at + field.size()));
  }
  bool is_established(const std::string & name)
  {
    return eventually(
      [&] { return shown(name).find("\"state\": \"established\"") != std::string::npos; });
  }

  std::unique_ptr<Program> start_drone(
    std::uint16_t plaintext, const std::string & peer_timeout = "60.0")
  {
    return tunneld(
      "drone",
      {"identity_dir:=" + (identities() / "alpha").string(), "suite:=cs-mlkem512-aesgcm-mldsa44",
       "gcs_address:=127.0.0.1", "gcs_datagram_port:=" + std::to_string(gcs_->ports().datagram),
       "datagram_port:=" + std::to_string(Application().port()),
       "plaintext_port:=" + std::to_string(plaintext), "plaintext_peer_address:=127.0.0.1",
       "plaintext_peer_port:=" + std::to_string(drone_application_.port())},
      peer_timeout);
  }

  static bool stamps_datagrams()
  {
    const FileDescriptor socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    constexpr int on = 1;
    return ::setsockopt(socket.get(), SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on) == 0;
  }

  // Every thread is stopped.
  static bool stands_still(const Program & program)
  {
    const std::filesystem::path tasks = "/proc/" + std::to_string(program.id()) + "/task";
    return std::ranges::all_of(std::filesystem::directory_iterator(tasks), [](const auto & task) {
      std::ifstream status(task.path() / "status");
      std::string word;
      while (status >> word && word != "State:") {
      }
      status >> word;
      return word == "T";
    });
  }

  static Bytes numbered(std::uint8_t kind, std::uint8_t number) { return {kind, number, 7, 7}; }
  static void send_batch(const Application & from, std::uint8_t kind)
  {
    for (std::uint8_t i = 0; i < count; ++i) {
      from.send(numbered(kind, i));
    }
  }
  // All of what is under way, up to the last of a new batch, which arrives whole.
  static std::set<Bytes> receive_until_last(const Application & at, std::uint8_t kind)
  {
    std::set<Bytes> received;
    while (!received.contains(numbered(kind, count - 1))) {
      const auto datagram = at.receive();
      if (!datagram) {
        break;
      }
      received.insert(*datagram);
    }
    return received;
  }
  static std::set<Bytes> batch(std::uint8_t kind)
  {
    std::set<Bytes> all;
    for (std::uint8_t i = 0; i < count; ++i) {
      all.insert(numbered(kind, i));
    }
    return all;
  }

  // Stops the end `name`, whose application is `own`, while the application of the engine `other` sends, too, in at least
  // so many frames.
  void stop_under_traffic(
    const Program & program, const std::string & name, const Application & own, Engine & other,
    const Application & others, std::size_t frames = count)
  {
    // Keys are proved both ways, and both applications are known.
    send_batch(own, 1);
    EXPECT_EQ(receive_until_last(others, 1), batch(1));
    send_batch(others, 2);
    EXPECT_EQ(receive_until_last(own, 2), batch(2));
    if (!stamps_datagrams()) {
      GTEST_SKIP() << "this system does not say when a datagram arrived (SO_TIMESTAMPNS)";
    }
    const std::size_t before = stale(name);

    program.send_signal(SIGSTOP);
    ASSERT_TRUE(eventually([&] { return stands_still(program); }));
    send_batch(own, 3);
    const auto sent = traffic(other).plain_in_packets;
    send_batch(others, 4);
    ASSERT_TRUE(eventually([&] { return traffic(other).plain_in_packets >= sent + count; }));
    std::this_thread::sleep_for(max_age + std::chrono::milliseconds(200));
    program.send_signal(SIGCONT);
    ASSERT_TRUE(eventually([&] { return stale(name) >= before + count + frames; })) << shown(name);

    send_batch(own, 5);
    EXPECT_EQ(receive_until_last(others, 5), batch(5));
    send_batch(others, 6);
    EXPECT_EQ(receive_until_last(own, 6), batch(6));
  }

  ScratchDir scratch_;
};

TEST_F(StoppedProcess, of_a_drone_delivers_nothing_old_to_either_side_and_counts_it)
{
  ASSERT_TRUE(gcs_ = start(gcs_config()));
  const auto plaintext = Application().port();
  const auto program = start_drone(plaintext);
  ASSERT_TRUE(is_established("drone"));
  drone_application_.connect(plaintext);
  gcs_application_.connect(gcs_->ports().plaintext[0]);
  stop_under_traffic(*program, "drone", drone_application_, *gcs_, gcs_application_);
}

TEST_F(StoppedProcess, says_that_it_was_stopped_and_not_that_the_ground_station_is_silent)
{
  ASSERT_TRUE(gcs_ = start(gcs_config()));
  const auto program = start_drone(Application().port(), "2.0");
  ASSERT_TRUE(is_established("drone"));
  program->send_signal(SIGSTOP);
  ASSERT_TRUE(eventually([&] { return stands_still(*program); }));
  std::this_thread::sleep_for(std::chrono::milliseconds(2500));
  program->send_signal(SIGCONT);
  EXPECT_TRUE(
    eventually([&] { return program->errors().find("this program ") != std::string::npos; }));
  EXPECT_TRUE(is_established("drone"));
  EXPECT_EQ(program->errors().find("nothing is received"), std::string::npos) << program->errors();
}

TEST_F(StoppedProcess, of_a_ground_station_delivers_nothing_old_to_either_side_and_counts_it)
{
  const auto port = Application().port();
  const auto plaintext = Application().port();
  const auto program = tunneld(
    "gcs", {"identity_dir:=" + gcs_identity().string(), "datagram_port:=" + std::to_string(port),
            "plaintext_port:=" + std::to_string(plaintext), "plaintext_peer_address:=127.0.0.1",
            "plaintext_peer_port:=" + std::to_string(gcs_application_.port())});
  EngineConfig config;
  config.role = Role::drone;
  config.identity_dir = identities() / "alpha";
  config.settings = quick_settings();
  config.settings.peer_timeout = std::chrono::seconds(60);
  config.links[0].bind = {loopback, 0};
  config.links[0].gcs = {loopback, port};
  config.plaintext = {"", {loopback, 0}, {loopback, drone_application_.port()}, {}, {}};
  ASSERT_TRUE(drone_ = start(config));
  ASSERT_TRUE(is_established("gcs"));
  gcs_application_.connect(plaintext);
  drone_application_.connect(drone_->ports().plaintext[0]);
  stop_under_traffic(*program, "gcs", gcs_application_, *drone_, drone_application_);
}

TEST_F(StoppedProcess, of_a_drone_on_a_serial_line_delivers_nothing_old_either)
{
  constexpr std::uint32_t baud = 115200;
  const test::SerialWire wire;
  const auto on_wire = [&](EngineConfig config) {
    config.settings.paths.links = {
      {.name = "radio", .type = LinkType::serial, .mtu = 320, .rate_kbit = baud / 1000.0}};
    config.links = {{{}, {}, "", wire.device(0).string(), baud}};
    return config;
  };
  ASSERT_TRUE(gcs_ = start(on_wire(gcs_config())));
  const auto plaintext = Application().port();
  const auto program = tunneld(
    "drone",
    {"identity_dir:=" + (identities() / "alpha").string(), "suite:=cs-mlkem512-aesgcm-mldsa44",
     "links:=[radio]", "link.radio.type:=serial", "link.radio.device:=" + wire.device(1).string(),
     "link.radio.baud:=" + std::to_string(baud), "link.radio.mtu_bytes:=320", "radio_status:=off",
     "plaintext_port:=" + std::to_string(plaintext), "plaintext_peer_address:=127.0.0.1",
     "plaintext_peer_port:=" + std::to_string(drone_application_.port())});
  ASSERT_TRUE(is_established("drone"));
  drone_application_.connect(plaintext);
  gcs_application_.connect(gcs_->ports().plaintext[0]);
  // Bundles: one frame holds several datagrams.
  stop_under_traffic(*program, "drone", drone_application_, *gcs_, gcs_application_, 1);
}

}  // namespace
}  // namespace pqc_tunnel
