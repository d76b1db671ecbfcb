// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef SUPPORT__PAIR__PACKET_THREAD_HPP_
#define SUPPORT__PAIR__PACKET_THREAD_HPP_

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <utility>

#include "protocol/tunnel/tunnel.hpp"

namespace pqc_tunnel::test
{

// The thread of a ground station, in virtual time: what it opens, sends and passes on takes time, and what arrives while the
// socket's buffer is full is lost.
class PacketThread
{
public:
  // Carries out what the ground station wants done, and returns how many things that were.
  using CarryOut = std::function<std::size_t()>;
  using Deliver = std::function<void(const Opened &)>;

  // Each frame of the hostile drone takes long.
  PacketThread(Tunnel & ground, PeerIndex hostile, CarryOut carry_out, Deliver deliver, Instant now)
  : ground_(ground),
    hostile_(hostile),
    carry_out_(std::move(carry_out)),
    deliver_(std::move(deliver)),
    now_(now),
    last_woken_(now)
  {
  }

  // How far it has come.
  Instant now() const { return now_; }
  std::uint64_t opened_of_hostile() const { return opened_of_hostile_; }

  void arrive(Bytes frame, const Endpoint & from)
  {
    if (waiting_.size() < socket_buffer) {
      waiting_.push_back({std::move(frame), from});
    }
  }
  // What has begun before the end is finished after it.
  void run_until(Instant end)
  {
    while (now_ < end && !waiting_.empty()) {
      wake_up();
    }
    now_ = std::max(now_, end);
  }

private:
  struct Frame
  {
    Bytes bytes;
    Endpoint from;
  };
  static constexpr std::size_t socket_buffer = 1000;  // what 4 MiB hold at least
  static constexpr std::size_t batch = 64;
  static constexpr Duration per_frame = std::chrono::microseconds(2);
  // On a slow machine; what matters is that it is too much for the thread.
  static constexpr Duration per_output = std::chrono::microseconds(200);
  static constexpr Duration least_of_hostile = std::chrono::microseconds(300);

  void wake_up()
  {
    const Instant woken = now_;
    const Duration since = woken - std::exchange(last_woken_, woken);
    ground_.charge(std::nullopt, since - std::exchange(charged_, {}));
    now_ += std::chrono::microseconds(10);
    for (std::size_t n = std::min(waiting_.size(), batch); n > 0; --n) {
      Frame frame = std::move(waiting_.front());
      waiting_.pop_front();
      open(frame, woken);
    }
  }
  void open(Frame & frame, Instant woken)
  {
    const Opened opened = ground_.handle_datagram(frame.bytes, frame.from, woken);
    Duration cost = per_frame + static_cast<std::int64_t>(carry_out_()) * per_output;
    if (opened.forward) {
      deliver_(opened);
      cost += opened.bundle ? 128 * per_output : per_output / 10;
    }
    if (opened.peer == hostile_) {
      ++opened_of_hostile_;
      cost = std::max(cost, least_of_hostile);
    }
    now_ += cost;
    if (opened.peer) {
      ground_.charge(opened.peer, cost);
      charged_ += cost;
    }
  }

  Tunnel & ground_;
  PeerIndex hostile_;
  CarryOut carry_out_;
  Deliver deliver_;
  Instant now_;
  Instant last_woken_;
  Duration charged_{};  // to drones since then
  std::deque<Frame> waiting_;
  std::uint64_t opened_of_hostile_ = 0;
};

}  // namespace pqc_tunnel::test

#endif  // SUPPORT__PAIR__PACKET_THREAD_HPP_
