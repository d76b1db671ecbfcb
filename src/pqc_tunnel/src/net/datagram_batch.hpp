// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__NET__DATAGRAM_BATCH_HPP_
#define PQC_TUNNEL__NET__DATAGRAM_BATCH_HPP_

#include <sys/socket.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <memory>
#include <optional>

#include "base/bytes.hpp"
#include "base/endpoint.hpp"
#include "base/time.hpp"
#include "socket_address.hpp"
#include "stamp_clock.hpp"

namespace pqc_tunnel
{

/// The largest number of datagrams in one system call.
inline constexpr std::size_t batch_size = 64;

/// Memory for one call of recvmmsg or recvmsg, allocated once. Each datagram has `headroom` free bytes before it and
/// `tailroom` after it, so that it can be sealed in place. One thread at a time.
class ReceiveBatch
{
public:
  ReceiveBatch(std::size_t headroom, std::size_t max_datagram, std::size_t tailroom);
  ReceiveBatch(const ReceiveBatch &) = delete;
  ReceiveBatch & operator=(const ReceiveBatch &) = delete;

  /// Receives up to batch_size waiting datagrams and returns how many; only one if `now` is long after the last call,
  /// because a second is then unlikely.
  std::size_t receive(int fd, Instant now);
  /// Receives a waiting datagram and returns 1, or 0 if there is none. waited() does not know its age.
  std::size_t receive_one(int fd);

  /// Returns a received datagram. `index` must be less than the result of receive().
  MutableBytes datagram(std::size_t index) { return bytes(slots_[index], 0, 0); }
  /// Returns the datagram together with its headroom and tailroom.
  MutableBytes framed(std::size_t index) { return bytes(slots_[index], headroom_, tailroom_); }
  /// Returns true if the datagram was longer than max_datagram and is cut off.
  bool truncated(std::size_t index) const
  {
    return slots_[index].size >= slots_[index].part.iov_len;
  }
  /// Returns how long a datagram waited in the socket's buffer, by the kernel's time stamp; zero without one.
  Duration waited(std::size_t index) const;
  /// Returns the sender of a datagram.
  const sockaddr_storage & source(std::size_t index) const { return slots_[index].source; }

private:
  /// All of one datagram but its bytes. It lies together because the caches are cold for a single one.
  struct Slot
  {
    iovec part;
    std::size_t size;
    bool is_stamped;
    alignas(cmsghdr) std::array<std::uint8_t, CMSG_SPACE(sizeof(timespec))> ancillary;
    sockaddr_storage source;
  };
  static msghdr header_of(Slot & slot);
  static void take(Slot & slot, const msghdr & header, std::size_t size);
  std::size_t receive_several(int fd);
  static MutableBytes bytes(const Slot & slot, std::size_t before, std::size_t after)
  {
    return {static_cast<std::uint8_t *>(slot.part.iov_base) - before, before + slot.size + after};
  }

  std::size_t headroom_;
  std::size_t tailroom_;
  std::unique_ptr<std::uint8_t[]> memory_;  ///< uses pages only up to the longest batch so far
  Instant asked_at_;                        ///< time of the last receive()
  StampClock stamps_;                       ///< ages of the kernel's time stamps
  std::array<Slot, batch_size> slots_ = {};
  std::array<mmsghdr, batch_size> messages_ = {};  ///< of the slots, for recvmmsg
  std::size_t filled_ = batch_size;                ///< by the last recvmmsg
};

/// Datagrams for one sendmmsg call. The caller keeps their bytes alive until flush(). One thread at a time.
class SendBatch
{
public:
  bool full() const { return size_ == batch_size; }
  bool empty() const { return size_ == 0; }
  /// Adds a datagram. Returns false if a socket of this family cannot reach `to`, or if the batch is full.
  /// flush() reports a rejected datagram with its `owner`.
  bool add(ByteView bytes, const Endpoint & to, SocketFamily family, std::size_t owner = 0);

  /// Adds a datagram for a connected socket.
  bool add(ByteView bytes, std::size_t owner);

  /// Sends all datagrams and calls refused(owner, oversize) for each that the socket rejects.
  template <class Refused>
  void flush(int fd, Refused && refused);
  /// Returns the errno value of the last flush() if the system refused to send, such as EPERM; 0 if it did not, or if
  /// only the buffer was full or a datagram too long.
  int refusal() const { return refusal_; }

private:
  enum class Step
  {
    sent,
    skipped,
    oversize,
    blocked,
  };
  void append(ByteView bytes, const SocketAddress * to, std::size_t owner);
  Step send_from(int fd, std::size_t & position);
  /// Sends datagrams from `position` on and returns how many left. A single one, as usual, costs less by sendto().
  int send(int fd, std::size_t position);

  struct Slot
  {
    iovec part;
    const SocketAddress * to;  ///< null: the socket is connected
    std::size_t owner;
  };

  /// A ring: a full batch needs no more. It is used from its end, so that a single datagram stays in a few cache lines.
  std::array<SocketAddress, batch_size> addresses_ = {};
  std::size_t newest_address_ = 0;
  Endpoint last_endpoint_;
  std::optional<SocketFamily> last_family_;
  std::size_t size_ = 0;
  int refusal_ = 0;
  std::array<Slot, batch_size> slots_ = {};
  std::array<mmsghdr, batch_size> messages_ = {};  ///< for sendmmsg
};

template <class Refused>
void SendBatch::flush(int fd, Refused && refused)
{
  std::size_t position = 0;
  refusal_ = 0;
  while (position < size_) {
    switch (send_from(fd, position)) {
      case Step::sent:
        break;
      case Step::skipped:
        refused(slots_[position++].owner, false);
        break;
      case Step::oversize:
        refused(slots_[position++].owner, true);
        break;
      case Step::blocked:
        while (position < size_) {
          refused(slots_[position++].owner, false);
        }
        break;
    }
  }
  size_ = 0;
}

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__NET__DATAGRAM_BATCH_HPP_
