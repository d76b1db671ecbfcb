// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef SUPPORT__PAIR__NARROW_LINK_HPP_
#define SUPPORT__PAIR__NARROW_LINK_HPP_

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <thread>
#include <utility>

#include "base/bytes.hpp"
#include "support/application.hpp"

namespace pqc_tunnel::test
{

// A radio behind UDP sockets on the loopback, between a drone and its ground station. What exceeds its rate waits in a
// buffer of a second, or is dropped. Each direction has the rate.
class NarrowLink
{
public:
  NarrowLink(std::uint16_t ground_port, double bytes_per_s) : bytes_per_s_(bytes_per_s)
  {
    to_ground_.connect(ground_port);
    thread_ = std::thread([this] { work(); });
  }
  ~NarrowLink()
  {
    stopping_ = true;
    thread_.join();
  }
  NarrowLink(const NarrowLink &) = delete;
  NarrowLink & operator=(const NarrowLink &) = delete;

  // Where the drone sends to.
  std::uint16_t port() const { return to_drone_.port(); }
  void set_rate(double bytes_per_s) { bytes_per_s_ = bytes_per_s; }

private:
  using Clock = std::chrono::steady_clock;

  struct Direction
  {
    std::deque<std::pair<Clock::time_point, Bytes>> queue;  // with the end of each on the air
    Clock::time_point free_at{};
  };

  void work()
  {
    while (!stopping_) {
      while (auto datagram = to_drone_.receive(0)) {
        put_on_air(down_, std::move(*datagram));
      }
      while (auto datagram = to_ground_.receive(0)) {
        put_on_air(up_, std::move(*datagram));
      }
      for (; has_arrived(down_); down_.queue.pop_front()) {
        to_ground_.send(down_.queue.front().second);
      }
      for (; has_arrived(up_); up_.queue.pop_front()) {
        to_drone_.answer(up_.queue.front().second);
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

  void put_on_air(Direction & direction, Bytes datagram) const
  {
    constexpr double udp_and_ip = 28;
    const auto now = Clock::now();
    const auto begin = std::max(direction.free_at, now);
    if (begin > now + std::chrono::seconds(1)) {
      return;
    }
    const std::chrono::duration<double> airtime(
      (static_cast<double>(datagram.size()) + udp_and_ip) / bytes_per_s_);
    direction.free_at = begin + std::chrono::duration_cast<Clock::duration>(airtime);
    direction.queue.emplace_back(direction.free_at, std::move(datagram));
  }

  static bool has_arrived(const Direction & direction)
  {
    return !direction.queue.empty() && direction.queue.front().first <= Clock::now();
  }

  Application to_drone_;
  Application to_ground_;
  Direction down_;
  Direction up_;
  std::atomic<double> bytes_per_s_;
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

}  // namespace pqc_tunnel::test

#endif  // SUPPORT__PAIR__NARROW_LINK_HPP_
