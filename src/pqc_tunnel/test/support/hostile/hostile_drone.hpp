// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef SUPPORT__HOSTILE__HOSTILE_DRONE_HPP_
#define SUPPORT__HOSTILE__HOSTILE_DRONE_HPP_

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "link/framing/fragment.hpp"
#include "protocol/streams/stream.hpp"
#include "protocol/wire/control_frame.hpp"
#include "support/pair/fleet.hpp"

namespace pqc_tunnel::test
{

struct Payload
{
  FrameKind kind;
  Bytes bytes;

  Bytes sealed(EpochKeys & keys, Instant now) const
  {
    Bytes frame(bytes.size() + frame_overhead);
    std::ranges::copy(bytes, frame.begin() + frame_header_size);
    keys.seal(kind, frame, now);
    return frame;
  }
};
// The hostile drone's n-th payload of one sort.
using Flood = std::function<Payload(std::uint32_t n)>;

inline Payload control(const ControlBody & body, std::uint32_t transaction = 0)
{
  return {FrameKind::control, encode(ControlFrame{transaction, body})};
}

inline Bytes bundle_of_single_bytes(std::size_t size)
{
  Bytes bundle;
  while (bundle.size() + 3 <= size) {
    bundle.insert(bundle.end(), {0, 1, 7});
  }
  return bundle;
}

inline StreamAck ack_of_single_bytes(std::uint32_t n)
{
  StreamAck ack;
  ack.id = static_cast<std::uint8_t>(0x40 | (n % 4));
  for (std::uint32_t i = 0; i < StreamAck::max_ranges; ++i) {
    ack.ranges[ack.range_count++] = {(n * 16 + i) * 2 + 1, 1};
  }
  return ack;
}

inline LinkReport report_of_an_hour()
{
  LinkReport report;
  report.view.window = std::chrono::seconds(4200);
  return report;
}

// A piece of a datagram that never ends.
inline Payload fragment(const FragmentPlace & place, std::uint64_t back, std::size_t size)
{
  Bytes payload(fragment_header + size, 1);
  write_fragment_header(std::span(payload).first<fragment_header>(), place, back);
  return {FrameKind::fragment, payload};
}

// Whatever costs a ground station most, with this number of bytes where any number may be.
inline std::vector<std::pair<std::string, Flood>> floods(std::size_t size)
{
  const auto part = [](std::size_t bytes) {
    return [content = Bytes(bytes, 1)](std::uint32_t n) {
      const auto step = static_cast<std::uint32_t>(content.size());
      return Payload{
        FrameKind::stream,
        encode(
          StreamPart{9, static_cast<std::uint16_t>(n), n % 500 * 2 * step, 1000 * step, content})};
    };
  };
  const auto always = [](const Payload & payload) {
    return [payload](std::uint32_t) { return payload; };
  };
  const auto want = [](const char * id) {
    return [wanted = suite(id).wire_id](std::uint32_t n) {
      return control(Want{wanted, background_lanes[n % background_lanes.size()]}, n);
    };
  };
  Notice notice;
  notice.kind = NoticeKind::warning;
  notice.size = 1;
  return {
    {"data", always({FrameKind::data, Bytes(size)})},
    {"bundle", always({FrameKind::bundle, bundle_of_single_bytes(size)})},
    {"fragment", always(fragment({0, false}, 0, size))},
    {"fragment of one byte",
     [](std::uint32_t n) {
       return fragment({2 + n % 700 * 2, false}, 1 + n % most_back, 1);
     }},
    {"part of one byte", part(1)},
    {"part", part(size / 2)},
    {"unknown kind", always({FrameKind{9}, Bytes(size / 100)})},
    {"no control", always({FrameKind::control, Bytes(size / 10, 0xff)})},
    {"ack", [](std::uint32_t n) { return control(ack_of_single_bytes(n)); }},
    {"want", [](std::uint32_t n) { return control(Want{}, n); }},
    {"want of a known suite", want("cs-mlkem512-aesgcm-mldsa44")},
    {"want of a large key", want("cs-frodokem640aes-aesgcm-mldsa44")},
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
    {"echo request",
     [](std::uint32_t n) { return control(EchoRequest{static_cast<std::uint16_t>(n % 1000)}, n); }},
    {"echo response",
     [](std::uint32_t n) {
       return control(EchoResponse{n, {}, 0}, n);
     }},
    {"superseded", always(control(Superseded{}))},
    {"wiped", always(control(Wiped{}))},
    {"notice", always(control(notice))},
  };
}

// A member of the fleet that sends what no drone would, beside all that a drone sends, in one sequence.
class HostileDrone
{
public:
  HostileDrone(Fleet & fleet, std::size_t index) : fleet_(fleet), index_(index) { take_keys(); }

  // Nothing while it has no keys that count.
  void say(const Payload & payload)
  {
    if (own_) {
      fleet_.send_raw(index_, Side::drone, payload.sealed(*own_, fleet_.now()));
    }
  }
  // For the channel: what the drone itself has sealed gets the next place in the sequence.
  void pass(Bytes & frame)
  {
    take_keys();
    const auto header = decode_frame_header(frame);
    if (!own_ || !header || header->key_id != own_->send_id() || is_own(*header)) {
      return;
    }
    const auto opened = ground_->open(*header, frame, fleet_.now());
    if (!opened.drop) {
      own_->seal(FrameKind{opened.kind}, frame, fleet_.now());
    }
  }

private:
  static constexpr std::uint64_t first_sequence = 20'000;  // the drone's own remain below

  bool is_own(const FrameHeader & header) const { return header.sequence >= first_sequence; }
  // Those of the session that the ground station uses, if it has not renewed them.
  void take_keys()
  {
    const PeerSnapshot ground = fleet_.at_gcs(index_);
    if (ground.session == session_ || ground.state != PeerState::established) {
      return;
    }
    session_ = ground.session;
    own_ = fleet_.keys_of(session_, Role::drone);
    ground_ = fleet_.keys_of(session_, Role::gcs);
    Bytes frame(frame_overhead);
    for (std::uint64_t n = 0; own_ && n < first_sequence; ++n) {
      own_->seal(FrameKind::data, frame, fleet_.now());
    }
  }

  Fleet & fleet_;
  const std::size_t index_;
  SessionId session_{};
  std::unique_ptr<EpochKeys> own_;
  std::unique_ptr<EpochKeys> ground_;  // which open what the drone sends
};

}  // namespace pqc_tunnel::test

#endif  // SUPPORT__HOSTILE__HOSTILE_DRONE_HPP_
