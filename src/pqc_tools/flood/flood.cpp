// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "flood.hpp"

#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <utility>

#include "blaster/blaster_report.hpp"
#include "pqc_tunnel/command_line/json_writer.hpp"
#include "pqc_tunnel/crypto/random.hpp"
#include "pqc_tunnel/net/address.hpp"
#include "pqc_tunnel/os/clock.hpp"
#include "spoofed_source.hpp"

namespace pqc_tunnel::blaster
{

namespace
{

constexpr int batches_at_a_time = 4;
constexpr Duration beat = std::chrono::microseconds(500);
// The time for an answer to the last datagrams.
constexpr Duration farewell = std::chrono::seconds(1);
constexpr std::size_t receive_buffer_bytes = 65536;

std::uint64_t random_seed()
{
  SystemRandom random;
  return draw<std::uint64_t>(random);
}

Endpoint plus(Endpoint endpoint, std::uint32_t steps)
{
  const std::size_t last = endpoint.family == AddressFamily::ipv4 ? 3 : 15;
  for (std::size_t i = last + 1; i-- > 0 && steps > 0;) {
    steps += endpoint.address[i];
    endpoint.address[i] = static_cast<std::uint8_t>(steps & 0xff);
    steps >>= 8;
  }
  return endpoint;
}

// Raises the limit of open files, because each source needs a socket.
void allow_many_files()
{
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);
  }
}

// Returns the address without port and brackets.
std::string host_of(const Endpoint & endpoint)
{
  std::string text = to_string(endpoint);
  text.resize(text.rfind(':'));
  std::erase_if(text, [](char character) { return character == '[' || character == ']'; });
  return text;
}

}  // namespace

Result<std::unique_ptr<Flood>> Flood::open(FloodOptions options, FileDescriptor signals)
{
  std::unique_ptr<Flood> flood(new Flood(std::move(options), std::move(signals)));
  if (const auto opened = flood->open_sockets(); !opened) {
    return tl::make_unexpected(opened.error());
  }
  return flood;
}

Flood::Flood(FloodOptions options, FileDescriptor signals)
: options_(std::move(options)),
  signals_(std::move(signals)),
  junk_(options_.junk, random_seed()),
  memory_(batch_size * (spoofed_header_size + std::max(options_.junk.max_size, hello_size)))
{
  poller_.add(signals_.get(), {Source::wake_up}, EPOLLIN);
}

Result<void> Flood::open_sockets()
{
  const auto to = resolve(options_.to);
  if (!to) {
    return tl::make_unexpected(to.error());
  }
  to_ = to->front();
  if (options_.spoofed) {
    return open_spoofing();
  }
  if (!options_.first_source) {
    auto socket = open_sender(to_);
    if (!socket) {
      return tl::make_unexpected(socket.error());
    }
    sockets_.push_back(std::move(*socket));
    return {};
  }
  const auto first = resolve(*options_.first_source);
  if (!first) {
    return tl::make_unexpected(first.error());
  }
  allow_many_files();
  for (std::uint32_t i = 0; i < options_.sources; ++i) {
    const HostPort source{host_of(plus(first->front(), i)), first->front().port};
    auto socket = open_datagram_socket(source, receive_buffer_bytes, "a stranger");
    if (!socket) {
      return tl::make_unexpected(socket.error());
    }
    sockets_.push_back(std::move(*socket));
  }
  return {};
}

Result<void> Flood::open_spoofing()
{
  const auto from = resolve(*options_.spoofed);
  if (!from) {
    return tl::make_unexpected(from.error());
  }
  if (from->front().family != AddressFamily::ipv4 || to_.family != AddressFamily::ipv4) {
    return fail(ErrorCode::invalid_argument, "--spoof needs IPv4 addresses at both ends.");
  }
  auto socket = open_spoofing_sender();
  if (!socket) {
    return tl::make_unexpected(socket.error());
  }
  spoofed_ = from->front();
  sockets_.push_back(std::move(*socket));
  return {};
}

void Flood::run()
{
  started_ = monotonic_now();
  Instant stop_at =
    options_.length > Duration::zero() ? started_ + options_.length : Instant::max();
  Instant end_at = Instant::max();
  for (Instant now = started_; now < end_at; now = monotonic_now()) {
    for (const epoll_event & event : poller_.wait(now + beat)) {
      if (ReadyTag::unpack(event.data.u64).source == Source::wake_up) {
        poller_.remove(signals_.get());
        stop_at = std::min(stop_at, now);
      }
    }
    now = monotonic_now();
    if (now < stop_at) {
      send_datagrams(now);
    } else if (end_at == Instant::max()) {
      ended_ = now;
      end_at = now + farewell;
    }
  }
  for (const Socket & socket : sockets_) {
    take_answers(socket);
  }
}

// Sends a few batches at a time, so that a delay is not followed by one long burst.
void Flood::send_datagrams(Instant now)
{
  const std::size_t slot = memory_.size() / batch_size;
  const std::uint64_t until = due(now);
  for (int batch = 0; batch < batches_at_a_time && datagrams_ < until; ++batch) {
    const Socket & socket = sockets_[next_socket_++ % sockets_.size()];
    for (std::size_t i = 0; i < batch_size && datagrams_ < until; ++i, ++datagrams_) {
      const std::size_t headers = spoofed_ ? spoofed_header_size : 0;
      const MutableBytes room = MutableBytes(memory_).subspan(i * slot, slot);
      const MutableBytes packet = room.first(headers + junk_.write_next(room.subspan(headers)));
      if (spoofed_) {
        write_spoofed_headers(packet, *spoofed_, to_);
      }
      out_.add(packet, to_, socket.family);
    }
    out_.flush(socket.fd.get(), [this](std::size_t, bool) { ++refused_; });
    take_answers(socket);
  }
}

void Flood::take_answers(const Socket & socket)
{
  std::uint8_t byte = 0;
  while (::recv(socket.fd.get(), &byte, sizeof(byte), MSG_DONTWAIT) >= 0) {
    ++answers_;
  }
}

std::uint64_t Flood::due(Instant now) const
{
  return static_cast<std::uint64_t>(
    in_seconds(now - started_) * static_cast<double>(options_.datagrams_per_s));
}

std::string Flood::report() const
{
  auto kinds = cli::JsonWriter::object();
  for (std::size_t i = 0; i < junk_names.size(); ++i) {
    kinds.number(junk_names[i], junk_.written(static_cast<JunkKind>(i)));
  }
  return cli::JsonWriter::object()
    .number("seconds", in_seconds(ended_ - started_))
    .number("wanted", due(ended_))
    .number("sent", datagrams_ - refused_)
    .number("refused", refused_)
    .number("answers", answers_)
    .raw("kinds", kinds.str())
    .str();
}

}  // namespace pqc_tunnel::blaster
