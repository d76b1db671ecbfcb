// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "stamped_receiver.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <ctime>

#include "pqc_tunnel/os/clock.hpp"

namespace pqc_tunnel::blaster
{

namespace
{

Duration since_epoch(const timespec & time)
{
  return std::chrono::seconds(time.tv_sec) + Duration(time.tv_nsec);
}

Duration wall_clock()
{
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return since_epoch(now);
}

struct BothClocks
{
  Instant engine;
  Duration wall;
};

// A preemption between two readings would count as age of a datagram, so the closest pair of readings is used.
BothClocks read_clocks()
{
  constexpr Duration close_enough = std::chrono::microseconds(5);
  constexpr int tries = 5;
  BothClocks best{};
  Duration best_span = Duration::max();
  for (int i = 0; i < tries && best_span > close_enough; ++i) {
    const Instant before = monotonic_now();
    const Duration wall = wall_clock();
    const Duration span = monotonic_now() - before;
    if (span < best_span) {
      best_span = span;
      best = {before + span / 2, wall};
    }
  }
  return best;
}

template <class T>
T content_of(const cmsghdr * header)
{
  T content{};
  std::memcpy(&content, CMSG_DATA(header), sizeof(content));
  return content;
}

}  // namespace

StampedReceiver::StampedReceiver(std::size_t max_datagram)
: stride_(max_datagram + 1), memory_(stride_ * batch)
{
  for (std::size_t i = 0; i < batch; ++i) {
    parts_[i] = {memory_.data() + i * stride_, stride_};
    messages_[i].msg_hdr.msg_iov = &parts_[i];
    messages_[i].msg_hdr.msg_iovlen = 1;
    messages_[i].msg_hdr.msg_control = controls_[i].data();
  }
}

void StampedReceiver::prepare(int fd)
{
  const int on = 1;
  ::setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof(on));
  ::setsockopt(fd, SOL_SOCKET, SO_RXQ_OVFL, &on, sizeof(on));
}

std::size_t StampedReceiver::receive(int fd)
{
  for (auto & message : messages_) {
    message.msg_hdr.msg_controllen = control_size;
  }
  const int received = ::recvmmsg(fd, messages_.data(), batch, MSG_DONTWAIT, nullptr);
  const auto count = static_cast<std::size_t>(std::max(received, 0));
  const BothClocks now = read_clocks();
  for (std::size_t i = 0; i < count; ++i) {
    read_control(i, now.engine, now.wall);
  }
  return count;
}

void StampedReceiver::read_control(std::size_t index, Instant now, Duration wall_now)
{
  arrived_[index] = now;
  msghdr & header = messages_[index].msg_hdr;
  for (cmsghdr * item = CMSG_FIRSTHDR(&header); item != nullptr; item = CMSG_NXTHDR(&header, item))
  {
    if (item->cmsg_level != SOL_SOCKET) {
      continue;
    }
    if (item->cmsg_type == SCM_TIMESTAMPNS) {
      const Duration age = wall_now - since_epoch(content_of<timespec>(item));
      arrived_[index] = now - std::max(age, Duration::zero());
    } else if (item->cmsg_type == SO_RXQ_OVFL) {
      dropped_ = content_of<std::uint32_t>(item);
    }
  }
}

ByteView StampedReceiver::datagram(std::size_t index) const
{
  return {memory_.data() + index * stride_, messages_[index].msg_len};
}

}  // namespace pqc_tunnel::blaster
