// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__REKEY__RATCHET_HPP_
#define PQC_TUNNEL__PROTOCOL__REKEY__RATCHET_HPP_

#include "protocol/session/epoch_keys.hpp"
#include "protocol/wire/control_frame.hpp"
#include "protocol/wire/key_schedule.hpp"
#include "protocol/wire/layers.hpp"

namespace pqc_tunnel
{

// A ratchet derives the next epoch's keys from the PSK, the live epoch and a random value of each end. With a one-time key
// of the anchor it mixes in the secret that the drone encapsulated to it, `anchor`; otherwise it needs no public-key
// operation, and `anchor` is empty. `live` are the keys before the ratchet.

// Returns the MAC of RATCHET over the fields of the message.
Mac ratchet_mac(const PskKeySet & psk, const EpochKeys & live, const Ratchet & ratchet);
// Returns the MAC of RATCHET_OK.
Mac ratchet_ok_mac(
  const PskKeySet & psk, const EpochKeys & live, const Ratchet & ratchet,
  const Random32 & gcs_random, const SecretBytes & anchor = {});
EpochName ratchet_name(const EpochKeys & live);
// `added`: the layer of the one-time key.
EpochSecrets ratchet_secrets(
  const PskKeySet & psk, const EpochKeys & live, const Ratchet & ratchet,
  const Random32 & gcs_random, const SecretBytes & anchor = {}, const Layers & added = {});

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__REKEY__RATCHET_HPP_
