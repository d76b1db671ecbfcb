// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__WIRE__IDENTITY_HPP_
#define PQC_TUNNEL__PROTOCOL__WIRE__IDENTITY_HPP_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "anchor.hpp"
#include "base/bytes.hpp"
#include "base/ids.hpp"
#include "base/result.hpp"
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

/// The place of keys.
class KeyStore
{
public:
  virtual ~KeyStore() = default;
  /// Erases them. Blocks; any thread.
  virtual Result<void> erase() = 0;
};

/// Keys, or those that they have replaced.
enum class KeyAge : std::uint8_t
{
  present,
  former,
};

/// What a drone may use with a ground station that does not know yet what replaced it.
struct FormerDroneKeys
{
  Psk psk;
  PublicKeys gcs_keys;
  SigningKeys signing_keys;
};

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
  std::optional<FormerDroneKeys> former = std::nullopt;
  std::shared_ptr<KeyStore> store = nullptr;  ///< of `former`; null: nothing is stored
  std::shared_ptr<KeyStore> all = nullptr;    ///< of the whole identity
};

/// What a drone may still use until it has proved what replaced it.
struct FormerKeys
{
  Psk psk;
  PublicKeys drone_keys;          ///< mutual mode only
  bool signing_too = false;       ///< the ground station's signing keys were replaced, too
  std::int64_t until_unix_s = 0;  ///< no session begins after that
};

/// The ground station's record of one drone.
struct DroneRecord
{
  std::string name;
  DroneId id;
  Psk psk;
  PublicKeys drone_keys;                            ///< mutual mode only
  std::shared_ptr<AnchorSecrets> anchor = nullptr;  ///< null: none was ever made
  std::optional<FormerKeys> former = std::nullopt;
  std::shared_ptr<KeyStore> store = nullptr;  ///< of `former`; null: nothing is stored
  std::uint16_t number = 0;                   ///< of its plaintext port
  /// No session begins with these keys after that; none: there is no such time.
  std::optional<std::int64_t> expires_unix_s = std::nullopt;
};

/// The identity of a ground station.
struct GcsIdentity
{
  GcsId id;
  SigningKeys signing_keys;              ///< one per signature algorithm
  SigningKeys former_signing_keys = {};  ///< those before, for drones with `signing_too`
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__WIRE__IDENTITY_HPP_
