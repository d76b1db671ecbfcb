// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <array>
#include <cstring>
#include <fstream>
#include <thread>

#include "command/pqc_fixture.hpp"

// The service manager hears from the daemon for as long as its packet thread works.

namespace pqc_tunnel
{
namespace
{

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds limit{300};
constexpr std::chrono::seconds patience{60};

class Watchdog : public PqcFixture
{
protected:
  void SetUp() override
  {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string path = (scratch_ / "notify").string();
    std::strcpy(address.sun_path, path.c_str());
    socket_ = FileDescriptor(::socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    check(
      ::bind(socket_.get(), reinterpret_cast<const sockaddr *>(&address), sizeof(address)) == 0,
      "bind");
    ::setenv("NOTIFY_SOCKET", path.c_str(), 1);
  }
  void TearDown() override
  {
    ::unsetenv("NOTIFY_SOCKET");
    ::unsetenv("WATCHDOG_USEC");
  }

  // Returns true if the service manager gets the state within a while.
  bool is_told(const std::string & state, std::chrono::milliseconds time) const
  {
    const auto end = std::chrono::steady_clock::now() + time;
    while (std::chrono::steady_clock::now() < end) {
      std::array<char, 64> text{};
      const auto length = ::recv(socket_.get(), text.data(), text.size(), 0);
      if (length > 0 && std::string(text.data(), static_cast<std::size_t>(length)) == state) {
        return true;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return false;
  }

  static pid_t packet_thread(const Program & program)
  {
    for (const auto & task :
         fs::directory_iterator("/proc/" + std::to_string(program.id()) + "/task")) {
      std::ifstream file(task.path() / "comm");
      if (std::string name; file >> name && name == "pqc_packets") {
        return std::stoi(task.path().filename().string());
      }
    }
    return 0;
  }

  FileDescriptor socket_;
};

TEST_F(Watchdog, hears_of_the_daemon_until_its_packet_thread_stands_still)
{
  ::setenv("WATCHDOG_USEC", std::to_string(std::chrono::microseconds(limit).count()).c_str(), 1);
  Program program("pqc_tunneld", {"--config", configure("drone", drone_settings())});
  ASSERT_TRUE(is_told("READY=1", patience)) << program.errors();
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(is_told("WATCHDOG=1", patience));
  }
  const pid_t thread = packet_thread(program);
  if (
    ::ptrace(PTRACE_SEIZE, thread, nullptr, nullptr) != 0 ||
    ::ptrace(PTRACE_INTERRUPT, thread, nullptr, nullptr) != 0)
  {
    GTEST_SKIP() << "a thread of another process can't be stopped here";
  }
  ::waitpid(thread, nullptr, __WALL);
  while (is_told("WATCHDOG=1", limit)) {
  }
  EXPECT_FALSE(is_told("WATCHDOG=1", 5 * limit));
  ::ptrace(PTRACE_DETACH, thread, nullptr, nullptr);
  EXPECT_TRUE(is_told("WATCHDOG=1", patience));
}

TEST_F(Watchdog, gets_no_message_that_it_does_not_want)
{
  ::unsetenv("WATCHDOG_USEC");
  Program program("pqc_tunneld", {"--config", configure("drone", drone_settings())});
  ASSERT_TRUE(is_told("READY=1", patience)) << program.errors();
  EXPECT_FALSE(is_told("WATCHDOG=1", 3 * limit));
}

}  // namespace
}  // namespace pqc_tunnel
