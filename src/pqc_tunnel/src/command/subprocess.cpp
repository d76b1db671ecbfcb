// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "subprocess.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "os/file_descriptor.hpp"

namespace pqc_tunnel::cli
{

namespace
{

// What posix_spawn takes beside the words.
class Spawn
{
public:
  Spawn()
  {
    posix_spawn_file_actions_init(&actions_);
    posix_spawnattr_init(&attributes_);
  }
  ~Spawn()
  {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  Spawn(const Spawn &) = delete;
  Spawn & operator=(const Spawn &) = delete;

  void redirect(int fd, int to) { posix_spawn_file_actions_adddup2(&actions_, to, fd); }
  void redirect(int fd, const char * path, int flags)
  {
    posix_spawn_file_actions_addopen(&actions_, fd, path, flags, 0600);
  }
  void in_a_session_of_its_own()
  {
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK);
  }
  // Its process id, or -1 with errno set.
  pid_t start(std::vector<std::string> words) const
  {
    std::vector<char *> pointers;
    pointers.reserve(words.size() + 1);
    for (std::string & word : words) {
      pointers.push_back(word.data());
    }
    pointers.push_back(nullptr);
    pid_t process = -1;
    errno = posix_spawnp(&process, pointers[0], &actions_, &attributes_, pointers.data(), environ);
    return errno == 0 ? process : -1;
  }

private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

}  // namespace

int wait_for(pid_t process)
{
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int run_program(const std::vector<std::string> & words)
{
  Spawn spawn;
  spawn.redirect(STDOUT_FILENO, STDERR_FILENO);
  const pid_t process = spawn.start(words);
  return process < 0 ? exit_no_program : wait_for(process);
}

Finished finish(const std::vector<std::string> & words)
{
  std::array<int, 2> ends{-1, -1};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    return {exit_no_program, ""};
  }
  const FileDescriptor reader(ends[0]);
  FileDescriptor writer(ends[1]);
  Spawn spawn;
  spawn.redirect(STDOUT_FILENO, writer.get());
  spawn.redirect(STDERR_FILENO, "/dev/null", O_WRONLY);
  const pid_t process = spawn.start(words);
  writer.reset();
  if (process < 0) {
    return {exit_no_program, ""};
  }
  std::string text;
  std::array<char, 4096> buffer{};
  for (ssize_t got = 0; (got = ::read(reader.get(), buffer.data(), buffer.size())) > 0;) {
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  return {wait_for(process), std::move(text)};
}

std::string output_of(const std::vector<std::string> & words)
{
  Finished finished = finish(words);
  return finished.code == 0 ? std::move(finished.output) : "";
}

pid_t start_in_background(const std::vector<std::string> & words, const std::filesystem::path & log)
{
  Spawn spawn;
  spawn.redirect(STDIN_FILENO, "/dev/null", O_RDONLY);
  spawn.redirect(STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_APPEND);
  spawn.redirect(STDERR_FILENO, STDOUT_FILENO);
  spawn.in_a_session_of_its_own();
  return spawn.start(words);
}

}  // namespace pqc_tunnel::cli
