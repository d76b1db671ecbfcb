// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "ratchet.hpp"

#include "base/byte_io.hpp"

namespace pqc_tunnel
{
namespace
{

// session ‖ next_epoch ‖ random_d ‖ anchor
Bytes proposal(const EpochKeys & live, const Ratchet & ratchet)
{
  Bytes bytes;
  ByteWriter(bytes)
    .id(live.id())
    .u8(static_cast<std::uint8_t>(ratchet.next_epoch))
    .bytes(ratchet.random)
    .bytes(ratchet.anchor);
  return bytes;
}

const PskKeys & keys_for(const PskKeySet & psk, const EpochKeys & live)
{
  return psk.of(live.suite().wire_id);
}

// The one place where a secret of the anchor enters a ratchet.
ResumedSecret resumed(const PskKeySet & psk, const EpochKeys & live, const SecretBytes & anchor)
{
  const PskKeys & keys = keys_for(psk, live);
  return anchor.size() > 0 ? ResumedSecret::of_session(keys, anchor, live.resumption())
                           : ResumedSecret::of_rekey(keys, live.resumption());
}

}  // namespace

Mac ratchet_mac(const PskKeySet & psk, const EpochKeys & live, const Ratchet & ratchet)
{
  const ResumedSecret secret = resumed(psk, live, {});
  return hmac(secret.hash(), secret.ratchet_key("rat d").view(), {proposal(live, ratchet)});
}

Mac ratchet_ok_mac(
  const PskKeySet & psk, const EpochKeys & live, const Ratchet & ratchet,
  const Random32 & gcs_random, const SecretBytes & anchor)
{
  const ResumedSecret secret = resumed(psk, live, anchor);
  return hmac(
    secret.hash(), secret.ratchet_key("rat g").view(), {proposal(live, ratchet), gcs_random});
}

EpochName ratchet_name(const EpochKeys & live)
{
  return {&live.suite(),       live.id(),        next(live.epoch()),
          live.ratchets() + 1, live.exchanged(), live.psk()};
}

EpochSecrets ratchet_secrets(
  const PskKeySet & psk, const EpochKeys & live, const Ratchet & ratchet,
  const Random32 & gcs_random, const SecretBytes & anchor, const Layers & added)
{
  Bytes exchanged;
  ByteWriter(exchanged).text("ratchet").bytes(proposal(live, ratchet)).bytes(gcs_random);
  const HandshakeSecrets secrets(resumed(psk, live, anchor), ratchet.random, gcs_random);
  EpochSecrets made = secrets.epoch_secrets(live.suite().aead, sha512(exchanged));
  made.layers = live.layers();
  for (const Layer & layer : added) {
    add_layer(made.layers, layer);
  }
  return made;
}

}  // namespace pqc_tunnel
