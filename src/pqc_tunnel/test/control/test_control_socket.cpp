// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <thread>

#include "control/control_socket.hpp"
#include "support/scratch_dir.hpp"

namespace pqc_tunnel::cli
{
namespace
{

using namespace std::chrono_literals;

// A socket whose callers all get the same answer.
class Answering
{
public:
  explicit Answering(std::string answer) : answer_(std::move(answer)) {}
  ~Answering()
  {
    (void)ask(path(), "last", 60s);
    thread_.join();
  }

  std::filesystem::path path() const { return folder_.path() / "t.sock"; }
  FileDescriptor connect() const
  {
    FileDescriptor fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const auto address = control_address(path());
    EXPECT_EQ(
      ::connect(fd.get(), reinterpret_cast<const sockaddr *>(&*address), sizeof(*address)), 0);
    return fd;
  }

private:
  void run()
  {
    for (bool ended = false; !ended;) {
      auto ready = socket_.descriptors();
      ::poll(ready.data(), ready.size(), -1);
      for (const auto & request : socket_.handle_ready()) {
        ended = ended || (!request.words.empty() && request.words.front() == "last");
        socket_.answer(request.caller, ended ? "" : answer_);
      }
    }
  }

  const ScratchDir folder_;
  const std::string answer_;
  ControlSocket socket_ = ControlSocket::open(path()).value();
  std::thread thread_{[this] { run(); }};
};

TEST(ControlSocket, answers_although_hundreds_of_callers_are_silent)
{
  const Answering answering("yes");
  std::vector<FileDescriptor> silent;
  for (int i = 0; i < 300; ++i) {
    silent.push_back(answering.connect());
  }
  EXPECT_EQ(ask(answering.path(), "status", 60s).value_or("no"), "yes");
}

TEST(ControlSocket, brings_an_answer_whole_that_is_longer_than_any_buffer_of_the_system)
{
  const std::string status(5'000'000, 's');
  const Answering answering(status);
  const FileDescriptor hung = answering.connect();  // it asks, and never reads
  EXPECT_EQ(::send(hung.get(), "status\n", 7, 0), 7);
  EXPECT_EQ(ask(answering.path(), "status", 60s).value_or("cut"), status);
}

}  // namespace
}  // namespace pqc_tunnel::cli
