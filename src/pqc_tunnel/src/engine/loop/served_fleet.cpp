// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "served_fleet.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "identity/identity_layout.hpp"

namespace pqc_tunnel
{

namespace
{

std::array<std::uint8_t, sha256_size> digest_of(const DroneRecord & record)
{
  return sha256(encode_drone_record(record).payload.view());
}

// "3 drones added (a, b, c)"; empty for none.
std::string counted(const std::vector<std::string> & names, const std::string & what)
{
  if (names.empty()) {
    return {};
  }
  std::string text =
    std::to_string(names.size()) + (names.size() == 1 ? " drone " : " drones ") + what + " (";
  constexpr std::size_t most_named = 5;
  for (std::size_t i = 0; i < std::min(names.size(), most_named); ++i) {
    text += (i == 0 ? "" : ", ") + names[i];
  }
  return text + (names.size() > most_named ? ", …)" : ")");
}

}  // namespace

std::string FleetChange::text() const
{
  std::string sentence;
  for (const std::string & part :
       {counted(added, "added"), counted(removed, "removed"), counted(changed, "changed")})
  {
    sentence += (sentence.empty() || part.empty() ? "" : ", ") + part;
  }
  sentence = (sentence.empty() ? "No drone has changed" : sentence) + ".";
  for (const std::string & problem : problems) {
    sentence += " " + problem;
  }
  return sentence;
}

std::vector<DroneRecord> ServedFleet::begin(std::vector<RegisteredDrone> drones)
{
  std::vector<DroneRecord> records;
  for (RegisteredDrone & drone : drones) {
    members_.push_back(
      {drone.record.name, true, drone.plaintext, digest_of(drone.record),
       expiries_of(drone.record)});
    records.push_back(std::move(drone.record));
  }
  return records;
}

std::vector<PlaintextConfig> ServedFleet::plaintexts() const
{
  std::vector<PlaintextConfig> all;
  std::ranges::transform(members_, std::back_inserter(all), &Member::plaintext);
  return all;
}

std::vector<Expiries> ServedFleet::expiries() const
{
  std::vector<Expiries> all;
  std::ranges::transform(members_, std::back_inserter(all), &Member::expiries);
  return all;
}

FleetChange ServedFleet::compare(DroneFolder folder)
{
  FleetChange change;
  for (const UnusableDrone & drone : folder.unusable) {
    const auto known = std::ranges::find(members_, drone.name, &Member::name);
    const bool served = known != members_.end() && known->served && !drone.revoked;
    change.problems.push_back(
      drone.problem.message + (served ? " It is served as before." : " It is not served."));
  }
  for (std::size_t i = 0; i < members_.size(); ++i) {
    Member & member = members_[i];
    const bool stays =
      std::ranges::any_of(
        folder.drones, [&](const auto & drone) { return drone.record.name == member.name; }) ||
      std::ranges::any_of(folder.unusable, [&](const UnusableDrone & drone) {
        return drone.name == member.name && !drone.revoked;
      });
    if (!stays && std::exchange(member.served, false)) {
      change.leaving.push_back(
        {.peer = PeerIndex{static_cast<std::uint32_t>(i)},
         .serves = false,
         .closes_plaintext = true});
      change.removed.push_back(member.name);
    }
  }
  for (RegisteredDrone & drone : folder.drones) {
    const auto known = std::ranges::find(members_, drone.record.name, &Member::name);
    const bool served = known != members_.end() && known->served;
    const bool moved = served && known->plaintext != drone.plaintext;
    const bool same = served && !moved && known->keys == digest_of(drone.record);
    if (same && !drone.record.expires_unix_s && !drone.record.former) {
      continue;
    }
    if (moved) {
      change.leaving.push_back(
        {.peer = PeerIndex{static_cast<std::uint32_t>(known - members_.begin())},
         .closes_plaintext = true});
    }
    if (!same) {  // else it comes because the clock may have been set
      (served ? change.changed : change.added).push_back(drone.record.name);
    }
    change.coming.push_back(std::move(drone));
  }
  return change;
}

std::vector<PeerChange> ServedFleet::open(
  FleetChange & change,
  const std::function<Result<PlaintextSide>(std::size_t, const PlaintextConfig &)> & open)
{
  std::vector<PeerChange> changes;
  for (RegisteredDrone & drone : change.coming) {
    const std::string & name = drone.record.name;
    const auto known = std::ranges::find(members_, name, &Member::name);
    const auto place = static_cast<std::size_t>(known - members_.begin());
    const bool served = known != members_.end() && known->served;
    PeerChange & one =
      changes.emplace_back(PeerChange{.peer = PeerIndex{static_cast<std::uint32_t>(place)}});
    PlaintextConfig opened = drone.plaintext;
    if (!served || known->plaintext != drone.plaintext) {
      auto side = open(place, drone.plaintext);
      if (side) {
        one.plaintext = std::move(*side);
      } else if (served) {
        change.problems.push_back(side.error().message);
        opened = {};  // the next reload tries again
      } else {
        change.problems.push_back(side.error().message + " The drone " + name + " is not served.");
        std::erase(change.added, name);
        changes.pop_back();
        continue;
      }
    }
    Member next{name, true, std::move(opened), digest_of(drone.record), expiries_of(drone.record)};
    if (known == members_.end()) {
      members_.push_back(std::move(next));
    } else {
      *known = std::move(next);
    }
    one.record = std::move(drone.record);
  }
  return changes;
}

}  // namespace pqc_tunnel
