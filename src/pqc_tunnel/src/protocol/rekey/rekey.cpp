// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "rekey.hpp"

#include <algorithm>
#include <utility>

namespace pqc_tunnel
{
namespace
{

constexpr Duration exchange_patience = std::chrono::seconds(30);  // without progress

}  // namespace

RekeyStep Rekey::start(const Suite & suite, RekeyKind kind, bool again, Duration retry, Instant now)
{
  retry_first_ = retry;
  kind_ = kind;
  suite_ = &suite;
  again_ = again;
  started_ = now;
  retry_at_ = Instant::max();
  return exchange(now);
}

RekeyStep Rekey::exchange(Instant now)
{
  began_ = progress_ = now;
  switch (kind_) {
    case RekeyKind::full:
      phase_ = Phase::exchanging;
      return RekeyStep::make_finish;
    case RekeyKind::ratchet:
    case RekeyKind::anchored_ratchet:
      phase_ = Phase::ratcheting;
      begin_waiting(now);
      return RekeyStep::send_ratchet;
    case RekeyKind::new_session:
    case RekeyKind::newest_keys:
      phase_ = Phase::renewing;
      return RekeyStep::begin_session;
  }
  return RekeyStep::none;
}

RekeyStep Rekey::handle_abort(std::uint32_t transaction, AbortReason reason, Instant now)
{
  if (transaction != transaction_ || (phase_ != Phase::exchanging && phase_ != Phase::ratcheting)) {
    return RekeyStep::none;
  }
  if (is_ratchet(kind_)) {
    return end(
      RekeyStep::give_up, reason == AbortReason::unknown_anchor
                            ? "the ground station does not know this one-time key of its anchor, "
                              "or it was used before"
                          : reason == AbortReason::unusable_anchor
                            ? "the ground station could not ratchet: it can't use its anchor, and "
                              "its log names the file"
                            : "the ground station could not ratchet");
  }
  if (reason == AbortReason::unknown_prekey && !again_) {
    return end(RekeyStep::await_prekey, "");
  }
  return begin_anew(now);
}

RekeyStep Rekey::begin_anew(Instant now)
{
  kind_ = RekeyKind::new_session;
  started_ = now;
  return exchange(now);
}

RekeyStep Rekey::handle_failed(bool blames_suite, const std::string & text)
{
  return active() ? end(blames_suite ? RekeyStep::roll_back : RekeyStep::give_up, text)
                  : RekeyStep::none;
}

RekeyStep Rekey::handle_session_failed(const std::string & text, Instant now)
{
  if (phase_ != Phase::renewing) {
    return RekeyStep::none;
  }
  // The live keys serve as well: newer ones wait for a ground station that has them.
  if (kind_ == RekeyKind::newest_keys || now >= started_ + new_session_patience) {
    return end(RekeyStep::give_up, text);
  }
  wait(now);
  return RekeyStep::none;
}

RekeyStep Rekey::handle_installed(Instant now)
{
  phase_ = Phase::unconfirmed;
  begin_waiting(now);
  return RekeyStep::send_keepalive;
}

RekeyStep Rekey::handle_confirmed()
{
  return phase_ == Phase::unconfirmed
           ? end(RekeyStep::succeed, "rekeyed to " + std::string(suite_->id))
           : RekeyStep::none;
}

RekeyStep Rekey::handle_session_lost()
{
  return active() ? end(RekeyStep::give_up, session_lost) : RekeyStep::none;
}

bool Rekey::is_stuck(Instant now) const
{
  return (phase_ == Phase::exchanging || phase_ == Phase::ratcheting) &&
         now >= progress_ + exchange_patience;
}

RekeyStep Rekey::handle_timeout(Instant now)
{
  if (is_stuck(now)) {
    return end(
      RekeyStep::give_up, "the ground station did not confirm the new keys; the old keys stay");
  }
  if (!active() || now < retry_at_) {
    return RekeyStep::none;
  }
  switch (phase_) {
    case Phase::ratcheting:
      wait(now);
      return RekeyStep::send_ratchet;
    case Phase::renewing:
      retry_at_ = Instant::max();
      return RekeyStep::begin_session;
    case Phase::unconfirmed:
      // Keep-alives repeat while the peer is silent. If it stays silent, the session is declared lost.
      wait(now);
      return RekeyStep::send_keepalive;
    case Phase::exchanging:
    case Phase::idle:
      break;
  }
  retry_at_ = Instant::max();
  return RekeyStep::none;
}

Instant Rekey::next_timeout() const
{
  if (!active()) {
    return Instant::max();
  }
  const bool patient = phase_ == Phase::exchanging || phase_ == Phase::ratcheting;
  return std::min(retry_at_, patient ? progress_ + exchange_patience : Instant::max());
}

RekeyStep Rekey::end(RekeyStep step, std::string message)
{
  phase_ = Phase::idle;
  retry_at_ = Instant::max();
  message_ = std::move(message);
  return step;
}

}  // namespace pqc_tunnel
