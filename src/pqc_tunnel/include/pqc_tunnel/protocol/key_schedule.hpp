// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__KEY_SCHEDULE_HPP_
#define PQC_TUNNEL__PROTOCOL__KEY_SCHEDULE_HPP_

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "pqc_tunnel/base/bytes.hpp"
#include "pqc_tunnel/crypto/hkdf.hpp"
#include "pqc_tunnel/crypto/secret.hpp"
#include "pqc_tunnel/crypto/suite.hpp"
#include "pqc_tunnel/protocol/constants.hpp"
#include "pqc_tunnel/protocol/identity.hpp"

namespace pqc_tunnel
{

/// A secret of 32 bytes.
using Key32 = SecretArray<32>;
/// An HMAC-SHA256.
using Mac = std::array<std::uint8_t, mac_size>;
/// A SHA-512 digest.
using Digest = std::array<std::uint8_t, digest_size>;

/// EL(s, label, ctx, L) of the protocol: HKDF-Expand over "u16 L ‖ u8 ‖ 'pqm2 ' label ‖ u8 ‖ ctx".
void expand_label(const Key32 & secret, std::string_view label, ByteView context, MutableBytes out);

/// Keys that both ends derive from the PSK alone: the MAC keys of handshake messages, and the seed of the
/// schedule.
struct PskKeys
{
  Key32 hello;         ///< k_ch
  Key32 retry;         ///< k_hr, also for rejects
  Key32 server_hello;  ///< k_sh
  Key32 finish;        ///< k_cf
  Key32 derived;       ///< EL(ES, "derived")

  /// Derives all keys. Any thread.
  static PskKeys derive(const Psk & psk);
};

/// The secrets of one epoch, in both directions. Keys and IVs have full length; the AEAD uses their first
/// bytes.
struct SessionSecrets
{
  SecretBytes drone_to_gcs_key;
  SecretBytes gcs_to_drone_key;
  SecretBytes drone_to_gcs_iv;
  SecretBytes gcs_to_drone_iv;
  SessionId session;                              ///< for a new session; a rekey keeps its own
  Key32 resumption;                               ///< rms: input to the next rekey's schedule
  std::array<std::uint8_t, 16> transcript_tag{};  ///< th3[0:16], named in COMMIT
};

/// The key schedule after the key exchange. `resumption` is the rms of the session being rekeyed, null for a
/// new session; `x25519_secret` is null without the hybrid mode.
class HandshakeSecrets
{
public:
  HandshakeSecrets(
    const PskKeys & psk, const Key32 * resumption, const SecretBytes & kem_secret,
    const SecretBytes * x25519_secret);

  /// The MAC key of ClientFinish.
  Key32 drone_finish_key(const Digest & th2) const { return finish_key("fin d", th2); }
  /// The MAC key of ServerFinish.
  Key32 gcs_finish_key(const Digest & th2) const { return finish_key("fin g", th2); }
  /// The secrets of the epoch, from the hash of the whole handshake.
  SessionSecrets session_secrets(AeadAlgorithm aead, const Digest & th3) const;

private:
  Key32 finish_key(std::string_view label, const Digest & th2) const;
  SecretBytes expand(std::string_view label, const Digest & th3, std::size_t size) const;

  Key32 secret_;  ///< HS
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__KEY_SCHEDULE_HPP_
