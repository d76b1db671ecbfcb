// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "pqc_tunnel/protocol/key_schedule.hpp"

#include "base/byte_io.hpp"
#include "pqc_tunnel/crypto/aead.hpp"

namespace pqc_tunnel
{
namespace
{

Key32 expand_key(const Key32 & secret, std::string_view label, ByteView context = {})
{
  Key32 out;
  expand_label(secret, label, context, out.span());
  return out;
}

}  // namespace

void expand_label(const Key32 & secret, std::string_view label, ByteView context, MutableBytes out)
{
  Bytes info;
  ByteWriter(info)
    .u16(static_cast<std::uint16_t>(out.size()))
    .u8(static_cast<std::uint8_t>(schedule_label_prefix.size() + label.size()))
    .text(schedule_label_prefix)
    .text(label)
    .u8(static_cast<std::uint8_t>(context.size()))
    .bytes(context);
  hkdf_expand(secret.view(), info, out);
}

PskKeys PskKeys::derive(const Psk & psk)
{
  const std::array<std::uint8_t, 32> zeros = {};
  const Key32 early = hkdf_extract(zeros, psk.view());
  return {
    expand_key(early, "ch"), expand_key(early, "hr"), expand_key(early, "sh"),
    expand_key(early, "cf"), expand_key(early, "derived")};
}

HandshakeSecrets::HandshakeSecrets(
  const PskKeys & psk, const Key32 * resumption, const SecretBytes & kem_secret,
  const SecretBytes * x25519_secret)
{
  const std::array<std::uint8_t, 32> zeros = {};
  const Key32 resumed =
    hkdf_extract(psk.derived.view(), resumption != nullptr ? resumption->view() : ByteView(zeros));
  const Key32 salt = expand_key(resumed, "derived");

  const std::size_t classical = x25519_secret != nullptr ? x25519_secret->size() : 0;
  SecretBytes input(2 + kem_secret.size() + 2 + classical);
  MutableBytes out = input.span();
  const auto put = [&out](ByteView secret) {
    out[0] = static_cast<std::uint8_t>(secret.size() >> 8);
    out[1] = static_cast<std::uint8_t>(secret.size());
    std::ranges::copy(secret, out.begin() + 2);
    out = out.subspan(2 + secret.size());
  };
  put(kem_secret.view());
  put(x25519_secret != nullptr ? x25519_secret->view() : ByteView());
  secret_ = hkdf_extract(salt.view(), input.view());
}

Key32 HandshakeSecrets::finish_key(std::string_view label, const Digest & th2) const
{
  return expand_key(secret_, label, th2);
}

SecretBytes HandshakeSecrets::expand(
  std::string_view label, const Digest & th3, std::size_t size) const
{
  SecretBytes out(size);
  expand_label(secret_, label, th3, out.span());
  return out;
}

SessionSecrets HandshakeSecrets::session_secrets(AeadAlgorithm aead, const Digest & th3) const
{
  SessionSecrets out;
  out.drone_to_gcs_key = expand("d2g key", th3, key_size(aead));
  out.gcs_to_drone_key = expand("g2d key", th3, key_size(aead));
  out.drone_to_gcs_iv = expand("d2g iv", th3, iv_size(aead));
  out.gcs_to_drone_iv = expand("g2d iv", th3, iv_size(aead));
  expand_label(secret_, "sid", th3, out.session.bytes);
  out.resumption = expand_key(secret_, "rms", th3);
  std::copy_n(th3.begin(), out.transcript_tag.size(), out.transcript_tag.begin());
  return out;
}

}  // namespace pqc_tunnel
