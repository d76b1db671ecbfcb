// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef SIMULATOR__PLANTED_MISTAKES_HPP_
#define SIMULATOR__PLANTED_MISTAKES_HPP_

#include <array>
#include <optional>
#include <string_view>
#include <utility>

namespace pqc_tunnel
{

// The mistakes that planted_mistakes.patch adds to copies of protocol sources. The comment at each planted() call
// describes it. These copies include this header on the compiler's command line.
enum class Mistake
{
  promote_at_handshake_end,
  promote_on_control_only,
  pool_key_reused,
  prekey_used_twice,
  install_without_confirm,
  no_overlap,
  old_keys_kept,
  keys_never_wiped,
  any_frame_is_life,
  forget_keys_at_hello,
  boot_keys_made_twice,
  sequence_restarts,
  wrong_sequence_restored,
  replay_not_committed,
  any_lateness,
  any_age,
  ground_takes_any_age,
  late_answer_believed,
  streams_mixed,
  fragments_mixed,
  rekey_while_unconfirmed,
  timeout_lowers_suite,
  timeout_blacklists,
  outcome_forgotten,
  never_reconnects,
  epoch_wraps,
  ratchets_put_off_renewal,
  attempt_stops_rekeys,
  failed_link_kept,
  copies_left_out,
  unvalidated_path_takes_all,
  conflated_command,
  unproved_address_unlimited,
  strangers_before_commands,
  drones_share_no_time,
  events_unlimited,
  events_limited_together,
  one_time_secret_kept,
  session_forgets_chain,
  ratchet_forgets_chain,
  failed_rekey_is_a_layer,
  anchor_out_of_transcript,
  zeros_for_anchor,
  fetch_ignores_pace,
  new_keys_forget_fetch,
};

inline constexpr std::array<std::pair<Mistake, std::string_view>, 45> mistake_names = {{
  {Mistake::promote_at_handshake_end, "promote_at_handshake_end"},
  {Mistake::promote_on_control_only, "promote_on_control_only"},
  {Mistake::pool_key_reused, "pool_key_reused"},
  {Mistake::prekey_used_twice, "prekey_used_twice"},
  {Mistake::install_without_confirm, "install_without_confirm"},
  {Mistake::no_overlap, "no_overlap"},
  {Mistake::old_keys_kept, "old_keys_kept"},
  {Mistake::keys_never_wiped, "keys_never_wiped"},
  {Mistake::any_frame_is_life, "any_frame_is_life"},
  {Mistake::forget_keys_at_hello, "forget_keys_at_hello"},
  {Mistake::boot_keys_made_twice, "boot_keys_made_twice"},
  {Mistake::sequence_restarts, "sequence_restarts"},
  {Mistake::wrong_sequence_restored, "wrong_sequence_restored"},
  {Mistake::replay_not_committed, "replay_not_committed"},
  {Mistake::any_lateness, "any_lateness"},
  {Mistake::any_age, "any_age"},
  {Mistake::ground_takes_any_age, "ground_takes_any_age"},
  {Mistake::late_answer_believed, "late_answer_believed"},
  {Mistake::streams_mixed, "streams_mixed"},
  {Mistake::fragments_mixed, "fragments_mixed"},
  {Mistake::rekey_while_unconfirmed, "rekey_while_unconfirmed"},
  {Mistake::timeout_lowers_suite, "timeout_lowers_suite"},
  {Mistake::timeout_blacklists, "timeout_blacklists"},
  {Mistake::outcome_forgotten, "outcome_forgotten"},
  {Mistake::never_reconnects, "never_reconnects"},
  {Mistake::epoch_wraps, "epoch_wraps"},
  {Mistake::ratchets_put_off_renewal, "ratchets_put_off_renewal"},
  {Mistake::attempt_stops_rekeys, "attempt_stops_rekeys"},
  {Mistake::failed_link_kept, "failed_link_kept"},
  {Mistake::copies_left_out, "copies_left_out"},
  {Mistake::unvalidated_path_takes_all, "unvalidated_path_takes_all"},
  {Mistake::conflated_command, "conflated_command"},
  {Mistake::unproved_address_unlimited, "unproved_address_unlimited"},
  {Mistake::strangers_before_commands, "strangers_before_commands"},
  {Mistake::drones_share_no_time, "drones_share_no_time"},
  {Mistake::events_unlimited, "events_unlimited"},
  {Mistake::events_limited_together, "events_limited_together"},
  {Mistake::one_time_secret_kept, "one_time_secret_kept"},
  {Mistake::session_forgets_chain, "session_forgets_chain"},
  {Mistake::ratchet_forgets_chain, "ratchet_forgets_chain"},
  {Mistake::failed_rekey_is_a_layer, "failed_rekey_is_a_layer"},
  {Mistake::anchor_out_of_transcript, "anchor_out_of_transcript"},
  {Mistake::zeros_for_anchor, "zeros_for_anchor"},
  {Mistake::fetch_ignores_pace, "fetch_ignores_pace"},
  {Mistake::new_keys_forget_fetch, "new_keys_forget_fetch"},
}};

inline std::optional<Mistake> planted_mistake;
inline bool planted(Mistake mistake) { return planted_mistake == mistake; }

}  // namespace pqc_tunnel

#endif  // SIMULATOR__PLANTED_MISTAKES_HPP_
