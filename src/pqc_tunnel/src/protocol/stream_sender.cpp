// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "stream_sender.hpp"

#include <algorithm>
#include <utility>

namespace pqc_tunnel
{
namespace
{

constexpr std::size_t small_part = 512;  // of a frame: passes where larger ones are lost
constexpr Duration burst = std::chrono::milliseconds(2);  // sent ahead of the pace

}  // namespace

void StreamSender::send(StreamClass kind, Bytes message, Instant now)
{
  Outbox & box = outbox(kind);
  const auto count = static_cast<std::uint8_t>((box.id + 1) & ~stream_class_bit);
  box = Outbox{};
  box.id = kind == StreamClass::background ? count | stream_class_bit : count;
  box.message = std::move(message);
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
  const auto most = static_cast<std::uint32_t>(
    (small_ ? std::min(max_part_, small_part) : max_part_) - StreamPart::header_size);
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

std::optional<StreamPart> StreamSender::next(Instant now)
{
  handle_silence(now);
  if (now < next_send_) {
    return std::nullopt;
  }
  for (Outbox & box : outboxes_) {
    if (!has_more(box)) {
      continue;
    }
    const std::size_t flying = in_flight();
    if (flying > 0 && flying >= rate_.window()) {
      return std::nullopt;
    }
    if (flying == 0) {
      waiting_since_ = now;
    }
    const ByteRange range = take_range(box);
    const std::size_t size = range.end - range.begin;
    const bool is_last = std::ranges::none_of(outboxes_, has_more);
    const bool yields = class_of(box.id) == StreamClass::background;
    box.in_flight.push_back({range, now, rate_.mark(flying == 0, is_last, yields, now)});
    next_send_ = std::max(next_send_, now - burst) + rate_.pause(size);
    return StreamPart{
      box.id, range.begin, static_cast<std::uint32_t>(box.message.size()),
      ByteView(box.message).subspan(range.begin, size)};
  }
  return std::nullopt;
}

void StreamSender::give_up_on(Outbox & box, const Sent & sent)
{
  if (!box.acknowledged.contains(sent.range)) {
    box.lost.push_back(sent.range);
  }
}

// What left well before a part that has arrived did not arrive.
void StreamSender::find_lost(Outbox & box, Instant newest_acknowledged, Instant now)
{
  const Duration margin = rate_.reordering();
  std::erase_if(box.in_flight, [&](const Sent & sent) {
    const bool lost = sent.at + margin < newest_acknowledged && sent.at + 4 * margin < now;
    if (lost) {
      give_up_on(box, sent);
      rate_.handle_lost();
    }
    return lost;
  });
}

void StreamSender::handle_ack(const StreamAck & ack, Instant now)
{
  Outbox & box = outbox(class_of(ack.id));
  if (box.message.empty() || box.id != ack.id || ack.through > box.message.size()) {
    return;
  }
  std::uint32_t added = ack.through > 0 ? box.acknowledged.add({0, ack.through}) : 0;
  for (std::size_t i = 0; i < ack.range_count; ++i) {
    const StreamRange & range = ack.ranges[i];
    if (range.length > 0 && range.offset + range.length <= box.message.size()) {
      added += box.acknowledged.add({range.offset, range.offset + range.length});
    }
  }
  waiting_since_ = now;
  if (added > 0) {
    last_progress_ = now;
    silences_ = 0;
  }
  Instant newest;
  std::erase_if(box.in_flight, [&](const Sent & sent) {
    const bool arrived = box.acknowledged.contains(sent.range);
    if (arrived) {
      newest = std::max(newest, sent.at);
      large_arrived_ = large_arrived_ || sent.range.end - sent.range.begin > small_part;
      rate_.handle_delivered(sent.range.end - sent.range.begin, sent.mark, sent.at, now);
    }
    return arrived;
  });
  std::erase_if(
    box.lost, [&](const ByteRange & range) { return box.acknowledged.contains(range); });
  if (box.acknowledged.through() == box.message.size()) {
    clear(box);
    return;
  }
  find_lost(box, newest, now);
}

std::optional<Instant> StreamSender::silence_ends() const
{
  if (in_flight() == 0) {
    return std::nullopt;
  }
  return waiting_since_ + rate_.patience() * (1 << std::min(silences_, 2));
}

// Nothing is acknowledged any more: everything in flight is sent again.
void StreamSender::handle_silence(Instant now)
{
  const auto end = silence_ends();
  if (!end || now < *end) {
    return;
  }
  ++silences_;
  small_ = true;
  waiting_since_ = now;
  rate_.handle_silence();
  next_send_ = now;
  for (Outbox & box : outboxes_) {
    for (const Sent & sent : box.in_flight) {
      give_up_on(box, sent);
    }
    box.in_flight.clear();
  }
}

Instant StreamSender::next_timeout() const
{
  Instant next = silence_ends().value_or(Instant::max());
  const bool more = std::ranges::any_of(outboxes_, has_more);
  const std::size_t flying = in_flight();
  if (more && (flying == 0 || flying < rate_.window())) {
    next = std::min(next, next_send_);
  }
  return next;
}

}  // namespace pqc_tunnel
