// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TOOLS__BLASTER__BLASTER_HPP_
#define PQC_TOOLS__BLASTER__BLASTER_HPP_

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flow.hpp"
#include "pqc_tunnel/base/result.hpp"
#include "pqc_tunnel/net/datagram_batch.hpp"
#include "pqc_tunnel/net/poller.hpp"
#include "pqc_tunnel/net/sockets.hpp"
#include "pqc_tunnel/os/file_descriptor.hpp"
#include "send_schedule.hpp"
#include "stamped_receiver.hpp"

namespace pqc_tunnel::blaster
{

struct BlasterOptions
{
  // [0] is the drone's application, [1] the ground's.
  std::array<std::vector<HostPort>, 2>
    tunnels;  // plaintext ports of the ends of one or more tunnels
  std::array<HostPort, 2> binds;
  std::array<std::string, 2> namespaces;  // files of network namespaces, for both or none
  std::uint32_t rate = 320;               // datagrams per second, each way
  std::size_t size = 256;                 // bytes
  Duration length{};                      // zero: until a signal or command stops it
  Duration drain = std::chrono::seconds(1);
  std::size_t max_windows = 4096;
  std::size_t receive_buffer_bytes = std::size_t{4} << 20;
  bool take_commands = false;  // from standard input
  bool real_time = false;      // whether this thread has real-time priority
};

// Plays the applications at both ends of a tunnel and counts their datagrams. One thread, one clock.
class Blaster
{
public:
  static Result<std::unique_ptr<Blaster>> open(BlasterOptions options, FileDescriptor signals);

  // Sends until the time is over or a signal or command stops it, then waits for datagrams in flight.
  void run();

  std::string report() const;
  // Returns one sentence if the stream was not steady.
  std::optional<std::string> complaint() const;

private:
  // One application and the direction that it sends in.
  struct Side
  {
    Socket socket;
    std::vector<Endpoint> tunnels;  // which get the datagrams in turn
    std::unique_ptr<StampedReceiver> receiver;
    std::unique_ptr<SendBatch> out;
    Bytes memory;  // holds the datagrams in `out`
    std::optional<SendSchedule> schedule;
    std::unique_ptr<Flow> sending;
    std::uint64_t refused = 0;  // datagrams that the socket refused
  };

  Blaster(BlasterOptions options, FileDescriptor signals);
  Result<void> open_side(std::size_t index);
  void start(Instant now);
  void stop(Instant now);
  bool sending(Instant now) const { return now < stop_at_; }
  Instant next_deadline() const;
  void send_due(std::size_t index);
  void receive(std::size_t index);
  void take_signals();
  void take_commands();
  void handle_command(std::string_view line);
  std::string window_report(std::size_t index) const;

  BlasterOptions options_;
  FileDescriptor signals_;
  Poller poller_;
  std::array<Side, 2> sides_;
  std::uint32_t run_;
  std::vector<std::string> window_names_;
  std::vector<Instant> window_starts_;
  std::string input_;
  Instant started_;
  Instant stop_at_ = Instant::max();
  Instant end_at_ = Instant::max();
  std::uint64_t foreign_ = 0;  // datagrams of another process
};

}  // namespace pqc_tunnel::blaster

#endif  // PQC_TOOLS__BLASTER__BLASTER_HPP_
