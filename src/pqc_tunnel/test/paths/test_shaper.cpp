// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "paths/shaper.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "pqc_tunnel/protocol/wire.hpp"

namespace pqc_tunnel
{

namespace
{

using namespace std::chrono_literals;

constexpr std::uint32_t heartbeat = 0;
constexpr std::uint32_t param_value = 22;
constexpr std::uint32_t attitude = 30;
constexpr std::uint32_t manual_control = 69;
constexpr std::uint32_t command_long = 76;
constexpr std::uint32_t unknown = 60000;

LinkSettings radio(double kbit = 57.6, std::size_t mtu = 240)
{
  return {"radio", LinkType::serial, Carry::all, mtu, kbit};
}

// A MAVLink 2 frame with a number in its payload.
Bytes mavlink(
  std::uint32_t message, std::uint32_t number, std::size_t payload = 28, std::uint8_t system = 1)
{
  Bytes frame = {
    0xfd,
    static_cast<std::uint8_t>(payload),
    0,
    0,
    0,
    system,
    1,
    static_cast<std::uint8_t>(message),
    static_cast<std::uint8_t>(message >> 8),
    static_cast<std::uint8_t>(message >> 16)};
  frame.resize(10 + payload + 2);
  for (std::size_t i = 0; i < 4; ++i) {
    frame[10 + i] = static_cast<std::uint8_t>(number >> (8 * i));
  }
  return frame;
}

std::vector<Bytes> datagrams_of(const ShapedFrame & shaped)
{
  if (shaped.kind == ShapedFrame::Kind::sealed) {
    return {{shaped.frame.begin(), shaped.frame.end()}};
  }
  MutableBytes payload = shaped.frame.subspan(sealed_header, shaped.frame.size() - sealed_overhead);
  if (shaped.kind == ShapedFrame::Kind::data) {
    return {{payload.begin(), payload.end()}};
  }
  std::vector<Bytes> datagrams;
  while (const auto datagram = take_from_bundle(payload)) {
    datagrams.emplace_back(datagram->begin(), datagram->end());
  }
  EXPECT_TRUE(payload.empty());
  return datagrams;
}

// A shaper and the time. The link's end is the virtual line: frames follow each other at its rate.
struct Line
{
  explicit Line(const LinkSettings & settings) : link(settings), shaper(link) {}

  // Everything that leaves until then, by the time at which it left the link.
  std::vector<std::pair<Instant, Bytes>> run_until(Instant end)
  {
    std::vector<std::pair<Instant, Bytes>> out;
    while (shaper.next_timeout() <= end) {
      now = std::max(now, shaper.next_timeout());
      while (const auto shaped = shaper.next_frame(now)) {
        EXPECT_LE(shaped->frame.size(), link.mtu);
        const std::chrono::duration<double> airtime(
          static_cast<double>(link.line_bytes(shaped->frame.size())) / link.bytes_per_s());
        free_at = std::max(free_at, now) + std::chrono::duration_cast<Duration>(airtime);
        for (Bytes & datagram : datagrams_of(*shaped)) {
          out.emplace_back(free_at, std::move(datagram));
        }
        ++frames;
      }
    }
    now = end;
    return out;
  }
  void offer(const Bytes & datagram) { shaper.offer(datagram, now); }

