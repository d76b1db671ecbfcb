// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>
#include <malloc.h>

#include "protocol/rekey/ratchet.hpp"
#include "protocol/streams/byte_ranges.hpp"
#include "support/hostile/hostile_drone.hpp"

// One drone of the fleet has keys and sends whatever costs the ground station most. The others lose nothing.

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

constexpr std::size_t hostile = 0;
constexpr std::size_t honest = 1;

// What a second of both drones brings: so many frames of the hostile one, and 500 of the honest one.
struct Outcome
{
  int sent = 0;
  int lost = 0;
  std::uint64_t opened_of_hostile = 0;
};

Outcome run(
  Fleet & fleet, PacketThread & thread, HostileDrone & drone, const Flood & flood, int per_ms,
  Duration duration)
{
  Outcome outcome;
  std::uint32_t n = 0;
  const std::size_t before = fleet.received_from(honest).size();
  const std::uint64_t opened = thread.opened_of_hostile();
  for (const Instant end = fleet.now() + duration; fleet.now() < end; fleet.run_for(1ms)) {
    for (int i = 0; i < per_ms; ++i) {
      drone.say(flood(n++));
    }
    if (n / static_cast<std::uint32_t>(per_ms) % 2 == 0) {
      outcome.sent += fleet.send_up(honest, Bytes(40)) ? 1 : 0;
    }
  }
  fleet.run_for(100ms);
  outcome.lost = outcome.sent - static_cast<int>(fleet.received_from(honest).size() - before);
  outcome.opened_of_hostile = thread.opened_of_hostile() - opened;
  return outcome;
}

TEST(HostileMember, whatever_it_sends_costs_the_others_no_datagram)
{
  Fleet fleet(2);
  ASSERT_TRUE(fleet.run_until([&] { return fleet.agreed(hostile) && fleet.agreed(honest); }, 20s));
  fleet.run_for(3s);
  HostileDrone drone(fleet, hostile);
  fleet.set_channel(hostile, [&](Side from, Bytes & frame) {
    if (from == Side::drone) {
      drone.pass(frame);
    }
    return std::vector<Duration>{{}};
  });
  PacketThread & thread = fleet.use_packet_thread(hostile);
  for (const auto & [name, flood] : floods(1200)) {
    const Outcome outcome = run(fleet, thread, drone, flood, 10, 500ms);
    EXPECT_GE(outcome.sent, 240) << name;
    EXPECT_EQ(outcome.lost, 0) << name;
    EXPECT_GE(outcome.opened_of_hostile, name == "bundle" ? 10u : 500u) << name;  // what is left
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

// Takes what the ground station sends and wants done now. Returns how much that is.
std::size_t drain(Fleet & fleet, Instant now)
{
  std::size_t count = 0;
  while (fleet.gcs().poll_transmit(0, now) || fleet.gcs().poll_output()) {
    ++count;
  }
  return count;
}

// What the ground station does about a thousand control frames of the hostile drone in one moment.
std::size_t outputs_of(
  const std::function<ControlFrame(EpochKeys & keys, std::uint32_t n)> & frames)
{
  Fleet fleet(2);
  EXPECT_TRUE(fleet.run_until([&] { return fleet.agreed(hostile); }, 20s));
  const auto keys = fleet.stolen_keys(hostile);
  std::size_t outputs = 0;
  for (std::uint32_t n = 0; n < 1000; ++n) {
    Bytes frame = Payload{FrameKind::control, encode(frames(*keys, n))}.sealed(*keys, fleet.now());
    EXPECT_TRUE(fleet.gcs().handle_datagram(frame, WiredPair::stranger(10), fleet.now()).peer);
    outputs += drain(fleet, fleet.now());
  }
  return outputs;
}

#ifndef PQC_TUNNEL_SANITIZED  // sanitizers have their own allocator
struct Reports
{
  Duration window;
  Duration spacing;
};

TEST(HostileMember, takes_no_memory_with_reports_of_any_window_at_any_rate)
{
  for (const Reports & reports :
       {Reports{1h, 0ms}, Reports{1h, 50ms}, Reports{4s, 0ms}, Reports{4s, 50ms}})
  {
    Fleet fleet(2);
    ASSERT_TRUE(fleet.run_until([&] { return fleet.agreed(hostile); }, 20s));
    const auto keys = fleet.stolen_keys(hostile);
    LinkReport report = report_of_an_hour();
    report.view.window = reports.window;
    Instant now = fleet.now();
    const auto send = [&] {
      now += reports.spacing;
      Bytes frame = control(report).sealed(*keys, now);
      fleet.gcs().handle_datagram(frame, WiredPair::stranger(10), now);
      drain(fleet, now);
    };
    send();
    const std::size_t before = ::mallinfo2().uordblks;
    for (int i = 0; i < 20'000; ++i) {
      send();
    }
    EXPECT_LT(::mallinfo2().uordblks, before + 50'000);
  }
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
  EXPECT_EQ(outputs, 100u);
}

TEST(HostileMember, hands_programs_no_notices_at_any_rate)
{
  const auto outputs = outputs_of([](EpochKeys &, std::uint32_t) {
    Notice notice;
    notice.kind = NoticeKind::warning;
    notice.size = 1;
    return ControlFrame{0, notice};
  });
  EXPECT_EQ(outputs, 32u);
}

}  // namespace
}  // namespace pqc_tunnel::test
