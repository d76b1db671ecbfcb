// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__ENGINE__SOCKETS__MIRROR_HPP_
#define PQC_TUNNEL__ENGINE__SOCKETS__MIRROR_HPP_

#include <cstdint>
#include <memory>
#include <string>

#include "config/engine_config.hpp"
#include "destination.hpp"
#include "link/mavlink/mavlink_filter.hpp"
#include "link/mavlink/mavlink_stream.hpp"
#include "net/datagram_batch.hpp"
#include "net/sockets.hpp"

namespace pqc_tunnel
{

// Copies what one vehicle sends to a local program: certain MAVLink messages, one frame in each datagram, or
// everything. Frames of the ground are not copied, because a reader could not tell them from the vehicle's own.
class Mirror
{
public:
  // The error is one sentence. Without a configured mirror every call does nothing.
  static Result<Mirror> open(const PlaintextConfig & config);

  bool is_open() const { return out_ != nullptr; }
  // Queues the frames to copy. The bytes must be valid until flush(). `sender`: the source of the datagrams.
  void copy(ByteView datagram, const Endpoint & sender);
  void flush();

  // See PlaintextSide.
  void start_look_ups(const std::function<void()> & answered) { address_.start(answered); }
  void ask_for_addresses() { address_.ask(); }
  void take_answers();
  std::string trouble(Instant now);

private:
  Result<void> use_address();
  void add(ByteView bytes);

  Destination address_;
  Socket socket_;
  std::unique_ptr<SendBatch> out_;  // null while no address is known
  MavlinkFilter filter_;
  MavlinkStream stream_;
  std::uint64_t unrecognized_ = 0;  // datagrams since the last one with a MAVLink frame
  Instant recognized_;              // when trouble() last saw few of these
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__ENGINE__SOCKETS__MIRROR_HPP_
