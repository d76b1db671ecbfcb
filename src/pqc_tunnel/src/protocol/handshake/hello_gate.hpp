// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__HANDSHAKE__HELLO_GATE_HPP_
#define PQC_TUNNEL__PROTOCOL__HANDSHAKE__HELLO_GATE_HPP_

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "answered_hellos.hpp"
#include "base/bytes.hpp"
#include "base/endpoint.hpp"
#include "base/ids.hpp"
#include "base/time.hpp"
#include "crypto/random.hpp"
#include "handshake_crypto.hpp"
#include "hello_messages.hpp"
#include "link/paths/byte_budget.hpp"
#include "link/paths/link_settings.hpp"
#include "protocol/session/snapshot.hpp"
#include "protocol/session/token_bucket.hpp"

namespace pqc_tunnel
{

// The ground station's door: which hello frames come from a registered drone that is there now. Costs a stranger's frame one
// MAC and no state.
class HelloGate
{
public:
  struct Known
  {
    DroneId id;
    std::vector<SharedPskKeys> psks;  // that a session may begin with, the likeliest first
  };

  // Returns whether a drone's live session, or its last one, has this host, which then had the traffic keys.
  using IsLiveHost = std::function<bool(PeerIndex, const Endpoint &)>;

  HelloGate(const PathSettings & paths, RandomSource & random, IsLiveHost is_live_host);
  // Bytes per second of the only link, which has no configured rate; none: unknown.
  void set_found_rate(std::optional<double> rate);
  // Knows the drone of an index, a new one being the next, from now on by this.
  void set(PeerIndex index, Known drone)
  {
    forget(index);
    drones_.resize(std::max(drones_.size(), static_cast<std::size_t>(index) + 1));
    indices_.emplace(drone.id, index);
    drones_[static_cast<std::size_t>(index)].known = std::move(drone);
  }
  void forget(PeerIndex index)
  {
    std::erase_if(indices_, [index](const auto & known) { return known.second == index; });
  }
  // The drone has proved the keys of its live session.
  void note_session(PeerIndex index) { drones_[static_cast<std::size_t>(index)].precedence.fill(); }

  struct TurnedAway
  {
    std::uint64_t StrangerCounters::*counter;
    std::optional<PeerIndex> drone;  // whose id it has
    std::uint8_t version = 0;        // of the protocol, if it is another one
  };
  struct Challenged
  {
    PeerIndex drone;
    Bytes retry;  // to send back
  };
  struct Repeated  // of the attempt that the owner may have under way
  {
    PeerIndex drone;
  };
  // The origin of a hello, the best last: whoever has stolen the PSK, but not the live keys, is no better than `fresh`.
  enum class Standing : std::uint8_t
  {
    again,  // a host that has begun a session a moment ago
    fresh,
    live,  // while it has precedence
  };
  struct Admitted  // proves PSK and address, and its random value is new
  {
    PeerIndex drone;
    ClientHello hello;
    Duration challenge_age;  // in whole buckets: the round trip is not longer than one more
    Standing standing;
    SharedPskKeys psk;
  };
  // Genuine, and answered before: a recording, or more than the answers on this link may take.
  struct Unanswered
  {
  };
  using Verdict = std::variant<TurnedAway, Challenged, Repeated, Admitted, Unanswered>;

  Verdict handle(ByteView frame, const Endpoint & from, Instant now);

  // A repeated hello is not that of an attempt under way.
  void count_repeated() { ++strangers_.repeated; }
  TurnedAway turn_away(std::uint64_t StrangerCounters::*counter, std::optional<PeerIndex> drone);
  const StrangerCounters & strangers() const { return strangers_; }

private:
  struct Used
  {
    Random32 client_random;
    Instant until;
    Endpoint from;
    Instant admitted;
  };
  struct Drone
  {
    Known known;
    std::deque<Used> used;
    // One session a second, after a short burst.
    TokenBucket live{3, 1};
    TokenBucket elsewhere{3, 1};
    TokenBucket precedence{3, 0.05};  // of the live host, until a session is made
  };

  Random32 challenge(const ClientHello & hello, const Endpoint & from, std::uint64_t bucket) const;
  // None if the challenge is not of this address, or has expired.
  std::optional<Duration> age_of_challenge(
    const ClientHello & hello, const Endpoint & from, Instant now) const;
  std::optional<Standing> take_token(PeerIndex index, const Endpoint & from, Instant now);
  std::optional<PeerIndex> find(const DroneId & id) const;
  Unanswered leave_unanswered();

  IsLiveHost is_live_host_;
  std::vector<Drone> drones_;
  std::map<DroneId, PeerIndex> indices_;
  PskKeySet stranger_;  // a random key: an unknown drone id costs the same MAC as a known one
  SecretArray<32> secret_;
  StrangerCounters strangers_;
  AnsweredHellos answered_;
  struct Answers
  {
    const LinkSettings * link;
    ByteBudget common;
    ByteBudget elsewhere;  // than at the host of a live session
  };
  std::vector<Answers> answers_;  // by link
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__HANDSHAKE__HELLO_GATE_HPP_
