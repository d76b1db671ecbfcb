// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "request_notices.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/byte_io.hpp"

namespace pqc_tunnel
{
namespace
{

constexpr std::uint8_t what_hold = 1;
constexpr std::uint8_t what_capture = 2;
constexpr SuiteWireId unknown_suite = {255, 255, 255, 255, 255};
constexpr std::uint8_t warns_of_attack = 1;
constexpr double rate_steps = 10;     // in 1 Hz
constexpr double energy_steps = 1e3;  // in 1 J
constexpr std::size_t piece_header = 4 + 1 + 4 + 4 + 4 + 1 + 1;
constexpr std::size_t longest_part = Notice::max_size - piece_header;

bool is_visible(std::string_view text, char least)
{
  return std::ranges::all_of(text, [least](char c) { return c >= least && c < '\x7f'; });
}

template <class Number>
Number in_steps(double value)
{
  constexpr double top = std::numeric_limits<Number>::max();
  return std::isfinite(value) ? static_cast<Number>(std::clamp(std::round(value), 0.0, top))
                              : Number{0};
}

std::uint32_t in_milliseconds(Duration time)
{
  using std::chrono::milliseconds;
  return in_steps<std::uint32_t>(
    static_cast<double>(std::chrono::duration_cast<milliseconds>(time).count()));
}

Duration from_milliseconds(std::uint32_t count) { return std::chrono::milliseconds(count); }

std::string take_text(ByteReader & in, std::size_t size, char least)
{
  const ByteView bytes = in.bytes(size);
  std::string text(bytes.begin(), bytes.end());
  if (!is_visible(text, least)) {
    in.fail();
  }
  return text;
}

void put(ByteWriter & out, const HoldRequest & hold)
{
  const SuiteWireId id = hold.release            ? SuiteWireId{}
                         : hold.suite != nullptr ? hold.suite->wire_id
                                                 : unknown_suite;
  out.u8(what_hold).u8(id.kem).u8(id.kem_param).u8(id.sig).u8(id.sig_param).u8(id.aead);
  out.u32(in_milliseconds(hold.time));
}

void put(ByteWriter & out, const CaptureRequest & capture)
{
  const std::string_view name =
    std::string_view(capture.name).substr(0, CaptureRequest::longest_name);
  out.u8(what_capture)
    .u32(in_milliseconds(capture.time))
    .u16(in_steps<std::uint16_t>(capture.rate_hz * rate_steps))
    .u8(static_cast<std::uint8_t>(name.size()))
    .text(name);
}

HoldRequest take_hold(ByteReader & in)
{
  const SuiteWireId id = {in.u8(), in.u8(), in.u8(), in.u8(), in.u8()};
  HoldRequest hold;
  hold.release = id == SuiteWireId{};
  hold.suite = registry().find(id);
  hold.time = from_milliseconds(in.u32());
  return hold;
}

CaptureRequest take_capture(ByteReader & in)
{
  CaptureRequest capture;
  capture.time = from_milliseconds(in.u32());
  capture.rate_hz = in.u16() / rate_steps;
  const std::size_t size = in.u8();
  if (size == 0 || size > CaptureRequest::longest_name) {
    in.fail();
    return capture;
  }
  capture.name = take_text(in, size, '!');
  return capture;
}

Notice made(NoticeKind kind, const Bytes & content)
{
  Notice notice;
  notice.kind = kind;
  notice.assign(content);
  return notice;
}

}  // namespace

AnswerPiece piece_of(std::uint32_t id, const GroundAnswer & answer, std::uint8_t text_from)
{
  // Signs that a terminal might take for orders, and letters of more than a byte, don't travel.
  std::string text = answer.text.substr(0, GroundAnswer::longest_text);
  std::ranges::replace_if(
    text, [](char c) { return c < ' ' || c >= '\x7f'; }, '?');
  AnswerPiece piece{
    id, answer.state, answer.capture, static_cast<std::uint8_t>(text.size()), text_from, {}};
  if (text_from < text.size()) {
    piece.part = text.substr(text_from, longest_part);
  }
  return piece;
}

Notice to_notice(const GroundRequest & request)
{
  Bytes bytes;
  ByteWriter out(bytes);
  out.u32(request.id).u8(request.text_from);
  std::visit([&out](const auto & content) { put(out, content); }, request.content);
  return made(NoticeKind::request, bytes);
}

std::optional<GroundRequest> ground_request(const Notice & notice)
{
  ByteReader in(notice.content());
  GroundRequest request;
  request.id = in.u32();
  request.text_from = in.u8();
  switch (in.u8()) {
    case what_hold:
      request.content = take_hold(in);
      break;
    case what_capture:
      request.content = take_capture(in);
      break;
    default:
      in.fail();
  }
  if (notice.kind != NoticeKind::request || !in.ok()) {
    return std::nullopt;
  }
  return request;
}

Notice to_notice(const AnswerPiece & piece)
{
  Bytes bytes;
  ByteWriter out(bytes);
  out.u32(piece.id)
    .u8(static_cast<std::uint8_t>(piece.state))
    .u32(piece.capture.samples)
    .u32(in_milliseconds(piece.capture.time))
    .u32(in_steps<std::uint32_t>(piece.capture.energy_j * energy_steps))
    .u8(piece.text_size)
    .u8(piece.text_from)
    .text(std::string_view(piece.part).substr(0, longest_part));
  return made(NoticeKind::answer, bytes);
}

std::optional<AnswerPiece> answer_piece(const Notice & notice)
{
  ByteReader in(notice.content());
  AnswerPiece piece;
  piece.id = in.u32();
  const std::uint8_t state = in.u8();
  piece.state = AnswerState{state};
  piece.capture.samples = in.u32();
  piece.capture.time = from_milliseconds(in.u32());
  piece.capture.energy_j = in.u32() / energy_steps;
  piece.text_size = in.u8();
  piece.text_from = in.u8();
  const std::size_t left =
    piece.text_size > piece.text_from ? piece.text_size - piece.text_from : std::size_t{0};
  piece.part = take_text(in, std::min(left, longest_part), ' ');
  const bool known = state >= static_cast<std::uint8_t>(AnswerState::under_way) &&
                     state <= static_cast<std::uint8_t>(AnswerState::refused);
  if (notice.kind != NoticeKind::answer || !in.ok() || !known) {
    return std::nullopt;
  }
  return piece;
}

Notice warning_notice() { return made(NoticeKind::warning, {warns_of_attack}); }

bool is_warning(const Notice & notice)
{
  return notice.kind == NoticeKind::warning && notice.size >= 1 &&
         notice.bytes[0] == warns_of_attack;
}

std::string name_fault(std::string_view name)
{
  if (name.empty()) {
    return "A capture needs a name.";
  }
  if (name.size() > CaptureRequest::longest_name || !is_visible(name, '!')) {
    return "A name of a capture that travels to the drone has at most " +
           std::to_string(CaptureRequest::longest_name) + " letters, digits and signs of ASCII.";
  }
  return {};
}

}  // namespace pqc_tunnel
