// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>
#include <malloc.h>

#include <deque>

#include "protocol/byte_ranges.hpp"
#include "protocol/control_frame.hpp"
#include "protocol/ratchet.hpp"
#include "protocol/stream.hpp"
#include "support/fleet.hpp"

// One drone of the fleet has keys and sends whatever costs the ground station most. The others lose nothing.

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

constexpr std::size_t hostile = 0;
constexpr std::size_t honest = 1;

struct Payload
{
  FrameKind kind;
  Bytes bytes;
};
// The hostile drone's n-th payload of one sort.
using Flood = std::function<Payload(std::uint32_t n)>;

// The thread of a ground station, in virtual time: what it opens, sends and passes on takes time, and what arrives while the
// socket's buffer is full is lost.
class PacketThread
{
public:
  explicit PacketThread(Fleet & fleet) : fleet_(fleet), now_(fleet.now()) {}

  // So many frames a second of the hostile drone and 500 of the honest one.
  void run(const Flood & flood, int rate, Duration duration)
  {
    const Instant begun = now_;
    sent_ = arrived_ = opened_of_hostile_ = 0;
    std::uint32_t n = 0;
    while (now_ < begun + duration) {
      for (; begun + n * Duration(1s) / rate <= now_; ++n) {
        arrive(hostile, sealed(*keys_, flood(n), now_));
        if (n % static_cast<std::uint32_t>(rate / 500) == 0) {
          Bytes frame(frame_overhead + 40);
          ASSERT_TRUE(fleet_.drone(honest).seal(PeerIndex{0}, frame, now_));
          ++sent_;
          arrive(honest, std::move(frame));
        }
      }
      wake_up();
    }
    while (!waiting_.empty()) {
      wake_up();
    }
  }
  int sent() const { return sent_; }
  int lost() const { return sent_ - arrived_; }
  int opened_of_hostile() const { return opened_of_hostile_; }

  static Bytes sealed(EpochKeys & keys, const Payload & payload, Instant now)
  {
    Bytes frame(payload.bytes.size() + frame_overhead);
    std::ranges::copy(payload.bytes, frame.begin() + frame_header_size);
    keys.seal(payload.kind, frame, now);
    return frame;
  }

private:
  struct Frame
  {
    std::size_t from;
    Bytes bytes;
  };
  static constexpr std::size_t socket_buffer = 300;
  static constexpr Duration per_frame = 2us;
  // On a slow machine; what matters is that it is too much for the thread.
  static constexpr Duration per_output = 200us;
  static constexpr Duration least_of_hostile = 300us;

  void arrive(std::size_t from, Bytes frame)
  {
    if (waiting_.size() < socket_buffer) {
      waiting_.push_back({from, std::move(frame)});
    }
  }
  void wake_up()
  {
    const Instant woken = now_;
    fleet_.gcs().share_time(woken - std::exchange(last_woken_, woken));
    now_ += 10us;
    for (std::size_t n = std::min<std::size_t>(waiting_.size(), 64); n > 0; --n) {
      Frame frame = std::move(waiting_.front());
      waiting_.pop_front();
      const Opened opened = fleet_.gcs().open(
        frame.bytes, WiredPair::stranger(static_cast<std::uint8_t>(10 + frame.from)), woken);
      Duration cost = per_frame;
      while (fleet_.gcs().poll_output()) {
        cost += per_output;
      }
      if (opened.forward) {
        cost += opened.bundle ? 128 * per_output : per_output / 10;
      }
      if (opened.peer) {
        cost = frame.from == hostile ? std::max<Duration>(cost, least_of_hostile) : cost;
        fleet_.gcs().spend(*opened.peer, cost);
        now_ += cost;
        (frame.from == honest ? arrived_ : opened_of_hostile_) += 1;
      }
    }
  }

  Fleet & fleet_;
  const std::unique_ptr<EpochKeys> keys_ = fleet_.stolen_keys(hostile);
  Instant now_;
  Instant last_woken_ = now_;
  std::deque<Frame> waiting_;
  int sent_ = 0;
  int arrived_ = 0;
  int opened_of_hostile_ = 0;
};

Payload control(const ControlBody & body, std::uint32_t transaction = 0)
{
  return {FrameKind::control, encode(ControlFrame{transaction, body})};
}

Bytes bundle_of_single_bytes()
{
  Bytes bundle;
  for (int i = 0; i < 400; ++i) {
    bundle.insert(bundle.end(), {0, 1, 7});
  }
  return bundle;
}

StreamAck ack_of_single_bytes(std::uint32_t n)
{
  StreamAck ack;
  ack.id = static_cast<std::uint8_t>(0x80 | (n % 4));
  for (std::uint32_t i = 0; i < StreamAck::max_ranges; ++i) {
    ack.ranges[ack.range_count++] = {(n * 16 + i) * 2 + 1, 1};
  }
  return ack;
}

LinkReport report_of_an_hour()
{
  LinkReport report;
  report.view.window = 4200s;
  return report;
}

