// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "rekey.hpp"

#include <algorithm>
#include <utility>

namespace pqc_tunnel
{

RekeyStep Rekey::start(const Suite & suite, std::uint32_t transaction, Instant now)
{
  phase_ = Phase::preparing;
  suite_ = &suite;
  transaction_ = transaction;
  retry_.reset();
  handshakes_ = 0;
  started_ = now;
  ready_at_ = now;
  wait(now);
  return RekeyStep::send_prepare;
}

RekeyStep Rekey::handle_ready(std::uint32_t transaction, Instant now)
{
  if (phase_ != Phase::preparing || transaction != transaction_) {
    return RekeyStep::none;
  }
  phase_ = Phase::handshaking;
  ready_at_ = now;
  timeout_ = Instant::max();
  ++handshakes_;
  return RekeyStep::start_handshake;
}

// The GCS is alive and busy: the count of tries starts again, and the next PREPARE waits about as long as it says.
RekeyStep Rekey::handle_busy(std::uint32_t transaction, Duration estimate, Instant now)
{
  if (phase_ == Phase::preparing && transaction == transaction_) {
    retry_.reset();
    timeout_ = now + std::clamp(estimate, control_retry_first, control_retry_max);
  }
  return RekeyStep::none;
}

RekeyStep Rekey::handle_abort(std::uint32_t transaction, AbortReason reason)
{
  if (transaction != transaction_ || (phase_ != Phase::preparing && phase_ != Phase::waiting)) {
    return RekeyStep::none;
  }
  switch (reason) {
    case AbortReason::in_progress:
      return end(RekeyStep::give_up, "the ground station is busy with another rekey");
    case AbortReason::suite_refused:
      return end(
        RekeyStep::roll_back,
        "the ground station can't use " + std::string(suite_->id) + missing_there);
    case AbortReason::failed:
      break;
  }
  return end(
    RekeyStep::roll_back, "the ground station could not make keys for " + std::string(suite_->id));
}

RekeyStep Rekey::handle_handshake_failed(
  HandshakeFailure failure, const std::string & text, Instant now)
{
  if (phase_ != Phase::handshaking) {
    return RekeyStep::none;
  }
  switch (failure) {
    case HandshakeFailure::authenticated:
    case HandshakeFailure::suite_refused:
    case HandshakeFailure::unavailable:
      return end(RekeyStep::roll_back, text);
    case HandshakeFailure::policy_mismatch:
    case HandshakeFailure::session_unknown:
      return end(RekeyStep::give_up, text);
    case HandshakeFailure::timeout:
    case HandshakeFailure::closed:
    case HandshakeFailure::malformed:
    case HandshakeFailure::busy:
      break;
  }
  if (handshakes_ >= rekey_handshake_tries) {
    return end(
      RekeyStep::give_up,
      std::to_string(handshakes_) + " handshakes failed, the last because " + text);
  }
  phase_ = Phase::waiting;
  wait(now);
  return RekeyStep::none;
}

RekeyStep Rekey::handle_installed(Instant now)
{
  phase_ = Phase::unconfirmed;
  retry_.reset();
  wait(now);
  return RekeyStep::send_commit;
}

RekeyStep Rekey::handle_confirmed()
{
  return phase_ == Phase::unconfirmed
           ? end(RekeyStep::succeed, "rekeyed to " + std::string(suite_->id))
           : RekeyStep::none;
}

RekeyStep Rekey::handle_session_lost()
{
  return active() ? end(RekeyStep::give_up, "the session was lost during the rekey")
                  : RekeyStep::none;
}

RekeyStep Rekey::handle_timeout(Instant now)
{
  if (!active() || now < timeout_) {
    return RekeyStep::none;
  }
  switch (phase_) {
    case Phase::preparing:
      if (retry_.tries() >= control_tries || now >= started_ + prepare_deadline) {
        return end(
          RekeyStep::give_up, "the ground station did not get ready in time; the old keys stay");
      }
      wait(now);
      return RekeyStep::send_prepare;
    case Phase::waiting:
      // The keys prepared for the failed try are used up: ask again.
      phase_ = Phase::preparing;
      retry_.reset();
      wait(now);
      return RekeyStep::send_prepare;
    case Phase::unconfirmed:
      // Repeat while the peer is silent; if it stays silent, the session is declared lost.
      wait(now);
      return RekeyStep::send_commit;
    case Phase::handshaking:
    case Phase::idle:
      break;
  }
  return RekeyStep::none;
}

RekeyStep Rekey::end(RekeyStep step, std::string message)
{
  phase_ = Phase::idle;
  timeout_ = Instant::max();
  message_ = std::move(message);
  return step;
}

}  // namespace pqc_tunnel
