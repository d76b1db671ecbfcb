// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "simulator/fleet_run.hpp"

#include <algorithm>
#include <cmath>

#include "simulator/witnesses/violation.hpp"
#include "support/pair/traffic.hpp"

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

constexpr Duration tick = 1ms;
constexpr Duration between_requests = 1s;
constexpr Duration aftermath = 4s;

Duration up_to(Duration most, SeededRandom & dice)
{
  return std::chrono::duration_cast<Duration>(most * dice.uniform());
}

std::size_t below(std::size_t bound, SeededRandom & dice)
{
  return static_cast<std::size_t>(static_cast<double>(bound) * dice.uniform() * 0.999);
}

}  // namespace

// --- What is drawn ---

FleetPlan FleetPlan::draw(std::uint64_t seed, Duration storm, SeededRandom & dice)
{
  FleetPlan plan;
  plan.seed = seed;
  plan.drones = dice.uniform() < 0.5 ? 2 : 3;
  plan.hostile = below(plan.drones, dice);
  plan.latency = 1ms + up_to(30ms, dice);
  plan.job_time = 1ms + up_to(30ms, dice);
  plan.interval = 5ms + up_to(30ms, dice);
  plan.storm = storm;
  for (Duration at = between_requests; at < storm; at += between_requests) {
    Request request;
    request.at = at;
    request.drone = (plan.hostile + 1 + below(plan.drones - 1u, dice)) % plan.drones;
    request.refused = dice.uniform() < 0.3;
    request.by = request.refused || dice.uniform() < 0.5 ? Side::gcs : Side::drone;
    request.ratchet = !request.refused && dice.uniform() < 0.3;
    plan.requests.push_back(request);
  }
  return plan;
}

Attack Attack::draw(Duration storm, SeededRandom & dice)
{
  const auto sorts = floods(12 + below(1300, dice));
  const auto & [name, flood] = sorts[below(sorts.size(), dice)];
  Attack attack{name, flood, 10 * std::pow(800, dice.uniform()), {}, {}};
  attack.begin = up_to(storm / 2, dice);
  attack.end = attack.begin + 500ms + up_to(storm / 2, dice);
  return attack;
}

std::string Attack::describe() const
{
  return "hostile drone: " + name + ", " + std::to_string(static_cast<int>(per_s)) + " a second, " +
         std::to_string(begin / 1ms) + " to " + std::to_string(end / 1ms) + " ms";
}

// --- The run ---

FleetRun::FleetRun(const FleetPlan & plan)
: plan_(plan), fleet_(plan.drones, 0, plan.job_time, plan.seed)
{
  for (std::size_t i = 0; i < plan_.drones; ++i) {
    fleet_.set_channel(i, [this, i](Side from, Bytes & datagram) {
      return i == plan_.hostile ? travel(from, datagram) : std::vector{plan_.latency};
    });
  }
  fleet_.watch_arrivals([this](Side to, std::size_t drone, ByteView datagram, Instant now) {
    note_arrival(to, drone, datagram, now);
  });
  fleet_.watch_events([this](const Event & event) {
    if (event_limit_.passes(event)) {
      mailbox_.add_event(event);
    }
  });
  fleet_.watch_replies([this](const RekeyReply & reply) {
    if (const auto asked = asked_.find(reply.id); asked != asked_.end() && reply.success) {
      service_.rekeys[asked->second.first] = fleet_.now() - asked->second.second;
    }
  });
  establish();
}

void FleetRun::establish()
{
  const auto ready = [this] {
    for (std::size_t i = 0; i < plan_.drones; ++i) {
      if (!fleet_.agreed(i) || fleet_.at_drone(i).prekeys == 0) {
        return false;
      }
    }
    return true;
  };
  require(fleet_.run_until(ready, 60s), "every drone gets a session", "a fleet does not connect");
  fleet_.run_for(2s);
  thread_ = &fleet_.use_packet_thread(plan_.hostile);
  mailbox_.take_events();
  begun_ = next_datagrams_ = fleet_.now();
}

