// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "stream_sender.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "base/endpoint.hpp"
#include "protocol/wire/constants.hpp"

namespace pqc_tunnel
{
namespace
{

constexpr std::size_t small_part = 512;  // bytes; may pass where larger parts are lost
constexpr Duration burst = std::chrono::milliseconds(2);  // sent ahead of the pace
constexpr std::size_t probes = 2;
constexpr std::size_t most_unanswered = 8192;                 // parts
constexpr std::size_t short_message = 4 * universal_payload;  // bytes that may leave at once

}  // namespace

void StreamSender::send(StreamClass kind, Bytes message, Instant now, Duration repeat)
{
  Outbox & box = outbox(kind);
  const auto count = static_cast<std::uint8_t>((box.id + 1) & ~stream_class_bit);
  box = Outbox{};
  box.id = kind == StreamClass::background ? count | stream_class_bit : count;
  box.message = std::move(message);
  if (box.message.size() <= short_message) {
    box.repeat = repeat;
    box.repeats = exchange_steady_tries;
  }
  waiting_since_ = now;
  silences_ = 0;
  small_ = small_ && !large_arrived_;
  last_progress_ = now;
}

void StreamSender::clear(Outbox & box)
{
  const std::uint8_t id = box.id;
  box = Outbox{};
  box.id = id;
}

bool StreamSender::has_more(const Outbox & box)
{
  return !box.message.empty() && (!box.lost.empty() || box.next_offset < box.message.size());
}

std::size_t StreamSender::in_flight() const
{
  std::size_t bytes = 0;
  for (const Outbox & box : outboxes_) {
    for (const Sent & sent : box.in_flight) {
      bytes += sent.range.end - sent.range.begin;
    }
  }
  return bytes;
}

ByteRange StreamSender::take_range(Outbox & box) const
{
  const std::size_t largest = small_ ? std::min(max_part_, small_part) : max_part_;
  const std::size_t longest = std::min(largest, rate_.brief_part());
  const auto most = static_cast<std::uint32_t>(longest - StreamPart::header_size);
  if (!box.lost.empty()) {
    ByteRange & first = box.lost.front();
    const ByteRange taken{first.begin, std::min(first.end, first.begin + most)};
    first.begin = taken.end;
    if (first.begin == first.end) {
      box.lost.pop_front();
    }
    return taken;
  }
  const auto end = std::min(static_cast<std::uint32_t>(box.message.size()), box.next_offset + most);
  return {std::exchange(box.next_offset, end), end};
}

bool StreamSender::is_repeated(const Outbox & box)
{
  return box.repeat > Duration{} && box.repeats > 0;
}

StreamPart StreamSender::part_of(Outbox & box, ByteRange range, const DeliveryRate::Mark & mark)
{
  if (box.unanswered.size() == most_unanswered) {
    box.unanswered.pop_front();
    ++box.first_unanswered;
  }
  const auto number = static_cast<std::uint16_t>(box.first_unanswered + box.unanswered.size());
  box.unanswered.push_back(mark);
  return {
    box.id, number, range.begin, static_cast<std::uint32_t>(box.message.size()),
    ByteView(box.message).subspan(range.begin, range.end - range.begin)};
}

// Returns a part to repeat because its acknowledgement is overdue.
std::optional<StreamPart> StreamSender::next_repeat(Outbox & box, Instant now)
{
  if (!is_repeated(box)) {
    return std::nullopt;
  }
  for (Sent & sent : box.in_flight) {
    if (now >= sent.at + box.repeat) {
      sent.at = now;
      box.repeats -= &sent == &box.in_flight.front() ? 1 : 0;
      return part_of(box, sent.range, rate_.mark(false, true, false, now));
    }
  }
  return std::nullopt;
}

std::optional<StreamPart> StreamSender::next(Instant now)
{
  handle_silence(now);
  for (Outbox & box : outboxes_) {
    if (const auto part = next_repeat(box, now)) {
      return part;
    }
    const bool at_once = is_repeated(box);
    if (!has_more(box) || (now < next_send_ && !at_once)) {
      continue;
    }
    const std::size_t flying = in_flight();
    if (flying > 0 && flying >= rate_.window() && !at_once) {
      return std::nullopt;
    }
    if (flying == 0) {
      waiting_since_ = now;
    }
    const ByteRange range = take_range(box);
    const std::size_t size = range.end - range.begin;
    const bool is_last = std::ranges::none_of(outboxes_, has_more);
    const bool yields = class_of(box.id) == StreamClass::background;
    box.in_flight.push_back({range, now});
    next_send_ = std::max(next_send_, now - burst) + rate_.pause(size);
    return part_of(box, range, rate_.mark(flying == 0, is_last, yields, now));
  }
  return std::nullopt;
}

void StreamSender::give_up_on(Outbox & box, const Sent & sent)
{
  if (!box.acknowledged.contains(sent.range)) {
    box.lost.push_back(sent.range);
  }
}

// Marks parts as lost that left well before a part that has arrived.
void StreamSender::find_lost(Outbox & box, Instant now)
{
  const Duration margin = rate_.reordering();
  std::erase_if(box.in_flight, [&](const Sent & sent) {
    const bool lost = sent.at + margin < box.newest_arrived && sent.at + 4 * margin < now;
    if (lost) {
      give_up_on(box, sent);
      rate_.handle_lost();
    }
    return lost;
  });
}

// Takes a round trip. An acknowledgement names the part that it answers, which is unambiguous even for repeated bytes.
void StreamSender::handle_answer(Outbox & box, const StreamAck & ack, Instant now)
{
  const auto before = static_cast<std::uint16_t>(ack.newest - box.first_unanswered);
  if (before >= box.unanswered.size()) {
    return;  // an earlier acknowledgement covered it
  }
  const DeliveryRate::Mark mark = box.unanswered[before];
  box.unanswered.erase(box.unanswered.begin(), box.unanswered.begin() + before + 1);
  box.first_unanswered = static_cast<std::uint16_t>(ack.newest + 1);
  box.newest_arrived = mark.sent;
  rate_.handle_answer(mark, std::chrono::microseconds(ack.waited_us), now);
}

void StreamSender::handle_ack(const StreamAck & ack, Instant now)
{
  Outbox & box = outbox(class_of(ack.id));
  if (box.message.empty() || box.id != ack.id || ack.through > box.message.size()) {
    return;
  }
  std::uint32_t added = ack.through > 0 ? box.acknowledged.add({0, ack.through}) : 0;
  for (const StreamRange & range : std::span(ack.ranges).first(ack.range_count)) {
    if (range.length > 0 && range.offset + range.length <= box.message.size()) {
      added += box.acknowledged.add({range.offset, range.offset + range.length});
    }
  }
  waiting_since_ = now;
  if (added > 0) {
    last_progress_ = now;
    silences_ = 0;
    rate_.handle_delivered(added, now);
  }
  std::erase_if(box.in_flight, [&](const Sent & sent) {
    const bool arrived = box.acknowledged.contains(sent.range);
    if (arrived) {
      large_arrived_ = large_arrived_ || sent.range.end - sent.range.begin > small_part;
      rate_.handle_arrived();
    }
    return arrived;
  });
  handle_answer(box, ack, now);
  std::erase_if(
    box.lost, [&](const ByteRange & range) { return box.acknowledged.contains(range); });
  if (box.acknowledged.through() == box.message.size()) {
    clear(box);
    return;
  }
  find_lost(box, now);
}

std::optional<Instant> StreamSender::silence_ends() const
{
  if (in_flight() == 0) {
    return std::nullopt;
  }
  return waiting_since_ + rate_.patience(silences_);
}

// Handles a time without acknowledgements. First two parts are sent again, whose acknowledgement shows which others are
// lost (as in RFC 9002); later all parts in flight are.
void StreamSender::handle_silence(Instant now)
{
  const auto end = silence_ends();
  if (!end || now < *end) {
    return;
  }
  ++silences_;
  const bool first = silences_ == 1 && rate_.known();
  small_ = small_ || !first || !large_arrived_;
  waiting_since_ = now;
  next_send_ = now;
  if (silences_ > 2 || !rate_.known()) {
    rate_.handle_silence();
  }
  for (Outbox & box : outboxes_) {
    const std::size_t count = std::min(box.in_flight.size(), first ? probes : box.in_flight.size());
    const auto last = box.in_flight.begin() + static_cast<std::ptrdiff_t>(count);
    std::for_each(box.in_flight.begin(), last, [&](const Sent & sent) { give_up_on(box, sent); });
    box.in_flight.erase(box.in_flight.begin(), last);
  }
}

Instant StreamSender::next_timeout() const
{
  Instant next = silence_ends().value_or(Instant::max());
  for (const Outbox & box : outboxes_) {
    for (const Sent & sent : box.in_flight) {
      next = is_repeated(box) ? std::min(next, sent.at + box.repeat) : next;
    }
    if (is_repeated(box) && has_more(box)) {
      return Instant();
    }
  }
  const bool more = std::ranges::any_of(outboxes_, has_more);
  const std::size_t flying = in_flight();
  if (more && (flying == 0 || flying < rate_.window())) {
    next = std::min(next, next_send_);
  }
  return next;
}

}  // namespace pqc_tunnel
