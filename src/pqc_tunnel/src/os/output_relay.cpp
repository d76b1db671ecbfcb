// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "output_relay.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <string_view>
#include <system_error>
#include <utility>

#include "file_descriptor.hpp"
#include "thread.hpp"

extern "C" __attribute__((weak)) void __sanitizer_set_report_fd(void * fd);  // NOLINT

namespace pqc_tunnel
{

namespace
{

constexpr std::size_t capacity = std::size_t{256} << 10;
constexpr std::size_t piece = 4096;
constexpr std::size_t stack_bytes = std::size_t{256} << 10;
// The destructor waits so long for a reader that takes nothing, and for these threads on a busy machine.
constexpr std::chrono::seconds patience_with_reader{1};
constexpr std::chrono::seconds patience_with_threads{5};

std::uint64_t count_lines(std::string_view text)
{
  return static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'));
}

// Lets sanitizers write to the original, since their report ends the process before a thread could forward it.
void send_sanitizer_reports_to(int fd)
{
  if (__sanitizer_set_report_fd != nullptr) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the interface wants it so.
    __sanitizer_set_report_fd(reinterpret_cast<void *>(static_cast<std::intptr_t>(fd)));
  }
}

void open_nothing_as(int fd)
{
  FileDescriptor nothing(::open("/dev/null", O_WRONLY));
  if (nothing.get() == fd) {
    static_cast<void>(nothing.release());
  } else if (nothing) {
    ::dup2(nothing.get(), fd);
  }
}

// Writes the text; returns how much the system accepted, less than all on failure.
std::size_t write_all(int fd, std::string_view text)
{
  std::size_t done = 0;
  while (done < text.size()) {
    const auto written = ::write(fd, text.data() + done, text.size() - done);
    if (written >= 0) {
      done += static_cast<std::size_t>(written);
    } else if (errno == EAGAIN) {  // another process has made the original non-blocking
      pollfd ready{fd, POLLOUT, 0};
      ::poll(&ready, 1, -1);
    } else if (errno != EINTR) {
      break;
    }
  }
  return done;
}

}  // namespace

class OutputRelay::Lines
{
public:
  Lines(int fd, FileDescriptor original, FileDescriptor pipe, std::string program)
  : fd_(fd), original_(std::move(original)), pipe_(std::move(pipe)), program_(std::move(program))
  {
    waiting_.reserve(capacity);
    writing_.reserve(capacity);
  }

  // The two threads; both end when the last writing end of the pipe is closed.
  void read();
  void write();

  // Waits until the original has accepted all text written before; returns false if it does not.
  bool wait_until_written() const;
  int original() const { return original_.get(); }

  // Installs a handler that waits before an abort until its message is written.
  void watch_for_abort() const;
  void forget_abort() const { watched()[slot()] = nullptr; }

private:
  using Watched = std::array<std::atomic<const Lines *>, 2>;
  static Watched & watched();
  static void handle_abort(int signal);
  std::size_t slot() const { return fd_ == STDERR_FILENO ? 1 : 0; }

  bool idle() const;
  void accept(std::string_view text);
  void accept_line(std::string_view line);
  bool take();
  void pass_on();
  void report(const std::string & sentence) const;

  const int fd_;
  const FileDescriptor original_;
  const FileDescriptor pipe_;
  const std::string program_;

  // Text passes from the pipe through these two, in this order.
  std::atomic<bool> reading_ = false;
  std::atomic<std::size_t> unwritten_ = 0;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::string waiting_;
  std::uint64_t dropped_ = 0;  // lines, all newer than waiting_
  bool closed_ = false;

  // Used by the reading thread only.
  bool line_begins_ = true;
  bool line_dropped_ = false;

  // Used by the writing thread only.
  std::string writing_;
  std::uint64_t lost_ = 0;  // lines to report
  bool gone_ = false;
};

void OutputRelay::Lines::read()
{
  std::array<char, piece> buffer{};
  pollfd ready{pipe_.get(), POLLIN, 0};
  for (ssize_t got = -1; got != 0; reading_ = false) {
    ::poll(&ready, 1, -1);
    reading_ = true;
    got = ::read(pipe_.get(), buffer.data(), buffer.size());
    if (got > 0) {
      accept({buffer.data(), static_cast<std::size_t>(got)});
    }
  }
  const std::scoped_lock lock(mutex_);
  closed_ = true;
  changed_.notify_one();
}

void OutputRelay::Lines::accept(std::string_view text)
{
  const std::scoped_lock lock(mutex_);
  while (!text.empty()) {
    const std::size_t size = std::min(text.find('\n'), text.size() - 1) + 1;
    accept_line(text.substr(0, size));
    text.remove_prefix(size);
  }
  changed_.notify_one();
}

