// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "datagram_batch.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

namespace pqc_tunnel
{
namespace
{

// A shorter interval between two calls makes it likely that more than one datagram waits.
constexpr Duration busy_interval = std::chrono::microseconds(100);

Duration since_1970(const timespec & time)
{
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

}  // namespace

// Receives one byte more than allowed, to distinguish a datagram of exactly max_datagram bytes from a longer one.
ReceiveBatch::ReceiveBatch(std::size_t headroom, std::size_t max_datagram, std::size_t tailroom)
: headroom_(headroom), tailroom_(tailroom)
{
  const std::size_t stride = headroom + max_datagram + 1 + tailroom;
  memory_ = std::make_unique_for_overwrite<std::uint8_t[]>(stride * batch_size);
  for (std::size_t i = 0; i < batch_size; ++i) {
    slots_[i].part = {memory_.get() + i * stride + headroom, max_datagram + 1};
  }
}

[[gnu::hot]] msghdr ReceiveBatch::header_of(Slot & slot)
{
  msghdr header = {};
  header.msg_iov = &slot.part;
  header.msg_iovlen = 1;
  header.msg_name = &slot.source;
  header.msg_namelen = sizeof(slot.source);
  header.msg_control = slot.ancillary.data();
  header.msg_controllen = slot.ancillary.size();
  return header;
}

[[gnu::hot]] void ReceiveBatch::take(Slot & slot, const msghdr & header, std::size_t size)
{
  slot.size = size;
  const cmsghdr * part = CMSG_FIRSTHDR(&header);
  slot.is_stamped =
    part != nullptr && part->cmsg_level == SOL_SOCKET && part->cmsg_type == SCM_TIMESTAMPNS;
}

// Costs less than recvmmsg() of one.
[[gnu::hot]] std::size_t ReceiveBatch::receive_one(int fd)
{
  msghdr header = header_of(slots_[0]);
  const ssize_t size = ::recvmsg(fd, &header, MSG_DONTWAIT);
  if (size < 0) {
    return 0;
  }
  take(slots_[0], header, static_cast<std::size_t>(size));
  return 1;
}

std::size_t ReceiveBatch::receive_several(int fd)
{
  for (std::size_t i = 0; i < filled_; ++i) {
    messages_[i].msg_hdr = header_of(slots_[i]);  // the last call overwrote the lengths
  }
  const int filled = ::recvmmsg(fd, messages_.data(), batch_size, MSG_DONTWAIT, nullptr);
  filled_ = static_cast<std::size_t>(std::max(filled, 0));
  for (std::size_t i = 0; i < filled_; ++i) {
    take(slots_[i], messages_[i].msg_hdr, messages_[i].msg_len);
  }
  return filled_;
}

[[gnu::hot]] std::size_t ReceiveBatch::receive(int fd, Instant now)
{
  const bool busy = now - std::exchange(asked_at_, now) < busy_interval;
  const std::size_t received = busy ? receive_several(fd) : receive_one(fd);
  if (received > 0) {
    timespec system = {};
    ::clock_gettime(CLOCK_REALTIME, &system);
    stamps_.read(now, since_1970(system));
  }
  return received;
}

[[gnu::hot]] Duration ReceiveBatch::waited(std::size_t index) const
{
  const Slot & slot = slots_[index];
  if (!slot.is_stamped) [[unlikely]] {
    return {};
  }
  timespec stamp = {};
  std::memcpy(&stamp, slot.ancillary.data() + CMSG_LEN(0), sizeof(stamp));
  return stamps_.age(since_1970(stamp));
}

// Most datagrams have the same receiver as the previous one; the batch then stores one address.
[[gnu::hot]] bool SendBatch::add(
  ByteView bytes, const Endpoint & to, SocketFamily family, std::size_t owner)
{
  if (full()) [[unlikely]] {
    return false;
  }
  if (to != last_endpoint_ || family != last_family_) [[unlikely]] {
    const SocketAddress next = to_socket_address(to, family);
    if (next.length == 0) {
      return false;
    }
    newest_address_ = (newest_address_ + addresses_.size() - 1) % addresses_.size();
    addresses_[newest_address_] = next;
    last_endpoint_ = to;
    last_family_ = family;
  }
  append(bytes, &addresses_[newest_address_], owner);
  return true;
}

[[gnu::hot]] bool SendBatch::add(ByteView bytes, std::size_t owner)
{
  if (full()) [[unlikely]] {
    return false;
  }
  append(bytes, nullptr, owner);
  return true;
}

[[gnu::hot]] void SendBatch::append(ByteView bytes, const SocketAddress * to, std::size_t owner)
{
  // sendmmsg() takes no const pointer, but does not write.
  slots_[size_++] = {{const_cast<std::uint8_t *>(bytes.data()), bytes.size()}, to, owner};
}

[[gnu::hot]] int SendBatch::send(int fd, std::size_t position)
{
  constexpr int flags = MSG_DONTWAIT | MSG_NOSIGNAL;
  if (position + 1 == size_) [[likely]] {
    const auto & [part, to, owner] = slots_[position];
    const sockaddr * const name = to != nullptr ? to->data() : nullptr;
    const socklen_t length = to != nullptr ? to->length : 0;
    return ::sendto(fd, part.iov_base, part.iov_len, flags, name, length) < 0 ? -1 : 1;
  }
  for (std::size_t i = position; i < size_; ++i) {
    msghdr & header = messages_[i].msg_hdr;
    const SocketAddress * const to = slots_[i].to;
    header.msg_name = to != nullptr ? const_cast<sockaddr *>(to->data()) : nullptr;
    header.msg_namelen = to != nullptr ? to->length : 0;
    header.msg_iov = &slots_[i].part;
    header.msg_iovlen = 1;
  }
  return ::sendmmsg(fd, &messages_[position], static_cast<unsigned>(size_ - position), flags);
}

[[gnu::hot]] SendBatch::Step SendBatch::send_from(int fd, std::size_t & position)
{
  int sent = send(fd, position);
  if (sent < 0 && errno == ECONNREFUSED) {
    // It is said of an earlier datagram to a connected socket's peer, once, and anybody can forge it.
    sent = send(fd, position);
  }
  if (sent > 0) [[likely]] {
    position += static_cast<std::size_t>(sent);
    return Step::sent;
  }
  switch (errno) {
    case EINTR:
      return Step::sent;
    case EMSGSIZE:
      return Step::oversize;
    case EAGAIN:
    case ENOBUFS:
      return Step::blocked;
    default:  // this destination is unreachable; the next may not be
      refusal_ = errno;
      return Step::skipped;
  }
}

}  // namespace pqc_tunnel
