// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__NET__POLLER_HPP_
#define PQC_TUNNEL__NET__POLLER_HPP_

#include <sys/epoll.h>

#include <array>
#include <cstdint>
#include <span>

#include "pqc_tunnel/base/time.hpp"
#include "pqc_tunnel/os/file_descriptor.hpp"

namespace pqc_tunnel
{

enum class Source : std::uint8_t
{
  wake_up,
  timer,
  link,
  plaintext,  // number: PeerIndex
  listener,
  connection,  // number: ConnectionId
};

// What became ready, in 64 bits.
struct ReadyTag
{
  Source source;
  std::uint64_t number = 0;  // below 2^56

  std::uint64_t pack() const { return static_cast<std::uint64_t>(source) << 56 | number; }
  static ReadyTag unpack(std::uint64_t packed)
  {
    return {static_cast<Source>(packed >> 56), packed & ((std::uint64_t{1} << 56) - 1)};
  }
};

// epoll (level-triggered) with one absolute timer.
class Poller
{
public:
  Poller();  // throws std::system_error

  void add(int fd, ReadyTag tag, std::uint32_t events);
  void modify(int fd, ReadyTag tag, std::uint32_t events);
  void remove(int fd);

  // Waits until something is ready or `deadline` has come (Instant::max(): no deadline). At most 64
  // at a time.
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