  LinkSettings link;
  Shaper shaper;
  Instant now{1h};
  Instant free_at{1h};
  int frames = 0;
};

std::vector<Bytes> only_bytes(const std::vector<std::pair<Instant, Bytes>> & all)
{
  std::vector<Bytes> bytes;
  bytes.reserve(all.size());
  for (const auto & one : all) {
    bytes.push_back(one.second);
  }
  return bytes;
}

}  // namespace

TEST(Shaper, a_command_leaves_at_once_and_alone)
{
  Line line(radio());
  const Bytes command = mavlink(command_long, 1);
  line.offer(command);
  const auto shaped = line.shaper.next_frame(line.now);
  ASSERT_TRUE(shaped);
  EXPECT_EQ(shaped->kind, ShapedFrame::Kind::data);
  EXPECT_EQ(shaped->frame.size(), command.size() + sealed_overhead);
  EXPECT_EQ(datagrams_of(*shaped), std::vector<Bytes>{command});
  EXPECT_FALSE(line.shaper.next_frame(line.now));
  EXPECT_EQ(line.shaper.next_timeout(), Instant::max());
}

TEST(Shaper, telemetry_waits_for_company_no_longer_than_bundle_s)
{
  Line line(radio());
  line.offer(mavlink(attitude, 1));
  EXPECT_FALSE(line.shaper.next_frame(line.now));
  EXPECT_EQ(line.shaper.next_timeout(), line.now + 20ms);
  line.now += 15ms;
  line.offer(mavlink(unknown, 2));
  EXPECT_FALSE(line.shaper.next_frame(line.now));
  line.now += 5ms;
  const auto shaped = line.shaper.next_frame(line.now);
  ASSERT_TRUE(shaped);
  EXPECT_EQ(shaped->kind, ShapedFrame::Kind::bundle);
  EXPECT_EQ(shaped->datagrams, 2U);
  EXPECT_EQ(datagrams_of(*shaped), (std::vector<Bytes>{mavlink(attitude, 1), mavlink(unknown, 2)}));
}

TEST(Shaper, a_full_frame_waits_for_nothing)
{
  Line line(radio());
  for (std::uint32_t i = 0; i < 6; ++i) {
    line.offer(mavlink(param_value, i));
  }
  const auto shaped = line.shaper.next_frame(line.now);
  ASSERT_TRUE(shaped);
  EXPECT_EQ(shaped->datagrams, 5U);
  EXPECT_LE(shaped->frame.size(), 240U);
}

TEST(Shaper, of_telemetry_the_newest_leaves_in_the_place_of_the_oldest)
{
  Line line(radio());
  line.offer(mavlink(attitude, 1));
  line.offer(mavlink(unknown, 2));
  line.offer(mavlink(attitude, 3, 28, 7));  // another vehicle
  line.offer(mavlink(attitude, 4));
  EXPECT_EQ(
    only_bytes(line.run_until(line.now + 1s)),
    (std::vector<Bytes>{mavlink(attitude, 4), mavlink(unknown, 2), mavlink(attitude, 3, 28, 7)}));
  EXPECT_EQ(line.shaper.counts(TrafficClass::telemetry).conflated, 1U);
}

TEST(Shaper, commands_are_never_conflated_and_of_steering_the_newest_counts)
{
  Line line(radio());
  line.offer(mavlink(command_long, 1));
  line.offer(mavlink(manual_control, 2, 11));
  line.offer(mavlink(command_long, 3));
  line.offer(mavlink(manual_control, 4, 11));
  line.offer(mavlink(heartbeat, 5));
  line.offer(mavlink(heartbeat, 6));
  EXPECT_EQ(
    only_bytes(line.run_until(line.now + 1s)),
    (std::vector<Bytes>{
      mavlink(command_long, 1), mavlink(manual_control, 4, 11), mavlink(command_long, 3),
      mavlink(heartbeat, 5), mavlink(heartbeat, 6)}));
}

TEST(Shaper, sealed_frames_leave_unchanged_and_alone_the_tunnels_own_first)
{
  Line line(radio());
  const Bytes control(70, 1);
  const Bytes part(240, 2);
  const Bytes copy(60, 3);
  line.offer(mavlink(attitude, 1));
  line.shaper.offer_sealed(classify(mavlink(command_long, 1)), copy, line.now);
  line.shaper.offer_sealed({TrafficClass::stream, {}}, part, line.now);
  line.shaper.offer_sealed({TrafficClass::control, {}}, control, line.now);
  EXPECT_EQ(
    only_bytes(line.run_until(line.now + 1s)),
    (std::vector<Bytes>{control, copy, part, mavlink(attitude, 1)}));
}

TEST(Shaper, copies_of_telemetry_are_conflated_among_themselves)
{
  Line line(radio());
  const DatagramClass kind = classify(mavlink(attitude, 1));
  line.shaper.offer_sealed(kind, Bytes(60, 1), line.now);
  line.shaper.offer_sealed(kind, Bytes(61, 2), line.now);
  EXPECT_EQ(only_bytes(line.run_until(line.now + 1s)), std::vector<Bytes>{Bytes(61, 2)});
}

TEST(Shaper, a_datagram_of_several_frames_is_taken_apart)
{
  Line line(radio());
  Bytes all;
  for (const Bytes & frame : {mavlink(attitude, 1, 200), mavlink(command_long, 2, 200)}) {
    all.insert(all.end(), frame.begin(), frame.end());
  }
  line.offer(all);
  EXPECT_EQ(
    only_bytes(line.run_until(line.now + 1s)),
    (std::vector<Bytes>{mavlink(command_long, 2, 200), mavlink(attitude, 1, 200)}));
}

TEST(Shaper, a_datagram_that_no_frame_holds_is_counted)
{
  Line line(radio());
  line.offer(Bytes(240 - sealed_overhead, 1));
  line.offer(Bytes(240 - sealed_overhead + 1, 1));
  line.shaper.offer_sealed({TrafficClass::control, {}}, Bytes(241, 1), line.now);
  EXPECT_EQ(line.run_until(line.now + 1s).size(), 1U);
  EXPECT_EQ(line.shaper.counts(TrafficClass::other).oversize, 1U);
  EXPECT_EQ(line.shaper.counts(TrafficClass::control).oversize, 1U);
}

TEST(Shaper, what_waited_too_long_is_dropped_and_what_was_renewed_is_not)
{
  Line line(radio());
  line.offer(mavlink(command_long, 1));
  line.offer(mavlink(param_value, 2));
  line.offer(mavlink(attitude, 3));
  line.offer(Bytes(50, 0x55));
  line.now += 900ms;
  line.offer(mavlink(attitude, 4));
  line.now += 200ms;
  EXPECT_EQ(
    only_bytes(line.run_until(line.now + 1s)),
    (std::vector<Bytes>{mavlink(param_value, 2), mavlink(attitude, 4)}));
  EXPECT_EQ(line.shaper.counts(TrafficClass::command).stale, 1U);
  EXPECT_EQ(line.shaper.counts(TrafficClass::other).stale, 1U);
}

TEST(Shaper, nothing_waits_in_a_link_that_is_gone)
{
  Line line(radio());
  line.offer(mavlink(command_long, 1));
  line.offer(mavlink(attitude, 2));
  line.shaper.clear();
  EXPECT_EQ(line.shaper.next_timeout(), Instant::max());
  EXPECT_TRUE(line.run_until(line.now + 1s).empty());
  EXPECT_EQ(line.shaper.counts(TrafficClass::telemetry).stale, 1U);
}

TEST(Shaper, a_class_that_is_full_drops_the_newest)
{
  Line line(radio());
  for (std::uint32_t i = 0; i < 1000; ++i) {
    line.offer(mavlink(param_value, i));
  }
  const auto sent = only_bytes(line.run_until(line.now + 5s));
  ASSERT_FALSE(sent.empty());
  for (std::uint32_t i = 0; i < sent.size(); ++i) {
    EXPECT_EQ(sent[i], mavlink(param_value, i));
  }
  const ShaperCounts & counts = line.shaper.counts(TrafficClass::ordered);
  EXPECT_GT(counts.full, 700U);
  EXPECT_EQ(counts.offered, counts.sent + counts.full);
}

TEST(Shaper, at_57_kbit_heartbeats_and_commands_wait_less_than_250_ms_behind_320_messages_a_second)
{
  Line line(radio());
  std::mt19937_64 random(1);
  std::map<Bytes, Instant> urgent;  // and when each was offered
  Duration longest{};
  std::uint32_t number = 0;
  std::size_t telemetry = 0;
  std::size_t bytes = 0;
  Instant next_urgent = line.now;
  const Instant start = line.now;
  for (const Instant end = start + 60s; line.now < end;) {
    // 40 messages, 8 times a second each; now and then a file transfer, parameters and a stream.
    const auto message = attitude + static_cast<std::uint32_t>(number % 4);
    line.offer(mavlink(message, number, 20 + number % 40, static_cast<std::uint8_t>(number % 40)));
    ++number;
    if (random() % 40 == 0) {
      for (int i = 0; i < 5; ++i) {
        line.offer(mavlink(param_value, number, 25));
        line.shaper.offer_sealed({TrafficClass::stream, {}}, Bytes(240, 1), line.now);
      }
    }
    if (line.now >= next_urgent) {
      next_urgent = line.now + std::chrono::milliseconds(50 + random() % 300);
      const Bytes command = mavlink(random() % 2 ? heartbeat : command_long, number);
      urgent[command] = line.now;
      line.offer(command);
    }
    for (const auto & [left, datagram] : line.run_until(line.now + 3125us)) {
      bytes += datagram.size();
      const auto command = urgent.find(datagram);
      telemetry += command == urgent.end() ? 1 : 0;
      if (command != urgent.end()) {
        longest = std::max(longest, left - command->second);
        urgent.erase(command);
      }
    }
  }
  EXPECT_LE(urgent.size(), 1U);
  EXPECT_LT(longest, 250ms);
  EXPECT_GT(telemetry, 2000U);
  // The link is used: of what it takes in a minute, headers and tags are the smaller part.
  EXPECT_GT(static_cast<double>(bytes), 0.75 * 60 * line.link.bytes_per_s());
}

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
      line_.shaper.offer_sealed({traffic, {}}, bytes, line_.now);
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
