// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef SUPPORT__HOSTILE__PSK_THIEF_HPP_
#define SUPPORT__HOSTILE__PSK_THIEF_HPP_

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "protocol/handshake/hello_messages.hpp"
#include "protocol/session/epoch_keys.hpp"
#include "protocol/streams/stream.hpp"
#include "protocol/wire/control_frame.hpp"
#include "support/pair/wired_pair.hpp"

namespace pqc_tunnel::test
{

// Has the drone's PSK and no other key: begins sessions at the ground station from addresses of its own, and goes no
// further.
class PskThief
{
public:
  PskThief(WiredPair & pair, const TunnelSettings & settings)
  : pair_(pair),
    record_(Identities::for_signature(settings.initial_suite->signature).record()),
    psk_(PskKeySet::derive(record_.psk))
  {
    hello_.drone_id = record_.id;
    hello_.suite = settings.initial_suite->wire_id;
    hello_.mode = settings.mode.to_wire();
    hello_.policy_hash = settings.suites.hash(settings.mode);
  }

  // What its hellos say.
  ClientHello & hello() { return hello_; }
  void begin_session(const Endpoint & from)
  {
    pair_.random().fill(hello_.client_random);
    prove(from);
  }
  // The newest session, from this address, too.
  void prove(const Endpoint & from)
  {
    hello_.challenge = {};
    pair_.inject(Side::gcs, frame(), from);
    auto & answers = pair_.sent_elsewhere(Side::gcs);
    if (!answers.empty() && answers.back().first == from && is_hello(answers.back().second)) {
      hello_.challenge = parse_hello_retry(answers.back().second);
      make_boot_keys();
      answers.clear();
      pair_.inject(Side::gcs, frame(), from);
      return;
    }
    answers.clear();
  }
  // Its newest hello.
  Bytes frame()
  {
    Bytes bytes = encode(hello_);
    append_mac(bytes, psk_.of(hello_.suite), psk_.of(hello_.suite).hello);
    return bytes;
  }
  // Sends a frame under the boot keys of its newest session.
  Opened say(FrameKind kind, ByteView text, const Endpoint & from)
  {
    Bytes sealed(text.size() + frame_overhead);
    std::ranges::copy(text, sealed.begin() + frame_header_size);
    boot_->seal(kind, sealed, pair_.now());
    return pair_.inject(Side::gcs, sealed, from);
  }
  // A key message in one part, the n-th.
  void say_message(std::uint8_t n, const Bytes & message, const Endpoint & from)
  {
    const auto size = static_cast<std::uint32_t>(message.size());
    say(FrameKind::stream, encode(StreamPart{n, 0, 0, size, message}), from);
  }
  // The control frames that the ground station has sent it since the last call.
  std::vector<ControlFrame> answers()
  {
    std::vector<ControlFrame> found;
    for (auto & [to, bytes] : std::exchange(pair_.sent_elsewhere(Side::gcs), {})) {
      const auto header = decode_frame_header(bytes);
      if (!header || header->key_id != boot_->receive_id()) {
        continue;
      }
      const auto opened = boot_->open(*header, bytes, pair_.now());
      const auto frame = opened.drop || opened.kind != static_cast<std::uint8_t>(FrameKind::control)
                           ? std::nullopt
                           : decode_control(EpochKeys::payload(bytes));
      if (frame) {
        found.push_back(*frame);
      }
    }
    return found;
  }

private:
  void make_boot_keys()
  {
    const Suite * suite = registry().find(hello_.suite);
    if (suite == nullptr) {
      return;
    }
    boot_ = std::make_unique<EpochKeys>(
      EpochName{suite, {}, {}}, Role::drone,
      boot_secrets(psk_.of(hello_.suite), suite->aead, hello_.client_random, hello_.challenge),
      TunnelSettings{}, pair_.now(), std::make_shared<PeerClock>());
  }

  WiredPair & pair_;
  DroneRecord record_;
  PskKeySet psk_;
  ClientHello hello_;
  std::unique_ptr<EpochKeys> boot_;
};

}  // namespace pqc_tunnel::test

#endif  // SUPPORT__HOSTILE__PSK_THIEF_HPP_
