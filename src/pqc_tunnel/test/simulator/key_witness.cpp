// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "simulator/key_witness.hpp"

#include <algorithm>

namespace pqc_tunnel::test
{

using namespace std::chrono_literals;

KeyWitness::KeyWitness(WiredPair & pair, Duration longest_round_trip)
: pair_(pair),
  overlap_(std::max(Duration(min_overlap), 3 * longest_round_trip) + 100ms),
  sides_{{Side::drone, {}}, {Side::gcs, {}}}
{
}

void KeyWitness::restarted(Side side)
{
  End & end = sides_.at(side);
  ++end.process;
  end.keys.clear();
  end.proved.clear();
  end.superseded.clear();
  for (auto & [tag, seen] : end.seen) {
    seen.held = false;
  }
}

void KeyWitness::opened(Side at, const KeyTag & keys) { sides_.at(at).proved.insert(keys); }

void KeyWitness::look()
{
  for (const Side side : both_sides) {
    update(side);
  }
  out_of_touch_ = out_of_touch_ && !proved(Side::drone);
  for (const Side side : both_sides) {
    check_slots(side);
    check_sending(side);
    check_old_keys(side);
  }
}

void KeyWitness::update(Side side)
{
  End & end = sides_.at(side);
  for (const InstalledKeys & keys : end.keys) {
    Seen & seen = end.seen[keys.transcript_tag];
    seen.held = false;
    seen.given_up = out_of_touch_;
  }
  end.keys = pair_.end(side).installed_keys(PeerIndex{0});
  for (const InstalledKeys & keys : end.keys) {
    end.seen[keys.transcript_tag] = {end.process, true, false};
  }
}

void KeyWitness::check_slots(Side side) const
{
  const auto & keys = sides_.at(side).keys;
  const auto of = [&keys](KeyUse use) {
    return std::ranges::count(keys, use, &InstalledKeys::use);
  };
  const bool drone = side == Side::drone;
  require(
    of(KeyUse::sending) <= 1 && of(KeyUse::older) <= 5 && of(KeyUse::pending) <= (drone ? 0 : 2),
    "slots are bounded", "an end holds more keys than it may");
}

void KeyWitness::check_sending(Side side) const
{
  const InstalledKeys * keys = sending(side);
  if (keys == nullptr) {
    return;
  }
  const Standing there = standing(other(side), keys->transcript_tag);
  require(
    there == Standing::held || there == Standing::former || there == Standing::given_up,
    "the key one side sends under is installed at the other",
    side == Side::drone
      ? (there == Standing::never ? "the drone sends under keys that the GCS never installed"
                                  : "the drone sends under keys that the GCS has given up")
      : (there == Standing::never ? "the GCS sends under keys that the drone never installed"
                                  : "the GCS sends under keys that the drone has given up"));
  if (side == Side::gcs) {
    require(
      proved(side), "the GCS sends under new keys only after a packet under them",
      "the GCS sends under keys that the drone has not used yet");
    for (const InstalledKeys & other : sides_.at(side).keys) {
      require(
        other.use != KeyUse::pending || !sides_.at(side).proved.contains(other.transcript_tag),
        "the first packet under new keys promotes them",
        "a packet has arrived under keys that are still pending");
    }
  } else {
    require(
      keys->confirmed == proved(side), "a packet under the new keys confirms them",
      "the drone takes keys to be confirmed that nothing arrived under, or the other way round");
  }
}

void KeyWitness::check_old_keys(Side side)
{
  End & end = sides_.at(side);
  for (const InstalledKeys & keys : end.keys) {
    if (keys.use != KeyUse::older || !proved(side)) {
      continue;
    }
    const Instant superseded =
      end.superseded.try_emplace(keys.transcript_tag, pair_.now()).first->second;
    require(
      pair_.now() <= superseded + overlap_, "old keys are wiped",
      "old keys are held beyond the overlap");
  }
}

KeyWitness::Standing KeyWitness::standing(Side at, const KeyTag & keys) const
{
  const End & end = sides_.at(at);
  const auto found = end.seen.find(keys);
  if (found == end.seen.end()) {
    return Standing::never;
  }
  if (found->second.process != end.process) {
    return Standing::former;
  }
  return found->second.held       ? Standing::held
         : found->second.given_up ? Standing::given_up
                                  : Standing::gone;
}

std::optional<KeyTag> KeyWitness::sealed_under(Side from, const FrameHeader & header) const
{
  const auto matches = [&header](const InstalledKeys & keys) {
    return keys.session == header.session && keys.epoch == header.epoch &&
           keys.use != KeyUse::pending;
  };
  const auto & keys = sides_.at(from).keys;
  const auto found = std::ranges::find_if(keys, matches);
  return found == keys.end() ? std::nullopt : std::optional(found->transcript_tag);
}

const InstalledKeys * KeyWitness::sending(Side side) const
{
  const auto & keys = sides_.at(side).keys;
  const auto found = std::ranges::find(keys, KeyUse::sending, &InstalledKeys::use);
  return found == keys.end() ? nullptr : &*found;
}

bool KeyWitness::proved(Side side) const
{
  const InstalledKeys * keys = sending(side);
  return keys != nullptr && sides_.at(side).proved.contains(keys->transcript_tag);
}

}  // namespace pqc_tunnel::test
