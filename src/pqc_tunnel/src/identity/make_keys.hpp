// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__IDENTITY__MAKE_KEYS_HPP_
#define PQC_TUNNEL__IDENTITY__MAKE_KEYS_HPP_

#include <filesystem>
#include <memory>

#include "crypto/random.hpp"
#include "identity_layout.hpp"

namespace pqc_tunnel
{

// Makes a signing key in folder/signing, and returns its public key.
Result<std::shared_ptr<const Bytes>> make_signing_key(
  const std::filesystem::path & folder, SignatureAlgorithm algorithm, const OwnerId & owner,
  RandomSource & random);

// Makes the folder, which must be new, with these keys.
Result<void> write_public_keys(
  const std::filesystem::path & folder, const PublicKeys & keys, const OwnerId & owner);

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__IDENTITY__MAKE_KEYS_HPP_
