// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "stream_receiver.hpp"

#include <algorithm>
#include <utility>

#include "part_sizes.hpp"

namespace pqc_tunnel
{
namespace
{

constexpr std::size_t remembered_ranges = 4 * StreamAck::max_ranges;
constexpr std::uint8_t newer = 31;  // an id up to so far ahead is newer, any other older
// No part is in flight for so long. After that any other id is newer, since the sender may have given up many.
constexpr Duration id_memory = std::chrono::seconds(20);

std::uint16_t waited(Duration time)
{
  const auto us = std::chrono::duration_cast<std::chrono::microseconds>(time).count();
  return static_cast<std::uint16_t>(std::clamp<std::int64_t>(us, 0, 0xffff));
}

}  // namespace

// Prepares for the message of a part; false if the message is older, or longer than allowed.
bool StreamReceiver::begin(Inbox & box, const StreamPart & part, Instant now)
{
  if (box.id && ids_ahead(part.id, *box.id) > newer && now < box.heard + id_memory) {
    StreamAck done;  // its sender gave it up, or missed the last acknowledgement
    done.id = part.id;
    done.newest = part.number;
    done.through = part.total;
    outdated_ = done;
    return false;
  }
  if (part.total > box.limit) {
    ++refused_;
    return false;
  }
  const std::size_t limit = box.limit;
  box = Inbox{};
  box.limit = limit;
  box.id = part.id;
  box.newest = part.number;
  box.newest_came = now;
  box.total = part.total;
  box.message.resize(part.total);
  return true;
}

// Acknowledges the whole message.
void StreamReceiver::decline(StreamLane lane)
{
  Inbox & box = inbox(lane);
  if (!box.id || box.complete) {
    return;
  }
  box.complete = true;
  box.received.add({0, box.total});
  box.changed.clear();
  box.message = {};
}

std::optional<Bytes> StreamReceiver::handle_part(const StreamPart & part, Instant now)
{
  const StreamLane lane = lane_of(part.id);
  Inbox & box = inbox(lane);
  if (box.id != part.id && !begin(box, part, now)) {
    return std::nullopt;
  }
  box.heard = now;
  if (part.total != box.total) {
    ++refused_;
    return std::nullopt;
  }
  if (part.number == box.newest || is_newer_part(part.number, box.newest)) {
    box.newest = part.number;
    box.interval = now - box.newest_came;
    box.newest_came = now;
  }
  if (box.complete) {
    box.ack_at = now;
    return std::nullopt;
  }
  const auto end = static_cast<std::uint32_t>(part.offset + part.bytes.size());
  const bool was_missed =
    !box.received.ranges().empty() && part.offset < box.received.ranges().back().end;
  const std::uint32_t added = box.received.add({part.offset, end});
  if (added > 0) {
    std::ranges::copy(part.bytes, box.message.begin() + part.offset);
    box.here += added;
    box.progress = now;
  }
  note_change(box, {part.offset, end});
  box.complete = box.received.through() == box.total;
  const bool gap = box.received.ranges().size() > 1;
  const std::size_t size = StreamPart::header_size + part.bytes.size();
  const bool rarely = yields(lane) && size < small_part;
  ++box.unacknowledged;
  const bool at_once = box.complete || added == 0 || (rarely ? was_missed : gap) ||
                       box.unacknowledged >= parts_per_acknowledgement(size, yields(lane));
  box.ack_at = std::min(
    box.ack_at, at_once ? now : now + (rarely ? paced_ack_delay(box.interval) : ack_delay));
  if (!box.complete) {
    return std::nullopt;
  }
  return std::exchange(box.message, Bytes());
}

// Moves the range that has grown to the front, as in RFC 2018, so that many acknowledgements name it in case some are
// lost.
void StreamReceiver::note_change(Inbox & box, ByteRange added)
{
  const ByteRange grown = box.received.range_at(added.begin);
  std::erase_if(box.changed, [&](std::uint32_t position) {
    return grown.begin <= position && position < grown.end;
  });
  if (grown.begin == 0) {
    return;  // ack.through covers it
  }
  box.changed.push_front(added.begin);
  if (box.changed.size() > remembered_ranges) {
    box.changed.pop_back();  // acknowledgements have named it often
  }
}

StreamAck StreamReceiver::ack_of(const Inbox & box, Instant now)
{
  StreamAck ack;
  ack.id = *box.id;
  ack.newest = box.newest;
  ack.waited_us = waited(now - box.newest_came);
  ack.through = box.received.through();
  for (const std::uint32_t position : box.changed) {
    if (ack.range_count == StreamAck::max_ranges) {
      break;
    }
    const ByteRange range = box.received.range_at(position);
    ack.ranges.at(ack.range_count++) = {range.begin, range.end - range.begin};
  }
  return ack;
}

std::size_t StreamReceiver::message_bytes() const
{
  std::size_t bytes = 0;
  for (const Inbox & box : inboxes_) {
    bytes += box.message.size();
  }
  return bytes;
}

StreamReceiver::Progress StreamReceiver::progress(StreamLane lane) const
{
  const Inbox & box = inboxes_[static_cast<std::size_t>(lane)];
  return box.complete ? Progress{box.progress} : Progress{box.progress, box.here, box.total};
}

bool StreamReceiver::belongs(std::size_t lane, LaneSet lanes) const
{
  return lanes == LaneSet::all ||
         (lanes == LaneSet::yielding) == yields(StreamLane{static_cast<std::uint8_t>(lane)});
}

std::optional<StreamAck> StreamReceiver::take_ack(Instant now, LaneSet lanes)
{
  if (outdated_ && lanes != LaneSet::yielding) {
    return std::exchange(outdated_, std::nullopt);
  }
  for (std::size_t lane = 0; lane < inboxes_.size(); ++lane) {
    Inbox & box = inboxes_[lane];
    if (now >= box.ack_at && belongs(lane, lanes)) {
      box.ack_at = Instant::max();
      box.unacknowledged = 0;
      return ack_of(box, now);
    }
  }
  return std::nullopt;
}

Instant StreamReceiver::next_timeout(LaneSet lanes) const
{
  if (outdated_ && lanes != LaneSet::yielding) {
    return {};
  }
  Instant next = Instant::max();
  for (std::size_t lane = 0; lane < inboxes_.size(); ++lane) {
    next = belongs(lane, lanes) ? std::min(next, inboxes_[lane].ack_at) : next;
  }
  return next;
}

}  // namespace pqc_tunnel
