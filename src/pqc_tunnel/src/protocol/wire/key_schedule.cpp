// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "key_schedule.hpp"

#include <algorithm>

#include "base/byte_io.hpp"

namespace pqc_tunnel
{
namespace
{

constexpr std::uint8_t level_5 = 3;  // of the KEM's parameter, below the revision

SecretBytes expand(
  Hash hash, ByteView secret, std::string_view label, ByteView context, std::size_t size)
{
  SecretBytes out(size);
  expand_label(hash, secret, label, context, out.span());
  return out;
}

SecretBytes expand(Hash hash, ByteView secret, std::string_view label, ByteView context = {})
{
  return expand(hash, secret, label, context, hash_size(hash));
}

FrameKeyId expand_id(Hash hash, ByteView secret, std::string_view label, ByteView context)
{
  std::array<std::uint8_t, 3> bytes = {};
  expand_label(hash, secret, label, context, bytes);
  return frame_key_id(bytes);
}

// Keys, IVs and ids of both directions.
EpochSecrets directions(Hash hash, ByteView secret, AeadAlgorithm aead, ByteView context)
{
  EpochSecrets out;
  out.drone_to_gcs_key = expand(hash, secret, "d2g key", context, key_size(aead));
  out.gcs_to_drone_key = expand(hash, secret, "g2d key", context, key_size(aead));
  out.drone_to_gcs_iv = expand(hash, secret, "d2g iv", context, iv_size(aead));
  out.gcs_to_drone_iv = expand(hash, secret, "g2d iv", context, iv_size(aead));
  out.drone_to_gcs_id = expand_id(hash, secret, "d2g id", context);
  out.gcs_to_drone_id = expand_id(hash, secret, "g2d id", context);
  return out;
}

// Appends "u16 length ‖ secret" to a secret input.
MutableBytes put(MutableBytes out, ByteView secret)
{
  out[0] = static_cast<std::uint8_t>(secret.size() >> 8);
  out[1] = static_cast<std::uint8_t>(secret.size());
  std::ranges::copy(secret, out.begin() + 2);
  return out.subspan(2 + secret.size());
}

SecretBytes joined(ByteView first, ByteView second)
{
  SecretBytes both(2 + first.size() + 2 + second.size());
  put(put(both.span(), first), second);
  return both;
}

}  // namespace

Hash hash_of(const SuiteWireId & suite)
{
  return (suite.kem_param & 0x0f) == level_5 ? Hash::sha384 : Hash::sha256;
}

void expand_label(
  Hash hash, ByteView secret, std::string_view label, ByteView context, MutableBytes out)
{
  Bytes info;
  ByteWriter(info)
    .u16(static_cast<std::uint16_t>(out.size()))
    .u8(static_cast<std::uint8_t>(schedule_label_prefix.size() + label.size()))
    .text(schedule_label_prefix)
    .text(label)
    .u8(static_cast<std::uint8_t>(context.size()))
    .bytes(context);
  hkdf_expand(hash, secret, info, out);
}

PskKeys PskKeys::derive(const Psk & psk, Hash hash)
{
  const Bytes zeros(hash_size(hash));
  const SecretBytes early = hkdf_extract(hash, zeros, psk.view());
  return {
    hash,
    expand(hash, early.view(), "ch"),
    expand(hash, early.view(), "hr"),
    expand(hash, early.view(), "cf"),
    expand(hash, early.view(), "boot"),
    expand(hash, early.view(), "derived"),
    expand(hash, early.view(), "erase")};
}

PskKeySet PskKeySet::derive(const Psk & psk)
{
  return {PskKeys::derive(psk, Hash::sha256), PskKeys::derive(psk, Hash::sha384)};
}

Mac erase_mac(const PskKeys & psk, const SessionId & session, std::uint32_t transaction)
{
  Bytes message;
  ByteWriter(message).text("erase").id(session).u32(transaction);
  return hmac(psk.hash, psk.erase.view(), {message});
}

EpochSecrets boot_secrets(
  const PskKeys & psk, AeadAlgorithm aead, const Random32 & client_random,
  const Random32 & challenge)
{
  Bytes input;
  ByteWriter(input).bytes(client_random).bytes(challenge);
  const SecretBytes secret = hkdf_extract(psk.hash, psk.boot.view(), input);
  return directions(psk.hash, secret.view(), aead, {});
}

FormerId former_id(Hash hash, const SecretBytes & resumption)
{
  FormerId id;
  expand_label(hash, resumption.view(), "former", {}, id.bytes);
  return id;
}

ResumedSecret::ResumedSecret(const PskKeys & psk, ByteView input)
: hash_(psk.hash), secret_(hkdf_extract(hash_, psk.derived.view(), input))
{
}

ResumedSecret ResumedSecret::of_rekey(const PskKeys & psk, const SecretBytes & resumption)
{
  return {psk, resumption.view()};
}

ResumedSecret ResumedSecret::of_session(
  const PskKeys & psk, const SecretBytes & anchor, const SecretBytes & former)
{
  if (anchor.size() == 0 && former.size() == 0) {
    return {psk, Bytes(hash_size(psk.hash))};
  }
  return {psk, joined(anchor.view(), former.view()).view()};
}

SecretBytes ResumedSecret::ratchet_key(std::string_view label) const
{
  return expand(hash_, secret_.view(), label);
}

SecretBytes ResumedSecret::salt() const { return expand(hash_, secret_.view(), "derived"); }

HandshakeSecrets::HandshakeSecrets(
  const ResumedSecret & resumed, const SecretBytes & kem_secret, const SecretBytes * x25519_secret)
: hash_(resumed.hash())
{
  const ByteView classical = x25519_secret != nullptr ? x25519_secret->view() : ByteView();
  secret_ = hkdf_extract(hash_, resumed.salt().view(), joined(kem_secret.view(), classical).view());
}

HandshakeSecrets::HandshakeSecrets(
  const ResumedSecret & resumed, const Random32 & drone_random, const Random32 & gcs_random)
: hash_(resumed.hash())
{
  Bytes input;
  ByteWriter(input).text("ratchet").bytes(drone_random).bytes(gcs_random);
  secret_ = hkdf_extract(hash_, resumed.salt().view(), input);
}

SecretBytes HandshakeSecrets::drone_finish_key(const Digest & th2) const
{
  return expand(hash_, secret_.view(), "fin d", th2);
}

SecretBytes HandshakeSecrets::gcs_finish_key(const Digest & th2) const
{
  return expand(hash_, secret_.view(), "fin g", th2);
}

EpochSecrets HandshakeSecrets::epoch_secrets(AeadAlgorithm aead, const Digest & th3) const
{
  EpochSecrets out = directions(hash_, secret_.view(), aead, th3);
  expand_label(hash_, secret_.view(), "sid", th3, out.session.bytes);
  out.resumption = expand(hash_, secret_.view(), "rms", th3);
  out.transcript = th3;
  return out;
}

}  // namespace pqc_tunnel
