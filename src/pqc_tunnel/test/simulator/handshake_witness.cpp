// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "simulator/handshake_witness.hpp"

#include <algorithm>

#include "base/byte_io.hpp"

namespace pqc_tunnel::test
{
namespace
{

constexpr const char * no_rekey_of_unproved_keys =
  "no rekey until a packet has arrived under the current keys";
constexpr std::size_t length_size = 4;
constexpr std::size_t server_random_size = 32;
constexpr std::size_t most_connections = 16;

}  // namespace

HandshakeWitness::HandshakeWitness(
  WiredPair & pair, KeyWitness & keys, Journal & journal, std::vector<const Suite *> allowed,
  const Suite * initial)
: pair_(pair),
  keys_(keys),
  journal_(journal),
  allowed_(std::move(allowed)),
  initial_(initial),
  kept_(initial)
{
}

void HandshakeWitness::request_rekey(Side side, const Suite * suite)
{
  journal_.note(
    pair_.now(), std::string(name_of(side)) + " is asked to rekey to " +
                   (suite != nullptr ? std::string(suite->id) : "the same suite"));
  const InstalledKeys * keys = keys_.sending(side);
  wanted_.insert(suite != nullptr || keys == nullptr ? suite : keys->suite);
  const RekeyCommand command = rekey_to(suite, "simulated");
  unanswered_.at(side).insert(command.id);
  pair_.end(side).request_rekey(command, pair_.now());
  pair_.pump();
}

void HandshakeWitness::restarted(Side side)
{
  unanswered_.at(side).clear();
  if (side == Side::drone) {
    kept_ = initial_;
    rekey_ = nullptr;
  }
}

void HandshakeWitness::look()
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
  for (const auto & [from, message] : pair_.streamed()) {
    from == Side::drone ? look_at_drone_message(message) : look_at_gcs_message(message);
  }
  pair_.streamed().clear();
  const InstalledKeys * keys = keys_.sending(Side::drone);
  if (keys != nullptr && keys_.proved(Side::drone)) {
    kept_ = keys->suite;
  }
  // Nothing that the network or a crash does is held against a suite.
  require(
    pair_.drone().blacklist(PeerIndex{0}, pair_.now()).empty(),
    "only an authenticated failure counts against a suite",
    "a suite is blacklisted and no end is to blame");
  require(
    pair_.open_connections() <= most_connections, "what an end holds is bounded",
    "connections pile up");
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
      rekey_ = event.suite;
      break;
    }
    case EventKind::rekey_confirmed:
      ++rekeys_;
      rekey_ = nullptr;
      break;
    case EventKind::rekey_failed:
    case EventKind::rollback:
      ++failures_;
      rekey_ = nullptr;
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

void HandshakeWitness::look_at_drone_message(ByteView message) const
{
  const auto hello = parse_client_hello(message.subspan(length_size));
  if (!hello) {
    return;  // a ClientFinish
  }
  const Suite * suite = registry().find(hello->suite);
  require(
    std::ranges::count(allowed_, suite) == 1, "the suite never falls below the floor",
    "the drone asks for a suite that is not allowed");
  if (hello->previous_session.is_zero()) {
    require(
      suite == kept_ || suite == rekey_, "a time-out never changes the suite",
      "the drone asks for a new session with another suite than it had");
    return;
  }
  require(
    keys_.proved(Side::drone), no_rekey_of_unproved_keys,
    "the drone rekeys keys that nothing has arrived under");
  require(
    hello->next_epoch != Epoch{}, "the last epoch is followed by a new session",
    "the epoch of a session wraps around");
}

void HandshakeWitness::look_at_gcs_message(ByteView message)
{
  const ByteView body = message.subspan(length_size);
  if (message_type(body) != MessageType::server_hello) {
    return;
  }
  ByteReader in(body.subspan(message_header_size + server_random_size + 1));
  const auto id = in.id<KeyId>();
  in.array<x25519_size>();
  const ByteView public_key = in.bytes(in.u32());
  require(
    key_ids_.insert(id).second && public_keys_.emplace(public_key.begin(), public_key.end()).second,
    "a pool key is used once", "the GCS offers an ephemeral key for the second time");
}

}  // namespace pqc_tunnel::test
