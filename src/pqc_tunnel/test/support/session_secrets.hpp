// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef SUPPORT__SESSION_SECRETS_HPP_
#define SUPPORT__SESSION_SECRETS_HPP_

#include "pqc_tunnel/protocol/key_schedule.hpp"

namespace pqc_tunnel::test
{

// Secrets do not copy in the product.
inline SessionSecrets copy_of(const SessionSecrets & secrets)
{
  SessionSecrets copied;
  copied.drone_to_gcs_key = SecretBytes::copy_of(secrets.drone_to_gcs_key.view());
  copied.gcs_to_drone_key = SecretBytes::copy_of(secrets.gcs_to_drone_key.view());
  copied.drone_to_gcs_iv = SecretBytes::copy_of(secrets.drone_to_gcs_iv.view());
  copied.gcs_to_drone_iv = SecretBytes::copy_of(secrets.gcs_to_drone_iv.view());
  copied.session = secrets.session;
  copied.resumption = Key32(secrets.resumption.view());
  copied.transcript_tag = secrets.transcript_tag;
  return copied;
}

}  // namespace pqc_tunnel::test

#endif  // SUPPORT__SESSION_SECRETS_HPP_
