// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__REKEY__REKEY_HPP_
#define PQC_TUNNEL__PROTOCOL__REKEY__REKEY_HPP_

#include <cstdint>
#include <string>

#include "base/time.hpp"
#include "crypto/random.hpp"
#include "crypto/suites/suite.hpp"
#include "protocol/handshake/handshake_failure.hpp"
#include "protocol/session/backoff.hpp"
#include "protocol/wire/constants.hpp"
#include "protocol/wire/control_frame.hpp"

namespace pqc_tunnel
{

// The next step of the drone's end in a rekey.
enum class RekeyStep : std::uint8_t
{
  none,
  await_prekey,  // the ground station does not know the one in use; the rekey starts again with another
  make_finish,
  send_ratchet,   // or repeat it
  begin_session,  // after the last epoch, or if the live keys cannot be rekeyed
  send_keepalive,
  succeed,
  give_up,    // the old keys stay; the suite is not to blame
  roll_back,  // the old keys stay; the suite failed under the PSK and is blacklisted
};

enum class RekeyKind : std::uint8_t
{
  full,
  ratchet,
  anchored_ratchet,  // with a one-time key of the anchor
  new_session,
  newest_keys,  // a new session, by newer keys of this end
};
inline bool is_new_session(RekeyKind kind)
{
  return kind == RekeyKind::new_session || kind == RekeyKind::newest_keys;
}
inline bool is_ratchet(RekeyKind kind)
{
  return kind == RekeyKind::ratchet || kind == RekeyKind::anchored_ratchet;
}

inline constexpr const char * session_lost = "the session was lost during the rekey";

// The state machine of the drone's rekey. It only returns steps for the caller to take. The old keys carry traffic
// until the last step, and every failure leaves them in use.
class Rekey
{
public:
  enum class Phase : std::uint8_t
  {
    idle,
    exchanging,   // the Finish is being made or delivered; waiting for CONFIRM
    ratcheting,   // RATCHET sent; waiting for RATCHET_OK
    renewing,     // a new session is being made
    unconfirmed,  // sends under the new keys; no answer under them yet
  };

  explicit Rekey(RandomSource & random) : random_(random) {}

  Phase phase() const { return phase_; }
  bool active() const { return phase_ != Phase::idle; }
  RekeyKind kind() const { return kind_; }
  const Suite * suite() const { return suite_; }
  // Returns when the Finish or RATCHET was begun.
  Instant exchange_began() const { return began_; }
  // Returns the outcome of the last rekey and its reason as a sentence.
  const std::string & message() const { return message_; }

  // A full rekey needs its prekey in stock. `again`: another one was unknown. `retry`: time until the first repetition of
  // an unanswered message.
  RekeyStep start(const Suite & suite, RekeyKind kind, bool again, Duration retry, Instant now);
  std::uint32_t transaction() const { return transaction_; }
  // Sets the transaction that answers to the present exchange carry.
  void set_transaction(std::uint32_t transaction) { transaction_ = transaction; }
  RekeyStep handle_abort(std::uint32_t transaction, AbortReason reason, Instant now);
  // Turns the rekey into a new session, whose answers the PSK proves. A message under live keys alone proves nothing
  // about a suite, since these may be stolen.
  RekeyStep begin_anew(Instant now);
  // The exchange makes progress: parts were delivered for the first time.
  void note_progress(Instant now) { progress_ = now; }
  RekeyStep handle_failed(bool blames_suite, const std::string & text);
  // The attempt at a new session has failed, and not because of the suite.
  RekeyStep handle_session_failed(const std::string & text, Instant now);
  RekeyStep handle_installed(Instant now);
  RekeyStep handle_confirmed();
  // The session was lost or replaced, which ends the rekey.
  RekeyStep handle_session_lost();
  RekeyStep handle_timeout(Instant now);
  Instant next_timeout() const;

private:
  RekeyStep end(RekeyStep step, std::string message);
  RekeyStep exchange(Instant now);
  bool is_stuck(Instant now) const;
  void wait(Instant now) { retry_at_ = now + retry_.next(random_); }
  void begin_waiting(Instant now)
  {
    retry_ = Backoff(retry_first_, exchange_retry_max, exchange_steady_tries);
    wait(now);
  }

  RandomSource & random_;
  Phase phase_ = Phase::idle;
  RekeyKind kind_ = RekeyKind::full;
  const Suite * suite_ = nullptr;
  std::uint32_t transaction_ = 0;
  Duration retry_first_ = hello_retry_first;
  Backoff retry_{hello_retry_first, exchange_retry_max};
  bool again_ = false;
  Instant started_;
  Instant began_;
  Instant progress_;
  Instant retry_at_ = Instant::max();
  std::string message_;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__REKEY__REKEY_HPP_
