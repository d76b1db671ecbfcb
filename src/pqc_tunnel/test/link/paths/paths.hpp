// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef LINK__PATHS__PATHS_HPP_
#define LINK__PATHS__PATHS_HPP_

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "link/paths/path_set.hpp"
#include "support/deterministic_random.hpp"

namespace pqc_tunnel::test
{

inline Endpoint at(std::uint8_t link, std::uint8_t host = 1)
{
  Endpoint endpoint{AddressFamily::ipv4, 14550, 0, {10, 0, 0, host}, link};
  return endpoint;
}

inline LinkSettings link(Carry carry = Carry::all, double rate_kbit = 0)
{
  return {"link", LinkType::udp, carry, 1232, rate_kbit};
}

// A set of paths whose time and randomness the test holds.
struct Paths
{
  static constexpr std::size_t size = 100;  // of a frame

  explicit Paths(std::vector<LinkSettings> links, Schedule schedule = Schedule::failover)
  : settings{std::move(links), schedule}, set(settings, random)
  {
  }

  void frame(const Endpoint & from) { frame(from, ++sequence); }
  void frame(const Endpoint & from, std::uint64_t number)
  {
    set.handle_frame(from, {1, number}, size, now);
  }
  std::vector<Endpoint> routes(
    TrafficClass traffic = TrafficClass::telemetry, std::size_t bytes = size)
  {
    const Routes routes = set.routes(traffic, bytes, now);
    return {routes.begin(), routes.end()};
  }
  std::vector<PathProbe> probes()
  {
    std::vector<PathProbe> all;
    set.handle_timeout(now);
    while (const auto probe = set.take_probe(now)) {
      all.push_back(*probe);
    }
    return all;
  }
  // The peer answers the probes to these links, and those alone, at once.
  void run(Duration duration, const std::vector<std::uint8_t> & answering)
  {
    for (const Instant end = now + duration; now < end; now += std::chrono::milliseconds(10)) {
      for (const PathProbe & probe : probes()) {
        if (std::ranges::find(answering, probe.to.link) != answering.end()) {
          EXPECT_TRUE(set.handle_answer(probe.nonce, probe.to, now));
        }
      }
    }
  }
  // The peer is at this address, as a handshake or an answer has shown.
  void prove(const Endpoint & remote) { set.use(remote, now); }
  std::optional<PathProbe> probe_to(const Endpoint & remote)
  {
    const auto all = probes();
    const auto found = std::ranges::find(all, remote, &PathProbe::to);
    return found != all.end() ? std::optional(*found) : std::nullopt;
  }
  PathState state(std::size_t link) { return set.report(now).at(link).state; }

  PathSettings settings;
  DeterministicRandom random{1};
  PathSet set;
  Instant now{std::chrono::hours(1)};
  std::uint64_t sequence = 0;
};

using Endpoints = std::vector<Endpoint>;

}  // namespace pqc_tunnel::test

#endif  // LINK__PATHS__PATHS_HPP_
