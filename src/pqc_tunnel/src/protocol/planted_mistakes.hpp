// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__PLANTED_MISTAKES_HPP_
#define PQC_TUNNEL__PROTOCOL__PLANTED_MISTAKES_HPP_

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

namespace pqc_tunnel
{

// Mistakes that the simulator must find. They exist in a second copy of a few sources that only its tests are built
// with; in every other build planted() is false at compile time, and nothing remains of them.
enum class Mistake : std::uint8_t
{
  promote_at_handshake_end,       // the GCS sends under new keys that the drone has not used yet
  promote_on_control_only,        // other packets under new keys leave the GCS at the old ones
  pool_key_reused,                // an ephemeral key serves every handshake to come
  install_without_server_finish,  // the drone sends under keys that the GCS may not have
  no_overlap,                     // old keys are dropped at once
  old_keys_kept,                  // old keys are never dropped
  forget_keys_at_hello,           // the GCS drops all keys as soon as a new session is asked for
  sequence_restarts,              // after a failed rekey the old keys' sequence starts again
  replay_not_committed,           // the replay window never learns what has come
  rekey_while_unconfirmed,        // a rekey starts although nothing has come under the keys
  timeout_lowers_suite,           // a silent peer is met again with another suite
  timeout_blacklists,             // a rekey that ran out of time counts against the suite
  outcome_forgotten,              // whoever asked for a rekey is not told that the session was lost
  never_reconnects,               // a connection that failed is not tried again
  epoch_wraps,                    // after epoch 255 comes epoch 0 of the same session
};

#ifdef PQC_TUNNEL_PLANTED_MISTAKES

inline constexpr std::array<std::pair<Mistake, std::string_view>, 15> mistake_names = {{
  {Mistake::promote_at_handshake_end, "promote_at_handshake_end"},
  {Mistake::promote_on_control_only, "promote_on_control_only"},
  {Mistake::pool_key_reused, "pool_key_reused"},
  {Mistake::install_without_server_finish, "install_without_server_finish"},
  {Mistake::no_overlap, "no_overlap"},
  {Mistake::old_keys_kept, "old_keys_kept"},
  {Mistake::forget_keys_at_hello, "forget_keys_at_hello"},
  {Mistake::sequence_restarts, "sequence_restarts"},
  {Mistake::replay_not_committed, "replay_not_committed"},
  {Mistake::rekey_while_unconfirmed, "rekey_while_unconfirmed"},
  {Mistake::timeout_lowers_suite, "timeout_lowers_suite"},
  {Mistake::timeout_blacklists, "timeout_blacklists"},
  {Mistake::outcome_forgotten, "outcome_forgotten"},
  {Mistake::never_reconnects, "never_reconnects"},
  {Mistake::epoch_wraps, "epoch_wraps"},
}};

inline std::optional<Mistake> planted_mistake;
inline bool planted(Mistake mistake) { return planted_mistake == mistake; }

#else

constexpr bool planted(Mistake) { return false; }

#endif

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__PLANTED_MISTAKES_HPP_
