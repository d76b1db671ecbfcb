// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef SUPPORT__HOSTILE__INSIDER_HPP_
#define SUPPORT__HOSTILE__INSIDER_HPP_

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "protocol/session/epoch_keys.hpp"
#include "protocol/streams/stream.hpp"
#include "protocol/wire/control_frame.hpp"
#include "support/pair/session_secrets.hpp"
#include "support/pair/wired_pair.hpp"

namespace pqc_tunnel::test
{

// Knows the keys of a pair's first session and sends, as either end, frames that this end would never send.
class Insider
{
public:
  // Its own; far beyond those of the end itself.
  static constexpr std::uint64_t first_sequence = 20'000;

  // Make it before the pair is established.
  explicit Insider(WiredPair & pair) : pair_(pair)
  {
    pair.set_job_filter([this](Side, Job & job) -> std::optional<JobResult> {
      if (const auto * issue = std::get_if<IssuePrekey>(&job)) {
        const Suite & suite = *issue->keys.suite;
        const HandshakeMode mode = issue->keys.mode;
        JobResult result = run_job(std::move(job), pair_.random());
        note_prekey(std::get<IssuedPrekey>(result), suite, mode);
        return result;
      }
      auto * complete = std::get_if<CompleteFinish>(&job);
      if (complete == nullptr || !sessions_.empty()) {
        return std::nullopt;
      }
      const Suite & suite = *complete->suite;
      JobResult result = run_job(std::move(job), pair_.random());
      if (auto * done = std::get_if<FinishCompleted>(&result)) {
        for (const Side side : both_sides) {
          const Role role = side == Side::drone ? Role::drone : Role::gcs;
          sessions_[side] = std::make_unique<EpochKeys>(
            EpochName{&suite, done->secrets.session, Epoch{0}}, role, copy_of(done->secrets),
            TunnelSettings{}, Instant{}, std::make_shared<PeerClock>());
          skip(side, first_sequence);
        }
      }
      return result;
    });
  }

  Bytes seal(Side as, FrameKind kind, ByteView text)
  {
    Bytes frame(text.size() + frame_overhead);
    std::ranges::copy(text, frame.begin() + frame_header_size);
    sessions_.at(as)->seal(kind, frame, pair_.now());
    return frame;
  }
  // Sends a frame to the other end, from the address of `as`.
  Opened say(Side as, const ControlFrame & frame) { return say_control(as, encode(frame)); }
  Opened say_control(Side as, ByteView text)
  {
    return pair_.inject(other(as), seal(as, FrameKind::control, text));
  }
  // A message as the frames of a stream, for the other end's foreground. Ids count up.
  std::vector<Bytes> seal_message(Side as, std::uint8_t id, ByteView message)
  {
    std::vector<Bytes> frames;
    for (std::size_t at = 0; at < message.size(); at += part_size) {
      const ByteView bytes = message.subspan(at, std::min(part_size, message.size() - at));
      const StreamPart part{
        id, static_cast<std::uint16_t>(frames.size()), static_cast<std::uint32_t>(at),
        static_cast<std::uint32_t>(message.size()), bytes};
      frames.push_back(seal(as, FrameKind::stream, encode(part)));
    }
    return frames;
  }
  void say_message(Side as, std::uint8_t id, ByteView message)
  {
    for (const Bytes & frame : seal_message(as, id, message)) {
      EXPECT_TRUE(pair_.inject(other(as), frame).peer);
    }
  }
  // A control frame that the other end sends to `as`; each can be read once.
  std::optional<ControlFrame> read_control(Side as, ByteView datagram)
  {
    Bytes copy(datagram.begin(), datagram.end());
    const auto header = decode_frame_header(copy);
    if (!header || header->key_id != keys(as).receive_id()) {
      return std::nullopt;
    }
    const auto opened = keys(as).open(*header, copy, pair_.now());
    return !opened.drop && opened.kind == static_cast<std::uint8_t>(FrameKind::control)
             ? decode_control(EpochKeys::payload(copy))
             : std::nullopt;
  }
  // The newest prekey that was made for the drone, for suites of this kind.
  const VerifiedPrekey & prekey(const Suite & suite) const
  {
    const auto found = std::find_if(prekeys_.rbegin(), prekeys_.rend(), [&](const auto & prekey) {
      return PrekeyKind(*prekey.suite) == PrekeyKind(suite);
    });
    EXPECT_NE(found, prekeys_.rend());
    return *found;
  }
  EpochKeys & keys(Side as) { return *sessions_.at(as); }

private:
  static constexpr std::size_t part_size = 1000;

  void note_prekey(const IssuedPrekey & issued, const Suite & suite, HandshakeMode mode)
  {
    const auto message = parse_prekey(issued.message, suite, mode).value();
    VerifiedPrekey & prekey = prekeys_.emplace_back();
    prekey.suite = &suite;
    prekey.key_id = message.key_id;
    prekey.x25519_key = message.x25519_key;
    prekey.public_key.assign(message.public_key.begin(), message.public_key.end());
    prekey.in_transcript = issued.secret.in_transcript;
  }
  void skip(Side side, std::size_t count)
  {
    Bytes frame(frame_overhead);
    for (std::size_t i = 0; i < count; ++i) {
      sessions_[side]->seal(FrameKind::data, frame, Instant{});
    }
  }
  WiredPair & pair_;
  std::map<Side, std::unique_ptr<EpochKeys>> sessions_;
  std::vector<VerifiedPrekey> prekeys_;
};

}  // namespace pqc_tunnel::test

#endif  // SUPPORT__HOSTILE__INSIDER_HPP_
