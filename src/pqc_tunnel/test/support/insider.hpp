// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef SUPPORT__INSIDER_HPP_
#define SUPPORT__INSIDER_HPP_

#include <map>
#include <memory>

#include "protocol/control_frame.hpp"
#include "protocol/epoch_keys.hpp"
#include "support/session_secrets.hpp"
#include "support/wired_pair.hpp"

namespace pqc_tunnel::test
{

// Knows the keys of a pair's first session and sends, as either end, frames that this end would never send.
class Insider
{
public:
  // Make it before the pair is established.
  explicit Insider(WiredPair & pair) : pair_(pair)
  {
    pair.set_job_filter([this](Side, Job & job) -> std::optional<JobResult> {
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
            TunnelSettings{}, Instant{});
          skip(side, 1'000'000);  // far beyond the sequence numbers of the end itself
        }
      }
      return result;
    });
  }

  Bytes seal(Side as, FrameKind kind, ByteView text)
  {
    Bytes frame(text.size() + frame_overhead);
    std::ranges::copy(text, frame.begin() + frame_header_size);
    sessions_.at(as)->seal(kind, frame);
    return frame;
  }
  // Sends a frame to the other end, from the address of `as`.
  Opened say(Side as, const ControlFrame & frame) { return say_control(as, encode(frame)); }
  Opened say_control(Side as, ByteView text)
  {
    return pair_.inject(other(as), seal(as, FrameKind::control, text));
  }
  EpochKeys & keys(Side as) { return *sessions_.at(as); }

private:
  void skip(Side side, std::size_t count)
  {
    Bytes frame(frame_overhead);
    for (std::size_t i = 0; i < count; ++i) {
      sessions_[side]->seal(FrameKind::data, frame);
    }
  }
  WiredPair & pair_;
  std::map<Side, std::unique_ptr<EpochKeys>> sessions_;
};

}  // namespace pqc_tunnel::test

#endif  // SUPPORT__INSIDER_HPP_
