// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <signal.h>
#include <sys/inotify.h>
#include <sys/resource.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>

#include "engine/engine_fixture.hpp"
#include "support/pipe.hpp"
#include "support/program.hpp"

namespace pqc_tunnel
{
namespace
{

class CommandLine : public EngineFixture
{
protected:
  static Program tunneld(std::vector<std::string> arguments)
  {
    return Program("pqc_tunneld", std::move(arguments));
  }
  static Program pqc(std::vector<std::string> arguments)
  {
    return Program("pqc", std::move(arguments));
  }

  // Parameters of a drone whose ground station is the engine gcs_.
  std::vector<std::string> drone_arguments()
  {
    std::vector<std::string> arguments;
    const Application free;  // its port is free again after this
    const std::vector<std::string> assignments{
      "role:=drone",
      "identity_dir:=" + (identities() / "alpha").string(),
      "suite:=cs-mlkem512-aesgcm-mldsa44",
      "min_level:=1",
      "gcs_address:=127.0.0.1",
      "gcs_datagram_port:=" + std::to_string(gcs_->ports().datagram),
      "bind_address:=127.0.0.1",
      "datagram_port:=" + std::to_string(Application().port()),
      "plaintext_bind_address:=127.0.0.1",
      "plaintext_port:=" + std::to_string(free.port()),
    };
    for (const auto & assignment : assignments) {
      arguments.insert(arguments.end(), {"-p", assignment});
    }
    return arguments;
  }

  // A drone with a control socket and these options beside.
  Program drone_with(const std::vector<std::string> & options, const Streams & streams = {})
  {
    auto arguments = drone_arguments();
    arguments.insert(arguments.end(), {"--control", control_});
    arguments.insert(arguments.end(), options.begin(), options.end());
    return Program("pqc_tunneld", arguments, streams);
  }

  // Whether the drone in contact takes commands; each of these is worth several lines of log.
  void expect_rekeys(int count)
  {
    ASSERT_TRUE(eventually([this] { return state(*gcs_) == PeerState::established; }));
    for (int i = 0; i < count; ++i) {
      auto rekeyed = pqc({"rekey", "drone"});
      EXPECT_EQ(rekeyed.wait(), 0) << rekeyed.output() << rekeyed.errors();
    }
  }

  // A field of /proc/PID/status: the first word after a name.
  static std::string process_status(const Program & program, const std::string & name)
  {
    std::ifstream status("/proc/" + std::to_string(program.id()) + "/status");
    std::string word;
    while (status >> word && word != name + ":") {
    }
    status >> word;
    return word;
  }
  static bool has_signal(const std::string & mask, int number)
  {
    return (std::stoul(mask, nullptr, 16) >> (number - 1) & 1) != 0;
  }

  static bool has_thread(const Program & program, const std::string & name)
  {
    std::error_code ended;
    const std::filesystem::path threads = "/proc/" + std::to_string(program.id()) + "/task";
    for (const auto & thread : std::filesystem::directory_iterator(threads, ended)) {
      std::string text;
      std::getline(std::ifstream(thread.path() / "comm") >> std::ws, text);
      if (text == name) {
        return true;
      }
    }
    return false;
  }

  // A drone that was stopped by the system while its self-tests ran. Signals are blocked while it creates a thread, and
  // for good after the tests.
  std::unique_ptr<Program> stopped_while_it_starts(int signal)
  {
    for (int tries = 0; tries < 20; ++tries) {
      auto arguments = drone_arguments();
      arguments.insert(
        arguments.end(),
        {"--control", control_, "-p", "suite:=cs-classicmceliece8192128-aesgcm-sphincs256s"});
      auto program = std::make_unique<Program>("pqc_tunneld", arguments);
      const bool tests = eventually([&] { return has_thread(*program, "pqc_self_test"); });
      program->send_signal(SIGSTOP);
      if (!tests || !eventually([&] { return process_status(*program, "State") == "T"; })) {
        break;
      }
      if (!has_signal(process_status(*program, "SigBlk"), signal)) {
        return program;
      }
    }
    return nullptr;
  }

