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

// By then every challenge for the random value has expired: the drone answers none that it gets later than answer_patience
// after its first hello.
constexpr Duration memory_of_random = 3 * challenge_bucket;
static_assert(memory_of_random >= 2 * challenge_bucket + answer_patience);

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

HelloGate::HelloGate(RandomSource & random) : stranger_(random_keys(random)), answered_(random)
{
  random.fill(secret_.span());
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

bool HelloGate::challenge_holds(const ClientHello & hello, const Endpoint & from, Instant now) const
{
  if (hello.challenge == Random32{}) {
    return false;  // a first hello, as recorded ones are: no MAC is needed to see that
  }
  const std::uint64_t bucket = bucket_of(now);
  return constant_time_equal(hello.challenge, challenge(hello, from, bucket)) ||
         (bucket > 0 && constant_time_equal(hello.challenge, challenge(hello, from, bucket - 1)));
}

// One session a second, after a short burst.
bool HelloGate::take_token(Drone & drone, Instant now)
{
  const std::chrono::duration<double> elapsed = now - std::exchange(drone.filled, now);
  drone.tokens = std::min(burst, drone.tokens + elapsed.count());
  if (drone.tokens < 1) {
    return false;
  }
  drone.tokens -= 1;
  return true;
}

HelloGate::TurnedAway HelloGate::turn_away(
  std::uint64_t StrangerCounters::*counter, std::optional<PeerIndex> drone)
{
  ++(strangers_.*counter);
  return {counter, drone};
}
std::optional<PeerIndex> HelloGate::find(const DroneId & id) const
{
  const auto found =
    std::ranges::find_if(drones_, [&](const Drone & drone) { return drone.known.id == id; });
  return found == drones_.end()
           ? std::nullopt
           : std::optional(PeerIndex{static_cast<std::uint32_t>(found - drones_.begin())});
}


HelloGate::Verdict HelloGate::handle(ByteView frame, const Endpoint & from, Instant now)
{
  if (hello_type(frame) != HelloType::client_hello) {
    return turn_away(&StrangerCounters::malformed, std::nullopt);
  }
  if (answered_.contains(frame, from, now)) {
    ++strangers_.repeated;
    return AnsweredBefore{};
  }
    const auto other = other_version(frame);
    const auto index = other && other->drone ? find(*other->drone) : std::nullopt;
    if (index) {
      TurnedAway stranger = turn_away(&StrangerCounters::other_version, index);
      stranger.version = other->version;
      return stranger;
    }
  const ClientHello hello = parse_client_hello(frame);
  const auto known = find(hello.drone_id);
  const PskKeys & psk =
    (known ? *drones_[static_cast<std::size_t>(*known)].known.psk : stranger_).of(hello.suite);
  const bool proved = mac_holds(frame, psk, psk.hello);
  if (!known) {
    return turn_away(&StrangerCounters::unknown_drone, std::nullopt);
  }
  const PeerIndex index = *known;
  Drone & drone = drones_[static_cast<std::size_t>(index)];
  if (!proved) {
    return turn_away(&StrangerCounters::wrong_key, index);
  }
  if (!challenge_holds(hello, from, now)) {
    // No challenge yet, or one of another address or time.
    Bytes retry = encode_hello_retry(challenge(hello, from, bucket_of(now)));
    append_mac(retry, psk, psk.retry, frame);
    answered_.add(frame, from, now);
    return Challenged{index, std::move(retry)};
  }
  auto & used = drone.used;
  std::erase_if(used, [now](const Used & entry) { return now >= entry.until; });
  if (std::ranges::find(used, hello.client_random, &Used::client_random) != used.end()) {
    return Repeated{index};
  }
  if (!take_token(drone, now)) {
    return turn_away(&StrangerCounters::over_limit, index);
  }
  used.push_back({hello.client_random, now + memory_of_random});
  return Admitted{index, hello};
}

}  // namespace pqc_tunnel
