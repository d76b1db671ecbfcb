// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef SUPPORT__PAIR__SESSION_SECRETS_HPP_
#define SUPPORT__PAIR__SESSION_SECRETS_HPP_

#include "protocol/handshake/handshake_crypto.hpp"
#include "protocol/wire/key_schedule.hpp"

namespace pqc_tunnel::test
{

// Secrets do not copy in the product.
inline EpochSecrets copy_of(const EpochSecrets & secrets)
{
  EpochSecrets copied;
  copied.drone_to_gcs_key = SecretBytes::copy_of(secrets.drone_to_gcs_key.view());
  copied.gcs_to_drone_key = SecretBytes::copy_of(secrets.gcs_to_drone_key.view());
  copied.drone_to_gcs_iv = SecretBytes::copy_of(secrets.drone_to_gcs_iv.view());
  copied.gcs_to_drone_iv = SecretBytes::copy_of(secrets.gcs_to_drone_iv.view());
  copied.drone_to_gcs_id = secrets.drone_to_gcs_id;
  copied.gcs_to_drone_id = secrets.gcs_to_drone_id;
  copied.session = secrets.session;
  copied.resumption = SecretBytes::copy_of(secrets.resumption.view());
  copied.transcript = secrets.transcript;
  return copied;
}

// Of an epoch that nobody has agreed on: every key, IV and id has this value.
inline EpochSecrets filled_secrets(std::uint8_t fill)
{
  EpochSecrets made;
  for (auto * key : {&made.drone_to_gcs_key, &made.gcs_to_drone_key}) {
    *key = SecretBytes::copy_of(Bytes(32, fill));
  }
  for (auto * iv : {&made.drone_to_gcs_iv, &made.gcs_to_drone_iv}) {
    *iv = SecretBytes::copy_of(Bytes(12, fill));
  }
  made.drone_to_gcs_id = made.gcs_to_drone_id = FrameKeyId{fill};
  return made;
}

// Gives the keys that a job has agreed on this id, at the drone for sending. By chance, one pair of keys in four millions has
// the same.
inline void set_key_id(JobResult & result, FrameKeyId id)
{
  if (auto * made = std::get_if<FinishMade>(&result)) {
    made->secrets.drone_to_gcs_id = id;
  } else if (auto * completed = std::get_if<FinishCompleted>(&result)) {
    completed->secrets.drone_to_gcs_id = id;
  }
}

}  // namespace pqc_tunnel::test

#endif  // SUPPORT__PAIR__SESSION_SECRETS_HPP_
