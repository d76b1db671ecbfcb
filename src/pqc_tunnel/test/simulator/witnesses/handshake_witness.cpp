// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "simulator/witnesses/handshake_witness.hpp"

#include <algorithm>

#include "protocol/handshake/hello_messages.hpp"

namespace pqc_tunnel::test
{
namespace
{

constexpr const char * no_rekey_of_unproved_keys =
  "no rekey until a packet has arrived under the current keys";

}  // namespace

HandshakeWitness::HandshakeWitness(
  WiredPair & pair, KeyWitness & keys, Journal & journal, std::vector<const Suite *> allowed,
  const Suite * initial)
: pair_(pair),
  keys_(keys),
  journal_(journal),
  allowed_(std::move(allowed)),
  initial_(initial),
  psk_(PskKeySet::derive(Identities::for_signature(initial->signature).record().psk))
{
}

void HandshakeWitness::request_rekey(
  Side side, const Suite * suite, bool ratchet, bool one_time_key)
{
  journal_.note(
    pair_.now(), std::string(name_of(side)) + " is asked to " + (ratchet ? "ratchet" : "rekey") +
                   " to " + (suite != nullptr ? std::string(suite->id) : "the same suite"));
  const InstalledKeys * keys = keys_.sending(side);
  wanted_.insert(suite != nullptr || keys == nullptr ? suite : keys->suite);
  RekeyCommand command = rekey_to(suite, "simulated");
  command.ratchet = ratchet;
  command.one_time_key = one_time_key;
  request(side, command);
}

void HandshakeWitness::request_fetch(const Suite & suite)
{
  journal_.note(pair_.now(), "drone is asked to fetch the key for " + std::string(suite.id));
  RekeyCommand command = rekey_to(&suite, "simulated");
  command.fetch_only = true;
  request(Side::drone, command);
  require(
    std::ranges::count(pair_.outcomes(Side::drone), command.id, &RekeyReply::id) == 1,
    "every request has one outcome", "a request for a key is not answered at once");
}

void HandshakeWitness::request(Side side, const RekeyCommand & command)
{
  unanswered_.at(side).insert(command.id);
  pair_.end(side).request_rekey(command, pair_.now(side));
  pair_.pump();
}

void HandshakeWitness::end_rekey(const Event & event)
{
  if (const auto found = rekeys_to_.find(event.suite); found != rekeys_to_.end()) {
    rekeys_to_.erase(found);
  }
}

void HandshakeWitness::restarted(Side side)
{
  unanswered_.at(side).clear();
  if (side == Side::drone) {
    rekeys_to_.clear();
  }
}

void HandshakeWitness::look(const Standings & ends)
{
  for (const Side side : both_sides) {
    for (const Event & event : pair_.events(side)) {
      look_at_event(side, event);
    }
    pair_.events(side).clear();
    for (const RekeyReply & outcome : pair_.outcomes(side)) {
      journal_.note(
        pair_.now(), std::string(name_of(side)) +
                       (outcome.success ? " answers: " : " answers, refusing: ") + outcome.message);
      require(
        unanswered_.at(side).erase(outcome.id) == 1, "every request has one outcome",
        "an outcome answers nobody, or answers twice");
      last_succeeded_ = outcome.success;
    }
    pair_.outcomes(side).clear();
    const InstalledKeys * keys = keys_.sending(side);
    require(
      keys == nullptr || std::ranges::count(allowed_, keys->suite) == 1,
      "the suite never falls below the floor", "an end sends with a suite that is not allowed");
  }
  for (const Bytes & frame : pair_.datagrams_sent(Side::drone)) {
    if (is_hello(frame) && hellos_.insert(frame).second) {
      look_at_hello(frame);
    }
  }
  // Nothing that the network or a crash does is held against a suite.
  require(
    ends.drone.blacklist.empty(), "only an authenticated failure counts against a suite",
    "a suite is blacklisted and no end is to blame");
}

void HandshakeWitness::look_at_event(Side side, const Event & event)
{
  journal_.note(
    event.time, std::string(name_of(side)) + ": " + event.text +
                  (event.suite != nullptr ? " [" + std::string(event.suite->id) + ", epoch " +
                                              std::to_string(static_cast<int>(event.epoch)) + "]"
                                          : ""));
  if (side == Side::gcs) {
    return;
  }
  switch (event.kind) {
    case EventKind::rekey_started: {
      require(
        keys_.proved(Side::drone), no_rekey_of_unproved_keys,
        "the drone starts a rekey of keys that nothing has arrived under");
      const InstalledKeys * keys = keys_.sending(Side::drone);
      require(
        wanted_.contains(event.suite) || (keys != nullptr && keys->suite == event.suite),
        "the suite never falls below the floor", "the drone rekeys to a suite nobody asked for");
      rekeys_to_.insert(event.suite);
      break;
    }
    case EventKind::rekey_confirmed:
      ++rekeys_;
      end_rekey(event);
      break;
    case EventKind::rekey_failed:
    case EventKind::rollback:
      ++failures_;
      end_rekey(event);
      break;
    case EventKind::peer_lost:
      keys_.lost();
      break;
    case EventKind::handshake_completed:
      ++handshakes_;
      break;
    default:
      break;
  }
}

void HandshakeWitness::look_at_hello(const Bytes & frame)
{
  const ClientHello hello = parse_client_hello(frame);
  const Suite * suite = registry().find(hello.suite);
  require(
    std::ranges::count(allowed_, suite) == 1, "the suite never falls below the floor",
    "the drone asks for a suite that is not allowed");
  const auto [attempt, first] = attempts_.emplace(hello.client_random, suite);
  require(
    first ? suite == initial_ || rekeys_to_.contains(suite) : suite == attempt->second,
    "a time-out never changes the suite",
    "the drone asks for a new session with another suite than the configured one");
  if (hello.challenge != Random32{}) {
    const EpochSecrets boot =
      boot_secrets(psk_.of(hello.suite), suite->aead, hello.client_random, hello.challenge);
    keys_.expect_boot(boot.drone_to_gcs_id, boot.gcs_to_drone_id);
  }
}

void HandshakeWitness::look_at_job(const Job & job)
{
  const auto use = [](std::set<KeyId> & used, const KeyId & id) {
    require(
      used.insert(id).second, "a prekey is used once",
      "an end uses an ephemeral key for the second time");
  };
  if (const auto * issue = std::get_if<IssuePrekey>(&job)) {
    use(issued_, issue->made ? issue->made->key_id : issue->keys.key_id);
  } else if (const auto * make = std::get_if<MakeFinish>(&job)) {
    use(encapsulated_, make->prekey.key_id);
  } else if (const auto * complete = std::get_if<CompleteFinish>(&job)) {
    use(decapsulated_, complete->prekey.key_id);
  }
}

}  // namespace pqc_tunnel::test
