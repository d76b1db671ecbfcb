// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef MAD_PEER_HPP_
#define MAD_PEER_HPP_

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "protocol/epoch_keys.hpp"
#include "protocol/handshake_crypto.hpp"
#include "support/session_secrets.hpp"
#include "support/wired_pair.hpp"

namespace pqc_tunnel::fuzz
{

// Knows the keys of a pair's first session and sends, as either end, frames that this end would never send: a genuine
// peer that misbehaves.
class MadPeer
{
public:
  explicit MadPeer(test::WiredPair & pair) : pair_(pair) {}

  // Runs the job that makes the keys of the first session, and copies them.
  std::optional<JobResult> watch_job(Job & job)
  {
    auto * complete = std::get_if<CompleteFinish>(&job);
    if (complete == nullptr || suite_ != nullptr) {
      return std::nullopt;
    }
    const Suite & suite = *complete->suite;
    JobResult result = run_job(std::move(job), pair_.random());
    if (const auto * done = std::get_if<FinishCompleted>(&result)) {
      suite_ = &suite;
      secrets_[test::Side::drone] = test::copy_of(done->secrets);
      secrets_[test::Side::gcs] = test::copy_of(done->secrets);
    }
    return result;
  }

  void say(test::Side as, FrameKind type, ByteView text)
  {
    EpochKeys * keys = session_of(as);
    if (keys == nullptr) {
      return;
    }
    if (type == FrameKind::data) {
      said_.emplace(text.begin(), text.end());
    }
    Bytes frame(text.size() + frame_overhead);
    std::ranges::copy(text, frame.begin() + frame_header_size);
    keys->seal(type, frame);
    pair_.inject(test::other(as), frame);
  }

  bool spoke() const { return !sessions_.empty(); }
  bool said(const Bytes & text) const { return said_.contains(text); }

private:
  static constexpr int first_sequence =
    200;  // beyond the sequence numbers of the end itself in a run

  EpochKeys * session_of(test::Side as)
  {
    if (suite_ == nullptr) {
      return nullptr;
    }
    auto & session = sessions_[as];
    if (!session) {
      const Role role = as == test::Side::drone ? Role::drone : Role::gcs;
      const SessionId id = secrets_[as].session;
      session = std::make_unique<EpochKeys>(
        EpochName{suite_, id, Epoch{}}, role, std::move(secrets_[as]), TunnelSettings{}, Instant{});
      Bytes frame(frame_overhead);
      for (int i = 0; i < first_sequence; ++i) {
        session->seal(FrameKind::data, frame);
      }
    }
    return session.get();
  }

  test::WiredPair & pair_;
  const Suite * suite_ = nullptr;
  std::map<test::Side, EpochSecrets> secrets_;
  std::map<test::Side, std::unique_ptr<EpochKeys>> sessions_;
  std::set<Bytes> said_;
};

}  // namespace pqc_tunnel::fuzz

#endif  // MAD_PEER_HPP_
