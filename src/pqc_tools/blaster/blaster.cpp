// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "blaster.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iostream>
#include <utility>

#include "blaster_report.hpp"
#include "numbered_datagram.hpp"
#include "pqc_tunnel/command_line/json_writer.hpp"
#include "pqc_tunnel/crypto/random.hpp"
#include "pqc_tunnel/net/address.hpp"
#include "pqc_tunnel/os/clock.hpp"

namespace pqc_tunnel::blaster
{

namespace
{

constexpr std::array<const char *, 2> side_names = {"the drone's application", "the ground's"};
constexpr std::size_t max_command = 256;
constexpr std::string_view window_command = "window ";
constexpr std::string_view report_command = "report ";
constexpr ReadyTag signals_ready{Source::wake_up, 0};
constexpr ReadyTag commands_ready{Source::wake_up, 1};

std::uint32_t random_run()
{
  SystemRandom random;
  return draw<std::uint32_t>(random);
}

// Moves this thread into a network namespace; a socket stays in the one in which it was made.
Result<void> enter(const std::string & file)
{
  const FileDescriptor space(file.empty() ? -1 : ::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.empty() && ::setns(space.get(), CLONE_NEWNET) != 0) {
    return fail(
      ErrorCode::unavailable,
      "The network namespace " + file + " can't be used: " + error_text(errno) + ".");
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<Blaster>> Blaster::open(BlasterOptions options, FileDescriptor signals)
{
  std::unique_ptr<Blaster> blaster(new Blaster(std::move(options), std::move(signals)));
  for (std::size_t i = 0; i < blaster->sides_.size(); ++i) {
    if (const auto opened = blaster->open_side(i); !opened) {
      return tl::make_unexpected(opened.error());
    }
  }
  return blaster;
}

Blaster::Blaster(BlasterOptions options, FileDescriptor signals)
: options_(std::move(options)), signals_(std::move(signals)), run_(random_run())
{
  window_names_.reserve(options_.max_windows);
  window_starts_.reserve(options_.max_windows);
  input_.reserve(max_command);
  poller_.add(signals_.get(), signals_ready, EPOLLIN);
  if (options_.take_commands) {
    ::fcntl(STDIN_FILENO, F_SETFL, ::fcntl(STDIN_FILENO, F_GETFL) | O_NONBLOCK);
    poller_.add(STDIN_FILENO, commands_ready, EPOLLIN);
  }
}

Result<void> Blaster::open_side(std::size_t index)
{
  Side & side = sides_[index];
  if (const auto entered = enter(options_.namespaces[index]); !entered) {
    return tl::make_unexpected(entered.error());
  }
  auto socket =
    open_datagram_socket(options_.binds[index], options_.receive_buffer_bytes, side_names[index]);
  if (!socket) {
    return tl::make_unexpected(socket.error());
  }
  side.socket = std::move(*socket);
  for (const HostPort & tunnel : options_.tunnels[index]) {
    const auto resolved = resolve(tunnel);
    if (!resolved) {
      return tl::make_unexpected(resolved.error());
    }
    side.tunnels.push_back(resolved->front());
  }
  side.receiver = std::make_unique<StampedReceiver>(options_.size);
  StampedReceiver::prepare(side.socket.fd.get());
  side.out = std::make_unique<SendBatch>();
  side.memory.resize(options_.size * batch_size);
  poller_.add(side.socket.fd.get(), {Source::plaintext, index}, EPOLLIN);
  return {};
}

void Blaster::run()
{
  start(monotonic_now());
  while (monotonic_now() < end_at_) {
    for (const epoll_event & event : poller_.wait(next_deadline())) {
      const ReadyTag tag = ReadyTag::unpack(event.data.u64);
      if (tag.source == Source::plaintext) {
        receive(tag.number);
      } else if (tag.number == signals_ready.number) {
        take_signals();
      } else {
        take_commands();
      }
    }
    for (std::size_t i = 0; i < sides_.size(); ++i) {
      send_due(i);
    }
  }
}

void Blaster::start(Instant now)
{
  started_ = now;
  window_names_.emplace_back();
  window_starts_.push_back(now);
  for (std::size_t i = 0; i < sides_.size(); ++i) {
    // The directions alternate.
    const Duration phase = SendSchedule(now, options_.rate).period() / 2;
    sides_[i].schedule.emplace(now + static_cast<int>(i) * phase, options_.rate);
    sides_[i].sending = std::make_unique<Flow>(options_.max_windows, now);
  }
  if (options_.length > Duration::zero()) {
    stop(now + options_.length);
  }
}

void Blaster::stop(Instant now)
{
  stop_at_ = std::min(stop_at_, now);
  end_at_ = stop_at_ + options_.drain;
}

Instant Blaster::next_deadline() const
{
  Instant next = end_at_;
  for (const Side & side : sides_) {
    if (const Instant due = side.schedule->next_due(); due < stop_at_) {
      next = std::min(next, due);
    }
  }
  return next;
}

void Blaster::send_due(std::size_t index)
{
  Side & side = sides_[index];
  if (side.schedule->next_due() >= stop_at_) {
    return;
  }
  side.schedule->skip_long_halt(monotonic_now());
  for (std::size_t i = 0; i < batch_size; ++i) {
    const Instant now = monotonic_now();
    if (side.schedule->next_due() > now || side.schedule->next_due() >= stop_at_) {
      break;
    }
    const MutableBytes bytes = MutableBytes(side.memory).subspan(i * options_.size, options_.size);
    const auto direction = static_cast<std::uint32_t>(index);
    const std::uint64_t number = side.sending->next_number();
    write_numbered({run_, direction, number, now}, bytes);
    side.out->add(bytes, side.tunnels[number % side.tunnels.size()], side.socket.family);
    side.sending->handle_sent(now);
    side.schedule->note_sent(now);
  }
  if (!side.out->empty()) {
    side.out->flush(side.socket.fd.get(), [&side](std::size_t, bool) { ++side.refused; });
  }
}

// Datagrams that arrive at one side were sent by the other.
void Blaster::receive(std::size_t index)
{
  StampedReceiver & receiver = *sides_[index].receiver;
  const std::size_t other = 1 - index;
  Flow & flow = *sides_[other].sending;
  const std::size_t count = receiver.receive(sides_[index].socket.fd.get());
  for (std::size_t i = 0; i < count; ++i) {
    const ByteView bytes = receiver.datagram(i);
    const auto datagram = read_numbered(bytes);
    if (!datagram || bytes.size() != options_.size) {
      flow.handle_corrupted(receiver.arrived(i));
    } else if (datagram->run != run_ || datagram->direction != other) {
      ++foreign_;
    } else {
      flow.handle_arrival(datagram->number, datagram->sent, receiver.arrived(i));
    }
  }
}

void Blaster::take_signals()
{
  signalfd_siginfo info{};
  while (::read(signals_.get(), &info, sizeof(info)) == static_cast<ssize_t>(sizeof(info))) {
    stop(monotonic_now());
  }
}

void Blaster::take_commands()
{
  std::array<char, max_command> buffer{};
  const auto size = ::read(STDIN_FILENO, buffer.data(), buffer.size());
  if (size <= 0) {
    // The end of the input stops the stream.
    poller_.remove(STDIN_FILENO);
    stop(monotonic_now());
    return;
  }
  for (const char c : std::string_view(buffer.data(), static_cast<std::size_t>(size))) {
    if (c == '\n') {
      handle_command(input_);
      input_.clear();
    } else if (input_.size() < max_command) {
      input_ += c;
    }
  }
}

void Blaster::handle_command(std::string_view line)
{
  const Instant now = monotonic_now();
  auto answer = cli::JsonWriter::object();
  if (line.starts_with(window_command)) {
    bool opened = true;
    for (Side & side : sides_) {
      opened = side.sending->open_window(now) && opened;
    }
    if (opened) {
      window_names_.emplace_back(line.substr(window_command.size()));
      window_starts_.push_back(now);
      answer.number("window", window_names_.size() - 1);
    } else {
      answer.text("error", "There is no room for another window.");
    }
  } else if (line.starts_with(report_command)) {
    const std::string name(line.substr(report_command.size()));
    const auto found = std::find(window_names_.rbegin(), window_names_.rend(), name);
    if (found != window_names_.rend()) {
      answer.raw(
        "report", window_report(static_cast<std::size_t>(window_names_.rend() - found) - 1));
    } else {
      answer.text("error", "There is no window " + name + ".");
    }
  } else if (line == "stop") {
    stop(now);
    return;
  } else {
    answer.text("error", "The commands are window NAME, report NAME and stop.");
  }
  std::cout << answer.str() << std::endl;
}

std::string Blaster::window_report(std::size_t index) const
{
  const bool last = index + 1 == window_starts_.size();
  const Instant end = last ? std::min(stop_at_, monotonic_now()) : window_starts_[index + 1];
  auto json = cli::JsonWriter::object();
  json.text("name", window_names_[index])
    .number("seconds", in_seconds(end - window_starts_[index]));
  for (std::size_t i = 0; i < sides_.size(); ++i) {
    json.raw(direction_names[i], counts_json(sides_[i].sending->window(index)));
  }
  return json.str();
}

std::string Blaster::report() const
{
  auto directions = cli::JsonWriter::object();
  for (std::size_t i = 0; i < sides_.size(); ++i) {
    const Side & side = sides_[i];
    directions.raw(
      direction_names[i],
      direction_json(
        *side.sending, *side.schedule, {side.refused, sides_[1 - i].receiver->dropped()}));
  }
  auto windows = cli::JsonWriter::array();
  for (std::size_t i = 0; i < window_names_.size(); ++i) {
    windows.element(window_report(i));
  }
  return cli::JsonWriter::object()
    .number("seconds", in_seconds(std::min(stop_at_, monotonic_now()) - started_))
    .number("rate", options_.rate)
    .number("size", options_.size)
    .flag("real_time", options_.real_time)
    .number("foreign", foreign_)
    .raw("directions", directions.str())
    .raw("windows", windows.str())
    .str();
}

std::optional<std::string> Blaster::complaint() const
{
  std::uint64_t slips = 0;
  std::uint64_t skipped = 0;
  std::uint64_t sent = 0;
  for (const Side & side : sides_) {
    slips += side.schedule->slips();
    skipped += side.schedule->skipped();
    sent += side.sending->next_number();
  }
  if (slips == 0 && skipped == 0) {
    return std::nullopt;
  }
  return "The generator fell behind: of " + std::to_string(sent + skipped) + " datagrams, " +
         std::to_string(slips) + " were sent more than " +
         std::to_string(sides_[0].schedule->slip_limit() / std::chrono::microseconds(1)) +
         " us late and " + std::to_string(skipped) + " not at all.";
}

}  // namespace pqc_tunnel::blaster
