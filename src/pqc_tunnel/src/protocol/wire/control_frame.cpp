// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "control_frame.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "anchor.hpp"
#include "base/byte_io.hpp"

namespace pqc_tunnel
{
namespace
{

// On the wire a type is its place in ControlBody, counted from 1.
constexpr std::size_t type_count = std::variant_size_v<ControlBody>;

// Bytes of TIME_REQ and TIME_RSP, alone and at the end of a report.
constexpr std::size_t question_size = 8;
constexpr std::size_t answer_size = 24;

std::uint32_t saturated(double value)
{
  constexpr double top = std::numeric_limits<std::uint32_t>::max();
  return value > 0 ? static_cast<std::uint32_t>(std::min(std::round(value), top)) : 0;  // NaN: 0
}

std::uint32_t microseconds(Duration duration)
{
  return saturated(static_cast<double>(duration.count()) / 1e3);
}

Duration from_microseconds(std::uint32_t value) { return std::chrono::microseconds(value); }

void put(ByteWriter & out, const SuiteWireId & suite)
{
  out.u8(suite.kem).u8(suite.kem_param).u8(suite.sig).u8(suite.sig_param).u8(suite.aead);
}

SuiteWireId take_suite(ByteReader & in) { return {in.u8(), in.u8(), in.u8(), in.u8(), in.u8()}; }

void put_u24(ByteWriter & out, std::uint32_t value)
{
  out.u8(static_cast<std::uint8_t>(value >> 16)).u16(static_cast<std::uint16_t>(value));
}

std::uint32_t take_u24(ByteReader & in)
{
  const std::uint32_t high = in.u8();
  return high << 16 | in.u16();
}

void put_body(ByteWriter & out, const Want & body)
{
  put(out, body.suite);
  out.u8(static_cast<std::uint8_t>(body.lane)).u32(body.bytes_per_s);
}
void put_body(ByteWriter & out, const Later & body) { out.u32(body.estimate_ms); }
void put_body(ByteWriter & out, const Confirm & body) { out.bytes(body.mac); }
void put_body(ByteWriter & out, const Abort & body)
{
  out.u8(static_cast<std::uint8_t>(body.reason));
}
void put_body(ByteWriter & out, const TimeRequest & body)
{
  out.u64(static_cast<std::uint64_t>(body.t1));
}
void put_body(ByteWriter & out, const TimeResponse & body)
{
  out.u64(static_cast<std::uint64_t>(body.t1))
    .u64(static_cast<std::uint64_t>(body.t2))
    .u64(static_cast<std::uint64_t>(body.t3));
}
void put_body(ByteWriter & out, const LinkReport & body)
{
  const LinkView & view = body.view;
  out.u32(microseconds(view.window))
    .u32(saturated(view.packets_per_s * 1e3))
    .u32(saturated(view.bytes_per_s))
    .u32(microseconds(view.gap_p95))
    .u32(microseconds(view.longest_silence))
    .u32(microseconds(view.jitter))
    .u32(saturated(view.loss * 1e6))
    .u32(view.blackouts)
    .u64(view.packets)
    .u64(view.lost)
    .u64(view.reordered)
    .u64(view.duplicates);
  if (body.question) {
    put_body(out, *body.question);
  }
  if (body.answer) {
    put_body(out, *body.answer);
  }
}
void put_body(ByteWriter &, const Keepalive &) {}
void put_body(ByteWriter & out, const RekeyRequest & body)
{
  put(out, body.suite);
  out.u8(body.one_time_key ? 2 : body.ratchet ? 1 : 0);
}
void put_body(ByteWriter & out, const Ratchet & body)
{
  out.u8(static_cast<std::uint8_t>(body.next_epoch))
    .bytes(body.random)
    .bytes(body.anchor)
    .bytes(body.mac);
}
void put_body(ByteWriter & out, const RatchetOk & body) { out.bytes(body.random).bytes(body.mac); }
void put_body(ByteWriter & out, const StreamAck & body)
{
  out.u8(body.id).u16(body.newest).u16(body.waited_us);
  put_u24(out, body.through);
  for (std::size_t i = 0; i < body.range_count; ++i) {
    put_u24(out, body.ranges[i].offset);
    put_u24(out, body.ranges[i].length);
  }
}
void put_body(ByteWriter & out, const PathRequest & body) { out.u64(body.nonce); }
void put_body(ByteWriter & out, const PathResponse & body) { out.u64(body.nonce); }
void put_body(ByteWriter &, const Superseded &) {}
void put_body(ByteWriter &, const Wiped &) {}
void put_padding(ByteWriter & out, std::uint16_t size) { out.bytes(Bytes(size)); }
void put_body(ByteWriter & out, const EchoRequest & body) { put_padding(out, body.padding); }
void put_body(ByteWriter & out, const EchoResponse & body)
{
  out.u32(body.arrived).bytes(body.version);
  put_padding(out, body.padding);
}
void put_body(ByteWriter & out, const Erase & body) { out.bytes(body.mac); }
void put_body(ByteWriter & out, const Erased & body)
{
  out.u8(static_cast<std::uint8_t>(body.outcome));
}
void put_body(ByteWriter & out, const Notice & body)
{
  out.u8(static_cast<std::uint8_t>(body.kind)).bytes(body.content());
}

void take_body(ByteReader & in, Want & body)
{
  body.suite = take_suite(in);
  const std::uint8_t lane = in.u8();
  body.lane = StreamLane{lane};
  body.bytes_per_s = in.u32();
  if (lane >= stream_lane_count || !is_background(body.lane)) {
    in.fail();
  }
}
void take_body(ByteReader & in, Later & body) { body.estimate_ms = in.u32(); }
void take_body(ByteReader & in, Confirm & body) { body.mac = in.array<mac_size>(); }
void take_body(ByteReader & in, Abort & body)
{
  const std::uint8_t reason = in.u8();
  body.reason = AbortReason{reason};
  if (
    reason < static_cast<std::uint8_t>(AbortReason::suite_refused) ||
    reason > static_cast<std::uint8_t>(AbortReason::unusable_anchor))
  {
    in.fail();
  }
}
void take_body(ByteReader & in, TimeRequest & body)
{
  body.t1 = static_cast<std::int64_t>(in.u64());
}
void take_body(ByteReader & in, TimeResponse & body)
{
  body.t1 = static_cast<std::int64_t>(in.u64());
  body.t2 = static_cast<std::int64_t>(in.u64());
  body.t3 = static_cast<std::int64_t>(in.u64());
}
void take_body(ByteReader & in, LinkReport & body)
{
  LinkView & view = body.view;
  view.window = from_microseconds(in.u32());
  view.packets_per_s = in.u32() / 1e3;
  view.bytes_per_s = in.u32();
  view.gap_p95 = from_microseconds(in.u32());
  view.longest_silence = from_microseconds(in.u32());
  view.jitter = from_microseconds(in.u32());
  view.loss = in.u32() / 1e6;
  view.blackouts = in.u32();
  view.packets = in.u64();
  view.lost = in.u64();
  view.reordered = in.u64();
  view.duplicates = in.u64();
  const std::size_t rest = in.remaining();
  if (rest == question_size || rest == question_size + answer_size) {
    take_body(in, body.question.emplace());
  }
  if (in.remaining() == answer_size) {
    take_body(in, body.answer.emplace());
  }
}
void take_body(ByteReader &, Keepalive &) {}
void take_body(ByteReader & in, RekeyRequest & body)
{
  body.suite = take_suite(in);
  const std::uint8_t kind = in.u8();
  body.ratchet = kind > 0;
  body.one_time_key = kind == 2;
  if (kind > 2) {
    in.fail();
  }
}
void take_body(ByteReader & in, Ratchet & body)
{
  body.next_epoch = Epoch{in.u8()};
  body.random = in.array<32>();
  if (in.remaining() > mac_size) {
    const ByteView anchor = in.bytes(in.remaining() - mac_size);
    body.anchor.assign(anchor.begin(), anchor.end());
    if (std::ranges::find(anchor_kems, anchor.size(), anchor_size) == anchor_kems.end()) {
      in.fail();
    }
  }
  body.mac = in.array<mac_size>();
}
void take_body(ByteReader & in, RatchetOk & body)
{
  body.random = in.array<32>();
  body.mac = in.array<mac_size>();
}
void take_body(ByteReader & in, StreamAck & body)
{
  body.id = in.u8();
  body.newest = in.u16();
  body.waited_us = in.u16();
  body.through = take_u24(in);
  while (in.remaining() > 0 && body.range_count < StreamAck::max_ranges) {
    StreamRange & range = body.ranges[body.range_count++];
    range.offset = take_u24(in);
    range.length = take_u24(in);
  }
}
void take_body(ByteReader & in, PathRequest & body) { body.nonce = in.u64(); }
void take_body(ByteReader & in, PathResponse & body) { body.nonce = in.u64(); }
void take_body(ByteReader &, Superseded &) {}
void take_body(ByteReader &, Wiped &) {}
std::uint16_t take_padding(ByteReader & in)
{
  const ByteView zeros = in.bytes(in.remaining());
  if (std::ranges::any_of(zeros, [](std::uint8_t byte) { return byte != 0; })) {
    in.fail();
  }
  return static_cast<std::uint16_t>(zeros.size());
}
void take_body(ByteReader & in, EchoRequest & body) { body.padding = take_padding(in); }
void take_body(ByteReader & in, EchoResponse & body)
{
  body.arrived = in.u32();
  body.version = in.array<3>();
  body.padding = take_padding(in);
}
void take_body(ByteReader & in, Erase & body) { body.mac = in.array<mac_size>(); }
void take_body(ByteReader & in, Erased & body)
{
  const std::uint8_t outcome = in.u8();
  body.outcome = Erasure{outcome};
  if (
    outcome < static_cast<std::uint8_t>(Erasure::done) ||
    outcome > static_cast<std::uint8_t>(Erasure::failed))
  {
    in.fail();
  }
}
void take_body(ByteReader & in, Notice & body)
{
  body.kind = NoticeKind{in.u8()};
  if (in.remaining() == 0 || !body.assign(in.bytes(in.remaining()))) {
    in.fail();
  }
}

// Returns whether messages of this type belong to no transaction.
template <class... Types>
bool is_one_of(const ControlBody & body)
{
  return (std::holds_alternative<Types>(body) || ...);
}
bool is_without_transaction(const ControlBody & body)
{
  return is_one_of<
    TimeRequest, TimeResponse, LinkReport, Keepalive, StreamAck, PathRequest, PathResponse,
    Superseded, Notice, Wiped>(body);
}

template <std::size_t... Index>
void emplace_type(ControlBody & body, std::size_t index, std::index_sequence<Index...>)
{
  ((index == Index ? void(body.emplace<Index>()) : void()), ...);
}

}  // namespace

Bytes encode(const ControlFrame & frame)
{
  Bytes out;
  ByteWriter writer(out);
  writer.u8(static_cast<std::uint8_t>(frame.body.index() + 1)).u32(frame.transaction);
  std::visit([&writer](const auto & alternative) { put_body(writer, alternative); }, frame.body);
  return out;
}

std::optional<ControlFrame> decode_control(ByteView bytes)
{
  ByteReader in(bytes);
  const std::size_t type = in.u8();
  ControlFrame frame;
  frame.transaction = in.u32();
  if (!in.ok() || type < 1 || type > type_count) {
    return std::nullopt;
  }
  emplace_type(frame.body, type - 1, std::make_index_sequence<type_count>());
  std::visit([&in](auto & alternative) { take_body(in, alternative); }, frame.body);
  if (!in.exhausted() || (frame.transaction != 0 && is_without_transaction(frame.body))) {
    return std::nullopt;
  }
  return frame;
}

std::uint32_t transaction_of(const Random32 & client_random)
{
  return ByteReader(client_random).u32();
}

}  // namespace pqc_tunnel
