// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef SUPPORT__PAIR__STREAM_LINK_HPP_
#define SUPPORT__PAIR__STREAM_LINK_HPP_

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "protocol/streams/stream_receiver.hpp"
#include "protocol/streams/stream_sender.hpp"
#include "support/identities.hpp"

namespace pqc_tunnel::test
{

struct Link
{
  double loss = 0;
  Duration delay = std::chrono::milliseconds(10);
  Duration jitter{};
  double bytes_per_s = 0;         // 0: without limit
  std::size_t largest = 1 << 16;  // longer ones are lost
  double copies = 0;              // share that arrives twice
  std::size_t max_part = 1200;
  bool keeps_order = false;  // in spite of jitter
};

// A sender and a receiver at the ends of a link.
class Streams
{
public:
  explicit Streams(Link link, std::uint64_t seed = 1) : link_(link), random_(seed)
  {
    for (const StreamLane kind : {StreamLane::foreground, StreamLane::first, StreamLane::second}) {
      receiver_.expect(kind, std::size_t{2} << 20);
    }
  }

  StreamSender & sender() { return sender_; }
  StreamReceiver & receiver() { return receiver_; }
  std::vector<Bytes> & received() { return received_; }
  std::size_t sent_bytes() const { return sent_bytes_; }
  Instant now() const { return now_; }

  Bytes message(std::size_t size)
  {
    Bytes bytes(size);
    random_.fill(bytes);
    return bytes;
  }

  // Calls it with the bytes of each part that arrives.
  void watch(std::function<void(std::size_t)> watcher) { watcher_ = std::move(watcher); }

  bool run_until(const std::function<bool()> & condition, Duration limit)
  {
    const Instant end = now_ + limit;
    pump();
    while (!condition()) {
      Instant next = std::min(sender_.next_timeout(), receiver_.next_timeout());
      if (!flying_.empty()) {
        next = std::min(next, flying_.begin()->first);
      }
      if (next > end) {
        now_ = end;
        return condition();
      }
      now_ = std::max(now_, next);
      while (!flying_.empty() && flying_.begin()->first <= now_) {
        auto arriving = flying_.extract(flying_.begin());
        arriving.mapped()();
      }
      pump();
    }
    return true;
  }

private:
  void pump()
  {
    while (const auto ack = receiver_.take_ack(now_)) {
      fly(40, back_, [this, ack = *ack] { sender_.handle_ack(ack, now_); });
    }
    while (const auto part = sender_.next(now_)) {
      const Bytes payload = encode(*part);
      sent_bytes_ += payload.size();
      if (payload.size() > link_.largest) {
        continue;
      }
      fly(payload.size() + 51, forth_, [this, payload] {
        watcher_(payload.size());
        if (auto done = receiver_.handle_part(*parse_stream_part(payload), now_)) {
          received_.push_back(std::move(*done));
        }
      });
    }
  }
  struct Way
  {
    Instant free;
    Instant last;  // arrival
  };

  void fly(std::size_t bytes, Way & way, std::function<void()> arrive)
  {
    const Duration airtime =
      link_.bytes_per_s > 0
        ? Duration(static_cast<std::int64_t>(static_cast<double>(bytes) / link_.bytes_per_s * 1e9))
        : Duration{};
    way.free = std::max(way.free, now_) + airtime;
    if (random_.uniform() < link_.loss) {
      return;
    }
    for (int copies = random_.uniform() < link_.copies ? 2 : 1; copies > 0; --copies) {
      const auto extra =
        static_cast<std::int64_t>(random_.uniform() * static_cast<double>(link_.jitter.count()));
      const Instant at = way.free + link_.delay + Duration(extra);
      way.last = link_.keeps_order ? std::max(way.last, at) : at;
      flying_.emplace(way.last, arrive);
    }
  }

  Link link_;
  SeededRandom random_;
  Instant now_{std::chrono::hours(1)};
  StreamSender sender_{link_.max_part};
  StreamReceiver receiver_;
  std::multimap<Instant, std::function<void()>> flying_;
  std::vector<Bytes> received_;
  std::function<void(std::size_t)> watcher_ = [](std::size_t) {};
  Way forth_;
  Way back_;
  std::size_t sent_bytes_ = 0;
};

}  // namespace pqc_tunnel::test

#endif  // SUPPORT__PAIR__STREAM_LINK_HPP_
