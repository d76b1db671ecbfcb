// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "served_erasure.hpp"

#include <algorithm>
#include <utility>

namespace pqc_tunnel
{
namespace
{

constexpr Duration retry_interval = std::chrono::milliseconds(500);
constexpr Duration patience = std::chrono::seconds(10);

}  // namespace

void ServedErasure::request(const RekeyCommand & command, std::uint32_t transaction, Instant now)
{
  const bool has_session = peer_.keys().sending() != nullptr && !drone_.reports.is_lost();
  if (!has_session || request_) {
    peer_.reply(
      command.id, false,
      has_session
        ? "the drone is being asked already"
        : "there is no session with " + drone_.record.name + ", so that it can't be asked",
      drone_.timing);
    return;
  }
  peer_.report(EventKind::keys_wiped, now, "the drone is asked to erase all its keys");
  request_ = Request{command.id, transaction, now, now + patience};
  handle_timeout(now);
}

bool ServedErasure::handle_erased(std::uint32_t transaction, const Erased & erased, Instant now)
{
  if (!request_ || request_->transaction != transaction) {
    return false;
  }
  switch (erased.outcome) {
    case Erasure::done:
      end(true, "the drone has erased all its keys", now);
      break;
    case Erasure::not_allowed:
      end(false, "the drone does not allow it: erase_on_request is false there", now);
      break;
    case Erasure::failed:
      end(
        false, "the drone uses its keys no longer, but could not erase all of them from its disk",
        now);
      break;
  }
  return true;
}

void ServedErasure::handle_wiped(Instant now)
{
  if (request_) {
    end(false, "the session has ended before the drone answered", now);
  }
}

void ServedErasure::handle_timeout(Instant now)
{
  if (!request_) {
    return;
  }
  const EpochKeys * live = peer_.keys().sending();
  if (now >= request_->deadline || live == nullptr) {
    end(false, "the drone has not answered, and may have its keys still", now);
  } else if (now >= request_->next_try) {
    request_->next_try = now + retry_interval;
    const PskKeys & psk = live->psk()->of(live->suite().wire_id);
    peer_.send_control(
      {request_->transaction, Erase{erase_mac(psk, live->id(), request_->transaction)}}, now);
  }
}

void ServedErasure::end(bool success, const std::string & text, Instant now)
{
  const Request ended = *std::exchange(request_, std::nullopt);
  peer_.report(EventKind::keys_wiped, now, text);
  peer_.reply(ended.id, success, text, drone_.timing);
}

}  // namespace pqc_tunnel
