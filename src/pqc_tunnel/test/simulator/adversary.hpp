// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef SIMULATOR__ADVERSARY_HPP_
#define SIMULATOR__ADVERSARY_HPP_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "support/pair/wired_pair.hpp"

namespace pqc_tunnel::test
{

// The way between a drone and its ground station, as somebody on it sees it.
struct Wire
{
  std::function<Instant()> now;
  std::function<std::vector<InstalledKeys>(Side)> keys;  // of that end
  std::function<void(Side to, const Bytes & datagram, const Endpoint & from, Duration delay)>
    deliver_later;
};

Wire wire_of(WiredPair & pair);

// Somebody who owns the network and has no key. It follows several rules at once, drawn from its dice, each of which drops,
// holds, releases, copies or re-addresses datagrams that it chooses by what can be seen of them, or guessed: direction, size,
// time, whose keys they are under, and what they are.
class Adversary
{
public:
  Adversary(Wire wire, SeededRandom & dice, Duration latency, Duration storm);

  // The extra delays of the datagram's copies by its own path; nothing if no rule is for it. `data`: it is an application's.
  std::optional<std::vector<Duration>> handle(Side from, const Bytes & datagram, bool data);
  std::vector<std::string> describe() const;
  // Where it copies datagrams from, and re-addresses them.
  static std::vector<Endpoint> addresses();

private:
  enum class Action : std::uint8_t
  {
    drop,
    hold,     // … until the end of the rule, and let all go at once
    trickle,  // … and let one go at a time
    stretch,  // delayed more and more
    copy,     // a copy arrives first, from elsewhere
    readdress,
  };
  struct Rule
  {
    Action action{};
    Side from{};
    unsigned kinds = 0;  // a bit for each
    unsigned keys = 0;
    std::size_t smallest = 0;
    std::size_t largest = SIZE_MAX;
    double share = 1;
    Instant begin;
    Instant end;
    Duration interval{};
    Endpoint source;
    Instant next_release;
  };

  Rule draw(Duration storm);
  void set_ends_at_odds();
  bool is_for(const Rule & rule, Side from, const Bytes & datagram, bool data);
  unsigned keys_of(Side from, const Bytes & datagram);
  std::vector<Duration> apply(Rule & rule, Side from, const Bytes & datagram);
  bool chance(double probability) { return dice_.uniform() < probability; }
  unsigned some_of(unsigned count);  // as bits

  Wire wire_;
  SeededRandom & dice_;
  Duration latency_;
  std::vector<Rule> rules_;
};

}  // namespace pqc_tunnel::test

#endif  // SIMULATOR__ADVERSARY_HPP_
