// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__WIRE__KEY_SCHEDULE_HPP_
#define PQC_TUNNEL__PROTOCOL__WIRE__KEY_SCHEDULE_HPP_

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>

#include "base/bytes.hpp"
#include "base/ids.hpp"
#include "constants.hpp"
#include "crypto/hkdf.hpp"
#include "crypto/secret.hpp"
#include "crypto/suites/suite.hpp"
#include "identity.hpp"
#include "layers.hpp"
#include "wire.hpp"

namespace pqc_tunnel
{

/// A MAC of the protocol: an HMAC, cut to 32 bytes.
using Mac = std::array<std::uint8_t, mac_size>;
/// A SHA-512 digest.
using Digest = std::array<std::uint8_t, digest_size>;
/// 32 random bytes.
using Random32 = std::array<std::uint8_t, 32>;

/// The hash of HMAC and HKDF for a suite: SHA-384 at level 5, also if the suite is not known here.
Hash hash_of(const SuiteWireId & suite);

/// EL(s, label, ctx, L) of the protocol: HKDF-Expand over "u16 L ‖ u8 ‖ 'pqm3 ' label ‖ u8 ‖ ctx".
void expand_label(
  Hash hash, ByteView secret, std::string_view label, ByteView context, MutableBytes out);

/// Keys that both ends derive from the PSK alone, with one hash.
struct PskKeys
{
  Hash hash = Hash::sha256;
  SecretBytes hello;    ///< k_ch
  SecretBytes retry;    ///< k_hr, also for rejects
  SecretBytes finish;   ///< k_cf
  SecretBytes boot;     ///< seed of the boot keys
  SecretBytes derived;  ///< EL(ES, "derived"), seed of the rest
  SecretBytes erase;    ///< proves a request to erase all keys

  /// Derives all keys. Any thread.
  static PskKeys derive(const Psk & psk, Hash hash);
};

/// PskKeys with either hash.
struct PskKeySet
{
  PskKeys sha256;
  PskKeys sha384;

  static PskKeySet derive(const Psk & psk);
  const PskKeys & of(const SuiteWireId & suite) const
  {
    return hash_of(suite) == Hash::sha384 ? sha384 : sha256;
  }
};

using SharedPskKeys = std::shared_ptr<const PskKeySet>;

/// Derives the keys of a PSK. Those of the same PSK among `known`, by the member `psk`, stay the same object.
template <class Credentials>
SharedPskKeys derive_psk_keys(const Psk & psk, const Credentials & known)
{
  auto derived = std::make_shared<const PskKeySet>(PskKeySet::derive(psk));
  for (const auto & one : known) {
    if (constant_time_equal(one.psk->sha256.derived.view(), derived->sha256.derived.view())) {
      return one.psk;
    }
  }
  return derived;
}

/// The secrets of one epoch, in both directions, and what identifies it.
struct EpochSecrets
{
  SecretBytes drone_to_gcs_key;
  SecretBytes gcs_to_drone_key;
  SecretBytes drone_to_gcs_iv;
  SecretBytes gcs_to_drone_iv;
  FrameKeyId drone_to_gcs_id{};
  FrameKeyId gcs_to_drone_id{};
  SessionId session;       ///< for a new session; a rekey keeps its own
  SecretBytes resumption;  ///< rms: input to the next rekey's schedule; empty for boot keys
  Digest transcript = {};  ///< th3
  Layers layers;           ///< what all of it depends on; empty for boot keys
};

/// What proves that the ground station of this PSK asks to erase all keys, in this session and transaction only.
Mac erase_mac(const PskKeys & psk, const SessionId & session, std::uint32_t transaction);

/// The keys of the messages before epoch 0: from the PSK, the drone's random value and the challenge.
EpochSecrets boot_secrets(
  const PskKeys & psk, AeadAlgorithm aead, const Random32 & client_random,
  const Random32 & challenge);

/// The name of an rms in a ClientHello. `hash` is that of its epoch.
FormerId former_id(Hash hash, const SecretBytes & resumption);

/// RS: the PSK and what the ends share beside the key exchange that follows.
class ResumedSecret
{
public:
  /// `resumption` is the rms of the epoch being rekeyed.
  static ResumedSecret of_rekey(const PskKeys & psk, const SecretBytes & resumption);
  /// `anchor` is the secret that the drone encapsulated to the anchor, `former` the rms of a former session; each may be
  /// empty. Of a ratchet with a one-time key, too: there `former` is the rms of the live epoch.
  static ResumedSecret of_session(
    const PskKeys & psk, const SecretBytes & anchor, const SecretBytes & former);

  /// The MAC key of RATCHET ("rat d") or RATCHET_OK ("rat g").
  SecretBytes ratchet_key(std::string_view label) const;
  /// The salt of the next step.
  SecretBytes salt() const;
  Hash hash() const { return hash_; }

private:
  ResumedSecret(const PskKeys & psk, ByteView input);

  Hash hash_;
  SecretBytes secret_;
};

/// HS: the key schedule after a key exchange or a ratchet.
class HandshakeSecrets
{
public:
  /// `x25519_secret` is null without the hybrid mode.
  HandshakeSecrets(
    const ResumedSecret & resumed, const SecretBytes & kem_secret,
    const SecretBytes * x25519_secret);
  /// Of a ratchet.
  HandshakeSecrets(
    const ResumedSecret & resumed, const Random32 & drone_random, const Random32 & gcs_random);

  /// kfd: the MAC key of Finish.
  SecretBytes drone_finish_key(const Digest & th2) const;
  /// kfg: the MAC key of CONFIRM.
  SecretBytes gcs_finish_key(const Digest & th2) const;
  /// The secrets of the epoch, from the hash of everything exchanged for it.
  EpochSecrets epoch_secrets(AeadAlgorithm aead, const Digest & th3) const;

private:
  Hash hash_;
  SecretBytes secret_;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__WIRE__KEY_SCHEDULE_HPP_
