// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "hello_gate.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/byte_io.hpp"

namespace pqc_tunnel
{
namespace
{

static_assert(challenge_validity >= longest_round_trip + challenge_bucket);
// Every challenge for the random value has expired by then: the drone waits for the first one, and after that for boot keys,
// for no longer than this after its first hello.
constexpr Duration memory_of_random =
  challenge_validity + 2 * (answer_patience + longest_round_trip);

// Answers to hellos may take this share of a link's rate, and so many bytes a second of a link whose rate is unknown.
constexpr double share_of_link = 0.05;
constexpr double most_of_unknown = 4000;
constexpr double least_saved = 600;  // some answers
// The host of a live session and all other hosts keep a share of that each, for hellos that nobody can have recorded:
// whoever has the PSK makes as many hellos as it likes, wherever it is.
constexpr double share_of_group = 0.25;
constexpr double common_share = 1 - share_of_group;  // the host's is in it

PskKeySet random_keys(RandomSource & random)
{
  Psk psk;
  random.fill(psk.span());
  return PskKeySet::derive(psk);
}

std::uint64_t bucket_of(Instant now)
{
  return static_cast<std::uint64_t>(now.time_since_epoch() / challenge_bucket);
}

}  // namespace

HelloGate::HelloGate(const PathSettings & paths, RandomSource & random, IsLiveHost is_live_host)
: is_live_host_(std::move(is_live_host)), stranger_(random_keys(random)), answered_(random)
{
  random.fill(secret_.span());
  for (const LinkSettings & link : paths.links) {
    const double rate = link.is_thin() ? share_of_link * link.bytes_per_s() : most_of_unknown;
    const auto budget = [rate](double share) {
      return ByteBudget(share * rate, share * std::max(rate, least_saved));
    };
    answers_.push_back({&link, budget(common_share), budget(share_of_group)});
  }
}

void HelloGate::set_found_rate(std::optional<double> rate)
{
  if (answers_.size() == 1 && !answers_[0].link->is_thin()) {
    const double all = std::min(most_of_unknown, rate ? share_of_link * *rate : most_of_unknown);
    answers_[0].common.set_rate(common_share * all);
    answers_[0].elsewhere.set_rate(share_of_group * all);
  }
}

Random32 HelloGate::challenge(
  const ClientHello & hello, const Endpoint & from, std::uint64_t bucket) const
{
  Bytes input;
  ByteWriter(input)
    .u8(static_cast<std::uint8_t>(from.family))
    .bytes(from.address)
    .u16(from.port)
    .u8(from.link)
    .id(hello.drone_id)
    .bytes(hello.client_random)
    .u64(bucket);
  return hmac(Hash::sha256, secret_.view(), {input});
}

std::optional<Duration> HelloGate::age_of_challenge(
  const ClientHello & hello, const Endpoint & from, Instant now) const
{
  if (hello.challenge == Random32{}) {
    return std::nullopt;  // a first hello, as recorded ones are: no MAC is needed to see that
  }
  const std::uint64_t bucket = bucket_of(now);
  for (std::uint64_t age = 0; age < std::min(challenge_buckets, bucket + 1); ++age) {
    if (constant_time_equal(hello.challenge, challenge(hello, from, bucket - age))) {
      return age * challenge_bucket;
    }
  }
  return std::nullopt;
}

// The host of the live session has a share of its own, and precedence for as many sessions as a drone needs that comes back
// there. A thief of the PSK may be behind the same NAT: where more sessions than that begin and none is made, the host
// becomes one like any other. Elsewhere the last token is left to a host that has taken none lately, so that one thief
// keeps no drone out that has moved.
std::optional<HelloGate::Standing> HelloGate::take_token(
  PeerIndex index, const Endpoint & from, Instant now)
{
  Drone & drone = drones_[static_cast<std::size_t>(index)];
  const bool live = is_live_host_(index, from);
  const bool again = std::ranges::any_of(drone.used, [&](const Used & entry) {
    return same_host(entry.from, from) && now < entry.admitted + answer_patience;
  });
  if (live ? !drone.live.take(now) : !drone.elsewhere.take(now, again ? 1 : 0)) {
    return std::nullopt;
  }
  if (live && drone.precedence.take(now)) {
    return Standing::live;
  }
  return again ? Standing::again : Standing::fresh;
}

std::optional<PeerIndex> HelloGate::find(const DroneId & id) const
{
  const auto found = indices_.find(id);
  return found == indices_.end() ? std::nullopt : std::optional(found->second);
}

HelloGate::TurnedAway HelloGate::turn_away(
  std::uint64_t StrangerCounters::*counter, std::optional<PeerIndex> drone)
{
  ++(strangers_.*counter);
  return {counter, drone};
}

HelloGate::Unanswered HelloGate::leave_unanswered()
{
  ++strangers_.repeated;
  return {};
}

HelloGate::Verdict HelloGate::handle(ByteView frame, const Endpoint & from, Instant now)
{
  if (hello_type(frame) != HelloType::client_hello) {
    const auto other = other_version(frame);
    const auto index = other && other->drone ? find(*other->drone) : std::nullopt;
    if (index) {
      TurnedAway stranger = turn_away(&StrangerCounters::other_version, index);
      stranger.version = other->version;
      return stranger;
    }
    return turn_away(&StrangerCounters::malformed, std::nullopt);
  }
  const auto memory = answered_.look_up(frame, from, now);
  if (memory == AnsweredHellos::Memory::expired) {
    return leave_unanswered();
  }
  const ClientHello hello = parse_client_hello(frame);
  // A hello whose challenge holds wants no other one: copies that came before it from elsewhere keep no drone out.
  if (memory == AnsweredHellos::Memory::refused && !age_of_challenge(hello, from, now)) {
    return leave_unanswered();
  }
  const auto known = find(hello.drone_id);
  if (!known) {
    const PskKeys & psk = stranger_.of(hello.suite);
    mac_holds(frame, psk, psk.hello);  // as long as for a known drone
    return turn_away(&StrangerCounters::unknown_drone, std::nullopt);
  }
  const PeerIndex index = *known;
  Drone & drone = drones_[static_cast<std::size_t>(index)];
  const auto proved = std::ranges::find_if(drone.known.psks, [&](const SharedPskKeys & keys) {
    return mac_holds(frame, keys->of(hello.suite), keys->of(hello.suite).hello);
  });
  if (proved == drone.known.psks.end()) {
    return turn_away(&StrangerCounters::wrong_key, index);
  }
  const PskKeys & psk = (*proved)->of(hello.suite);
  const auto age = age_of_challenge(hello, from, now);
  if (!age) {
    // No challenge yet, or one of another address or time.
    Bytes retry = encode_hello_retry(challenge(hello, from, bucket_of(now)));
    append_mac(retry, psk, psk.retry, frame);
    const bool fresh = memory == AnsweredHellos::Memory::fresh;
    const bool live = is_live_host_(index, from);
    Answers & answers = answers_.at(from.link);
    const std::size_t size = answers.link->line_bytes(retry.size());
    const double share_left = fresh && live ? 0 : share_of_group / common_share;
    const bool common = answers.common.allows(size, share_left, now);
    if (!common && (!fresh || live || !answers.elsewhere.allows(size, 0, now))) {
      return leave_unanswered();
    }
    (common ? answers.common : answers.elsewhere).spend(size, now);
    answered_.add(frame, from, now);
    return Challenged{index, std::move(retry)};
  }
  auto & used = drone.used;
  std::erase_if(used, [now](const Used & entry) { return now >= entry.until; });
  if (std::ranges::find(used, hello.client_random, &Used::client_random) != used.end()) {
    return Repeated{index};
  }
  const auto standing = take_token(index, from, now);
  if (!standing) {
    return turn_away(&StrangerCounters::over_limit, index);
  }
  used.push_back({hello.client_random, now + memory_of_random, from, now});
  return Admitted{index, hello, *age, *standing, *proved};
}

}  // namespace pqc_tunnel
