// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TOOLS__BLASTER__STAMPED_RECEIVER_HPP_
#define PQC_TOOLS__BLASTER__STAMPED_RECEIVER_HPP_

#include <sys/socket.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "pqc_tunnel/base/bytes.hpp"
#include "pqc_tunnel/base/time.hpp"

namespace pqc_tunnel::blaster
{

// Receives in batches, with the time at which the system received each datagram, so that scheduling delays of this
// process do not count. Allocates in the constructor only.
class StampedReceiver
{
public:
  explicit StampedReceiver(std::size_t max_datagram);
  StampedReceiver(const StampedReceiver &) = delete;
  StampedReceiver & operator=(const StampedReceiver &) = delete;

  // Asks the system for time stamps and for a count of datagrams that it dropped for lack of room.
  static void prepare(int fd);

  // Receives the waiting datagrams, at most a batch. Returns how many.
  std::size_t receive(int fd);

  // A datagram longer than max_datagram has max_datagram + 1 bytes here.
  ByteView datagram(std::size_t index) const;
  // Time of arrival on the clock of monotonic_now().
  Instant arrived(std::size_t index) const { return arrived_[index]; }
  // Returns how many datagrams the socket of the last receive() has dropped since prepare().
  std::uint32_t dropped() const { return dropped_; }

private:
  static constexpr std::size_t batch = 64;
  static constexpr std::size_t control_size = 128;

  void read_control(std::size_t index, Instant now, Duration wall_now);

  std::size_t stride_;
  Bytes memory_;
  std::array<mmsghdr, batch> messages_ = {};
  std::array<iovec, batch> parts_ = {};
  alignas(cmsghdr) std::array<std::array<std::uint8_t, control_size>, batch> controls_ = {};
  std::array<Instant, batch> arrived_ = {};
  std::uint32_t dropped_ = 0;
};

}  // namespace pqc_tunnel::blaster

#endif  // PQC_TOOLS__BLASTER__STAMPED_RECEIVER_HPP_
