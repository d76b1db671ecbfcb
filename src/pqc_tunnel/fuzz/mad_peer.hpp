// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef MAD_PEER_HPP_
#define MAD_PEER_HPP_

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "protocol/handshake/handshake_crypto.hpp"
#include "protocol/session/epoch_keys.hpp"
#include "support/pair/session_secrets.hpp"
#include "support/pair/wired_pair.hpp"

namespace pqc_tunnel::fuzz
{

// Knows the first keys of a pair's newest session and sends, as either end, frames that this end would never send: a
// genuine peer that misbehaves.
class MadPeer
{
public:
  explicit MadPeer(test::WiredPair & pair) : pair_(pair) {}

  // Runs the job that makes the keys of a new session, and copies them.
  std::optional<JobResult> watch_job(Job & job)
  {
    auto * complete = std::get_if<CompleteFinish>(&job);
    if (complete == nullptr || !is_hello(complete->opening)) {
      return std::nullopt;
    }
    const Suite & suite = *complete->suite;
    JobResult result = run_job(std::move(job), pair_.random());
    if (const auto * done = std::get_if<FinishCompleted>(&result)) {
      for (const test::Side side : test::both_sides) {
        keys_[side] = std::make_unique<EpochKeys>(
          EpochName{&suite, done->secrets.session, Epoch{}},
          side == test::Side::drone ? Role::drone : Role::gcs, test::copy_of(done->secrets),
          TunnelSettings{}, Instant{}, std::make_shared<PeerClock>());
      }
    }
    return result;
  }

  void say(test::Side as, FrameKind kind, ByteView text)
  {
    const auto & keys = keys_[as];
    if (!keys) {
      return;
    }
    spoke_ = true;
    said_.emplace(text.begin(), text.end());
    catch_up(as, *keys);
    Bytes frame(text.size() + frame_overhead);
    std::ranges::copy(text, frame.begin() + frame_header_size);
    keys->seal(kind, frame, pair_.now());
    pair_.inject(test::other(as), frame);
  }

  bool spoke() const { return spoke_; }
  bool said(const Bytes & text) const { return said_.contains(text); }

private:
  // A frame would be dropped as a replay if the end itself has used its sequence number.
  void catch_up(test::Side as, EpochKeys & keys)
  {
    Bytes frame(frame_overhead);
    for (const InstalledKeys & held : pair_.standing(as).keys) {
      while (held.send_id == keys.send_id() && keys.sent() < held.sent) {
        keys.seal(FrameKind::data, frame, pair_.now());
      }
    }
  }

  test::WiredPair & pair_;
  std::map<test::Side, std::unique_ptr<EpochKeys>> keys_;
  std::set<Bytes> said_;
  bool spoke_ = false;
};

}  // namespace pqc_tunnel::fuzz

#endif  // MAD_PEER_HPP_
