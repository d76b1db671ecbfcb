// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef SUPPORT__SESSION_SECRETS_HPP_
#define SUPPORT__SESSION_SECRETS_HPP_

#include "pqc_tunnel/protocol/key_schedule.hpp"

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

}  // namespace pqc_tunnel::test

#endif  // SUPPORT__SESSION_SECRETS_HPP_
