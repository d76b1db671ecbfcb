// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "epoch_keys.hpp"

#include <endian.h>

#include <algorithm>
#include <cstring>
#include <utility>

#ifdef PQC_TUNNEL_KEY_LOG
#include "key_log.hpp"
#endif

namespace pqc_tunnel
{
namespace
{

// A slower answer is no proof, because a frame that is half a period old must not seem young.
constexpr Duration longest_question = send_time_period / 16;

#ifdef PQC_TUNNEL_KEY_LOG
const EpochName & logged(const EpochName & name, const EpochSecrets & secrets)
{
  log_keys(*name.suite, name.epoch, secrets);
  return name;
}
#else
const EpochName & logged(const EpochName & name, const EpochSecrets & /*secrets*/) { return name; }
#endif

}  // namespace

EpochKeys::EpochKeys(
  const EpochName & name, Role own_role, EpochSecrets secrets, const TunnelSettings & settings,
  Instant installed, std::shared_ptr<PeerClock> clock)
: name_(logged(name, secrets)),
  installed_(installed),
  send_id_(own_role == Role::drone ? secrets.drone_to_gcs_id : secrets.gcs_to_drone_id),
  receive_id_(own_role == Role::drone ? secrets.gcs_to_drone_id : secrets.drone_to_gcs_id),
  send_nonce_(nonce_base(
    own_role == Role::drone ? secrets.drone_to_gcs_iv : secrets.gcs_to_drone_iv, name.epoch)),
  receive_nonce_(nonce_base(
    own_role == Role::drone ? secrets.gcs_to_drone_iv : secrets.drone_to_gcs_iv, name.epoch)),
  send_key_(AeadKey::create(
    name.suite->aead,
    (own_role == Role::drone ? secrets.drone_to_gcs_key : secrets.gcs_to_drone_key).view())),
  receive_key_(AeadKey::create(
    name.suite->aead,
    (own_role == Role::drone ? secrets.gcs_to_drone_key : secrets.drone_to_gcs_key).view())),
  resumption_(std::move(secrets.resumption)),
  transcript_(secrets.transcript),
  layers_(std::move(secrets.layers)),
  families_(quantum_safe_families(layers_)),
  clock_(std::move(clock)),
  proven_{0, installed},
  next_proven_{0, installed},
  max_age_(settings.max_age),
  window_(settings.replay_window),
  freshness_(settings.max_age),
  limits_(settings.packet_limits)
{
}

// The nonce is iv XOR (zeros ‖ epoch ‖ sequence). This is the part that all packets share.
SecretArray<16> EpochKeys::nonce_base(const SecretBytes & iv, Epoch epoch)
{
  SecretArray<16> base;
  std::ranges::copy(iv.view(), base.span().begin());
  base.span()[iv.size() - 9] ^= static_cast<std::uint8_t>(epoch);
  return base;
}

[[gnu::hot]] ByteView EpochKeys::nonce(
  Nonce & buffer, const SecretArray<16> & base, std::uint64_t sequence) const
{
  std::memcpy(buffer.data(), base.view().data(), buffer.size());
  const std::size_t size = send_key_.nonce_size();
  std::uint64_t low = 0;
  std::memcpy(&low, buffer.data() + size - sizeof(low), sizeof(low));
  low ^= htobe64(sequence);
  std::memcpy(buffer.data() + size - sizeof(low), &low, sizeof(low));
  return {buffer.data(), size};
}

[[gnu::hot]] bool EpochKeys::seal(FrameKind kind, MutableBytes frame, Instant now)
{
  if (used_up()) [[unlikely]] {
    return false;
  }
  const std::uint64_t sequence = next_sequence_++;
  const auto header = frame.first<frame_header_size>();
  encode(send_id_, sequence, header);
  const MutableBytes text =
    frame.subspan(frame_header_size, frame.size() - frame_header_size - tag_size);
  write_trailer(text.last<trailer_size>(), send_time(now), kind);
  Nonce buffer;
  send_key_.seal_in_place(
    nonce(buffer, send_nonce_, sequence), header, text, frame.last<tag_size>());
  return true;
}

[[gnu::hot]] EpochKeys::Opened EpochKeys::open(
  const FrameHeader & header, MutableBytes datagram, Instant now)
{
  const std::uint64_t sequence = restore_sequence(header.sequence, window_.highest());
  if (sequence >= limits_.refuse || failures_ >= limits_.failures) [[unlikely]] {
    return {Drop::decrypt_fail};
  }
  switch (window_.check(sequence)) {
    case ReplayVerdict::replayed:
      return {Drop::replay};
    case ReplayVerdict::too_old:
      return {Drop::seq_old};
    case ReplayVerdict::fresh:
      break;
  }
  if (now >= refuse_from_ || freshness_.is_late(sequence, now)) [[unlikely]] {
    return {Drop::seq_old};
  }
  const MutableBytes text =
    datagram.subspan(frame_header_size, datagram.size() - frame_header_size - tag_size);
  Nonce buffer;
  if (!receive_key_.open_in_place(
        nonce(buffer, receive_nonce_, sequence), datagram.first<frame_header_size>(), text,
        datagram.last<tag_size>()))
  {
    ++failures_;
    return {Drop::auth_fail};
  }
  window_.commit(sequence);
  freshness_.note(sequence, now);
  const SendTime sent = read_send_time(text.last<trailer_size>());
  // The peer uses keys only after this end has installed them, except for WIPED, which it seals under all keys.
  if (!clock_->answered() && now < installed_ + longest_question) [[unlikely]] {
    clock_->note_sealed(sent, installed_, now);
  }
  const bool stale = !is_proven(sequence, now) || !clock_->is_young(sent, max_age_, now);
  return {std::nullopt, sequence, sent, stale, text.back()};
}

// --- The age of frames ---

// True if the frame is younger than half a period of its time: it was sealed after a recent answer, or after the keys.
[[gnu::hot]] bool EpochKeys::is_proven(std::uint64_t sequence, Instant now) const
{
  return sequence >= proven_.from && now < proven_.after + send_time_period / 2;
}

void EpochKeys::note_answer(const Opened & answer, Instant asked, Instant now)
{
  if (asked > now || now >= asked + longest_question) {
    return;
  }
  clock_->note_answer(answer.sent, asked, now);
  if (asked >= next_proven_.after + send_time_period / 8) {
    const Sealed newest{answer.sequence, asked};
    proven_ = asked < next_proven_.after + send_time_period / 4 ? next_proven_ : newest;
    next_proven_ = newest;
  }
}

}  // namespace pqc_tunnel
