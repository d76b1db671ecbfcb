// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef SUPPORT__HOSTILE__FALSE_GROUND_HPP_
#define SUPPORT__HOSTILE__FALSE_GROUND_HPP_

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "protocol/handshake/hello_messages.hpp"
#include "protocol/session/epoch_keys.hpp"
#include "protocol/streams/stream.hpp"
#include "protocol/wire/control_frame.hpp"
#include "support/pair/wired_pair.hpp"

namespace pqc_tunnel::test
{

// Has the drone's PSK and no other key, and answers its hellos and its boot frames as the ground station would.
class FalseGround
{
public:
  FalseGround(WiredPair & pair, const Suite & suite)
  : pair_(pair),
    suite_(suite),
    psk_(PskKeySet::derive(Identities::for_signature(suite.signature).record().psk))
  {
  }

  // The newest hello that the drone has sent to its ground station.
  const Bytes & hello() const
  {
    const auto & sent = pair_.datagrams_sent(Side::drone);
    const auto newest = std::ranges::find_if(
      sent.rbegin(), sent.rend(), [](const Bytes & bytes) { return is_hello(bytes); });
    EXPECT_NE(newest, sent.rend());
    return *newest;
  }
  Bytes retry(ByteView hello, std::uint8_t challenge) const
  {
    Random32 bytes = {};
    bytes.fill(challenge);
    return with_mac(encode_hello_retry(bytes), hello);
  }
  // Any reason, one that there is not too.
  Bytes reject(ByteView hello, std::uint8_t reason) const
  {
    Bytes message = encode_reject(RejectReason::failed);
    message.back() = reason;
    return with_mac(std::move(message), hello);
  }
  // Challenges the newest hello, and has the boot keys of the second one that answers.
  void challenge(std::uint8_t number = 1)
  {
    pair_.inject(Side::drone, retry(hello(), number));
    take_boot_keys();
  }
  // Those of the newest hello, which is a second one. `ahead`: frames that the ground station itself may have sent.
  void take_boot_keys(int ahead = 0)
  {
    const ClientHello second = parse_client_hello(hello());
    keys_ = std::make_unique<EpochKeys>(
      EpochName{&suite_, {}, {}}, Role::gcs,
      boot_secrets(psk(), suite_.aead, second.client_random, second.challenge), TunnelSettings{},
      pair_.now(), std::make_shared<PeerClock>());
    for (int i = 0; i < ahead; ++i) {
      seal(FrameKind::control, {});
    }
  }
  Opened say(const ControlFrame & frame) { return say(FrameKind::control, encode(frame)); }
  Opened say(FrameKind kind, ByteView text) { return pair_.inject(Side::drone, seal(kind, text)); }
  // A short message as the only part of a stream.
  Opened say_message(std::uint8_t id, ByteView message)
  {
    const StreamPart part{id, 0, 0, static_cast<std::uint32_t>(message.size()), message};
    return say(FrameKind::stream, encode(part));
  }
  Bytes seal(FrameKind kind, ByteView text)
  {
    Bytes frame(text.size() + frame_overhead);
    std::ranges::copy(text, frame.begin() + frame_header_size);
    keys_->seal(kind, frame, pair_.now());
    return frame;
  }

private:
  const PskKeys & psk() const { return psk_.of(suite_.wire_id); }
  Bytes with_mac(Bytes message, ByteView hello) const
  {
    append_mac(message, psk(), psk().retry, hello);
    return message;
  }

  WiredPair & pair_;
  const Suite & suite_;
  PskKeySet psk_;
  std::unique_ptr<EpochKeys> keys_;
};

}  // namespace pqc_tunnel::test

#endif  // SUPPORT__HOSTILE__FALSE_GROUND_HPP_
