// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "diagnosis.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "crypto/suites/suite.hpp"
#include "findings.hpp"
#include "net/address.hpp"
#include "node/messages/messages.hpp"
#include "protocol/wire/constants.hpp"

namespace pqc_tunnel
{

namespace
{

using Level = Diagnosis::Level;

constexpr double lossy = 0.1;

// Returns text like "1 datagram" or "2 datagrams".
std::string counted(std::uint64_t count, const std::string & thing)
{
  return std::to_string(count) + " " + thing + (count == 1 ? "" : "s");
}

std::string percent(double ratio) { return decimal(100.0 * ratio, 1) + " %"; }

void judge_state(const DiagnosisInput & input, Findings & findings)
{
  const PeerSnapshot & peer = input.peer;
  switch (peer.state) {
    case PeerState::disconnected:
      findings.add(Level::error, "No keys with " + peer.name + ": no MAVLink passes.");
      break;
    case PeerState::connecting:
    case PeerState::handshaking:
      findings.add(
        Level::warning, "Handshake with " + peer.name + " under way: no MAVLink passes yet.");
      break;
    case PeerState::lost:
      findings.add(
        Level::error, "No answer from " + peer.name + "; the last fresh datagram came " +
                        decimal(in_seconds(input.now - peer.last_heard), 1) + " s ago.");
      break;
    case PeerState::established:
    case PeerState::rekeying:
      if (peer.suite != nullptr) {
        findings.add(Level::ok, "Encrypted with " + std::string(peer.suite->id) + ".");
      }
      break;
  }
}

// Adds the likely cause at the level of the state that it explains, or as a warning if the state is no fault.
void judge_cause(const DiagnosisInput & input, Findings & findings)
{
  const std::string & cause = input.peer.likely_cause;
  if (!cause.empty()) {
    findings.add(std::max(findings.level(), Level::warning), "Likely cause: " + cause + ".");
  }
}

void judge_keys(const DiagnosisInput & input, Findings & findings)
{
  const PeerSnapshot & peer = input.peer;
  if (peer.suite == nullptr) {
    return;
  }
  const Duration age = input.now - peer.key_installed;
  if (input.max_key_age > Duration{} && age > 2 * input.max_key_age) {
    findings.add(
      Level::warning,
      "The keys are " + decimal(in_seconds(age), 0) + " s old, more than twice rekey.max_age_s.");
  }
  if (peer.packets_under_key > max_packets_per_key / 2) {
    findings.add(
      Level::error,
      "More than half of the packets that the keys may seal have been sealed: rekey now.");
  }
  if (peer.rollbacks > input.before.rollbacks) {
    findings.add(Level::warning, "A rekey has just been rolled back.");
  }
  if (input.blacklisted > 0) {
    findings.add(
      Level::warning, std::to_string(input.blacklisted) +
                        (input.blacklisted == 1 ? " suite is" : " suites are") +
                        " blacklisted after a failure.");
  }
}

void judge_link(const DiagnosisInput & input, Findings & findings)
{
  const PeerSnapshot & peer = input.peer;
  if (!is_encrypted(peer)) {
    return;  // the likely cause describes the links
  }
  if (peer.stretched) {
    findings.add(
      Level::error,
      "Datagrams come later than max_age_s allows, and their receiver drops them: something holds "
      "them back, or the link is that slow.");
  }
  for (const PathReport & path : peer.paths) {
    if (!path.trouble.empty()) {
      findings.add(Level::warning, "Link " + path.name + ": " + path.trouble + ".");
    } else if (peer.paths.size() > 1 && path.state == PathState::down) {
      findings.add(Level::warning, "Link " + path.name + " is down.");
    }
  }
  if (peer.link.loss > lossy) {
    findings.add(Level::warning, percent(peer.link.loss) + " of the peer's datagrams are lost.");
  }
  if (peer.remote && peer.remote->view.loss > lossy) {
    findings.add(
      Level::warning,
      percent(peer.remote->view.loss) + " of the datagrams sent from here are lost.");
  }
}

// Only the ground station judges a policy here; a drone watches its own as a companion.
void judge_policy(const DiagnosisInput & input, Findings & findings)
{
  if (input.role == Role::gcs && input.peer.policy_silent) {
    findings.add(
      Level::warning, "The policy of " + input.peer.name + " is silent: nothing adapts the suite.");
  }
}

void judge_drops(const DiagnosisInput & input, Findings & findings)
{
  constexpr std::pair<Drop, const char *> causes[] = {
    {Drop::queue_full, " at a socket: it was full, or the destination is unknown."},
    {Drop::stale, ": older than max_age_s, on the way or in a buffer."},
    {Drop::foreign, " at plaintext_port: not from plaintext_peer_address and plaintext_peer_port."},
    {Drop::oversize, ": longer than the link takes in fragments."},
    {Drop::incomplete, ": the link lost some of the fragments."},
  };
  const auto since = [&](Drop drop) {
    const auto index = static_cast<std::size_t>(drop);
    return input.peer.traffic.drops[index] - input.before.traffic.drops[index];
  };
  if (const auto forged = since(Drop::auth_fail) + since(Drop::decrypt_fail); forged > 0) {
    findings.add(Level::warning, counted(forged, "datagram") + " failed authentication just now.");
  }
  for (const auto & [drop, cause] : causes) {
    if (const auto count = since(drop); count > 0) {
      findings.add(Level::warning, counted(count, "datagram") + " dropped just now" + cause);
    }
  }
}

void describe_path(
  const PathReport & path, bool one_of_several,
  std::vector<std::pair<std::string, std::string>> & values)
{
  const std::string name = "link " + path.name;
  if (!path.trouble.empty()) {
    values.emplace_back(name + " trouble", path.trouble);
  }
  if (one_of_several) {
    values.emplace_back(name, to_string(path.state));
    values.emplace_back(name + " carries data", path.carries ? "yes" : "no");
    values.emplace_back(
      name + " round trip (ms)", decimal(1000.0 * in_seconds(path.rtt.value_or(Duration{})), 1));
    values.emplace_back(name + " loss", percent(path.loss));
  }
  if (path.rate_bytes_s > 0) {
    values.emplace_back(name + " rate (bytes/s)", decimal(path.rate_bytes_s, 0));
    values.emplace_back(name + " rate from", to_string(path.rate_source));
  }
  for (std::size_t i = 0; i < traffic_classes; ++i) {
    const ShaperCounts & counts = path.shaped.at(i);
    if (counts.offered == 0) {
      continue;
    }
    const std::string of_class = name + " " + to_string(static_cast<TrafficClass>(i));
    values.emplace_back(of_class + " left out for newer", std::to_string(counts.conflated));
    values.emplace_back(
      of_class + " dropped", std::to_string(counts.full + counts.stale + counts.oversize));
  }
}

}  // namespace

Diagnosis diagnose(const DiagnosisInput & input)
{
  Findings findings;
  judge_state(input, findings);
  judge_cause(input, findings);
  judge_keys(input, findings);
  judge_link(input, findings);
  judge_policy(input, findings);
  judge_drops(input, findings);

  const PeerSnapshot & peer = input.peer;
  Diagnosis diagnosis{findings.level(), findings.text(), {}};
  auto & values = diagnosis.values;
  values.emplace_back("peer", peer.name);
  values.emplace_back("state", to_string(peer.state));
  values.emplace_back("likely cause", peer.likely_cause);
  values.emplace_back("encrypted", is_encrypted(peer) ? "yes" : "no");
  if (peer.address.family != AddressFamily::none) {
    values.emplace_back("peer address", to_string(peer.address));
  }
  if (peer.suite != nullptr) {
    values.emplace_back("suite", peer.suite->id);
    values.emplace_back("level", std::to_string(static_cast<int>(peer.suite->level)));
    values.emplace_back("experimental", peer.suite->experimental ? "yes" : "no");
    values.emplace_back("epoch", std::to_string(static_cast<int>(peer.epoch)));
    values.emplace_back("key age (s)", decimal(in_seconds(input.now - peer.key_installed), 0));
    values.emplace_back("packets under key", std::to_string(peer.packets_under_key));
  }
  values.emplace_back("handshakes", std::to_string(peer.handshakes));
  values.emplace_back("rekeys", std::to_string(peer.rekeys));
  values.emplace_back("ratchets", std::to_string(peer.ratchets));
  values.emplace_back("rollbacks", std::to_string(peer.rollbacks));
  values.emplace_back("prekeys", std::to_string(peer.prekeys));
  values.emplace_back("blacklisted suites", std::to_string(input.blacklisted));
  values.emplace_back("received packets per s", decimal(peer.link.packets_per_s, 1));
  values.emplace_back("received loss", percent(peer.link.loss));
  if (peer.remote) {
    values.emplace_back("sent loss", percent(peer.remote->view.loss));
  }
  if (peer.clock_valid) {
    values.emplace_back("round trip (ms)", decimal(1000.0 * in_seconds(peer.rtt), 1));
  }
  for (const PathReport & path : peer.paths) {
    describe_path(path, peer.paths.size() > 1, values);
  }
  const auto & drops = peer.traffic.drops;
  values.emplace_back(
    "drops", std::to_string(std::accumulate(drops.begin(), drops.end(), std::uint64_t{0})));
  return diagnosis;
}

// Anybody can send to an open port, so this is reported, but not as a fault of the tunnel.
Diagnosis diagnose_strangers(
  const TrafficCounters & unassigned, const StrangerCounters & hellos, std::uint64_t discarded)
{
  const auto dropped = [&](Drop drop) { return unassigned.drops[static_cast<std::size_t>(drop)]; };
  const auto all =
    std::accumulate(unassigned.drops.begin(), unassigned.drops.end(), std::uint64_t{0});
  Diagnosis diagnosis;
  const std::uint64_t turned_away = hellos.malformed + hellos.other_version + hellos.unknown_drone +
                                    hellos.wrong_key + hellos.repeated + hellos.over_limit;
  diagnosis.text = counted(all, "datagram") + " of strangers dropped, " +
                   counted(turned_away, "hello") + " turned away.";
  if (hellos.wrong_key > 0) {
    diagnosis.text +=
      " " + counted(hellos.wrong_key, "hello") + " with a drone's id had a different key.";
  }
  if (hellos.other_version > 0) {
    diagnosis.text += " " + counted(hellos.other_version, "hello") +
                      " with a drone's id had another version of the protocol: update both ends.";
  }
  if (hellos.unknown_drone > 0) {
    diagnosis.text +=
      " " + counted(hellos.unknown_drone, "hello") + " had the id of no known drone.";
  }
  diagnosis.values = {
    {"malformed", std::to_string(dropped(Drop::malformed))},
    {"unknown", std::to_string(dropped(Drop::unknown))},
    {"drops", std::to_string(all)},
    {"malformed hellos", std::to_string(hellos.malformed)},
    {"other versions", std::to_string(hellos.other_version)},
    {"unknown drones", std::to_string(hellos.unknown_drone)},
    {"wrong keys", std::to_string(hellos.wrong_key)},
    {"repeated hellos", std::to_string(hellos.repeated)},
    {"hellos over the limit", std::to_string(hellos.over_limit)},
    {"discarded hellos", std::to_string(discarded)},
  };
  return diagnosis;
}

}  // namespace pqc_tunnel
