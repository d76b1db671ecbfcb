// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__WIRE__IDENTITY_HPP_
#define PQC_TUNNEL__PROTOCOL__WIRE__IDENTITY_HPP_

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "anchor.hpp"
#include "base/bytes.hpp"
#include "base/ids.hpp"
#include "crypto/secret.hpp"
#include "crypto/suites/suite.hpp"

namespace pqc_tunnel
{

/// The secret that a drone and its ground station share.
using Psk = SecretArray<32>;

/// A secret signing key.
struct SigningKey
{
  SignatureAlgorithm algorithm;
  SecretBytes secret;
};

/// Secret keys by algorithm.
using SigningKeys = std::map<SignatureAlgorithm, std::shared_ptr<const SecretBytes>>;
/// Public keys by algorithm.
using PublicKeys = std::map<SignatureAlgorithm, std::shared_ptr<const Bytes>>;

/// The identity of a drone: its id, the PSK, and the public keys of its ground station.
struct DroneIdentity
{
  std::string name;
  DroneId id;
  Psk psk;
  GcsId gcs_id;
  PublicKeys gcs_keys;                           ///< one per signature algorithm
  SigningKeys signing_keys;                      ///< mutual mode only
  std::shared_ptr<AnchorKeys> anchor = nullptr;  ///< null: it holds none
};

/// The ground station's record of one drone.
struct DroneRecord
{
  std::string name;
  DroneId id;
  Psk psk;
  PublicKeys drone_keys;                            ///< mutual mode only
  std::shared_ptr<AnchorSecrets> anchor = nullptr;  ///< null: none was ever made
};

/// The identity of a ground station.
struct GcsIdentity
{
  GcsId id;
  SigningKeys signing_keys;  ///< one per signature algorithm
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__WIRE__IDENTITY_HPP_