// Adds a line or part of one. A line that begins while there is room passes to its end, since its beginning may have been
// written. After one dropped line all are dropped until the writing thread has made room.
void OutputRelay::Lines::accept_line(std::string_view line)
{
  if (line_begins_) {
    line_dropped_ = dropped_ > 0 || waiting_.size() + line.size() > capacity;
    dropped_ += line_dropped_ ? 1 : 0;
  }
  if (!line_dropped_) {
    waiting_ += line;
    unwritten_ += line.size();
  }
  line_begins_ = line.back() == '\n';
}

void OutputRelay::Lines::write()
{
  while (take()) {
    pass_on();
    unwritten_ -= writing_.size();
    writing_.clear();
  }
}

bool OutputRelay::Lines::take()
{
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return closed_ || !waiting_.empty() || dropped_ > 0; });
  std::swap(waiting_, writing_);
  lost_ += std::exchange(dropped_, 0);
  return !writing_.empty() || !closed_;
}

void OutputRelay::Lines::pass_on()
{
  const std::size_t done = write_all(original_.get(), writing_);
  if (done < writing_.size()) {
    if (errno != EPIPE) {
      lost_ += count_lines(std::string_view(writing_).substr(done));
    } else if (fd_ != STDERR_FILENO && !std::exchange(gone_, true)) {
      report("Nobody reads standard output any longer.");
    }
  } else if (lost_ > 0) {
    const std::string name = fd_ == STDERR_FILENO ? "Standard error" : "Standard output";
    const std::string lines = std::to_string(lost_) + (lost_ == 1 ? " line was" : " lines were");
    report(name + " was blocked or full: " + lines + " dropped.");
    lost_ = 0;
  }
}

void OutputRelay::Lines::report(const std::string & sentence) const
{
  const int to = fd_ == STDERR_FILENO ? original_.get() : STDERR_FILENO;
  write_all(to, program_ + ": " + sentence + "\n");
}

bool OutputRelay::Lines::wait_until_written() const
{
  const auto start = std::chrono::steady_clock::now();
  while (!idle()) {
    pollfd reader{original_.get(), POLLOUT, 0};
    const bool blocked = ::poll(&reader, 1, 0) == 0;
    const auto patience = blocked ? patience_with_reader : patience_with_threads;
    if (std::chrono::steady_clock::now() - start > patience) {
      return false;
    }
    ::poll(nullptr, 0, 1);
  }
  return true;
}

// Checks the stages in the direction of the text, so that no text is missed.
bool OutputRelay::Lines::idle() const
{
  int in_pipe = 0;
  ::ioctl(pipe_.get(), FIONREAD, &in_pipe);
  return in_pipe == 0 && !reading_ && unwritten_ == 0;
}

OutputRelay::Lines::Watched & OutputRelay::Lines::watched()
{
  static Watched all;
  return all;
}

void OutputRelay::Lines::watch_for_abort() const
{
  watched()[slot()] = this;
  struct sigaction action
  {
  };
  action.sa_handler = handle_abort;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  ::sigaction(SIGABRT, &action, nullptr);
}

void OutputRelay::Lines::handle_abort(int signal)
{
  for (const auto & lines : watched()) {
    if (const Lines * const some = lines; some != nullptr) {
      some->wait_until_written();
    }
  }
  ::raise(signal);  // now with its default effect
}

OutputRelay::OutputRelay(int fd, const std::string & program)
{
  FileDescriptor original(::fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  if (!original) {
    open_nothing_as(fd);
    return;
  }
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw std::system_error(errno, std::generic_category(), "A pipe can't be made");
  }
  FileDescriptor pipe(ends[0]);
  const FileDescriptor entrance(ends[1]);
  const auto lines = std::make_shared<Lines>(fd, std::move(original), std::move(pipe), program);
  Thread("pqc_output_in", stack_bytes, [lines] { lines->read(); }).detach();
  Thread("pqc_output_out", stack_bytes, [lines] { lines->write(); }).detach();

  // A closed reader or a file at its size limit must not end the process.
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGXFSZ, SIG_IGN);
  if (fd == STDERR_FILENO) {
    send_sanitizer_reports_to(lines->original());
  }
  if (fd == STDOUT_FILENO && ::isatty(fd) == 1) {
    static_cast<void>(
      std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ));  // as stdio does for terminals
  }
  ::dup2(entrance.get(), fd);
  lines->watch_for_abort();
  lines_ = lines;
  fd_ = fd;
}

OutputRelay::~OutputRelay()
{
  if (!lines_) {
    return;
  }
  std::fflush(stdout);
  std::fflush(stderr);
  if (lines_->wait_until_written()) {
    ::dup2(lines_->original(), fd_);
    if (fd_ == STDERR_FILENO) {
      send_sanitizer_reports_to(fd_);
    }
  }
  lines_->forget_abort();
}

}  // namespace pqc_tunnel
