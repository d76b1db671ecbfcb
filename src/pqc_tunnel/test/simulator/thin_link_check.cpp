// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "simulator/thin_link_check.hpp"

#include <algorithm>
#include <vector>

#include "link/shaping/bundle.hpp"
#include "link/shaping/shaper.hpp"
#include "simulator/witnesses/violation.hpp"
#include "support/identities.hpp"

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

constexpr std::uint32_t attitude = 30;
constexpr std::uint32_t command_long = 76;
constexpr std::size_t payload_size = 33;
constexpr int offers = 2000;
constexpr const char * invariant = "a command gives way to no other one";

// A MAVLink 2 frame with a number in its payload.
Bytes mavlink(std::uint32_t message, std::uint32_t number)
{
  Bytes frame = {0xfd, payload_size, 0, 0, 0, 1, 1, static_cast<std::uint8_t>(message), 0, 0};
  frame.resize(frame.size() + payload_size + 2);
  for (std::size_t i = 0; i < 4; ++i) {
    frame[10 + i] = static_cast<std::uint8_t>(number >> (8 * i));
  }
  return frame;
}

std::size_t count_of(ByteView text, ByteView what)
{
  std::size_t count = 0;
  for (auto at = text.begin(); at != text.end(); ++count) {
    at = std::search(at, text.end(), what.begin(), what.end());
    if (at == text.end()) {
      break;
    }
    at += static_cast<std::ptrdiff_t>(what.size());
  }
  return count;
}

// The datagrams of a frame, each whole.
Bytes content(const ShapedFrame & shaped)
{
  Bytes datagrams(shaped.frame.begin(), shaped.frame.end());
  if (shaped.kind == ShapedFrame::Kind::bundle) {
    unpack_bundle(
      shaped.frame.subspan(sealed_header, shaped.frame.size() - sealed_overhead), datagrams);
  }
  return datagrams;
}

}  // namespace

void expect_commands_kept(std::uint64_t seed)
{
  SeededRandom dice(seed + 1);
  const LinkSettings link{"radio", LinkType::serial, Carry::all, 240, 57.6};
  Shaper shaper(link);
  Instant now{1h};
  std::vector<Bytes> awaited;  // commands, in order
  std::size_t next = 0;
  const auto take = [&] {
    while (const auto shaped = shaper.next_frame(now)) {
      const Bytes datagrams = content(*shaped);
      while (next < awaited.size() && count_of(datagrams, awaited[next]) == 1) {
        ++next;
      }
    }
  };
  for (std::uint32_t i = 0; i < offers; ++i) {
    now += std::chrono::duration_cast<Duration>(6ms * dice.uniform());
    // Two in a row now and then: the second one may say something else.
    const bool commands = dice.uniform() < 0.05;
    for (std::uint32_t j = 0; commands && j < 2; ++j) {
      awaited.push_back(mavlink(command_long, 2 * i + j));
      shaper.offer(awaited.back(), now);
    }
    shaper.offer(mavlink(attitude, i), now);
    take();
  }
  while (shaper.next_timeout() != Instant::max()) {
    now = std::max(now, shaper.next_timeout());
    take();
  }
  require(
    next == awaited.size() && shaper.counts(TrafficClass::command).conflated == 0, invariant,
    "a thin link leaves out a command for a newer one, or sends it out of turn");
  require(
    shaper.counts(TrafficClass::telemetry).conflated > 0, "of telemetry only the newest waits",
    "a thin link queues telemetry that it cannot carry");
}

void expect_strangers_last(std::uint64_t seed)
{
  SeededRandom dice(seed + 2);
  const LinkSettings link{"lte", LinkType::udp, Carry::all, 1232, 64};
  Shaper shaper(link);
  Instant now{1h};
  std::uint32_t sent = 0;
  std::uint32_t soon = 0;
  Instant offered;
  for (Instant next = now; sent < 200;
       now += std::chrono::duration_cast<Duration>(4ms * dice.uniform()))
  {
    // Far more than the link carries.
    shaper.offer_sealed({TrafficClass::unproved, std::nullopt}, Bytes(65), {}, now);
    if (now >= next) {
      next += 100ms;
      offered = now;
      shaper.offer(mavlink(command_long, ++sent), now);
    }
    while (const auto shaped = shaper.next_frame(now)) {
      soon += shaped->traffic == TrafficClass::command && now < offered + 60ms ? 1 : 0;
    }
  }
  require(
    soon + 2 >= sent, "answers to strangers come after commands",
    "a command waits behind answers to strangers");
}

}  // namespace pqc_tunnel::test
