// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "support/wired_pair.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "pqc_tunnel/core/signature.hpp"

namespace pqc_tunnel::test
{
namespace
{

Side other(Side side) { return side == Side::drone ? Side::gcs : Side::drone; }

template <class Id>
std::uint64_t number(Id id)
{
  return static_cast<std::uint64_t>(id);
}

DroneId drone_id(std::uint8_t number) { return DroneId{{'d', 'r', 'o', 'n', 'e', 0, 0, number}}; }

Psk psk_of(std::uint8_t number)
{
  std::array<std::uint8_t, 32> bytes = {};
  bytes.fill(number);
  return Psk(bytes);
}

}  // namespace

const Suite & suite(std::string_view id)
{
  const Suite * found = registry().find(id);
  if (found == nullptr) {
    throw std::invalid_argument("no suite " + std::string(id));
  }
  return *found;
}

const Identities & Identities::for_signature(SignatureAlgorithm algorithm)
{
  static std::map<SignatureAlgorithm, Identities> made;
  const auto [entry, fresh] = made.try_emplace(algorithm);
  Identities & identities = entry->second;
  if (fresh) {
    SeededRandom random(static_cast<std::uint64_t>(algorithm) + 1);
    identities.gcs.id.bytes.fill(0x47);
    auto gcs = generate_signing_key(algorithm, random).value();
    auto drone = generate_signing_key(algorithm, random).value();
    identities.gcs.signing_keys[algorithm] =
      std::make_shared<const SecretBytes>(std::move(gcs.secret_key));
    identities.gcs_keys[algorithm] = std::make_shared<const Bytes>(std::move(gcs.public_key));
    identities.drone_signing_keys[algorithm] =
      std::make_shared<const SecretBytes>(std::move(drone.secret_key));
    identities.drone_keys[algorithm] = std::make_shared<const Bytes>(std::move(drone.public_key));
  }
  return identities;
}

GcsIdentity Identities::gcs_part() const { return {gcs.id, gcs.signing_keys}; }

DroneIdentity Identities::drone_part(std::uint8_t number) const
{
  return {"drone", drone_id(number), psk_of(number), gcs.id, gcs_keys, drone_signing_keys};
}

DroneRecord Identities::record(std::uint8_t number) const
{
  return {"drone " + std::to_string(number), drone_id(number), psk_of(number), drone_keys};
}

WiredPair::WiredPair() : WiredPair(Options{}) {}

WiredPair::WiredPair(Options options) : options_(std::move(options)), random_(options_.seed)
{
  if (options_.settings.initial_suite == nullptr) {
    options_.settings.initial_suite = &suite(options_.suite);
  }
  options_.identity = options_.settings.initial_suite->signature;
  make(Side::gcs);
  make(Side::drone);
}

WiredPair::~WiredPair() = default;

Endpoint WiredPair::address_of(Side side)
{
  Endpoint endpoint;
  endpoint.family = AddressFamily::ipv4;
  endpoint.address = {192, 0, 2, static_cast<std::uint8_t>(side == Side::drone ? 1 : 2)};
  endpoint.port = 4600;
  return endpoint;
}

void WiredPair::make(Side side)
{
  const Identities & identities = Identities::for_signature(options_.identity);
  if (side == Side::gcs) {
    std::vector<DroneRecord> drones;
    drones.push_back(identities.record());
    gcs_ = std::make_unique<Tunnel>(
      Tunnel::create(
        Tunnel::GcsConfig{options_.settings, identities.gcs_part(), std::move(drones)}, random_, now_)
        .value());
    return;
  }
  drone_ = std::make_unique<Tunnel>(
    Tunnel::create(
      Tunnel::DroneConfig{
        options_.settings, identities.drone_part(), address_of(Side::gcs), address_of(Side::gcs)},
      random_, now_)
      .value());
}

void WiredPair::restart(Side side)
{
  ++incarnation_[side];
  // The network closes the crashed end's connections.
  auto & mine = side == Side::drone ? to_gcs_ : to_drone_;
  const auto connections = mine;
  for (const auto & [from, to] : connections) {
    hang_up(side, ConnectionId{from});
  }
  make(side);
  received_[side].clear();
}

void WiredPair::schedule(Duration delay, std::function<void()> action)
{
  pending_.push_back({now_ + delay, order_++, std::move(action)});
}

Instant WiredPair::next_due() const
{
  Instant next = std::min(drone_->next_timeout(), gcs_->next_timeout());
  for (const Pending & pending : pending_) {
    next = std::min(next, pending.due);
  }
  return std::max(next, now_);
}

void WiredPair::run_for(Duration duration)
{
  run_until([] { return false; }, duration);
}

bool WiredPair::run_until(const std::function<bool()> & condition, Duration limit)
{
  const Instant end = now_ + limit;
  pump();
  while (!condition()) {
    const Instant due = next_due();
    if (due > end) {
      now_ = end;
      return condition();
    }
    now_ = due;
    for (auto first = pending_.end();; first = pending_.end()) {
      for (auto candidate = pending_.begin(); candidate != pending_.end(); ++candidate) {
        if (
          candidate->due <= now_ &&
          (first == pending_.end() ||
           std::pair(candidate->due, candidate->order) < std::pair(first->due, first->order))) {
          first = candidate;
        }
      }
      if (first == pending_.end()) {
        break;
      }
      const auto action = std::move(first->action);
      pending_.erase(first);
      action();
      pump();
    }
    for (const Side side : {Side::drone, Side::gcs}) {
      if (end_due(side)) {
        this->end(side).handle_timeout(now_);
        pump();
        if (this->end(side).next_timeout() <= now_) {
          throw std::logic_error("a time-out was handled but is still due: the loop would spin");
        }
      }
    }
  }
  return true;
}

bool WiredPair::establish()
{
  return run_until([this] {
    const auto drone = snapshot(Side::drone);
    const auto gcs = snapshot(Side::gcs);
    return drone.state == PeerState::established && gcs.state == PeerState::established &&
           drone.session == gcs.session && drone.epoch == gcs.epoch;
  });
}

void WiredPair::pump()
{
  pump(Side::drone);
  pump(Side::gcs);
}

void WiredPair::pump(Side side)
{
  while (auto output = end(side).poll_output()) {
    handle(side, std::move(*output));
  }
}

void WiredPair::handle(Side side, Output output)
{
  const auto incarnation = incarnation_[side];
  const auto alive = [this, side, incarnation] { return incarnation_[side] == incarnation; };
  if (auto * datagram = std::get_if<SendDatagram>(&output)) {
    transmit(side, std::move(datagram->bytes));
  } else if (auto * open = std::get_if<OpenConnection>(&output)) {
    const ConnectionId id = open->connection;
    if (tcp_refused_) {
      schedule(options_.latency, [this, alive, id] {
        if (alive()) {
          drone_->handle_closed(id, "connection refused", now_);
        }
      });
      return;
    }
    const ConnectionId accepted{++last_accepted_};
    schedule(options_.latency, [this, alive, id, accepted] {
      if (!alive()) {
        return;
      }
      if (!gcs_->handle_accepted(accepted, address_of(Side::drone), now_)) {
        drone_->handle_closed(id, "connection closed", now_);
        return;
      }
      to_gcs_[number(id)] = number(accepted);
      to_drone_[number(accepted)] = number(id);
      drone_->handle_connected(id, now_);
    });
  } else if (auto * send = std::get_if<SendStream>(&output)) {
    stream(side, send->connection, std::move(send->bytes));
  } else if (auto * close = std::get_if<CloseConnection>(&output)) {
    const ConnectionId id = close->connection;
    schedule(options_.latency, [this, alive, side, id] {
      if (alive()) {
        hang_up(side, id);
      }
    });
  } else if (auto * job = std::get_if<StartJob>(&output)) {
    ++jobs_run_[side];
    auto result = std::make_shared<JobResult>(run_job(std::move(job->job), random_));
    schedule(options_.job_time, [this, alive, side, id = job->id, result] {
      if (alive()) {
        end(side).handle_job_result(id, std::move(*result), now_);
      }
    });
  } else if (auto * outcome = std::get_if<RekeyOutcome>(&output)) {
    outcomes_[side].push_back(std::move(*outcome));
  } else if (auto * event = std::get_if<Event>(&output)) {
    events_[side].push_back(std::move(*event));
  }
}

bool WiredPair::end_due(Side side) { return end(side).next_timeout() <= now_; }

bool WiredPair::send(Side from, ByteView plaintext)
{
  Bytes frame(plaintext.size() + Tunnel::frame_overhead);
  std::ranges::copy(plaintext, frame.begin() + Tunnel::frame_headroom);
  if (!end(from).seal(PeerIndex{0}, frame, now_)) {
    return false;
  }
  transmit(from, std::move(frame));
  return true;
}

void WiredPair::transmit(Side from, Bytes datagram)
{
  datagrams_[from].push_back(datagram);
  if (datagram_filter_ && !datagram_filter_(from, datagram)) {
    return;
  }
  schedule(options_.latency, [this, from, datagram = std::move(datagram)]() mutable {
    deliver(other(from), std::move(datagram), address_of(from));
  });
}

void WiredPair::deliver(Side to, Bytes datagram, const Endpoint & from)
{
  const Opened opened = end(to).open(datagram, from, now_);
  if (opened.forward) {
    received_[to].emplace_back(opened.plaintext.begin(), opened.plaintext.end());
  }
}

Opened WiredPair::inject(Side to, ByteView datagram, const Endpoint & from)
{
  Bytes copy(datagram.begin(), datagram.end());
  Opened opened = end(to).open(copy, from, now_);
  opened.plaintext = {};
  pump();
  return opened;
}

void WiredPair::stream(Side from, ConnectionId connection, Bytes bytes)
{
  if (stream_filter_ && !stream_filter_(from, bytes)) {
    return;
  }
  schedule(options_.latency, [this, from, connection, bytes = std::move(bytes)] {
    const auto & links = from == Side::drone ? to_gcs_ : to_drone_;
    const auto link = links.find(number(connection));
    if (link != links.end()) {
      end(other(from)).handle_stream(ConnectionId{link->second}, bytes, now_);
    }
  });
}

void WiredPair::hang_up(Side from, ConnectionId connection)
{
  auto & mine = from == Side::drone ? to_gcs_ : to_drone_;
  auto & theirs = from == Side::drone ? to_drone_ : to_gcs_;
  const auto link = mine.find(number(connection));
  if (link == mine.end()) {
    return;
  }
  const ConnectionId remote{link->second};
  theirs.erase(link->second);
  mine.erase(link);
  end(other(from)).handle_closed(remote, "connection closed", now_);
}

bool WiredPair::saw(Side side, EventKind kind) const
{
  const auto found = events_.find(side);
  return found != events_.end() &&
         std::ranges::any_of(found->second, [kind](const Event & event) { return event.kind == kind; });
}

}  // namespace pqc_tunnel::test
