// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__ANSWERED_HELLOS_HPP_
#define PQC_TUNNEL__PROTOCOL__ANSWERED_HELLOS_HPP_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "pqc_tunnel/base/bytes.hpp"
#include "pqc_tunnel/base/endpoint.hpp"
#include "pqc_tunnel/base/time.hpp"
#include "pqc_tunnel/crypto/random.hpp"
#include "pqc_tunnel/protocol/constants.hpp"

namespace pqc_tunnel
{

// Genuine hellos that the ground station has answered a moment ago, by MAC and sender. Recorded ones can arrive at any rate,
// and an answer costs more than all else that a stranger can cause; a drone repeats its own hello later than this. Constant
// size: a newer entry takes the place of another one, which then costs one more answer.
class AnsweredHellos
{
public:
  // The places of entries depend on a secret, so that nobody can choose hellos that displace each other.
  explicit AnsweredHellos(RandomSource & random)
  : factor_(draw<std::uint64_t>(random) | 1), entries_(places)
  {
  }

  // Before the MAC is checked: a forged frame with the MAC of an answered one is worth no look, either.
  bool contains(ByteView frame, const Endpoint & from, Instant now) const
  {
    const Tag tag = tag_of(frame);
    const Entry & entry = entries_[place_of(tag, from)];
    return now < entry.until && entry.tag == tag && entry.from == from;
  }
  void add(ByteView frame, const Endpoint & from, Instant now)
  {
    const Tag tag = tag_of(frame);
    entries_[place_of(tag, from)] = {tag, from, now + memory};
  }

private:
  static constexpr std::size_t places = 1024;
  static constexpr int place_bits = 10;
  static constexpr Duration memory = hello_retry_first / 2;

  using Tag = std::array<std::uint8_t, 16>;
  struct Entry
  {
    Tag tag = {};
    Endpoint from;
    Instant until;
  };

  static Tag tag_of(ByteView frame)
  {
    Tag tag = {};
    std::ranges::copy(frame.last(mac_size).first(tag.size()), tag.begin());
    return tag;
  }
  std::size_t place_of(const Tag & tag, const Endpoint & from) const
  {
    std::uint64_t mixed = from.port;
    const auto mix = [&](auto bytes) {
      for (const std::uint8_t byte : bytes) {
        mixed = (mixed ^ byte) * factor_;
      }
    };
    mix(tag);
    mix(from.address);
    return mixed >> (64 - place_bits);
  }

  std::uint64_t factor_;
  std::vector<Entry> entries_;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__ANSWERED_HELLOS_HPP_
