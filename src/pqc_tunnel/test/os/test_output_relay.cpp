// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "os/output_relay.hpp"
#include "support/death_test.hpp"
#include "support/pipe.hpp"

namespace pqc_tunnel
{
namespace
{

// The test's own standard error is a pipe, and a relay stands in front of it.
class RelayedErrors : public ::testing::Test
{
protected:
  RelayedErrors() : own_(::dup(STDERR_FILENO)) { ::dup2(pipe_.writer(), STDERR_FILENO); }
  ~RelayedErrors() override { ::dup2(own_.get(), STDERR_FILENO); }

  void start() { relay_ = std::make_unique<OutputRelay>(STDERR_FILENO, "test"); }
  void stop() { relay_.reset(); }

  static void write(const std::string & text)
  {
    ASSERT_EQ(::write(STDERR_FILENO, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }

  static constexpr const char * dropped_report =
    "test: Standard error was blocked or full: %d lines were dropped.";

  static std::string numbered_line(int number, std::size_t length = 100)
  {
    return "line " + std::to_string(number) + " " + std::string(length, '.') + "\n";
  }

  // Writes lines while nobody reads, then reads whole lines in their order, with reports where some are missing.
  void expect_whole_lines(int written, std::size_t length)
  {
    const std::size_t filled = pipe_.fill();
    start();
    for (int i = 0; i < written; ++i) {
      write(numbered_line(i, length));
    }
    pipe_.read(filled);
    int reported = 0;
    int next = 0;
    while (next < written) {
      const std::string line = pipe_.read_until("");
      int dropped = 0;
      if (std::sscanf(line.c_str(), dropped_report, &dropped) == 1) {
        reported += dropped;
        next += dropped;
      } else {
        ASSERT_EQ(line, numbered_line(next, length));
        ++next;
      }
    }
    EXPECT_GT(reported, 0);
    EXPECT_LT(reported, written);
    EXPECT_EQ(next, written);
  }

  Pipe pipe_;

private:
  FileDescriptor own_;
  std::unique_ptr<OutputRelay> relay_;
};

TEST_F(RelayedErrors, reach_the_reader_unchanged_and_at_once)
{
  start();
  write("one\ntwo");
  EXPECT_EQ(pipe_.read(7), "one\ntwo");
}

TEST_F(RelayedErrors, reach_the_reader_before_the_relay_ends)
{
  start();
  std::string expected;
  for (int i = 0; i < 500; ++i) {
    expected += numbered_line(i);
    write(numbered_line(i));
  }
  stop();
  write("after it\n");
  EXPECT_EQ(pipe_.read_until("after it"), expected + "after it\n");
}

TEST_F(RelayedErrors, never_wait_for_a_reader_and_report_the_number_of_dropped_lines)
{
  expect_whole_lines(10'000, 100);
}

// The status of 250 drones is one line of 430 kB.
TEST_F(RelayedErrors, are_never_part_of_a_line_however_long_it_is)
{
  expect_whole_lines(6, 500'000);
}

TEST_F(RelayedErrors, end_without_a_reader)
{
  pipe_.fill();
  start();
  write("never read\n");
  stop();
  write("nor this, and it does not block either\n");
}

TEST_F(RelayedErrors, survive_a_reader_that_closes)
{
  start();
  pipe_.close_reader();
  for (int i = 0; i < 1000; ++i) {
    write(numbered_line(i));
  }
  stop();
  EXPECT_EQ(::write(STDERR_FILENO, "x", 1), -1);  // EPIPE, and no signal
}

TEST_F(RelayedErrors, leave_the_flags_of_the_inherited_descriptor_alone)
{
  const int before = ::fcntl(pipe_.writer(), F_GETFL);
  start();
  EXPECT_EQ(::fcntl(pipe_.writer(), F_GETFL), before);
}

TEST_F(RelayedErrors, of_an_inherited_descriptor_that_does_not_block_are_all_passed_on)
{
  ::fcntl(pipe_.writer(), F_SETFL, O_NONBLOCK);
  const std::size_t filled = pipe_.fill();
  start();
  write("waits\n");
  pipe_.read(filled);
  EXPECT_EQ(pipe_.read_until("waits"), "waits\n");
}

TEST_F(RelayedErrors, that_were_closed_do_not_go_into_the_next_file)
{
  ::close(STDERR_FILENO);
  start();
  write("nowhere\n");
  stop();
}

TEST(RelayedErrorsDeathTest, show_why_the_program_aborted)
{
  die_in_a_new_program();
  const auto abort_with_message = [] {
    const OutputRelay relay(STDERR_FILENO, "test");
    std::fputs("the last words\n", stderr);
    std::abort();
  };
  EXPECT_EXIT(abort_with_message(), ::testing::KilledBySignal(SIGABRT), "the last words");
}

}  // namespace
}  // namespace pqc_tunnel
