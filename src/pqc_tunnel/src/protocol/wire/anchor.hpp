// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__WIRE__ANCHOR_HPP_
#define PQC_TUNNEL__PROTOCOL__WIRE__ANCHOR_HPP_

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include "base/bytes.hpp"
#include "base/ids.hpp"
#include "base/result.hpp"
#include "crypto/hkdf.hpp"
#include "crypto/secret.hpp"
#include "crypto/suites/suite.hpp"

namespace pqc_tunnel
{

/// The public description of a key of the ground station's anchor.
struct AnchorKind
{
  KemAlgorithm kem{};
  bool one_time = false;  ///< otherwise the last-resort key

  friend bool operator==(const AnchorKind &, const AnchorKind &) = default;
};

/// "a one-time key of Classic McEliece 460896"
inline std::string to_text(const AnchorKind & kind)
{
  return (kind.one_time ? "a one-time key of " : "the last-resort key of ") +
         std::string(display_name(kind.kem));
}

/// The KEMs of anchors, lightest first.
inline constexpr std::array anchor_kems{
  KemAlgorithm::classic_mceliece_348864, KemAlgorithm::classic_mceliece_460896,
  KemAlgorithm::classic_mceliece_8192128};

/// The size in bytes of the id and the ciphertext that a Finish or a RATCHET carries.
inline std::size_t anchor_size(KemAlgorithm kem)
{
  return AnchorId::size + kem_sizes(kem).ciphertext;
}
inline std::size_t longest_anchor() { return anchor_size(anchor_kems.back()); }

/// The name of a public key in a Finish or a RATCHET.
inline AnchorId anchor_id(ByteView public_key)
{
  AnchorId id;
  std::ranges::copy_n(sha512(public_key).begin(), AnchorId::size, id.bytes.begin());
  return id;
}

/// Which key of the anchor a drone takes.
enum class AnchorChoice : std::uint8_t
{
  one_time_first,  ///< the last-resort key if no one-time key is left
  one_time_only,
  last_resort_first,  ///< a one-time key if there is no last-resort key
};

/// Says that a drone has used up its one-time keys.
inline constexpr const char * no_one_time_key =
  "no one-time key of the anchor of the suite's level is left: pqc identity anchor makes new ones";

/// The public keys of the anchor that a drone holds.
class AnchorKeys
{
public:
  struct Taken
  {
    AnchorKind kind;
    Bytes public_key;
  };

  AnchorKeys() = default;
  AnchorKeys(const AnchorKeys &) = delete;
  AnchorKeys & operator=(const AnchorKeys &) = delete;
  virtual ~AnchorKeys() = default;

  /// Jobs call it, so it may block; one thread at a time. Takes the last-resort key, or the next one-time key, which it notes for good as used before it returns. The KEM of a
  /// one-time key has at least this level, that of the last-resort key if there is such a key.
  virtual Result<Taken> take(AnchorChoice choice, SecurityLevel level) = 0;
  /// Returns false if it is known that no one-time key of this level is left. Does not block; any thread.
  virtual bool may_have_one_time_key(SecurityLevel level) const = 0;
};

/// The secret keys of the anchor that a ground station holds for one drone. Jobs call it, so it may block; any thread.
class AnchorSecrets
{
public:
  struct Found
  {
    AnchorKind kind;
    SecretBytes secret_key;
  };

  AnchorSecrets() = default;
  AnchorSecrets(const AnchorSecrets &) = delete;
  AnchorSecrets & operator=(const AnchorSecrets &) = delete;
  virtual ~AnchorSecrets() = default;

  /// Looks a key up. Error `unavailable` if there is none of that name, or if it was used.
  virtual Result<Found> find(const AnchorId & id) = 0;
  /// Erases a one-time key, and those before it, for good.
  virtual Result<void> erase(const AnchorId & id) = 0;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__WIRE__ANCHOR_HPP_
