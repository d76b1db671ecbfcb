// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__NET__POLLER_HPP_
#define PQC_TUNNEL__NET__POLLER_HPP_

#include <sys/epoll.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/time.hpp"
#include "os/file_descriptor.hpp"

namespace pqc_tunnel
{

/// The owner of a file descriptor.
enum class Source : std::uint8_t
{
  wake_up,
  timer,
  link,         ///< number: its index
  peer_socket,  ///< number: that of ReadyTag::of_peer()
  plaintext,    ///< number: PeerIndex
  application,  ///< the connected socket there; number: PeerIndex
  probe,
  network,
};

/// Identifies a ready descriptor, in 64 bits.
struct ReadyTag
{
  Source source;
  std::uint64_t number = 0;  ///< below 2^56

  /// Names the socket of a link that is connected to a peer.
  static ReadyTag of_peer(std::size_t link, std::size_t peer)
  {
    return {Source::peer_socket, static_cast<std::uint64_t>(peer) << 8 | link};
  }
  std::size_t link() const { return number & 0xff; }                          ///< of peer_socket
  std::size_t peer() const { return static_cast<std::size_t>(number >> 8); }  ///< of peer_socket

  std::uint64_t pack() const { return static_cast<std::uint64_t>(source) << 56 | number; }
  static ReadyTag unpack(std::uint64_t packed)
  {
    return {static_cast<Source>(packed >> 56), packed & ((std::uint64_t{1} << 56) - 1)};
  }
};

/// Level-triggered epoll with one absolute timer. One thread at a time.
class Poller
{
public:
  /// Throws std::system_error.
  Poller();

  /// Adds a descriptor with its tag and epoll events.
  void add(int fd, ReadyTag tag, std::uint32_t events);
  /// Changes the tag and events of a descriptor.
  void modify(int fd, ReadyTag tag, std::uint32_t events);
  /// Removes a descriptor; call it before closing one that is duplicated elsewhere.
  void remove(int fd);

  /// Waits until a descriptor is ready or until `deadline` (Instant::max(): for ever). Returns at most 64
  /// events, valid until the next call; event.data.u64 is a packed ReadyTag.
  std::span<const epoll_event> wait(Instant deadline);

private:
  void arm(Instant deadline);

  FileDescriptor epoll_;
  FileDescriptor timer_;
  Instant armed_ = Instant::max();
  std::array<epoll_event, 64> ready_ = {};
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__NET__POLLER_HPP_