  static void expect_to_stop(Program & program)
  {
    program.send_signal(SIGTERM);
    EXPECT_EQ(program.wait(), 0);
  }

  CommandLine() { ::setenv("PQC_RUN_DIR", scratch_.path().c_str(), 1); }

  ScratchDir scratch_;
  const std::string control_ = (scratch_ / "drone.sock").string();
};

TEST_F(CommandLine, usage_errors_exit_with_2)
{
  EXPECT_EQ(tunneld({"--no-such-option"}).wait(), 2);
  EXPECT_EQ(tunneld({"surplus"}).wait(), 2);
}

TEST_F(CommandLine, errors_are_one_sentence_and_exit_with_2_if_a_restart_would_not_help)
{
  auto program = tunneld({"--config", (scratch_ / "absent.yaml").string()});
  EXPECT_EQ(program.wait(), 1);
  EXPECT_EQ(
    program.errors(),
    "pqc_tunneld: Parameter file " + (scratch_ / "absent.yaml").string() + " isn't there.\n");
  const auto file = scratch_.write(
    "bad.yaml", "/**:\n  ros__parameters:\n    role: drone\n    datagramm_port: 1\n");
  auto unknown = tunneld({"--config", file.string()});
  EXPECT_EQ(unknown.wait(), 2);
  EXPECT_EQ(
    unknown.errors(),
    "pqc_tunneld: Parameter datagramm_port is unknown; did you mean datagram_port?\n");
}

TEST_F(CommandLine, a_tunnel_runs_until_a_signal_stops_it)
{
  ASSERT_TRUE(gcs_ = start(gcs_config()));
  for (const int signal : {SIGINT, SIGTERM}) {
    const auto handshakes = gcs_->snapshot().peers[0].handshakes;
    auto program = tunneld(drone_arguments());
    ASSERT_TRUE(eventually([&] { return gcs_->snapshot().peers[0].handshakes > handshakes; }));
    program.send_signal(signal);
    EXPECT_EQ(program.wait(), 0);
    EXPECT_NE(program.errors().find(" INFO The tunnel has stopped.\n"), std::string::npos);
  }
}

TEST_F(CommandLine, a_running_tunnel_is_asked_and_rekeyed_through_its_control_socket)
{
  ASSERT_TRUE(gcs_ = start(gcs_config()));
  const std::string status_file = (scratch_ / "status.json").string();
  auto arguments = drone_arguments();
  arguments.insert(arguments.end(), {"--control", control_, "--status", status_file});
  auto program = tunneld(arguments);
  ASSERT_TRUE(eventually([&] { return state(*gcs_) == PeerState::established; }));
  ASSERT_TRUE(eventually([&] { return std::filesystem::exists(status_file); }));
  EXPECT_EQ(
    std::filesystem::status(control_).permissions() & std::filesystem::perms::all,
    std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);

  EXPECT_TRUE(eventually([&] {
    auto asked = pqc({"show", "drone", "--json"});
    return asked.wait() == 0 &&
           asked.output().find("\"state\": \"established\"") != std::string::npos;
  }));
  auto rekeyed = pqc({"rekey", "drone", "cs-mlkem768-chacha20poly1305-mldsa65", "--json"});
  EXPECT_EQ(rekeyed.wait(), 0) << rekeyed.output();
  EXPECT_NE(rekeyed.output().find("\"epoch\": 1"), std::string::npos) << rekeyed.output();
  auto suites = pqc({"suites", "drone", "--json"});
  EXPECT_EQ(suites.wait(), 0);
  EXPECT_NE(suites.output().find("cs-mlkem768-aesgcm-mldsa65"), std::string::npos);

  program.send_signal(SIGUSR1);
  EXPECT_TRUE(eventually([&] { return gcs_->snapshot().peers[0].epoch == Epoch{2}; }));
  program.send_signal(SIGTERM);
  EXPECT_EQ(program.wait(), 0);
  EXPECT_FALSE(std::filesystem::exists(control_));
}

TEST_F(CommandLine, a_signal_wipes_all_keys_and_a_new_session_is_made)
{
  ASSERT_TRUE(gcs_ = start(gcs_config()));
  Pipe log;
  auto program = drone_with({}, {.errors = log.writer()});
  ASSERT_TRUE(eventually([&] { return state(*gcs_) == PeerState::established; }));
  const SessionId before = gcs_->snapshot().peers[0].session;
  program.send_signal(SIGUSR2);
  log.read_until("all session keys are wiped: on request");
  EXPECT_TRUE(eventually([&] {
    const auto peer = gcs_->snapshot().peers[0];
    return peer.state == PeerState::established && peer.session != before;
  }));
  expect_to_stop(program);
}

TEST_F(CommandLine, a_hang_up_reads_the_keys_anew_and_ends_nothing)
{
  ASSERT_TRUE(gcs_ = start(gcs_config()));
  Pipe log;
  auto program = drone_with({}, {.errors = log.writer()});
  log.close_writer();
  ASSERT_TRUE(eventually([&] { return state(*gcs_) == PeerState::established; }));
  program.send_signal(SIGHUP);
  log.read_until(" INFO The keys of this drone are read anew.");
  expect_to_stop(program);
}

TEST_F(CommandLine, the_status_shows_whether_traffic_is_encrypted)
{
  ASSERT_TRUE(gcs_ = start(gcs_config()));
  auto program = drone_with({"-p", "peer_timeout_s:=1.0", "-p", "keepalive_interval_s:=0.1"});
  const auto is_told = [](const std::string & text) {
    return eventually([&] {
      auto asked = pqc({"show", "drone", "--json"});
      asked.wait();
      return asked.output().find(text) != std::string::npos;
    });
  };
  EXPECT_TRUE(is_told("\"state\": \"established\", \"encrypted\": true"));
  gcs_->stop();
  EXPECT_TRUE(is_told("\"encrypted\": false"));
  expect_to_stop(program);
}

TEST_F(CommandLine, a_rekey_that_waits_is_answered_when_a_signal_stops_the_tunnel)
{
  ASSERT_TRUE(gcs_ = start(gcs_config()));
  auto program = drone_with({"-p", "peer_timeout_s:=599.0"});
  const auto shows = [](const std::string & text, bool shown = true) {
    return eventually([&] {
      auto status = pqc({"show", "drone", "--json"});
      status.wait();
      return (status.output().find(text) != std::string::npos) == shown;
    });
  };
  ASSERT_TRUE(shows("\"state\": \"established\""));
  ASSERT_TRUE(shows("\"prekeys\": 0,", false)) << "a rekey without a key waits for that";
  gcs_->stop();
  auto request = pqc({"rekey", "drone"});
  ASSERT_TRUE(shows("\"state\": \"rekeying\""));
  expect_to_stop(program);
  EXPECT_EQ(request.wait(), 1);
  EXPECT_NE(request.errors().find("The tunnel has stopped."), std::string::npos)
    << request.output() << request.errors();
}

TEST_F(CommandLine, a_tunnel_outlives_the_reader_of_its_log)
{
  ASSERT_TRUE(gcs_ = start(gcs_config()));
  Pipe log;
  auto program = drone_with({}, {.errors = log.writer()});
  log.read_until("INFO The tunnel runs.");
  log.close_reader();
  expect_rekeys(2);
  expect_to_stop(program);
}

TEST_F(CommandLine, a_tunnel_outlives_the_reader_of_its_status)
{
  ASSERT_TRUE(gcs_ = start(gcs_config()));
  Pipe status;
  auto program = drone_with({"--status", "-"}, {.output = status.writer()});
  EXPECT_TRUE(status.read_until("").starts_with("{\"time\": "));
  status.close_reader();
  EXPECT_TRUE(eventually([&] {
    return program.errors().find("pqc_tunneld: Nobody reads standard output any longer.\n") !=
           std::string::npos;
  }));
  expect_rekeys(2);
  expect_to_stop(program);
}

TEST_F(CommandLine, a_tunnel_does_not_wait_for_the_reader_of_its_log)
{
  ASSERT_TRUE(gcs_ = start(gcs_config()));
  const Pipe log;
  log.fill();
  auto program = drone_with({}, {.errors = log.writer()});
  expect_rekeys(3);
  expect_to_stop(program);
}

TEST_F(CommandLine, a_tunnel_does_not_wait_for_the_reader_of_its_status)
{
  ASSERT_TRUE(gcs_ = start(gcs_config()));
  const Pipe status;
  status.fill();
  auto program = drone_with({"--status", "-"}, {.output = status.writer()});
  expect_rekeys(3);
  expect_to_stop(program);
}

TEST_F(CommandLine, a_status_file_that_cant_be_written_is_refused_before_anything_starts)
{
  ASSERT_TRUE(gcs_ = start(gcs_config()));
  const std::string nowhere = (scratch_ / "nowhere/status").string();
  auto program = drone_with({"--status", nowhere});
  EXPECT_EQ(program.wait(), 1);
  EXPECT_EQ(
    program.errors(),
    "pqc_tunneld: The file " + nowhere + " can't be written: No such file or directory.\n");
}

// Counts how often something was created in a folder.
class FolderWatch
{
public:
  explicit FolderWatch(const std::filesystem::path & folder) : fd_(::inotify_init1(IN_CLOEXEC))
  {
    check(::inotify_add_watch(fd_.get(), folder.c_str(), IN_CREATE) >= 0, "inotify_add_watch");
  }
  void wait_for_one_more() const
  {
    alignas(inotify_event) std::array<char, 4096> buffer{};
    check(::read(fd_.get(), buffer.data(), buffer.size()) > 0, "read");
  }

private:
  FileDescriptor fd_;
};

TEST_F(
  CommandLine, a_status_file_that_finds_no_room_keeps_the_status_before_and_the_log_says_so_once)
{
  ASSERT_TRUE(gcs_ = start(gcs_config()));
  const ScratchDir folder;
  const std::filesystem::path file = folder / "status.json";
  const Pipe log;
  auto program = drone_with({"--status", file.string()}, {.errors = log.writer()});
  ASSERT_TRUE(eventually([&] { return std::filesystem::exists(file); }));
  const auto limit = [&](rlim_t bytes) {
    const rlimit limits{bytes, RLIM_INFINITY};
    check(::prlimit(program.id(), RLIMIT_FSIZE, &limits, nullptr) == 0, "prlimit");
  };

  limit(64);
  const std::string sentence =
    " WARN The file " + file.string() +
    " can't be written: File too large. The file keeps the previous status.";
  log.read_until(sentence);
  const FolderWatch tries(folder.path());
  tries.wait_for_one_more();
  tries.wait_for_one_more();
  std::ifstream before(file);
  const std::string text{std::istreambuf_iterator<char>(before), std::istreambuf_iterator<char>()};
  EXPECT_TRUE(text.starts_with("{\"time\": ")) << text;
  EXPECT_TRUE(text.ends_with("}\n")) << text;

  limit(RLIM_INFINITY);
  const std::string since = log.read_until(" INFO Writing the status file works again.");
  EXPECT_EQ(since.find(sentence), std::string::npos) << since;
  expect_to_stop(program);
}

TEST_F(CommandLine, a_start_is_interrupted_at_once_and_leaves_nothing_behind)
{
  ASSERT_TRUE(gcs_ = start(gcs_config()));
  ::setenv("TSAN_OPTIONS", "report_thread_leaks=0", 1);  // a thread that such an end cuts short
  for (const int signal : {SIGINT, SIGTERM}) {
    const auto program = stopped_while_it_starts(signal);
    ASSERT_TRUE(program);
    program->send_signal(signal);
    program->send_signal(SIGCONT);
    EXPECT_EQ(program->wait(), 0);
    EXPECT_EQ(program->errors(), "");
    EXPECT_FALSE(std::filesystem::exists(control_));
  }
}

}  // namespace
}  // namespace pqc_tunnel
