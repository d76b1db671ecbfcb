// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "flood.hpp"

#include <algorithm>
#include <utility>

#include "blaster/blaster_report.hpp"
#include "pqc_tunnel/command_line/json_writer.hpp"
#include "pqc_tunnel/crypto/random.hpp"
#include "pqc_tunnel/net/address.hpp"
#include "pqc_tunnel/os/clock.hpp"

namespace pqc_tunnel::blaster
{

namespace
{

constexpr int batches_at_a_time = 4;
constexpr Duration beat = std::chrono::microseconds(500);
// How long the other end may take to close the last connections.
constexpr Duration farewell = std::chrono::seconds(5);

std::uint64_t random_seed()
{
  SystemRandom random;
  return draw<std::uint64_t>(random);
}

}  // namespace

Result<std::unique_ptr<Flood>> Flood::open(FloodOptions options, FileDescriptor signals)
{
  std::unique_ptr<Flood> flood(new Flood(std::move(options), std::move(signals)));
  if (const auto opened = flood->open(); !opened) {
    return tl::make_unexpected(opened.error());
  }
  return flood;
}

Flood::Flood(FloodOptions options, FileDescriptor signals)
: options_(std::move(options)), signals_(std::move(signals))
{
  poller_.add(signals_.get(), {Source::wake_up}, EPOLLIN);
}

Result<void> Flood::open()
{
  if (options_.datagrams_to) {
    const auto to = resolve(*options_.datagrams_to);
    if (!to) {
      return tl::make_unexpected(to.error());
    }
    datagrams_to_ = to->front();
    auto socket = open_sender(datagrams_to_);
    if (!socket) {
      return tl::make_unexpected(socket.error());
    }
    socket_ = std::move(*socket);
    junk_ = std::make_unique<JunkDatagrams>(options_.size, options_.live, random_seed());
    out_ = std::make_unique<SendBatch>();
    memory_.resize(batch_size * std::max<std::size_t>(options_.size, 64));
  }
  if (options_.connect_to) {
    const auto to = resolve(*options_.connect_to);
    if (!to) {
      return tl::make_unexpected(to.error());
    }
    Endpoint source;
    if (options_.first_source) {
      const auto own = resolve(*options_.first_source);
      if (!own) {
        return tl::make_unexpected(own.error());
      }
      source = own->front();
    }
    strangers_ = std::make_unique<StrangerConnections>(
      poller_, to->front(), source, options_.sources, *options_.suite);
  }
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
      const ReadyTag tag = ReadyTag::unpack(event.data.u64);
      if (tag.source == Source::wake_up) {
        poller_.remove(signals_.get());
        stop_at = std::min(stop_at, now);
      } else if (tag.source == Source::connection) {
        strangers_->handle_ready(tag.number, event.events);
      }
    }
    now = monotonic_now();
    if (now < stop_at) {
      send_datagrams(now);
      open_connections(now);
    } else if (end_at == Instant::max()) {
      ended_ = now;
      end_at = strangers_ ? now + farewell : now;
    }
    if (strangers_) {
      strangers_->give_up_old(now);
    }
  }
}

// Sends a few batches at a time, so that a delay is not followed by one long burst.
void Flood::send_datagrams(Instant now)
{
  if (!junk_) {
    return;
  }
  const std::size_t slot = memory_.size() / batch_size;
  const std::uint64_t until = due(options_.datagrams_per_s, now);
  for (int batch = 0; batch < batches_at_a_time && datagrams_ < until; ++batch) {
    for (std::size_t i = 0; i < batch_size && datagrams_ < until; ++i, ++datagrams_) {
      const MutableBytes room = MutableBytes(memory_).subspan(i * slot, slot);
      out_->add(room.first(junk_->write_next(room)), datagrams_to_, socket_.family);
    }
    out_->flush(socket_.fd.get(), [this](std::size_t, bool) { ++refused_; });
  }
}

void Flood::open_connections(Instant now)
{
  if (!strangers_) {
    return;
  }
  for (; connections_ < due(options_.connections_per_s, now); ++connections_) {
    strangers_->open(now);
  }
}

std::uint64_t Flood::due(std::uint32_t per_s, Instant now) const
{
  return static_cast<std::uint64_t>(seconds(now - started_) * static_cast<double>(per_s));
}

std::string Flood::report() const
{
  auto json = cli::JsonWriter::object();
  json.number("seconds", seconds(ended_ - started_));
  if (junk_) {
    auto kinds = cli::JsonWriter::object();
    for (std::size_t i = 0; i < junk_names.size(); ++i) {
      kinds.number(junk_names[i], junk_->written(static_cast<JunkKind>(i)));
    }
    json.raw(
      "datagrams", cli::JsonWriter::object()
                     .number("wanted", due(options_.datagrams_per_s, ended_))
                     .number("sent", datagrams_ - refused_)
                     .number("refused", refused_)
                     .raw("kinds", kinds.str())
                     .str());
  }
  if (strangers_) {
    const StrangerCounts & counts = strangers_->counts();
    auto kinds = cli::JsonWriter::object();
    for (std::size_t i = 0; i < stranger_names.size(); ++i) {
      kinds.number(stranger_names[i], counts.opened[i]);
    }
    json.raw(
      "connections", cli::JsonWriter::object()
                       .number("opened", connections_)
                       .number("connected", counts.connected)
                       .number("closed", counts.closed)
                       .number("left", counts.left)
                       .number("answered", counts.answered)
                       .number("failed", counts.failed)
                       .raw("kinds", kinds.str())
                       .str());
  }
  return json.str();
}

}  // namespace pqc_tunnel::blaster
