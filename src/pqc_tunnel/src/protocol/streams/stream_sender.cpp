// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "stream_sender.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "base/endpoint.hpp"
#include "part_sizes.hpp"
#include "protocol/wire/constants.hpp"

namespace pqc_tunnel
{
namespace
{

constexpr Duration burst = std::chrono::milliseconds(2);  // sent ahead of the pace
constexpr std::size_t probes = 2;
// A paced part and its acknowledgement may wait in the queues before the links.
constexpr Duration least_paced_patience = std::chrono::milliseconds(500);
constexpr std::size_t least_paced_window = 8;  // parts, so that few acknowledgements suffice
constexpr Duration first_paced_rtt = std::chrono::seconds(1);
constexpr Duration paced_reordering = std::chrono::milliseconds(100);
constexpr std::size_t most_unanswered = 8192;                 // parts
constexpr std::size_t short_message = 4 * universal_payload;  // bytes that may leave at once

}  // namespace

StreamSender::StreamSender(std::size_t max_part) : max_part_(max_part), paced_rtt_(first_paced_rtt)
{
}

void StreamSender::send(StreamLane lane, Bytes message, Instant now, Duration repeat)
{
  Outbox & box = outbox(lane);
  const std::uint8_t id = next_id(lane, box.id);
  box = Outbox{};
  box.id = id;
  box.message = std::move(message);
  if (box.message.size() <= short_message) {
    box.repeat = repeat;
    box.repeats = exchange_steady_tries;
  }
  small_ = small_ && !large_arrived_;
  if (!yields(box)) {
    waiting_since_ = now;
    silences_ = 0;
  }
  if (!is_background(lane)) {
    last_progress_ = now;
  }
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

bool StreamSender::may_leave(const Outbox & box) const
{
  const Outbox & first = outbox(pace_.first);
  const bool waits = is_background(pace_.first) && !first.message.empty() && &box != &first &&
                     is_background(lane_of(box.id));
  return has_more(box) && !yields(box) && !waits;
}

std::size_t StreamSender::in_flight(bool paced) const
{
  std::size_t bytes = 0;
  for (const Outbox & box : outboxes_) {
    for (const Sent & sent : box.in_flight) {
      bytes += sent.paced == paced ? sent.range.end - sent.range.begin : 0;
    }
  }
  return bytes;
}

// The foreground, then the messages of the background by how much of them has not been sent.
std::array<StreamSender::Outbox *, stream_lane_count> StreamSender::in_order()
{
  std::array<Outbox *, stream_lane_count> order;
  std::ranges::transform(outboxes_, order.begin(), [](Outbox & box) { return &box; });
  std::ranges::stable_sort(order.begin() + 1, order.end(), {}, [](const Outbox * box) {
    return box->message.size() - box->next_offset;
  });
  return order;
}

// `longest`: bytes of the payload.
ByteRange StreamSender::take_range(Outbox & box, std::size_t longest) const
{
  const std::size_t largest = small_ ? std::min(max_part_, small_part) : max_part_;
  const auto most =
    static_cast<std::uint32_t>(std::min(largest, longest) - StreamPart::header_size);
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

StreamPart StreamSender::part_of(Outbox & box, ByteRange range, const Unanswered & sent)
{
  if (box.unanswered.size() == most_unanswered) {
    box.unanswered.pop_front();
    ++box.first_unanswered;
  }
  const auto number = static_cast<std::uint16_t>(box.first_unanswered + box.unanswered.size());
  box.unanswered.push_back(sent);
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
      return part_of(box, sent.range, {rate_.mark(false, true, false, now)});
    }
  }
  return std::nullopt;
}

std::optional<StreamPart> StreamSender::next(Instant now, LaneSet lanes)
{
  give_up_overdue(now);
  if (lanes != LaneSet::yielding) {
    handle_silence(now);
    if (const auto part = next_prompt(now)) {
      return part;
    }
  }
  return lanes != LaneSet::prompt ? next_yielding(now) : std::nullopt;
}

std::optional<StreamPart> StreamSender::next_prompt(Instant now)
{
  for (Outbox * const place : in_order()) {
    Outbox & box = *place;
    if (yields(box)) {
      continue;
    }
    if (const auto part = next_repeat(box, now)) {
      return part;
    }
    const bool at_once = is_repeated(box);
    if (!may_leave(box) || (now < next_send_ && !at_once)) {
      continue;
    }
    const std::size_t flying = in_flight();
    if (flying > 0 && flying >= rate_.window() && !at_once) {
      return std::nullopt;
    }
    if (flying == 0) {
      waiting_since_ = now;
    }
    const ByteRange range = take_range(box, rate_.brief_part());
    const std::size_t size = range.end - range.begin;
    const bool is_last =
      std::ranges::none_of(outboxes_, [this](const Outbox & other) { return may_leave(other); });
    const bool gives_way = is_background(lane_of(box.id));
    box.in_flight.push_back({range, now});
    next_send_ = std::max(next_send_, now - burst) + rate_.pause(size);
    return part_of(box, range, {rate_.mark(flying == 0, is_last, gives_way, now)});
  }
  return std::nullopt;
}

std::optional<StreamPart> StreamSender::next_yielding(Instant now)
{
  if (now < next_paced()) {
    return std::nullopt;
  }
  for (Outbox * const box : in_order()) {
    if (!yields(*box) || !has_more(*box)) {
      continue;
    }
    const ByteRange range = take_range(*box, pace_.longest);
    const std::size_t line = range.end - range.begin + StreamPart::header_size + pace_.overhead;
    paced_interval_ = from_seconds(static_cast<double>(line) / pace_.bytes_per_s);
    const Duration pause =
      pace_.yields_beyond ? paced_rate_.pause(range.end - range.begin) : Duration{};
    next_paced_ = std::max(next_paced_, now - burst) + std::max(paced_interval_, pause);
    const bool idle = in_flight(true) == 0;
    box->in_flight.push_back({range, now, true});
    return part_of(*box, range, {paced_rate_.mark(idle, false, true, now), true});
  }
  return std::nullopt;
}

Instant StreamSender::next_paced() const
{
  const std::size_t most = std::max(paced_rate_.window(), least_paced_window * pace_.longest);
  return pace_.yields_beyond && in_flight(true) >= most ? Instant::max() : next_paced_;
}

Duration StreamSender::paced_patience() const
{
  return least_paced_patience + paced_ack_delay(paced_interval_) + 2 * paced_rtt_;
}

// Sends paced parts again whose acknowledgement is overdue.
void StreamSender::give_up_overdue(Instant now)
{
  for (Outbox & box : outboxes_) {
    while (is_first_paced(box) && now >= box.in_flight.front().at + paced_patience()) {
      small_ = small_ || !large_arrived_;
      give_up_on(box, box.in_flight.front());
      box.in_flight.pop_front();
    }
  }
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
  std::erase_if(box.in_flight, [&](const Sent & sent) {
    const Duration margin =
      sent.paced ? std::max(rate_.reordering(), paced_reordering) : rate_.reordering();
    const bool lost = sent.at + margin < box.newest_arrived && sent.at + 4 * margin < now;
    if (lost) {
      give_up_on(box, sent);
      if (!sent.paced) {
        rate_.handle_lost();
      }
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
  const auto [mark, paced] = box.unanswered[before];
  box.unanswered.erase(box.unanswered.begin(), box.unanswered.begin() + before + 1);
  box.first_unanswered = static_cast<std::uint16_t>(ack.newest + 1);
  box.newest_arrived = mark.sent;
  if (paced) {
    paced_rtt_ = std::max<Duration>(paced_rtt_ - paced_rtt_ / 8, now - mark.sent);
    paced_rate_.handle_answer(mark, std::chrono::microseconds(ack.waited_us), now);
  } else {
    rate_.handle_answer(mark, std::chrono::microseconds(ack.waited_us), now);
  }
}

void StreamSender::handle_ack(const StreamAck & ack, Instant now)
{
  const StreamLane lane = lane_of(ack.id);
  Outbox & box = outbox(lane);
  if (box.message.empty() || box.id != ack.id || ack.through > box.message.size()) {
    return;
  }
  std::uint32_t added = ack.through > 0 ? box.acknowledged.add({0, ack.through}) : 0;
  for (const StreamRange & range : std::span(ack.ranges).first(ack.range_count)) {
    if (range.length > 0 && range.offset + range.length <= box.message.size()) {
      added += box.acknowledged.add({range.offset, range.offset + range.length});
    }
  }
  if (added > 0 && !is_background(lane)) {
    last_progress_ = now;
  }
  if (!yields(box)) {
    waiting_since_ = now;
    silences_ = added > 0 ? 0 : silences_;
  }
  if (added > 0) {
    (yields(box) ? paced_rate_ : rate_).handle_delivered(added, now);
  }
  std::erase_if(box.in_flight, [&](const Sent & sent) {
    const bool arrived = box.acknowledged.contains(sent.range);
    if (arrived) {
      large_arrived_ = large_arrived_ || sent.range.end - sent.range.begin > small_part;
      if (!sent.paced) {
        rate_.handle_arrived();
      }
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
    std::size_t left = first ? probes : box.in_flight.size();
    std::erase_if(box.in_flight, [&](const Sent & sent) {
      const bool lost = !sent.paced && left > 0;
      if (lost) {
        --left;
        give_up_on(box, sent);
      }
      return lost;
    });
  }
}

Instant StreamSender::next_timeout(LaneSet lanes) const
{
  const bool prompt = lanes != LaneSet::yielding;
  Instant next = prompt ? silence_ends().value_or(Instant::max()) : Instant::max();
  bool more = false;
  for (const Outbox & box : outboxes_) {
    if (is_first_paced(box)) {
      next = std::min(next, box.in_flight.front().at + paced_patience());
    }
    for (const Sent & sent : box.in_flight) {
      next = is_repeated(box) ? std::min(next, sent.at + box.repeat) : next;
    }
    if (!has_more(box)) {
      continue;
    }
    if (yields(box)) {
      next = lanes != LaneSet::prompt ? std::min(next, next_paced()) : next;
    } else if (is_repeated(box)) {
      return Instant();
    } else {
      more = more || may_leave(box);
    }
  }
  const std::size_t flying = in_flight();
  if (prompt && more && (flying == 0 || flying < rate_.window())) {
    next = std::min(next, next_send_);
  }
  return next;
}

}  // namespace pqc_tunnel
