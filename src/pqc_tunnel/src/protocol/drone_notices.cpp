// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "drone_notices.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>

#include "base/byte_io.hpp"

namespace pqc_tunnel
{
namespace
{

constexpr std::size_t max_name = 14;
constexpr double share_step = 0.005;
constexpr double millisecond = 0.001;
constexpr double tenth = 0.1;
constexpr double hundredth = 0.01;
constexpr double megahertz = 1e6;
constexpr std::uint8_t flag_ratchet = 0x01;
constexpr std::uint8_t flag_armed_known = 0x02;
constexpr std::uint8_t flag_armed = 0x04;
constexpr std::uint8_t flag_advice_only = 0x08;
constexpr std::uint8_t flag_held = 0x10;
constexpr std::uint8_t no_verdict = 0xff;
constexpr std::array<const char *, 7> action_names = {
  "", "HOLD", "DOWN", "DOWN_TO_LIGHTEST", "UPGRADE", "REKEY", "ROLLBACK"};

// The greatest unsigned or the smallest signed number stands for an unknown value.
template <class Number>
constexpr Number unknown = std::is_signed_v<Number> ? std::numeric_limits<Number>::min()
                                                    : std::numeric_limits<Number>::max();

template <class Number>
Number in_steps(const std::optional<double> & value, double step)
{
  if (!value || !std::isfinite(*value)) {
    return unknown<Number>;
  }
  constexpr double top =
    std::is_signed_v<Number> ? std::numeric_limits<Number>::max() : unknown<Number> - 1;
  constexpr double bottom = std::is_signed_v<Number> ? unknown<Number> + 1 : 0;
  return static_cast<Number>(std::clamp(std::round(*value / step), bottom, top));
}

template <class Number>
std::optional<double> from_steps(Number steps, double step)
{
  if (steps == unknown<Number>) {
    return std::nullopt;
  }
  return steps * step;
}

std::int16_t take_i16(ByteReader & in) { return static_cast<std::int16_t>(in.u16()); }
void put_i16(ByteWriter & out, std::int16_t value) { out.u16(static_cast<std::uint16_t>(value)); }

void put_name(ByteWriter & out, std::string_view name)
{
  const std::string_view cut = name.substr(0, max_name);
  out.u8(static_cast<std::uint8_t>(cut.size())).text(cut);
}

// Only what can be shown on any terminal.
std::string take_name(ByteReader & in)
{
  const std::size_t size = in.u8();
  if (size > max_name) {
    in.fail();
    return {};
  }
  const ByteView bytes = in.bytes(size);
  std::string name(bytes.begin(), bytes.end());
  const auto shown = [](char c) { return c > ' ' && c < '\x7f'; };
  if (!std::ranges::all_of(name, shown)) {
    in.fail();
  }
  return name;
}

void put_suite(ByteWriter & out, const Suite * suite)
{
  const SuiteWireId id = suite != nullptr ? suite->wire_id : SuiteWireId{};
  out.u8(id.kem).u8(id.kem_param).u8(id.sig).u8(id.sig_param).u8(id.aead);
}

const Suite * take_suite(ByteReader & in)
{
  const SuiteWireId id = {in.u8(), in.u8(), in.u8(), in.u8(), in.u8()};
  return registry().find(id);
}

Notice made(NoticeKind kind, const Bytes & content)
{
  Notice notice;
  notice.kind = kind;
  notice.assign(content);
  return notice;
}

}  // namespace

Notice to_notice(const ComputerNotice & content)
{
  Bytes bytes;
  ByteWriter out(bytes);
  out.u8(in_steps<std::uint8_t>(content.load, share_step))
    .u8(in_steps<std::uint8_t>(content.memory, share_step))
    .u8(content.throttled)
    .u16(in_steps<std::uint16_t>(content.frequency_hz, megahertz));
  put_i16(out, in_steps<std::int16_t>(content.temperature_c, tenth));
  out.u16(in_steps<std::uint16_t>(content.power_w, hundredth));
  return made(NoticeKind::computer, bytes);
}

std::optional<ComputerNotice> computer_notice(const Notice & notice)
{
  ByteReader in(notice.content());
  ComputerNotice content;
  content.load = from_steps(in.u8(), share_step);
  content.memory = from_steps(in.u8(), share_step);
  content.throttled = in.u8();
  content.frequency_hz = from_steps(in.u16(), megahertz);
  content.temperature_c = from_steps(take_i16(in), tenth);
  content.power_w = from_steps(in.u16(), hundredth);
  if (notice.kind != NoticeKind::computer || !in.ok() || content.throttled > 2) {
    return std::nullopt;
  }
  return content;
}

Notice to_notice(const DecisionNotice & content)
{
  Bytes bytes;
  ByteWriter out(bytes);
  std::uint8_t flags = content.ratchet ? flag_ratchet : 0;
  if (content.armed) {
    flags = flags | flag_armed_known | (*content.armed ? flag_armed : 0);
  }
  flags = flags | (content.advice_only ? flag_advice_only : 0);
  flags = flags | (content.held != nullptr ? flag_held : 0);
  out.u8(static_cast<std::uint8_t>(content.action)).u8(flags);
  put_suite(out, content.from);
  put_suite(out, content.to);
  out.u8(in_steps<std::uint8_t>(content.loss, share_step))
    .u16(in_steps<std::uint16_t>(content.rtt_s, millisecond))
    .u16(in_steps<std::uint16_t>(content.gap_p95_s, millisecond))
    .u16(in_steps<std::uint16_t>(content.voltage_v, hundredth))
    .u8(in_steps<std::uint8_t>(content.charge, share_step));
  put_i16(out, in_steps<std::int16_t>(content.temperature_c, tenth));
  out.u8(content.verdict.value_or(no_verdict));
  put_name(out, content.rule);
  put_name(out, content.strategy);
  out.u8(content.hold).u8(content.phase).u8(content.attack).u8(content.missing).u8(content.cue);
  if (content.held != nullptr) {
    put_suite(out, content.held);
  }
  return made(NoticeKind::decision, bytes);
}

std::optional<DecisionNotice> decision_notice(const Notice & notice)
{
  ByteReader in(notice.content());
  DecisionNotice content;
  const std::uint8_t action = in.u8();
  const std::uint8_t flags = in.u8();
  content.action =
    action < action_names.size() ? DecisionNotice::Action{action} : DecisionNotice::Action::unknown;
  content.ratchet = (flags & flag_ratchet) != 0;
  content.advice_only = (flags & flag_advice_only) != 0;
  if ((flags & flag_armed_known) != 0) {
    content.armed = (flags & flag_armed) != 0;
  }
  content.from = take_suite(in);
  content.to = take_suite(in);
  content.loss = from_steps(in.u8(), share_step);
  content.rtt_s = from_steps(in.u16(), millisecond);
  content.gap_p95_s = from_steps(in.u16(), millisecond);
  content.voltage_v = from_steps(in.u16(), hundredth);
  content.charge = from_steps(in.u8(), share_step);
  content.temperature_c = from_steps(take_i16(in), tenth);
  if (const std::uint8_t verdict = in.u8(); verdict != no_verdict) {
    content.verdict = verdict;
  }
  content.rule = take_name(in);
  content.strategy = take_name(in);
  if (in.remaining() > 0) {  // an earlier version ends here
    content.hold = in.u8();
    content.phase = in.u8();
    content.attack = in.u8();
    content.missing = in.u8();
    content.cue = in.u8();
    content.held = (flags & flag_held) != 0 ? take_suite(in) : nullptr;
  }
  if (notice.kind != NoticeKind::decision || !in.ok()) {
    return std::nullopt;
  }
  return content;
}

const char * to_string(DecisionNotice::Action action)
{
  return action_names.at(static_cast<std::size_t>(action));
}

DecisionNotice::Action decision_action(const std::string & name)
{
  const auto * found = std::ranges::find(action_names, std::string_view(name));
  return found == action_names.end()
           ? DecisionNotice::Action::unknown
           : DecisionNotice::Action{static_cast<std::uint8_t>(found - action_names.begin())};
}

}  // namespace pqc_tunnel
