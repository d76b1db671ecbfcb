// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "simulator/witnesses/life_witness.hpp"

#include <algorithm>

#include "protocol/wire/control_frame.hpp"

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

bool looks_like(const Bytes & frame, const ControlBody & body)
{
  return frame.size() == frame_overhead + encode(ControlFrame{0, body}).size();
}

bool is_question(const Bytes & frame)
{
  return looks_like(frame, TimeRequest{}) || looks_like(frame, LinkReport{{}, TimeRequest{}}) ||
         looks_like(frame, LinkReport{{}, TimeRequest{}, TimeResponse{}});
}

bool is_answer(const Bytes & frame)
{
  return looks_like(frame, TimeResponse{}) ||
         looks_like(frame, LinkReport{{}, std::nullopt, TimeResponse{}}) ||
         looks_like(frame, LinkReport{{}, TimeRequest{}, TimeResponse{}});
}

}  // namespace

// A question is answered at once.
void LifeWitness::sealed(Side from, const Bytes & frame)
{
  const End & end = ends_[from];
  if (end.questioned == pair_.now() && is_answer(frame)) {
    answers_[frame] = end.question;
  }
}

void LifeWitness::opened(Side to, const KeyTag & keys)
{
  End & end = ends_[to];
  const auto found = end.installed.find(keys);
  if (found != end.installed.end()) {
    end.latest = std::max(end.latest, found->second);
  }
}

void LifeWitness::opened_control(Side to, const Bytes & frame, Instant sealed_at)
{
  End & end = ends_[to];
  if (is_question(frame)) {
    const bool several = end.questioned == pair_.now();
    end.questioned = pair_.now();
    end.question = {
      several ? std::min(end.question.earliest, sealed_at) : sealed_at,
      several ? std::max(end.question.latest, sealed_at) : sealed_at};
  }
  if (const auto answer = answers_.find(frame); answer != answers_.end()) {
    end.earliest = std::max(end.earliest, answer->second.earliest);
    end.latest = std::max(end.latest, answer->second.latest);
  }
}

void LifeWitness::look_at_events()
{
  for (const Side side : both_sides) {
    if (pair_.saw(side, EventKind::handshake_completed)) {
      ends_[side].latest = pair_.now();
    }
  }
}

void LifeWitness::look(const Standings & ends)
{
  for (const Side side : both_sides) {
    End & end = ends_[side];
    const auto & held = ends.at(side).keys;
    for (const InstalledKeys & keys : held) {
      end.installed.try_emplace(keys.transcript_tag, pair_.now());
    }
    require(
      held.empty() || pair_.now() <= end.latest + wipe_after_ + 100ms, "keys end",
      "an end holds keys although nothing has long proved that its peer is there");
    require(
      !held.empty() || !end.holds_keys || pair_.now() >= end.earliest + wipe_after_,
      "keys are wiped after a long silence only", "an end drops all its keys at once");
    end.holds_keys = !held.empty();
  }
}

}  // namespace pqc_tunnel::test
