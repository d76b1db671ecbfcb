// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "policy_watch.hpp"

#include <utility>

namespace pqc_tunnel
{

std::optional<Event> PolicyWatch::handle(const PolicyNotice & notice, Instant now)
{
  if (notice.silent && decided_ && now - *decided_ <= policy_silence) {
    return std::nullopt;
  }
  if (std::exchange(silent_, notice.silent) == notice.silent) {
    return std::nullopt;
  }
  Event event{EventKind::policy_back, now, peer_, nullptr, {}, "the drone's policy decides again"};
  if (!notice.silent) {
    return event;
  }
  event.kind = EventKind::policy_lost;
  const bool armed = notice.armed.value_or(false);
  event.text = std::string("the drone's policy is silent") +
               (armed ? " while the vehicle is armed" : "") + ": nothing adapts the suite";
  if (notice.armed.value_or(true)) {
    event.severity = EventSeverity::error;
  }
  return event;
}

std::optional<Event> PolicyWatch::handle_decision(Instant now)
{
  decided_ = now;
  return handle({}, now);
}

}  // namespace pqc_tunnel
