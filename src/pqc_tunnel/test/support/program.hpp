// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef SUPPORT__PROGRAM_HPP_
#define SUPPORT__PROGRAM_HPP_

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "application.hpp"
#include "scratch_dir.hpp"

namespace pqc_tunnel
{

// Descriptors for the output of a program; -1 stands for a file that the test can read.
struct Streams
{
  int output = -1;
  int errors = -1;
};

// One of the project's command-line tools, run from the folder of the test program.
class Program
{
public:
  Program(
    const std::string & name, std::vector<std::string> arguments, const Streams & streams = {})
  {
    const auto words = words_of(name);
    arguments.insert(arguments.begin(), words.begin(), words.end());
    std::vector<char *> pointers;
    for (std::string & argument : arguments) {
      pointers.push_back(argument.data());
    }
    pointers.push_back(nullptr);
    // Not fork(): another thread of the test may hold a lock that the child would need.
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    const std::string output = (scratch_ / "output").string();
    const std::string errors = (scratch_ / "errors").string();
    for (const auto & [fd, path] : {std::pair{1, &output}, std::pair{2, &errors}}) {
      const int given = fd == 1 ? streams.output : streams.errors;
      if (given >= 0) {
        posix_spawn_file_actions_adddup2(&actions, given, fd);
      } else {
        posix_spawn_file_actions_addopen(
          &actions, fd, path->c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
      }
    }
    const int error =
      posix_spawnp(&process_, pointers[0], &actions, nullptr, pointers.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    errno = error;
    check(error == 0, "posix_spawnp");
  }
  ~Program()
  {
    if (process_ > 0) {
      ::kill(process_, SIGKILL);
      ::waitpid(process_, nullptr, 0);
    }
  }
  Program(const Program &) = delete;
  Program & operator=(const Program &) = delete;

  // What starts a program: what is built for another processor runs in an emulator; a program of the system, which has a
  // whole path, does not.
  static std::vector<std::string> words_of(const std::string & name)
  {
    const char * const emulator =
      name.starts_with('/') ? nullptr : std::getenv("PQC_TEST_EMULATOR");
    std::istringstream before(emulator != nullptr ? emulator : "");
    std::vector<std::string> words{std::istream_iterator<std::string>(before), {}};
    words.push_back(
      (std::filesystem::read_symlink("/proc/self/exe").parent_path() / name).string());
    return words;
  }

  void send_signal(int number) const { ::kill(process_, number); }
  pid_t id() const { return process_; }

  // Its exit code; -1 if a signal ended it.
  int wait()
  {
    int status = 0;
    check(::waitpid(process_, &status, 0) == process_, "waitpid");
    process_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  std::string output() const { return read("output"); }
  std::string errors() const { return read("errors"); }

private:
  std::string read(const std::string & name) const
  {
    std::ifstream file(scratch_ / name);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }

  ScratchDir scratch_;
  pid_t process_ = -1;
};

}  // namespace pqc_tunnel

#endif  // SUPPORT__PROGRAM_HPP_
