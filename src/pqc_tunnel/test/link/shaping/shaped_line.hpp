// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef LINK__SHAPING__SHAPED_LINE_HPP_
#define LINK__SHAPING__SHAPED_LINE_HPP_

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "link/shaping/bundle.hpp"
#include "link/shaping/shaper.hpp"
#include "protocol/wire/wire.hpp"

namespace pqc_tunnel::test
{

inline constexpr std::uint32_t heartbeat = 0;
inline constexpr std::uint32_t param_value = 22;
inline constexpr std::uint32_t attitude = 30;
inline constexpr std::uint32_t manual_control = 69;
inline constexpr std::uint32_t command_long = 76;
inline constexpr std::uint32_t unknown = 60000;

inline LinkSettings radio(double kbit = 57.6, std::size_t mtu = 240)
{
  return {"radio", LinkType::serial, Carry::all, mtu, kbit};
}

// A MAVLink 2 frame with a number in its payload.
inline Bytes mavlink(
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

// The same, counted and signed by its sender.
inline constexpr std::size_t signature = 13;
inline Bytes sign(Bytes frame, std::uint8_t sequence, std::uint64_t time)
{
  frame[2] = 1;
  frame[4] = sequence;
  frame.push_back(0);  // the link's number
  for (std::size_t i = 0; i < 6; ++i) {
    frame.push_back(static_cast<std::uint8_t>(time >> (8 * i)));
  }
  frame.resize(frame.size() + 6);
  return frame;
}
inline std::uint64_t signing_time(ByteView frame)
{
  std::uint64_t time = 0;
  for (std::size_t i = 0; i < 6; ++i) {
    time |= std::uint64_t{frame[frame.size() - signature + 1 + i]} << (8 * i);
  }
  return time;
}

// `begun`: the fragments so far of a datagram.
inline std::vector<Bytes> datagrams_of(const ShapedFrame & shaped, Bytes & begun)
{
  if (shaped.kind == ShapedFrame::Kind::fragment) {
    const ByteView bytes = ByteView(shaped.frame)
                             .subspan(sealed_header + fragment_header)
                             .first(shaped.frame.size() - sealed_overhead - fragment_header);
    begun.resize(shaped.place.offset == 0 ? 0 : begun.size());
    EXPECT_EQ(shaped.place.offset, begun.size()) << "one fragment after the other";
    begun.insert(begun.end(), bytes.begin(), bytes.end());
    return shaped.place.is_last ? std::vector<Bytes>{std::exchange(begun, {})}
                                : std::vector<Bytes>{};
  }
  if (shaped.kind == ShapedFrame::Kind::sealed) {
    return {{shaped.frame.begin(), shaped.frame.end()}};
  }
  MutableBytes payload = shaped.frame.subspan(sealed_header, shaped.frame.size() - sealed_overhead);
  if (shaped.kind == ShapedFrame::Kind::data) {
    return {{payload.begin(), payload.end()}};
  }
  std::vector<Bytes> datagrams;
  Bytes unpacked;
  unpack_bundle(payload, unpacked);
  MutableBytes rest = unpacked;
  while (const auto datagram = take_from_bundle(rest)) {
    datagrams.emplace_back(datagram->begin(), datagram->end());
  }
  return datagrams;
}

inline std::vector<Bytes> datagrams_of(const ShapedFrame & shaped)
{
  Bytes none;
  return datagrams_of(shaped, none);
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
        for (Bytes & datagram : datagrams_of(*shaped, begun)) {
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
  Instant now{std::chrono::hours(1)};
  Instant free_at{std::chrono::hours(1)};
  int frames = 0;
  Bytes begun;  // of what leaves in fragments
};

}  // namespace pqc_tunnel::test

#endif  // LINK__SHAPING__SHAPED_LINE_HPP_