std::vector<std::pair<std::string, Flood>> floods()
{
  const Bytes byte = {1};
  const auto part = [byte](std::uint32_t n) {
    return Payload{
      FrameKind::stream,
      encode(StreamPart{9, static_cast<std::uint16_t>(n), n % 500 * 2, 1000, byte})};
  };
  const auto always = [](const Payload & payload) {
    return [payload](std::uint32_t) { return payload; };
  };
  Notice notice;
  notice.kind = NoticeKind::warning;
  notice.size = 1;
  return {
    {"data", always({FrameKind::data, Bytes(1000)})},
    {"bundle", always({FrameKind::bundle, bundle_of_single_bytes()})},
    {"stream", part},
    {"unknown kind", always({FrameKind{9}, Bytes(10)})},
    {"no control", always({FrameKind::control, Bytes(100, 0xff)})},
    {"ack", [](std::uint32_t n) { return control(ack_of_single_bytes(n)); }},
    {"want", [](std::uint32_t n) { return control(Want{}, n); }},
    {"want of a known suite",
     [](std::uint32_t n) { return control(Want{suite("cs-mlkem512-aesgcm-mldsa44").wire_id}, n); }},
    {"ratchet",
     [](std::uint32_t n) {
       return control(
         Ratchet{Epoch{1}, {static_cast<std::uint8_t>(n), static_cast<std::uint8_t>(n >> 8)}, {}},
         n);
     }},
    {"abort", [](std::uint32_t n) { return control(Abort{}, n); }},
    {"later", [](std::uint32_t n) { return control(Later{}, n); }},
    {"confirm", [](std::uint32_t n) { return control(Confirm{}, n); }},
    {"time request", always(control(TimeRequest{1}))},
    {"time response", always(control(TimeResponse{1, 1, 1}))},
    {"report", always(control(report_of_an_hour()))},
    {"keepalive", always(control(Keepalive{}))},
    {"path request", [](std::uint32_t n) { return control(PathRequest{n}); }},
    {"path response", [](std::uint32_t n) { return control(PathResponse{n}); }},
    {"superseded", always(control(Superseded{}))},
    {"wiped", always(control(Wiped{}))},
    {"notice", always(control(notice))},
  };
}

TEST(HostileMember, whatever_it_sends_costs_the_others_no_datagram)
{
  Fleet fleet(2);
  ASSERT_TRUE(fleet.run_until([&] { return fleet.agreed(hostile) && fleet.agreed(honest); }, 20s));
  fleet.run_for(3s);
  PacketThread thread(fleet);
  for (const auto & [name, flood] : floods()) {
    thread.run(flood, 10'000, 500ms);
    EXPECT_GE(thread.sent(), 240) << name;
    EXPECT_EQ(thread.lost(), 0) << name;
    EXPECT_GE(thread.opened_of_hostile(), name == "bundle" ? 10 : 500) << name;  // what is left
  }
}

TEST(HostileMember, adds_no_part_of_a_stream_that_would_leave_too_many_gaps)
{
  ByteRanges ranges;
  for (std::uint32_t n = 0; n < 5000; ++n) {
    ranges.add({2 * n + 1, 2 * n + 2});
  }
  EXPECT_EQ(ranges.ranges().size(), ByteRanges::max_ranges);
  EXPECT_EQ(ranges.add({0, 10'000}), 10'000 - ByteRanges::max_ranges);
  EXPECT_EQ(ranges.through(), 10'000u);
}

// What the ground station does about a thousand control frames of the hostile drone in one moment.
std::vector<Output> outputs_of(
  const std::function<ControlFrame(EpochKeys & keys, std::uint32_t n)> & frames)
{
  Fleet fleet(2);
  EXPECT_TRUE(fleet.run_until([&] { return fleet.agreed(hostile); }, 20s));
  const auto keys = fleet.stolen_keys(hostile);
  std::vector<Output> outputs;
  for (std::uint32_t n = 0; n < 1000; ++n) {
    Bytes frame =
      PacketThread::sealed(*keys, {FrameKind::control, encode(frames(*keys, n))}, fleet.now());
    EXPECT_TRUE(fleet.gcs().open(frame, WiredPair::stranger(10), fleet.now()).peer);
    while (auto output = fleet.gcs().poll_output()) {
      outputs.push_back(std::move(*output));
    }
  }
  return outputs;
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(HostileMember, takes_no_memory_with_reports_of_an_hour)
{
  Fleet fleet(2);
  ASSERT_TRUE(fleet.run_until([&] { return fleet.agreed(hostile); }, 20s));
  const auto keys = fleet.stolen_keys(hostile);
  Bytes frame;
  const auto report = [&] {
    const Payload payload = control(report_of_an_hour());
    frame = PacketThread::sealed(*keys, payload, fleet.now());
    fleet.gcs().open(frame, WiredPair::stranger(10), fleet.now());
  };
  report();
  const std::size_t before = ::mallinfo2().uordblks;
  for (int i = 0; i < 20'000; ++i) {
    report();
  }
  EXPECT_LT(::mallinfo2().uordblks, before + 50'000);
}
#endif

TEST(HostileMember, gets_no_ratchets_at_any_rate)
{
  const PskKeySet psk =
    PskKeySet::derive(Identities::for_signature(SignatureAlgorithm::ml_dsa_44).drone_part(1).psk);
  const auto outputs = outputs_of([&](EpochKeys & keys, std::uint32_t n) {
    Ratchet ratchet{
      Epoch{1}, {static_cast<std::uint8_t>(n), static_cast<std::uint8_t>(n >> 8)}, {}};
    ratchet.mac = ratchet_mac(psk, keys, ratchet);
    return ControlFrame{n, ratchet};
  });
  EXPECT_EQ(outputs.size(), 100u);
}

TEST(HostileMember, hands_programs_no_notices_at_any_rate)
{
  const auto outputs = outputs_of([](EpochKeys &, std::uint32_t) {
    Notice notice;
    notice.kind = NoticeKind::warning;
    notice.size = 1;
    return ControlFrame{0, notice};
  });
  EXPECT_EQ(outputs.size(), 32u);
}

}  // namespace
}  // namespace pqc_tunnel::test
