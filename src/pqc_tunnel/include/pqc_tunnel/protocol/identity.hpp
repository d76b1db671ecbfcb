// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__IDENTITY_HPP_
#define PQC_TUNNEL__PROTOCOL__IDENTITY_HPP_

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "pqc_tunnel/base/bytes.hpp"
#include "pqc_tunnel/base/ids.hpp"
#include "pqc_tunnel/crypto/secret.hpp"
#include "pqc_tunnel/crypto/suite.hpp"

namespace pqc_tunnel
{

using Psk = SecretArray<32>;

struct SigningKey
{
  SignatureAlgorithm algorithm;
  SecretBytes secret;
};

using SigningKeys = std::map<SignatureAlgorithm, std::shared_ptr<const SecretBytes>>;
using PublicKeys = std::map<SignatureAlgorithm, std::shared_ptr<const Bytes>>;

// What a drone carries: who it is, the secret it shares with its ground station, and that station's public keys.
struct DroneIdentity
{
  std::string name;
  DroneId id;
  Psk psk;
  GcsId gcs_id;
  PublicKeys gcs_keys;       // one per signature algorithm
  SigningKeys signing_keys;  // mutual mode only
};

// What a ground station knows of one drone.
struct DroneRecord
{
  std::string name;
  DroneId id;
  Psk psk;
  PublicKeys drone_keys;  // mutual mode only
};

struct GcsIdentity
{
  GcsId id;
  SigningKeys signing_keys;  // one per signature algorithm
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__IDENTITY_HPP_
