// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "relayed_connection.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "pqc_tunnel/net/sockets.hpp"

namespace pqc_tunnel::link_emulator
{

namespace
{

StreamChannel make_channel(
  Link & link, std::array<StreamCounters, 2> & counters, std::uint64_t number, Side from)
{
  return {
    link.settings(from),
    link.bottleneck(from),
    counters[index(from)],
    link.profile().round_trip() + link.profile().retransmission,
    link.stream_seed(from, number),
    link.start()};
}

}  // namespace

RelayedConnection::RelayedConnection(
  Link & link, Poller & poller, std::array<StreamCounters, 2> & counters, std::uint64_t number,
  FileDescriptor drone, const Endpoint & ground, Instant opened)
: poller_(poller),
  number_(number),
  ground_(ground),
  connect_at_(opened + link.settings(Side::drone).delay),
  readable_at_(opened + link.profile().round_trip()),
  channels_{
    make_channel(link, counters, number, Side::drone),
    make_channel(link, counters, number, Side::ground)}
{
  end(Side::drone).stream.emplace(std::move(drone));
  poller_.add(end(Side::drone).stream->fd(), tag(Side::drone), 0);
}

ReadyTag RelayedConnection::tag(Side side) const
{
  return {Source::connection, number_ * 2 + index(side)};
}

void RelayedConnection::handle_ready(Side side, std::uint32_t events, Instant now)
{
  if (state_ != State::open) {
    return;
  }
  if (side == Side::ground && progress_ == Progress::connecting) {
    handle_connected();
  } else {
    if ((events & EPOLLOUT) != 0) {
      end(side).stream->flush();
    }
    if ((events & (EPOLLERR | EPOLLHUP)) != 0) {
      // It would stay ready for ever. Its remaining bytes are read as the link has room for them.
      poller_.remove(end(side).stream->fd());
      end(side).hung_up = true;
    }
    read(side, now);
  }
  handle_timeout(now);
}

void RelayedConnection::handle_timeout(Instant now)
{
  if (state_ == State::open && progress_ == Progress::waiting && now >= connect_at_) {
    connect();
  }
  for (const Side from : both_sides) {
    if (state_ == State::open) {
      deliver(from, now);
    }
    if (state_ == State::open && end(from).hung_up) {
      read(from, now);
    }
  }
  if (state_ == State::open) {
    watch(now);
  }
}

Instant RelayedConnection::next_timeout(Instant now) const
{
  if (state_ != State::open) {
    return Instant::max();
  }
  Instant next = progress_ == Progress::waiting ? connect_at_ : Instant::max();
  if (now < readable_at_) {
    next = std::min(next, readable_at_);
  }
  for (const Side from : both_sides) {
    const End & to = end(opposite(from));
    const bool takes = from == Side::ground || progress_ == Progress::open;
    if (takes && to.stream && !to.stream->has_queued()) {
      next = std::min(next, channel(from).next_timeout());
    }
    if (const Instant room = channel(from).room_at(now); room > now && !end(from).has_finished) {
      next = std::min(next, room);
    }
  }
  return next;
}

void RelayedConnection::connect()
{
  FileDescriptor fd = begin_connect(ground_);
  if (!fd) {
    abandon();
    state_ = State::unreachable;
    return;
  }
  progress_ = Progress::connecting;
  poller_.add(fd.get(), tag(Side::ground), EPOLLOUT);
  end(Side::ground).watched = EPOLLOUT;
  end(Side::ground).stream.emplace(std::move(fd));
}

void RelayedConnection::handle_connected()
{
  int error = 0;
  socklen_t length = sizeof(error);
  const int fd = end(Side::ground).stream->fd();
  if (::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length) != 0 || error != 0) {
    abandon();
    state_ = State::unreachable;
    return;
  }
  progress_ = Progress::open;
}

bool RelayedConnection::may_read(Side side, Instant now) const
{
  return !end(side).has_finished && channel(side).room_at(now) <= now &&
         (side == Side::drone ? now >= readable_at_ : progress_ == Progress::open);
}

void RelayedConnection::read(Side side, Instant now)
{
  std::array<std::uint8_t, StreamChannel::longest_segment> buffer;
  while (may_read(side, now)) {
    const auto received =
      ::recv(end(side).stream->fd(), buffer.data(), channel(side).segment_bytes(), 0);
    if (received > 0) {
      channel(side).handle_bytes({buffer.data(), static_cast<std::size_t>(received)}, now);
      continue;
    }
    if (received < 0 && (errno == EAGAIN || errno == EINTR)) {
      break;
    }
    channel(side).handle_end(received == 0 ? StreamEnd::finished : StreamEnd::reset, now);
    end(side).has_finished = true;
  }
  End & one = end(side);
  if (one.hung_up && one.has_finished && !one.end_sent) {
    // Earlier bytes still arrive; then the other end gets a reset.
    channel(side).handle_end(StreamEnd::reset, now);
    one.end_sent = true;
    one.stream->flush();  // discards the rest, which nobody receives
  }
}

void RelayedConnection::deliver(Side from, Instant now)
{
  End & to = end(opposite(from));
  if (!to.stream || (from == Side::drone && progress_ != Progress::open)) {
    return;
  }
  // Bytes that the receiver does not accept stay in the channel, and finally block the sender.
  while (!to.stream->has_queued()) {
    auto delivery = channel(from).poll_delivery(now);
    if (!delivery) {
      break;
    }
    if (delivery->end == StreamEnd::reset) {
      abandon();
      return;
    }
    if (delivery->end == StreamEnd::finished) {
      to.stream->finish_sending();
      to.end_sent = true;
    } else {
      to.stream->send(std::move(delivery->bytes));
    }
  }
  if (
    channel(Side::drone).idle() && channel(Side::ground).idle() && end(Side::drone).end_sent &&
    end(Side::ground).end_sent)
  {
    state_ = State::done;
  }
}

void RelayedConnection::watch(Instant now)
{
  for (const Side side : both_sides) {
    End & one = end(side);
    if (!one.stream || one.hung_up || (side == Side::ground && progress_ == Progress::connecting)) {
      continue;
    }
    const std::uint32_t wanted = (may_read(side, now) ? std::uint32_t{EPOLLIN} : 0) |
                                 (one.stream->has_queued() ? std::uint32_t{EPOLLOUT} : 0);
    if (wanted != one.watched) {
      poller_.modify(one.stream->fd(), tag(side), wanted);
      one.watched = wanted;
    }
  }
}

void RelayedConnection::abandon()
{
  for (End & one : ends_) {
    if (one.stream) {
      one.stream->abandon();
    }
  }
  state_ = State::done;
}

}  // namespace pqc_tunnel::link_emulator
