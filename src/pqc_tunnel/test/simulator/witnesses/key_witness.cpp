// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "simulator/witnesses/key_witness.hpp"

#include <algorithm>

namespace pqc_tunnel::test
{

using namespace std::chrono_literals;

constexpr std::ptrdiff_t former_keys = 4;  // that an end keeps at most

KeyWitness::KeyWitness(WiredPair & pair, Duration longest_round_trip)
: pair_(pair),
  overlap_(std::clamp<Duration>(3 * longest_round_trip, min_overlap, max_overlap) + 100ms),
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
  end.newest.reset();
  for (auto & [tag, seen] : end.seen) {
    seen.held = false;
  }
}

void KeyWitness::opened(Side at, const KeyTag & keys) { sides_.at(at).proved.insert(keys); }

void KeyWitness::look(const Standings & ends)
{
  for (const Side side : both_sides) {
    update(side, ends.at(side).keys);
  }
  out_of_touch_ = out_of_touch_ && !proved(Side::drone);
  for (const Side side : both_sides) {
    check_slots(side);
    check_sending(side);
    check_epoch(side);
    check_old_keys(side);
  }
}

void KeyWitness::update(Side side, const std::vector<InstalledKeys> & held)
{
  End & end = sides_.at(side);
  const bool wiped = held.empty() && !end.keys.empty();
  for (const InstalledKeys & keys : end.keys) {
    Seen & seen = end.seen[keys.transcript_tag];
    seen.held = false;
    seen.given_up = out_of_touch_ || wiped;
  }
  for (const InstalledKeys & keys : held) {
    end.seen[keys.transcript_tag] = {end.process, true, false};
  }
  end.keys = held;
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

void KeyWitness::check_epoch(Side side)
{
  const InstalledKeys * keys = sending(side);
  if (keys == nullptr) {
    return;
  }
  auto & newest = sides_.at(side).newest;
  require(
    !newest || newest->first != keys->session || newest->second <= keys->epoch,
    "the last epoch is followed by a new session", "an end sends under an earlier epoch again");
  newest = {keys->session, keys->epoch};
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
  if (found->second.held) {
    return Standing::held;
  }
  const auto older = std::ranges::count(end.keys, KeyUse::older, &InstalledKeys::use);
  return older >= former_keys     ? Standing::displaced
         : found->second.given_up ? Standing::given_up
                                  : Standing::gone;
}

std::optional<Instant> KeyWitness::superseded(Side at, const KeyTag & keys) const
{
  const auto & all = sides_.at(at).superseded;
  const auto found = all.find(keys);
  return found == all.end() ? std::nullopt : std::optional(found->second);
}

void KeyWitness::expect_boot(FrameKeyId of_drone, FrameKeyId of_gcs)
{
  sides_.at(Side::drone).boot.insert(of_drone);
  sides_.at(Side::gcs).boot.insert(of_gcs);
}

std::optional<KeyWitness::SealedUnder> KeyWitness::sealed_under(
  Side from, const FrameHeader & header) const
{
  const End & end = sides_.at(from);
  for (const InstalledKeys & keys : end.keys) {
    if (keys.send_id == header.key_id && keys.use != KeyUse::pending) {
      return SealedUnder{keys.transcript_tag, keys.suite};
    }
  }
  if (!end.boot.contains(header.key_id)) {
    return std::nullopt;
  }
  KeyTag tag = {};
  const auto id = static_cast<std::uint32_t>(header.key_id);
  for (std::size_t i = 0; i < 4; ++i) {
    tag[i] = static_cast<std::uint8_t>(id >> (8 * i));
  }
  return SealedUnder{tag, nullptr};
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
