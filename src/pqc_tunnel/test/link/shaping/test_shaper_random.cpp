// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "link/shaping/shaper.hpp"
#include "shaped_line.hpp"
#include "support/repetitions.hpp"

namespace pqc_tunnel
{

namespace
{

using namespace std::chrono_literals;
using namespace test;

// Random datagrams of all classes and senders on random links.
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
    for (int i = 0; i < 3000; ++i) {
      line_.now += std::chrono::microseconds(random_() % (random_() % 50 == 0 ? 400000 : 4000));
      line_.link.urgent_only =
        random_() % 100 == 0 ? !line_.link.urgent_only : line_.link.urgent_only;
      for (std::uint64_t burst = random_() % 200 == 0 ? 300 : 1; burst > 0; --burst) {
        offer();
      }
      if (random_() % 3 == 0) {
        take();
      }
      std::size_t memory = 0;
      for (std::size_t c = 0; c < traffic_classes; ++c) {
        memory += line_.shaper.waiting_memory(TrafficClass{static_cast<std::uint8_t>(c)});
      }
      EXPECT_LE(memory, (256U + 32 + 5 * 8) * 1024);
    }
    line_.link.urgent_only = false;
    while (line_.shaper.next_timeout() != Instant::max()) {
      line_.now = std::max(line_.now, line_.shaper.next_timeout());
      take();
    }
    check_counts();
  }

private:
  struct Offered
  {
    std::uint32_t number;
    TrafficClass traffic;
    std::uint32_t sender;  // 0: none
    Instant at;
  };
  static constexpr std::uint32_t of_no_sender = 1;

  void offer()
  {
    constexpr std::uint32_t messages[] = {heartbeat,      param_value,  attitude,
                                          manual_control, command_long, unknown};
    const std::uint32_t number = ++number_;
    const std::size_t which = random_() % 10;
    if (which < std::size(messages)) {
      const auto system = static_cast<std::uint8_t>(random_() % 3);
      const std::size_t longest = random_() % 10 == 0 ? 250 : 40;
      const std::size_t payload = messages[which] == manual_control ? 11 : 4 + random_() % longest;
      Bytes frame = mavlink(messages[which], number, payload, system);
      frame[6] = static_cast<std::uint8_t>(1 + random_() % 2);
      const std::uint32_t sender = 0x100U * (1U + system) + frame[6];
      frame[4] = sequence_[sender]++;
      if (sender % 2 == 0) {
        frame = sign(frame, frame[4], number);
      }
      note(frame, {number, classify(frame).traffic, sender, line_.now});
      line_.offer(frame);
      return;
    }
    const std::size_t longest = which == 9 && random_() % 20 == 0 ? 1496 : 70;
    Bytes bytes(5 + random_() % longest, 0x55);
    for (std::size_t i = 0; i < 4; ++i) {
      bytes[1 + i] = static_cast<std::uint8_t>(number >> (8 * i));
    }
    constexpr TrafficClass others[] = {
      TrafficClass::control, TrafficClass::stream, TrafficClass::unproved, TrafficClass::other};
    const TrafficClass traffic = others[which - 6];
    note(bytes, {number, traffic, traffic == TrafficClass::other ? of_no_sender : 0, line_.now});
    if (traffic == TrafficClass::other) {
      line_.offer(bytes);
    } else {
      line_.shaper.offer_sealed({traffic, {}}, bytes, {}, line_.now);
    }
  }

  void note(const Bytes & bytes, const Offered & offered)
  {
    offered_[bytes] = offered;
    ++by_class_[offered.traffic];
  }

  void take()
  {
    while (const auto shaped = line_.shaper.next_frame(line_.now)) {
      ASSERT_LE(shaped->frame.size(), line_.link.mtu);
      const auto datagrams = datagrams_of(*shaped, line_.begun);
      ASSERT_EQ(datagrams.size(), shaped->datagrams);
      TrafficClass most_urgent = TrafficClass::unproved;
      for (const Bytes & datagram : datagrams) {
        const auto found = offered_.find(datagram);
        ASSERT_NE(found, offered_.end()) << "made up, changed or sent before";
        most_urgent = std::min(most_urgent, found->second.traffic);
        check(datagram, found->second);
        offered_.erase(found);
      }
      if (!datagrams.empty()) {
        EXPECT_EQ(shaped->traffic, most_urgent);
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

  void check(const Bytes & datagram, const Offered & what)
  {
    ++sent_[what.traffic];
    const bool in_fragments = datagram.size() > line_.link.mtu - sealed_overhead;
    const Duration to_end = in_fragments ? 1s + 4 * line_.link.airtime(datagram.size()) : 0s;
    EXPECT_LE(line_.now - what.at, (what.traffic == TrafficClass::ordered ? 30s : 1s) + to_end);
    if (what.sender == 0) {
      EXPECT_GT(what.number, std::exchange(newest_of_class_[what.traffic], what.number));
      return;
    }
    // Of one sender the numbers and the time stamps of the signatures only rise.
    EXPECT_GT(what.number, std::exchange(newest_[what.sender], what.number));
    if (what.sender != of_no_sender && what.sender % 2 == 0) {
      EXPECT_GT(
        signing_time(datagram), std::exchange(signed_[what.sender], signing_time(datagram)));
    }
    // What has no sender keeps its place among all.
    EXPECT_GT(what.number, newest_[of_no_sender] - (what.sender == of_no_sender ? 1 : 0));
    if (what.sender == of_no_sender) {
      EXPECT_GT(what.number, newest_of_all_);
    }
    newest_of_all_ = std::max(newest_of_all_, what.number);
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
      EXPECT_EQ(line_.shaper.waiting_memory(traffic), 0U);
    }
    EXPECT_EQ(line_.shaper.counts(TrafficClass::ordered).conflated, 0U);
  }

  std::mt19937_64 random_;
  Line line_;
  std::uint32_t number_ = 0;
  std::map<Bytes, Offered> offered_;
  std::map<std::uint32_t, std::uint8_t> sequence_;
  std::map<TrafficClass, std::uint64_t> by_class_;
  std::map<TrafficClass, std::uint64_t> sent_;
  std::map<TrafficClass, std::uint32_t> newest_of_class_;
  std::map<std::uint32_t, std::uint32_t> newest_;  // by sender
  std::map<std::uint32_t, std::uint64_t> signed_;
  std::uint32_t newest_of_all_ = 0;  // of the application
  double line_bytes_ = 0;
  std::size_t last_frame_ = 0;
};

}  // namespace

TEST(Shaper, of_random_offers_each_senders_numbers_and_time_stamps_only_rise)
{
  for (std::uint64_t seed = 0; seed < test::repetitions(std::uint64_t{60}); ++seed) {
    SCOPED_TRACE(seed);
    RandomOffers(seed).run();
    if (HasFailure()) {
      return;
    }
  }
}

}  // namespace pqc_tunnel
