// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__HANDSHAKE__ANSWERED_HELLOS_HPP_
#define PQC_TUNNEL__PROTOCOL__HANDSHAKE__ANSWERED_HELLOS_HPP_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/bytes.hpp"
#include "base/endpoint.hpp"
#include "base/time.hpp"
#include "crypto/random.hpp"
#include "protocol/wire/constants.hpp"

namespace pqc_tunnel
{

// Genuine hellos that the ground station has answered, by MAC. Recorded ones can arrive at any rate and from any address, and
// an answer costs more than all else that a stranger can cause. A drone repeats a hello for some seconds only, and later than
// the short memory. Constant size: a newer entry takes the place of another one, which then counts as new.
class AnsweredHellos
{
public:
  // The places of entries depend on a secret, so that nobody can choose hellos that displace each other.
  explicit AnsweredHellos(RandomSource & random)
  : factor_(draw<std::uint64_t>(random) | 1), entries_(places)
  {
  }

  enum class Memory : std::uint8_t
  {
    fresh,     // not answered yet
    answered,  // before, or a moment ago to other addresses
    refused,  // answered to this address or to many a moment ago, or first seen so long ago that no drone repeats it
    expired,  // first seen so long ago that no challenge in it can hold
  };
  // Before the MAC is checked: a forged frame with the MAC of an answered one is worth no look, either.
  Memory look_up(ByteView frame, const Endpoint & from, Instant now) const
  {
    const Tag tag = tag_of(frame);
    const Entry & entry = entries_[place_of(tag)];
    if (entry.count == 0 || entry.tag != tag) {
      return Memory::fresh;
    }
    if (now >= entry.first + challenge_validity) {
      return Memory::expired;
    }
    const bool moment = now < entry.answered + short_memory;
    const auto end = entry.to.begin() + (moment ? entry.count : 0);
    const bool refused = now >= entry.first + lifetime || end == entry.to.end() ||
                         std::find(entry.to.begin(), end, from) != end;
    return refused ? Memory::refused : Memory::answered;
  }
  void add(ByteView frame, const Endpoint & from, Instant now)
  {
    const Tag tag = tag_of(frame);
    Entry & entry = entries_[place_of(tag)];
    if (entry.count == 0 || entry.tag != tag) {
      entry = {tag, now, now, {}, 0};
    } else if (now >= entry.answered + short_memory) {
      entry.answered = now;
      entry.count = 0;
    }
    entry.to.at(entry.count++) = from;
  }

private:
  static constexpr std::size_t places = 1024;
  static constexpr int place_bits = 10;
  static constexpr Duration short_memory = hello_retry_first / 2;
  static constexpr Duration lifetime = answer_patience + longest_round_trip;
  static_assert(lifetime <= challenge_validity);

  using Tag = std::array<std::uint8_t, 16>;
  struct Entry
  {
    Tag tag = {};
    Instant first;
    Instant answered;  // the first of `to`
    std::array<Endpoint, max_challenges> to = {};
    std::size_t count = 0;
  };

  static Tag tag_of(ByteView frame)
  {
    Tag tag = {};
    std::ranges::copy(frame.last(mac_size).first(tag.size()), tag.begin());
    return tag;
  }
  std::size_t place_of(const Tag & tag) const
  {
    std::uint64_t mixed = 0;
    for (const std::uint8_t byte : tag) {
      mixed = (mixed ^ byte) * factor_;
    }
    return static_cast<std::size_t>(mixed >> (64 - place_bits));
  }

  std::uint64_t factor_;
  std::vector<Entry> entries_;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__HANDSHAKE__ANSWERED_HELLOS_HPP_
