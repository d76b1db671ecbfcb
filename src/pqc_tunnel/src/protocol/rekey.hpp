// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__REKEY_HPP_
#define PQC_TUNNEL__PROTOCOL__REKEY_HPP_

#include <optional>
#include <string>

#include "backoff.hpp"
#include "control_frame.hpp"
#include "handshake_client.hpp"
#include "pqc_tunnel/base/time.hpp"
#include "pqc_tunnel/crypto/random.hpp"
#include "pqc_tunnel/crypto/suite.hpp"
#include "pqc_tunnel/protocol/constants.hpp"

namespace pqc_tunnel
{

// The next step of the drone's end in a rekey.
enum class RekeyStep : std::uint8_t
{
  none,
  send_prepare,
  start_handshake,
  send_commit,
  succeed,
  give_up,    // the old keys stay; the suite is not to blame
  roll_back,  // the old keys stay; the suite failed under the PSK and is blacklisted
};

// The drone's rekey, make before break: IDLE → PREPARING → HANDSHAKE → UNCONFIRMED → IDLE. Pure; the old keys carry
// traffic until the last step, and every failure leaves them in place.
class Rekey
{
public:
  enum class Phase : std::uint8_t
  {
    idle,
    preparing,  // PREPARE sent; waiting for READY
    waiting,    // a handshake failed; the next try is due at the time-out
    handshaking,
    unconfirmed,  // sending under the new keys; nothing has come back under them
  };

  explicit Rekey(RandomSource & random) : random_(random) {}

  Phase phase() const { return phase_; }
  bool active() const { return phase_ != Phase::idle; }
  const Suite * suite() const { return suite_; }
  std::uint32_t transaction() const { return transaction_; }
  Duration preparation() const { return ready_at_ - started_; }
  // The outcome of the last rekey and its reason, as a sentence.
  const std::string & message() const { return message_; }

  RekeyStep start(const Suite & suite, std::uint32_t transaction, Instant now);
  RekeyStep handle_ready(std::uint32_t transaction, Instant now);
  RekeyStep handle_busy(std::uint32_t transaction, Duration estimate, Instant now);
  RekeyStep handle_abort(std::uint32_t transaction, AbortReason reason);
  RekeyStep handle_handshake_failed(
    HandshakeFailure failure, const std::string & text, Instant now);
  RekeyStep handle_installed(Instant now);
  RekeyStep handle_confirmed();
  // The session was lost or replaced; the rekey ends.
  RekeyStep handle_session_lost();
  RekeyStep handle_timeout(Instant now);
  Instant next_timeout() const { return active() ? timeout_ : Instant::max(); }

private:
  RekeyStep end(RekeyStep step, std::string message);
  void wait(Instant now) { timeout_ = now + retry_.next(random_); }

  RandomSource & random_;
  Phase phase_ = Phase::idle;
  const Suite * suite_ = nullptr;
  std::uint32_t transaction_ = 0;
  Backoff retry_{control_retry_first, control_retry_max};
  int handshakes_ = 0;
  Instant started_;
  Instant ready_at_;
  Instant timeout_ = Instant::max();
  std::string message_;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__REKEY_HPP_