void FleetRun::use_adversary(SeededRandom & dice)
{
  const std::size_t i = plan_.hostile;
  adversary_.emplace(
    Wire{
      [this] { return fleet_.now(); },
      [this, i](Side side) { return fleet_.standing(side, i).keys; },
      [this, i](Side to, const Bytes & datagram, const Endpoint & from, Duration delay) {
        fleet_.deliver_later(i, to, datagram, from, delay);
      }},
    dice, plan_.latency, plan_.storm);
}

FleetService FleetRun::run(const std::vector<Attack> & attacks)
{
  if (!attacks.empty()) {
    hostile_.emplace(fleet_, plan_.hostile);
  }
  for (const Instant end = begun_ + plan_.storm; fleet_.now() < end; fleet_.run_for(tick)) {
    attack(attacks);
    send_datagrams();
    request_what_is_due();
  }
  fleet_.run_for(aftermath);
  collect_events();
  return std::move(service_);
}

std::vector<Duration> FleetRun::travel(Side from, Bytes & datagram)
{
  if (hostile_ && from == Side::drone) {
    hostile_->pass(datagram);
  }
  auto delays = adversary_ ? adversary_->handle(from, datagram, false) : std::nullopt;
  if (!delays) {
    return {plan_.latency};
  }
  ++taken_;
  std::ranges::for_each(*delays, [this](Duration & delay) { delay += plan_.latency; });
  return *delays;
}

void FleetRun::attack(const std::vector<Attack> & attacks)
{
  const Duration at = fleet_.now() - begun_;
  for (std::size_t i = 0; i < attacks.size(); ++i) {
    const Attack & attack = attacks[i];
    if (at < attack.begin || at >= attack.end) {
      continue;
    }
    for (due_[i] += attack.per_s * 0.001; due_[i] >= 1; due_[i] -= 1) {
      hostile_->say(attack.flood(numbers_[i]++));
    }
  }
}

// Telemetry and a command of each of the others.
void FleetRun::send_datagrams()
{
  if (fleet_.now() < next_datagrams_) {
    return;
  }
  next_datagrams_ += plan_.interval;
  for (std::size_t i = 0; i < plan_.drones; ++i) {
    if (i == plan_.hostile) {
      continue;
    }
    for (const Side to : both_sides) {
      std::vector<Instant> & sent = sent_[{i, to}];
      const Bytes text = numbered(static_cast<std::uint32_t>(sent.size()));
      sent.push_back(fleet_.now());
      to == Side::gcs ? fleet_.send_up(i, text) : fleet_.send_down(i, text);
    }
  }
}

void FleetRun::request_what_is_due()
{
  for (; next_request_ < plan_.requests.size(); ++next_request_) {
    const FleetPlan::Request & request = plan_.requests[next_request_];
    if (fleet_.now() < begun_ + request.at) {
      return;
    }
    RekeyCommand command = rekey_to(nullptr);
    command.suite_id = request.refused ? "none" : "";
    command.ratchet = request.ratchet;
    asked_[command.id] = {next_request_, fleet_.now()};
    if (request.by == Side::drone) {
      fleet_.drone(request.drone).request_rekey(command, fleet_.now());
    } else {
      command.peer = Fleet::index(request.drone);
      fleet_.gcs().request_rekey(command, fleet_.ground_time());
    }
  }
}

void FleetRun::note_arrival(Side to, std::size_t drone, ByteView datagram, Instant now)
{
  const auto sent = sent_.find({drone, to});
  if (drone == plan_.hostile || sent == sent_.end() || datagram.size() < 4) {
    return;
  }
  const auto number = static_cast<std::uint32_t>(
    datagram[0] | datagram[1] << 8 | datagram[2] << 16 | datagram[3] << 24);
  service_.datagrams.try_emplace({drone, to, number}, now - sent->second.at(number));
}

void FleetRun::collect_events()
{
  service_.time = fleet_.now() - begun_;
  for (const Event & event : mailbox_.take_events()) {
    if (event.peer) {
      ++service_.events[{static_cast<std::size_t>(*event.peer), event.kind}];
    }
  }
}

}  // namespace pqc_tunnel::test
