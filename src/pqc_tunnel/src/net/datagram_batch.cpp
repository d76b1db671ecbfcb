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
: headroom_(headroom),
  tailroom_(tailroom),
  stride_(headroom + max_datagram + 1 + tailroom),
  memory_(std::make_unique_for_overwrite<std::uint8_t[]>(stride_ * batch_size))
{
  for (std::size_t i = 0; i < batch_size; ++i) {
    parts_[i] = {memory_.get() + i * stride_ + headroom_, max_datagram + 1};
    messages_[i].msg_hdr.msg_iov = &parts_[i];
    messages_[i].msg_hdr.msg_iovlen = 1;
    messages_[i].msg_hdr.msg_name = &sources_[i];
    messages_[i].msg_hdr.msg_control = ancillary_[i].bytes.data();
  }
}

[[gnu::hot]] std::size_t ReceiveBatch::receive(int fd, Instant now)
{
  const unsigned most = now - std::exchange(asked_at_, now) < busy_interval ? batch_size : 1;
  for (std::size_t i = 0; i < received_; ++i) {
    messages_[i].msg_hdr.msg_namelen = sizeof(sockaddr_storage);  // the last call overwrote both
    messages_[i].msg_hdr.msg_controllen = sizeof(Ancillary);
  }
  ssize_t received = 0;
  if (most == 1) {  // costs less than recvmmsg() of one
    const ssize_t size = ::recvmsg(fd, &messages_[0].msg_hdr, MSG_DONTWAIT);
    messages_[0].msg_len = static_cast<unsigned>(std::max<ssize_t>(size, 0));
    received = size < 0 ? 0 : 1;
  } else {
    received = ::recvmmsg(fd, messages_.data(), most, MSG_DONTWAIT, nullptr);
  }
  received_ = received > 0 ? static_cast<std::size_t>(received) : 0;
  if (received_ > 0) {
    timespec system = {};
    ::clock_gettime(CLOCK_REALTIME, &system);
    stamps_.read(now, since_1970(system));
  }
  return received_;
}

[[gnu::hot]] Duration ReceiveBatch::waited(std::size_t index) const
{
  const msghdr & header = messages_[index].msg_hdr;
  const cmsghdr * part = CMSG_FIRSTHDR(&header);
  if (part == nullptr || part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_TIMESTAMPNS) {
    return {};
  }
  timespec stamp = {};
  std::memcpy(&stamp, CMSG_DATA(part), sizeof(stamp));
  return stamps_.age(since_1970(stamp));
}

[[gnu::hot]] MutableBytes ReceiveBatch::datagram(std::size_t index)
{
  return {static_cast<std::uint8_t *>(parts_[index].iov_base), messages_[index].msg_len};
}

[[gnu::hot]] MutableBytes ReceiveBatch::framed(std::size_t index)
{
  return {memory_.get() + index * stride_, headroom_ + messages_[index].msg_len + tailroom_};
}

[[gnu::hot]] bool ReceiveBatch::truncated(std::size_t index) const
{
  return messages_[index].msg_len >= parts_[index].iov_len;
}

// Most datagrams have the same receiver as the previous one; the batch then stores one address.
[[gnu::hot]] bool SendBatch::add(
  ByteView bytes, const Endpoint & to, SocketFamily family, std::size_t owner)
{
  if (full()) {
    return false;
  }
  if (to != last_endpoint_ || family != last_family_) {
    const SocketAddress next = to_socket_address(to, family);
    if (next.length == 0) {
      return false;
    }
    newest_address_ = (newest_address_ + 1) % addresses_.size();
    addresses_[newest_address_] = next;
    last_endpoint_ = to;
    last_family_ = family;
  }
  SocketAddress & address = addresses_[newest_address_];
  append(bytes, address.data(), address.length, owner);
  return true;
}

[[gnu::hot]] bool SendBatch::add(ByteView bytes, std::size_t owner)
{
  if (full()) {
    return false;
  }
  append(bytes, nullptr, 0, owner);
  return true;
}

[[gnu::hot]] void SendBatch::append(
  ByteView bytes, sockaddr * to, socklen_t length, std::size_t owner)
{
  auto & header = messages_[size_].msg_hdr;
  // sendmmsg() takes no const pointer, but does not write.
  parts_[size_] = {const_cast<std::uint8_t *>(bytes.data()), bytes.size()};
  header.msg_name = to;
  header.msg_namelen = length;
  header.msg_iov = &parts_[size_];
  header.msg_iovlen = 1;
  owners_[size_] = owner;
  ++size_;
}

[[gnu::hot]] int SendBatch::send(int fd, std::size_t position)
{
  constexpr int flags = MSG_DONTWAIT | MSG_NOSIGNAL;
  if (position + 1 < size_) {
    return ::sendmmsg(fd, &messages_[position], static_cast<unsigned>(size_ - position), flags);
  }
  const msghdr & header = messages_[position].msg_hdr;
  const auto * to = static_cast<const sockaddr *>(header.msg_name);
  const iovec & part = parts_[position];
  return ::sendto(fd, part.iov_base, part.iov_len, flags, to, header.msg_namelen) < 0 ? -1 : 1;
}

[[gnu::hot]] SendBatch::Step SendBatch::send_from(int fd, std::size_t & position)
{
  int sent = send(fd, position);
  if (sent < 0 && errno == ECONNREFUSED) {
    // It is said of an earlier datagram to a connected socket's peer, once, and anybody can forge it.
    sent = send(fd, position);
  }
  if (sent > 0) {
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
