// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "epoch_keys.hpp"

#include <algorithm>
#include <utility>

namespace pqc_tunnel
{

EpochKeys::EpochKeys(
  const Suite & suite, SessionId id, Epoch epoch, Role own_role, SessionSecrets secrets,
  std::size_t replay_window, Instant installed, std::uint64_t max_packets)
: suite_(&suite),
  header_suite_(header_suite(suite.wire_id)),
  id_(id),
  epoch_(epoch),
  installed_(installed),
  secrets_(std::move(secrets)),
  send_nonce_(nonce_base(
    own_role == Role::drone ? secrets_.drone_to_gcs_iv : secrets_.gcs_to_drone_iv, epoch)),
  receive_nonce_(nonce_base(
    own_role == Role::drone ? secrets_.gcs_to_drone_iv : secrets_.drone_to_gcs_iv, epoch)),
  send_key_(AeadKey::create(
    suite.aead,
    own_role == Role::drone ? secrets_.drone_to_gcs_key.view() : secrets_.gcs_to_drone_key.view())),
  receive_key_(AeadKey::create(
    suite.aead,
    own_role == Role::drone ? secrets_.gcs_to_drone_key.view() : secrets_.drone_to_gcs_key.view())),
  window_(replay_window),
  max_packets_(max_packets)
{
  // The AEADs and the nonces hold everything that is needed of them.
  for (SecretBytes * used :
       {&secrets_.drone_to_gcs_key, &secrets_.gcs_to_drone_key, &secrets_.drone_to_gcs_iv,
        &secrets_.gcs_to_drone_iv})
  {
    used->clear();
  }
}

// iv XOR (zeros ‖ epoch ‖ sequence), in two steps: first the part that all packets share.
EpochKeys::NonceBase EpochKeys::nonce_base(const SecretBytes & iv, Epoch epoch)
{
  NonceBase base;
  std::ranges::copy(iv.view(), base.span().begin());
  base.span()[iv.size() - 9] ^= static_cast<std::uint8_t>(epoch);
  return base;
}

ByteView EpochKeys::nonce(Nonce & buffer, const NonceBase & base, std::uint64_t sequence) const
{
  const std::size_t size = iv_size(suite_->aead);
  std::ranges::copy(base.view(), buffer.begin());
  for (std::size_t i = 0; i < 8; ++i) {
    buffer[size - 8 + i] ^= static_cast<std::uint8_t>(sequence >> (56 - 8 * i));
  }
  return {buffer.data(), size};
}

bool EpochKeys::seal(FrameType type, MutableBytes frame)
{
  if (used_up()) {
    return false;
  }
  const std::uint64_t sequence = next_sequence_++;
  const auto header = frame.first<frame_header_size>();
  encode({type, header_suite_, id_, sequence, epoch_}, header);
  const MutableBytes text =
    frame.subspan(frame_header_size, frame.size() - frame_header_size - tag_size);
  Nonce buffer;
  send_key_.seal_in_place(
    nonce(buffer, send_nonce_, sequence), header, text, frame.last<tag_size>());
  return true;
}

std::optional<Drop> EpochKeys::open(const FrameHeader & header, MutableBytes datagram)
{
  if (header.sequence >= max_packets_ || failures_ >= max_failures_per_key) {
    return Drop::decrypt_fail;
  }
  switch (window_.check(header.sequence)) {
    case ReplayVerdict::replayed:
      return Drop::replay;
    case ReplayVerdict::too_old:
      return Drop::seq_old;
    case ReplayVerdict::fresh:
      break;
  }
  const MutableBytes text =
    datagram.subspan(frame_header_size, datagram.size() - frame_header_size - tag_size);
  Nonce buffer;
  if (!receive_key_.open_in_place(
        nonce(buffer, receive_nonce_, header.sequence), datagram.first<frame_header_size>(), text,
        datagram.last<tag_size>()))
  {
    ++failures_;
    return Drop::auth_fail;
  }
  window_.commit(header.sequence);
  return std::nullopt;
}

}  // namespace pqc_tunnel
