// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "paths/shaper.hpp"
#include "shaped_line.hpp"

namespace pqc_tunnel
{

namespace
{

using namespace std::chrono_literals;
using namespace test;

// Random datagrams of all classes on random links.
class RandomOffers
{
public:
  explicit RandomOffers(std::uint64_t seed)
  : random_(seed),
    line_(
      {"link", LinkType{static_cast<std::uint8_t>(seed % 2)}, Carry::all, 100 + random_() % 500,
       20 + static_cast<double>(random_() % 500)})
  {
  }

  void run()
  {
    for (int i = 0; i < 2000; ++i) {
      line_.now += std::chrono::microseconds(random_() % (random_() % 50 == 0 ? 400000 : 4000));
      offer();
      if (random_() % 3 == 0) {
        take();
      }
      std::size_t memory = 0;
      for (std::size_t c = 0; c < traffic_classes; ++c) {
        memory += line_.shaper.waiting_memory(TrafficClass{static_cast<std::uint8_t>(c)});
      }
      EXPECT_LE(memory, (4U * 8 + 2 * 32) * 1024);
    }
    while (line_.shaper.next_timeout() != Instant::max()) {
      line_.now = std::max(line_.now, line_.shaper.next_timeout());
      take();
    }
    check_counts();
  }

private:
  void offer()
  {
    constexpr std::uint32_t messages[] = {heartbeat,      param_value,  attitude,
                                          manual_control, command_long, unknown};
    const std::uint32_t number = ++number_;
    const std::size_t which = random_() % 9;
    if (which < std::size(messages)) {
      const auto system = static_cast<std::uint8_t>(random_() % 3);
      const std::size_t payload = messages[which] == manual_control ? 11 : 4 + random_() % 250;
      const Bytes frame = mavlink(messages[which], number, payload, system);
      const DatagramClass kind = classify(frame);
      // Keyed ones follow each other by key, all others by class.
      note(frame, number, kind.traffic, kind.key ? 100 + 10 * messages[which] + system : 0);
      line_.offer(frame);
      return;
    }
    Bytes bytes(5 + random_() % 250, 0x55);
    for (std::size_t i = 0; i < 4; ++i) {
      bytes[1 + i] = static_cast<std::uint8_t>(number >> (8 * i));
    }
    const TrafficClass traffic =
      std::array{TrafficClass::control, TrafficClass::stream, TrafficClass::other}.at(which - 6);
    note(bytes, number, traffic, 0);
    if (traffic == TrafficClass::other) {
      line_.offer(bytes);
    } else {
      line_.shaper.offer_sealed({traffic, {}}, bytes, {}, line_.now);
    }
  }

  struct Offered
  {
    std::uint32_t number;
    TrafficClass traffic;
    std::uint32_t key;
  };
  void note(const Bytes & bytes, std::uint32_t number, TrafficClass traffic, std::uint32_t key)
  {
    offered_[bytes] = {number, traffic, key};
    ++by_class_[traffic];
    conflatable_[traffic] += key != 0 ? 1 : 0;
  }

  void take()
  {
    while (const auto shaped = line_.shaper.next_frame(line_.now)) {
      ASSERT_LE(shaped->frame.size(), line_.link.mtu);
      const auto datagrams = datagrams_of(*shaped);
      ASSERT_EQ(datagrams.size(), shaped->datagrams);
      TrafficClass last = shaped->traffic;
      for (const Bytes & datagram : datagrams) {
        const auto found = offered_.find(datagram);
        ASSERT_NE(found, offered_.end()) << "made up, changed or sent before";
        const Offered what = found->second;
        offered_.erase(found);
        ASSERT_GE(what.traffic, last) << "a frame begins with the most urgent";
        last = what.traffic;
        std::uint32_t & before = newest_[{what.traffic, what.key}];
        ASSERT_GT(what.number, before) << "out of order";
        before = what.number;
        ++sent_[what.traffic];
      }
      for (std::size_t c = 0; c < static_cast<std::size_t>(last); ++c) {
        ASSERT_EQ(line_.shaper.waiting_memory(TrafficClass{static_cast<std::uint8_t>(c)}), 0U)
          << "overtaken by one that is less urgent";
      }
      line_bytes_ += static_cast<double>(line_.link.line_bytes(shaped->frame.size()));
      last_frame_ = shaped->frame.size();
    }
    EXPECT_GT(line_.shaper.next_timeout(), line_.now);
    const double seconds = std::chrono::duration<double>(line_.now - Instant{1h} + 10ms).count();
    EXPECT_LE(
      line_bytes_, seconds * line_.link.bytes_per_s() +
                     static_cast<double>(line_.link.line_bytes(last_frame_)) + 1);
  }

  void check_counts()
  {
    for (std::size_t c = 0; c < traffic_classes; ++c) {
      const TrafficClass traffic{static_cast<std::uint8_t>(c)};
      const ShaperCounts & counts = line_.shaper.counts(traffic);
      EXPECT_EQ(counts.offered, by_class_[traffic]);
      EXPECT_EQ(counts.sent, sent_[traffic]);
      EXPECT_EQ(
        counts.offered,
        counts.sent + counts.conflated + counts.full + counts.stale + counts.oversize);
      EXPECT_LE(counts.conflated, conflatable_[traffic]);
      EXPECT_EQ(line_.shaper.waiting_memory(traffic), 0U);
    }
  }

  std::mt19937_64 random_;
  Line line_;
  std::uint32_t number_ = 0;
  std::map<Bytes, Offered> offered_;
  std::map<TrafficClass, std::uint64_t> by_class_;
  std::map<TrafficClass, std::uint64_t> conflatable_;
  std::map<TrafficClass, std::uint64_t> sent_;
  std::map<std::pair<TrafficClass, std::uint32_t>, std::uint32_t> newest_;
  double line_bytes_ = 0;
  std::size_t last_frame_ = 0;
};

}  // namespace

TEST(Shaper, random_offers_leave_in_order_once_by_priority_at_the_links_rate_and_in_bounded_memory)
{
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    RandomOffers(seed).run();
    if (HasFatalFailure()) {
      return;
    }
  }
}

}  // namespace pqc_tunnel
