// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef SIMULATOR__FLEET_RUN_HPP_
#define SIMULATOR__FLEET_RUN_HPP_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/loop/event_limit.hpp"
#include "engine/loop/mailbox.hpp"
#include "simulator/adversary.hpp"
#include "support/hostile/hostile_drone.hpp"

namespace pqc_tunnel::test
{

// What happens in a fleet, whatever one of its drones does.
struct FleetPlan
{
  struct Request
  {
    Duration at{};  // after the storm has begun
    std::size_t drone = 0;
    Side by{};
    bool ratchet = false;
    bool refused = false;  // for a suite that nobody knows
  };

  std::uint64_t seed = 0;
  std::uint8_t drones = 2;
  std::size_t hostile = 0;
  Duration latency{};
  Duration job_time{};
  Duration interval{};  // of datagrams, each way
  Duration storm{};
  std::vector<Request> requests;  // of the others

  static FleetPlan draw(std::uint64_t seed, Duration storm, SeededRandom & dice);
};

// What the hostile drone sends beside what a drone sends.
struct Attack
{
  std::string name;
  Flood flood;
  double per_s = 0;
  Duration begin{};
  Duration end{};

  static Attack draw(Duration storm, SeededRandom & dice);
  std::string describe() const;
};

// What the others and the operator got.
struct FleetService
{
  // How long each datagram took, by drone, receiver and number. What is lost is missing.
  std::map<std::tuple<std::size_t, Side, std::uint32_t>, Duration> datagrams;
  // How long each request for new keys took, by its place in the plan. What failed is missing.
  std::map<std::size_t, Duration> rekeys;
  // The events at the ground station that nobody has taken so far.
  std::map<std::pair<std::size_t, EventKind>, std::size_t> events;
  Duration time{};  // in which they happened
};

// A ground station and its drones through what was planned, with attacks or without.
class FleetRun
{
public:
  explicit FleetRun(const FleetPlan & plan);

  // Somebody on the link of the hostile drone drops, holds, copies and re-addresses what passes there.
  void use_adversary(SeededRandom & dice);
  FleetService run(const std::vector<Attack> & attacks);
  // Frames of the hostile drone that the ground station has opened.
  std::uint64_t opened_of_hostile() const { return thread_->opened_of_hostile(); }
  std::uint64_t taken() const { return taken_; }
  std::vector<std::string> describe_adversary() const
  {
    return adversary_ ? adversary_->describe() : std::vector<std::string>{};
  }

private:
  void establish();
  std::vector<Duration> travel(Side from, Bytes & datagram);
  void send_datagrams();
  void request_what_is_due();
  void attack(const std::vector<Attack> & attacks);
  void note_arrival(Side to, std::size_t drone, ByteView datagram, Instant now);
  void collect_events();

  FleetPlan plan_;
  Fleet fleet_;
  EventLimit event_limit_;
  Mailbox mailbox_{[] {}};
  PacketThread * thread_ = nullptr;  // of the ground station
  std::optional<HostileDrone> hostile_;
  std::optional<Adversary> adversary_;
  Instant begun_;
  Instant next_datagrams_;
  std::size_t next_request_ = 0;
  std::map<RekeyId, std::pair<std::size_t, Instant>> asked_;  // the place in the plan, and when
  std::map<std::pair<std::size_t, Side>, std::vector<Instant>> sent_;  // by drone and receiver
  std::map<std::size_t, double> due_;                                  // frames of each attack
  std::map<std::size_t, std::uint32_t> numbers_;
  std::uint64_t taken_ = 0;
  FleetService service_;
};

}  // namespace pqc_tunnel::test

#endif  // SIMULATOR__FLEET_RUN_HPP_
