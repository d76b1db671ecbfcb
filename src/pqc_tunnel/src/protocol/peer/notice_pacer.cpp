// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "notice_pacer.hpp"

#include <algorithm>
#include <utility>

namespace pqc_tunnel
{
namespace
{

// The limit for very slow links.
constexpr Duration longest_pause = std::chrono::minutes(2);

}  // namespace

bool NoticePacer::is_urgent(std::size_t kind) const
{
  switch (NoticeKind{static_cast<std::uint8_t>(kind)}) {
    case NoticeKind::request:
    case NoticeKind::answer:
    case NoticeKind::warning:
      return true;
    case NoticeKind::computer:
    case NoticeKind::decision:
    case NoticeKind::policy:
    case NoticeKind::line:
      break;
  }
  return false;
}

Instant NoticePacer::due(std::size_t kind) const
{
  return is_urgent(kind) ? slots_.at(kind).next : std::max(slots_.at(kind).next, open_);
}

bool NoticePacer::offer(const Notice & notice, Instant now)
{
  const auto kind = static_cast<std::size_t>(notice.kind);
  if (kind >= kinds) {
    return false;
  }
  slots_.at(kind).waiting = notice;
  slots_.at(kind).offered = now;
  return true;
}

// Urgent kinds come first; of the others the kind that has waited longest.
std::optional<Notice> NoticePacer::take(Instant now)
{
  std::optional<std::size_t> chosen;
  for (std::size_t kind = 0; kind < kinds; ++kind) {
    Slot & slot = slots_.at(kind);
    if (slot.waiting && !is_urgent(kind) && now >= slot.offered + longest_wait) {
      slot.waiting.reset();
    }
    if (!slot.waiting || now < due(kind)) {
      continue;
    }
    const auto rank = [&](std::size_t of) { return std::pair(!is_urgent(of), slots_.at(of).next); };
    if (!chosen || rank(kind) < rank(*chosen)) {
      chosen = kind;
    }
  }
  if (!chosen) {
    return std::nullopt;
  }
  Slot & slot = slots_.at(*chosen);
  const std::optional<Notice> notice = slot.waiting;
  slot.waiting.reset();
  slot.next = now + notice_interval;
  return notice;
}

void NoticePacer::handle_sent(std::size_t bytes, std::optional<double> bytes_per_s, Instant now)
{
  if (!bytes_per_s || *bytes_per_s <= 0) {
    open_ = now;
    return;
  }
  const std::chrono::duration<double> time(static_cast<double>(bytes) / *bytes_per_s);
  const auto pause =
    time < longest_pause ? std::chrono::duration_cast<Duration>(time) : longest_pause;
  open_ = std::min(std::max(open_, now) + pause, now + longest_pause);
}

Instant NoticePacer::next_timeout() const
{
  Instant next = Instant::max();
  for (std::size_t kind = 0; kind < kinds; ++kind) {
    const Slot & slot = slots_.at(kind);
    if (!slot.waiting) {
      continue;
    }
    next = std::min(
      next, is_urgent(kind) ? due(kind) : std::min(due(kind), slot.offered + longest_wait));
  }
  return next;
}

void NoticePacer::clear()
{
  for (Slot & slot : slots_) {
    slot.waiting.reset();
  }
}

}  // namespace pqc_tunnel
